"""The envelope that every answer wears, built in one place and in one order.

It decides no content. Text and structured content are the same JSON; the text is laid out over several lines, because
some clients show one, some the other, and one of them loses a very long line.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from satori.server.reasons import Reason, Status
from satori.server.schema import (
    Schema,
    anything,
    counts,
    flag,
    listing,
    number,
    or_null,
    record,
    text,
)


@dataclass(frozen=True, slots=True)
class Action:
    """The next call worth making: `arguments` fit `tool`'s contract."""

    tool: str
    arguments: dict[str, Any]
    why: str

    def as_dict(self) -> dict[str, Any]:
        """The shape that answers carry."""
        return {"tool": self.tool, "arguments": self.arguments, "why": self.why}


@dataclass(slots=True)
class Answer:
    """One answer before it is bounded and rendered.

    `reason` fixes the status (none: ok). `fields` are the tool's own, in the order of its contract. `drops` are
    applied by `budget`, in order, until the answer fits; `settle` then brings what depends on how much is shown
    (counts, continuations) in line, and is run again whenever that changes.
    """

    message: str
    reason: Reason | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    publication: dict[str, Any] | None = None
    freshness: dict[str, Any] | None = None
    coverage: dict[str, Any] | None = None
    warnings: list[dict[str, Any]] = field(default_factory=list)
    omitted: dict[str, int] = field(default_factory=dict)
    action: Action | None = None
    drops: tuple[Any, ...] = ()
    settle: Callable[[Answer], None] | None = None

    @property
    def status(self) -> Status:
        """The status that follows from the reason."""
        return self.reason.status if self.reason is not None else Status.OK

    def warn(self, code: str, message: str) -> None:
        """Add a warning, once per code and message."""
        warning = {"code": str(code), "message": message}
        if warning not in self.warnings:
            self.warnings.append(warning)

    def as_dict(self) -> dict[str, Any]:
        """The whole answer, in the order of the schema."""
        return {
            "status": self.status.value,
            "reason": self.reason.value if self.reason is not None else None,
            "message": self.message,
            "publication": self.publication,
            "freshness": self.freshness,
            **self.fields,
            "coverage": self.coverage,
            "warnings": self.warnings,
            "omitted": self.omitted,
            "recommendedNextAction": self.action.as_dict() if self.action is not None else None,
        }


def render(answer: dict[str, Any], known: Rendered | None = None) -> str:
    """The answer as text: the same JSON, a line for each field and for each item of a list.

    White space deeper than that would cost a third of the budget and tell nobody anything. With `known`, items of lists
    that were rendered before are not rendered again; none of them may have changed since.
    """
    known = Rendered() if known is None else known
    lines = []
    for name, value in answer.items():
        if isinstance(value, list) and value:
            items = ",\n  ".join(map(known.text, value))
            lines.append(f" {_compact(name)}: [\n  {items}\n ]")
        else:
            lines.append(f" {_compact(name)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}"


class Rendered:
    """The texts of list items, while an answer is brought within its budget: it is rendered many times for that."""

    def __init__(self) -> None:
        # The item is kept beside its text: an identity is only its own while it lives.
        self._texts: dict[int, tuple[Any, str]] = {}

    def text(self, item: Any) -> str:
        """The item's JSON."""
        if not isinstance(item, dict):
            return _compact(item)
        found = self._texts.get(id(item))
        if found is None:
            found = self._texts[id(item)] = (item, _compact(item))
        return found[1]


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def is_error(answer: dict[str, Any]) -> bool:
    """Whether MCP's isError is set: invalid requests, denied paths and internal errors only."""
    return bool(answer["status"] == Status.ERROR.value)


def wire_safe(value: Any) -> Any:
    """The same value with lone surrogates spelt out: a path may hold bytes that are no text, JSON may not."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {wire_safe(key): wire_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [wire_safe(item) for item in value]
    return value


def publication_schema() -> Schema:
    """The Publication that every field comes from."""
    return record(
        {
            "id": text(),
            "sequence": number(),
            "activatedAt": text(),
            "root": text(),
            "effectiveRoot": text(),
        },
        nullable=True,
    )


def freshness_schema() -> Schema:
    """How the Publication relates to the files on disk now."""
    return record(
        {
            "state": text("verified", "changed", "unverified"),
            "changedFiles": listing(text()),
            "changedCount": number(),
            "pendingSync": flag(),
            "of": text("answer", "directory"),
        },
        nullable=True,
    )


def action_schema() -> Schema:
    """A complete next call, or null."""
    return record({"tool": text(), "arguments": anything(), "why": text()}, nullable=True)


def envelope_schema(fields: dict[str, Schema]) -> Schema:
    """The JSON Schema of an answer whose own properties are `fields`; only an `ok` answer has all of them."""
    envelope: dict[str, Schema] = {
        "status": text(*(status.value for status in Status)),
        "reason": or_null(text(*(reason.value for reason in Reason))),
        "message": text(),
        "publication": publication_schema(),
        "freshness": freshness_schema(),
        **fields,
        "problems": listing(
            record(
                {
                    "parameter": text(),
                    "code": text(),
                    "message": text(),
                    "expected": text(),
                    "meant": or_null(text()),
                }
            )
        ),
        "coverage": or_null(anything()),
        "warnings": listing(record({"code": text(), "message": text()})),
        "omitted": counts(),
        "recommendedNextAction": action_schema(),
    }
    return record(envelope, optional=("problems", *fields))
