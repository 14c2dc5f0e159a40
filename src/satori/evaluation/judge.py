"""Judging one response: at which rank the owner stands, and what the ranking is worth.

A result answers a target when it covers the target's lines, or lies wholly inside an owner of which a piece will do,
and, if it claims to be a symbol, names the target's symbol: an engine that names owners is held to the name, one that
returns windows is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from satori.evaluation.engine import Found, Response
from satori.evaluation.metrics import ndcg
from satori.evaluation.question import Question, Target

OWNER_GAIN, ALTERNATIVE_GAIN = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Judgement:
    """One question's outcome. `rank` is that of the first answering result (1-based), None when there is none."""

    question: Question
    response: Response
    rank: int | None
    ndcg: float


def answers(found: Found, target: Target) -> bool:
    """Whether a result answers a target (see the module)."""
    covers = found.start_line <= target.start_line and target.end_line <= found.end_line
    inside = target.start_line <= found.start_line and found.end_line <= target.last_line
    named = not found.symbol or not target.symbol or last_name(found.symbol) == last_name(target.symbol)
    return found.path == target.path and (covers or inside) and named


def last_name(symbol: str) -> str:
    """Return the last identifier of a qualified name: `Store.open` and `Store::open` give `open`."""
    words = re.findall(r"[\w$@?!-]+", symbol)
    return words[-1] if words else symbol


def judge(question: Question, response: Response) -> Judgement:
    """Judge one response; a target counts once, at the first result that answers it."""
    gains = [0.0] * len(response.results)
    open_targets = [(target, OWNER_GAIN if i == 0 else ALTERNATIVE_GAIN) for i, target in enumerate(question.targets)]
    ideal = [gain for _, gain in open_targets]
    for position, found in enumerate(response.results):
        match = next((pair for pair in open_targets if answers(found, pair[0])), None)
        if match:
            gains[position] = match[1]
            open_targets.remove(match)
    rank = next((position for position, gain in enumerate(gains, 1) if gain), None)
    return Judgement(question, response, rank, ndcg(gains, ideal))
