"""`satori compare`: the baseline's four questions through both engines, side by side, and what else it cannot do.

Works on a copy of the directory, in a state root of its own: neither the directory nor the user's state is touched.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

from satori.errors import SourceError, UsageError
from satori.evaluation.baseline import load_baseline
from satori.evaluation.engine import NaiveEngine, SatoriEngine
from satori.evaluation.judge import judge
from satori.evaluation.lifecycle import Lifecycle, live_on
from satori.evaluation.question import Question, QuestionKind, Target

TOP = 3
_KINDS = {
    "exact symbol": QuestionKind.SYMBOL,
    "straddling": QuestionKind.STRADDLING,
    "unanswerable": QuestionKind.UNANSWERABLE,
    "other words": QuestionKind.REWORDED,
}
_WIDTH = 58


@dataclass(frozen=True, slots=True)
class Side:
    """One engine's answer to one question; `right` is None where nobody knows the answer."""

    rows: tuple[str, ...]
    right: bool | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and both answers."""

    kind: str
    query: str
    expected: str
    naive: Side
    satori: Side


def compare(directory: Path, *, json_output: bool = False) -> int:
    """Print both engines' answers to the four questions and how both live through a change; returns the exit code 0.

    Raises UsageError for what is no directory and SourceError when it cannot be copied.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory} is not a directory.", next_step="Try: satori compare DIR")
    load_baseline()
    with tempfile.TemporaryDirectory(prefix="satori-compare-") as scratch:
        copy = Path(scratch) / "both" / (directory.resolve().name or "root")
        _copy(directory, copy)
        naive = NaiveEngine(copy)
        with SatoriEngine(copy) as satori:
            asked = ask_both(naive, satori)
            lives = _live_on(copy, asked, naive, satori)
    if json_output:
        record = {"questions": [asdict(a) for a in asked], "lifecycle": [asdict(life) for life in lives or ()]}
        print(json.dumps(record, indent=1, ensure_ascii=False))
        return 0
    print(f"{directory}: {len(naive.rag.documents)} text files, {len(naive.rag.windows)} windows\n")
    for question in asked:
        print("\n".join(layout(question)) + "\n")
    print("\n".join(summary(asked, lives)))
    return 0


def ask_both(naive: NaiveEngine, satori: SatoriEngine) -> list[Asked]:
    """Ask both engines the baseline's four questions about what they have indexed, with three results each."""
    asked = []
    for picked in load_baseline().failure_questions(naive.rag, TOP):
        lines = [naive.lines_of(answer) for answer in picked.answers]
        targets = tuple(
            Target(found.path, found.start_line, found.end_line, answer.name)
            for found, answer in zip(lines, picked.answers, strict=True)
        )
        kind = _KINDS[picked.kind]
        question = Question(picked.text, kind, targets[0] if targets else None, targets[1:])
        hits = naive.rag.search(picked.text, TOP)
        windows = tuple(
            f"{rank} {score:.2f} {hit.path}:{hit.start} {naive.rag.text_of(hit)[:60]!r}"
            for rank, (score, hit) in enumerate(hits, 1)
        )
        whole = [picked.answered_by(hit) for _, hit in hits]
        rank = whole.index(True) + 1 if True in whole else None
        response = satori.ask(picked.text, TOP)
        owners = tuple(
            f"{number} {found.path}:{found.start_line}-{found.end_line} {found.symbol}"
            for number, found in enumerate(response.results, 1)
        )
        expected = f"{lines[0].path}:{lines[0].start_line}-{lines[0].end_line}" if lines else "nothing"
        asked.append(
            Asked(
                picked.kind,
                picked.text,
                expected + (f" or {len(lines) - 1} other places" if len(lines) > 1 else ""),
                _side(windows, question, rank, refused=False),
                _side(owners, question, judge(question, response).rank, refused=response.refused),
            )
        )
    return asked


def _side(rows: tuple[str, ...], question: Question, rank: int | None, *, refused: bool) -> Side:
    if question.kind is QuestionKind.UNANSWERABLE:
        return Side(
            rows, refused, "right: says that nothing answers this" if refused else "wrong: answers all the same"
        )
    if question.owner is None:
        return Side(rows, None, "declines" if refused else "not judged: the answer is not known")
    if rank is None:
        return Side(rows, False, "wrong: declines" if refused else "wrong: no result holds the answer whole")
    return Side(rows, True, f"right: the answer is result {rank}")


def layout(asked: Asked) -> list[str]:
    """Lay one question out in two columns."""
    head = [f"{asked.kind}: {asked.query}", f"  expected: {asked.expected}"]
    rows = zip_longest(asked.naive.rows, asked.satori.rows)
    columns = [("naive", "satori"), *rows, (asked.naive.verdict, asked.satori.verdict)]
    return head + [f"  {_fit(left)}  {_fit(right).rstrip()}" for left, right in columns]


def _fit(text: str | None) -> str:
    text = text or ""
    return (text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…").ljust(_WIDTH)


def summary(asked: Sequence[Asked], lives: tuple[Lifecycle, Lifecycle] | None) -> list[str]:
    """Lay out the count of right answers and what happened to both indexes."""
    lines = ["right answers"]
    for name in ("naive", "satori"):
        sides = [question.naive if name == "naive" else question.satori for question in asked]
        judged = [side.right for side in sides if side.right is not None]
        lines.append(f"  {name:7} {sum(judged)} of {len(judged)}")
    for life in lives or ():
        update = life.update
        embedded = f"{update.files} of {update.of} files embedded again"
        lines += [
            f"\nwhat {life.engine} does when the directory changes",
            f"  one line added to one file   {embedded}, {update.seconds:.2f} s",
            f"  the new line is then found   {'yes' if update.found else 'no'}",
            f"  age of the index before that {update.age or 'does not say'}",
            f"  that file deleted            {life.cites_deleted} results still cite it",
            f"  a second repository beside   {life.from_neighbour} of its results in answers for the first",
        ]
    return lines


def _live_on(
    copy: Path, asked: Sequence[Asked], naive: NaiveEngine, satori: SatoriEngine
) -> tuple[Lifecycle, Lifecycle] | None:
    """Change the file of the symbol question, or else any text file; nothing to change, nothing to report."""
    expected = asked[0].expected
    file = expected.rpartition(":")[0] if ":" in expected else next(iter(naive.rag.documents), "")
    return live_on(copy, file, satori) if file else None


def _copy(directory: Path, copy: Path) -> None:
    try:
        shutil.copytree(directory, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    except (OSError, shutil.Error) as error:
        raise SourceError(
            f"{directory} cannot be copied for the comparison: {error}",
            next_step="Free disk space under the temporary directory, or compare a smaller directory.",
        ) from error
