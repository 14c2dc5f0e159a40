"""Keep an answer within its bytes: drop parts in a fixed order, count what went, never cut JSON.

The size is that of the rendered text in UTF-8 bytes, which is the larger of the two forms a client may show. What to
drop, and in which order, is the tool's to say; when that is not enough the longest strings are clipped, and the
message says so. An answer within its budget is left exactly as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from satori.server.envelope import Answer, Rendered, render, wire_safe
from satori.server.reasons import WarningCode

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Drop:
    """One kind of part that may go: `count` units of it exist, `without(fields, n)` is the fields less `n` of them."""

    name: str
    count: Callable[[Fields], int]
    without: Callable[[Fields, int], Fields]


def drop_tail(field: str, keep: int = 0) -> Drop:
    """Drop items of the list `field` from its end, keeping at least `keep`."""
    return Drop(
        field,
        lambda fields: max(0, len(fields.get(field) or ()) - keep),
        lambda fields, n: {**fields, field: fields[field][: len(fields[field]) - n]} if n else fields,
    )


def drop_detail(field: str, key: str, empty: Any = None) -> Drop:
    """Empty `key` in the items of the list `field`, from the last item to the first."""

    def filled(fields: Fields) -> list[int]:
        return [at for at, item in enumerate(fields.get(field) or ()) if item.get(key) not in (None, empty)]

    def without(fields: Fields, n: int) -> Fields:
        if not n:
            return fields
        gone = set(filled(fields)[-n:])
        items = [{**item, key: empty} if at in gone else item for at, item in enumerate(fields[field])]
        return {**fields, field: items}

    return Drop(f"{field}.{key}", lambda fields: len(filled(fields)), without)


def drop_field(field: str, empty: Any) -> Drop:
    """Empty one field as a whole; as many units as it had items."""

    def count(fields: Fields) -> int:
        value = fields.get(field)
        return 0 if value in (None, empty) else 1

    return Drop(field, count, lambda fields, n: {**fields, field: empty} if n else fields)


def bounded(answer: Answer, budget: int) -> Fields:
    """The answer as a dictionary whose rendered text is at most `budget` bytes."""
    known = Rendered()
    if _size(answer, known) <= budget:
        return _final(answer)
    for drop in answer.drops:
        total = drop.count(answer.fields)
        if not total:
            continue
        fields, omitted = answer.fields, answer.omitted
        low, high = 1, total
        while low < high:
            middle = (low + high) // 2
            _apply(answer, drop, fields, omitted, middle)
            if _size(answer, known) <= budget:
                high = middle
            else:
                low = middle + 1
        _apply(answer, drop, fields, omitted, low)
        if _size(answer, known) <= budget:
            return _final(answer)
    return _clipped(answer, budget)


def _apply(answer: Answer, drop: Drop, fields: Fields, omitted: dict[str, int], n: int) -> None:
    answer.fields = drop.without(fields, n)
    answer.omitted = {**omitted, drop.name: omitted.get(drop.name, 0) + n}


def _clipped(answer: Answer, budget: int) -> Fields:
    """The last resort: every string clipped ever shorter, lists cut, never the shape."""
    answer.warn(WarningCode.CLIPPED, WarningCode.CLIPPED.explanation)
    whole = _final(answer)
    for longest, items in ((2_000, 64), (500, 32), (200, 16), (80, 8)):
        smaller: Fields = _shorten(whole, longest, items)
        if len(render(smaller).encode("utf-8")) <= budget:
            return smaller
    smaller["recommendedNextAction"] = None
    smaller["coverage"] = None
    return smaller


def _shorten(value: Any, longest: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else value[: longest - 1] + "…"
    if isinstance(value, list):
        return [_shorten(item, longest, items) for item in value[:items]]
    if isinstance(value, dict):
        # An action with a shortened argument would be another call than the one meant.
        return {
            key: (item if key == "recommendedNextAction" else _shorten(item, longest, items))
            for key, item in value.items()
        }
    return value


def _final(answer: Answer) -> Fields:
    if answer.settle is not None:
        answer.settle(answer)
    whole = answer.as_dict()
    try:
        render(whole).encode("utf-8")
    except UnicodeEncodeError:
        safe: Fields = wire_safe(whole)
        return safe
    return whole


def _size(answer: Answer, known: Rendered) -> int:
    if answer.settle is not None:
        answer.settle(answer)
    text = render(answer.as_dict(), known)
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return len(text.encode("utf-8", "backslashreplace"))
