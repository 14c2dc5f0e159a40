"""The table of one run, and the two ratios on the tasks that both ways solved. It runs nothing."""

from __future__ import annotations

from dataclasses import dataclass

from evals.agent.outcome import Outcome
from evals.agent.task import Task


@dataclass(frozen=True, slots=True)
class Row:
    """One task, both ways."""

    task: Task
    baseline: Outcome
    tools: Outcome

    @property
    def both(self) -> bool:
        """Whether both got there: only then can what they spent be compared."""
        return self.baseline.solved and self.tools.solved


def table(rows: list[Row], *, steps: bool = False) -> str:
    """Markdown: a row a task, then the sums that the bars are about."""
    lines = [
        "| task | kind | ripgrep: solved | calls | bytes | Satori: solved | calls | bytes |",
        "|---|---|---|---:|---:|---|---:|---:|",
    ]
    for row in rows:
        ours, theirs = row.tools, row.baseline
        lines.append(
            f"| {row.task.id} | {row.task.kind} | {_word(theirs)} | {theirs.calls} | {theirs.bytes:,} "
            f"| {_word(ours)} | {ours.calls} | {ours.bytes:,} |"
        )
        if steps:
            lines += [f"    {step}" for step in (*theirs.steps, "--", *ours.steps)]
    lines += ["", *_sums(rows)]
    return "\n".join(lines)


def _word(outcome: Outcome) -> str:
    return "yes" if outcome.solved else "no"


def _sums(rows: list[Row]) -> list[str]:
    both = [row for row in rows if row.both]
    lines = [
        f"Solved: ripgrep {sum(row.baseline.solved for row in rows)} of {len(rows)}, "
        f"Satori {sum(row.tools.solved for row in rows)} of {len(rows)}, both {len(both)}."
    ]
    for name, chosen in (("On the tasks that both solved", both), ("On all tasks, solved or not", rows)):
        if not chosen:
            continue
        calls = sum(row.tools.calls for row in chosen), sum(row.baseline.calls for row in chosen)
        size = sum(row.tools.bytes for row in chosen), sum(row.baseline.bytes for row in chosen)
        lines.append(
            f"{name}: calls {calls[0]} of {calls[1]} ({calls[0] / calls[1]:.2f}), "
            f"bytes {size[0]:,} of {size[1]:,} ({size[0] / size[1]:.2f})."
        )
    return lines
