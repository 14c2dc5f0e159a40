"""One comparison of what Satori reads with what another reader of the same sources says: the shape of a figure.

It measures nothing and decides nothing; `satori.languages.measured` and `satori.relationships.measured` hold figures.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """Recall and precision (0 to 1) against another reader, as they came out; None where it was not counted.

    `tree` names what was read, as the documentation's table does; `against` the other reader. Raw figures count every
    disagreement against Satori, whoever errs; the judged ones count those that reading the source did not excuse.
    """

    tree: str
    against: str
    recall: float | None
    precision: float | None
    judged_recall: float | None = None
    judged_precision: float | None = None

    @property
    def true_precision(self) -> float | None:
        """Precision after judging, where somebody judged."""
        return self.precision if self.judged_precision is None else self.judged_precision

    def sentence(self) -> str:
        """The figures in one phrase."""
        parts = [
            _figure("recall", self.recall, self.judged_recall),
            _figure("precision", self.precision, self.judged_precision),
        ]
        return f"{', '.join(part for part in parts if part)} against {self.against} on {self.tree}"


def _figure(name: str, raw: float | None, judged: float | None) -> str:
    if raw is None:
        return ""
    return f"{name} {raw}" if judged is None else f"{name} {raw} ({judged} judged)"
