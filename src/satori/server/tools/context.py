"""What a tool is given besides its arguments, and what a tool is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from satori.server.contract import Contract
from satori.server.envelope import Answer
from satori.server.sessions import Session
from satori.server.workbench import Workbench

Progress = Callable[[float, float | None, str], None]


def _silent(_done: float, _total: float | None, _message: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One call's surroundings: whose session, which state, and where progress goes."""

    session: Session
    workbench: Workbench
    progress: Progress = field(default=_silent)


@dataclass(frozen=True, slots=True)
class Tool:
    """A contract and what answers it. `answer` gets validated arguments with defaults filled in."""

    contract: Contract
    answer: Callable[[dict[str, Any], ToolContext], Answer]
    larger: Callable[[dict[str, Any]], bool] = field(default=lambda _arguments: False)
