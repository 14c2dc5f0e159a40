"""Find a published symbol in the file's current source, by key and by text, or say that it cannot be told apart.

The one rule: never another symbol's body. A key is a place among equals, so when several equal definitions exist and
one of them went, the key may now name its neighbour; the hash of the text decides, and where it cannot, the answer is
that the symbol is lost. It reads no files: it compares two symbol lists of one path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from satori.model.symbol import Symbol


class Standing(StrEnum):
    """How the current symbol relates to the one asked for."""

    EXACT = "exact"
    MOVED = "moved"
    EDITED = "edited"


class Loss(StrEnum):
    """Why no symbol is served."""

    UNKNOWN = "unknown"
    GONE = "gone"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Located:
    """`symbol` is of the current source; `published` is the one of the Publication, when it has one."""

    symbol: Symbol
    standing: Standing
    requested_hash: str
    published: Symbol | None


@dataclass(frozen=True, slots=True)
class Lost:
    """`candidates` are current symbols that it might have become; `published` says where it was."""

    loss: Loss
    candidates: tuple[Symbol, ...]
    published: Symbol | None


def split_id(symbol_id: str) -> tuple[str, str]:
    """Key and text hash of a symbol id; the hash is empty for a bare key."""
    key, _, text_hash = symbol_id.partition(".")
    return key, text_hash


def locate(published: Sequence[Symbol], current: Sequence[Symbol], key: str, text_hash: str = "") -> Located | Lost:
    """Resolve `key` (and the hash that the caller holds, if any) against the current symbols of the same file."""
    known = _by_key(published, key)
    wanted = text_hash or (known.text_hash if known is not None else "")
    there = _by_key(current, key)
    if there is not None and there.text_hash == wanted:
        return Located(there, _standing(there, known), wanted, known)
    if there is not None and not wanted:
        return Located(there, Standing.EXACT, there.text_hash, known)
    if there is None and known is None:
        return Lost(Loss.UNKNOWN, (), None)
    likeness = there if there is not None else known
    assert likeness is not None
    twins = [s for s in current if _alike(s, likeness) and s.text_hash == wanted]
    if len(twins) == 1:
        return Located(twins[0], Standing.MOVED, wanted, known)
    if twins:
        return Lost(Loss.AMBIGUOUS, tuple(twins), known)
    if there is not None and _same_crowd(published, current, there):
        return Located(there, Standing.EDITED, wanted, known)
    namesakes = tuple(s for s in current if _alike(s, likeness))
    return Lost(Loss.AMBIGUOUS if there is not None else Loss.GONE, namesakes, known)


def labelled(symbols: Sequence[Symbol], label: str) -> list[Symbol]:
    """Symbols whose qualified name, or else whose name, is `label`; separators `.`, `::`, `#` and `/` are alike."""
    wanted = _plain(label)
    exact = [s for s in symbols if s.index and _plain(s.qualified_name) == wanted]
    if exact:
        return exact
    tail = [s for s in symbols if s.index and _plain(s.qualified_name).endswith("." + wanted)]
    return tail or [s for s in symbols if s.name == label]


def _plain(label: str) -> str:
    for separator in ("::", "#", "/", "\\"):
        label = label.replace(separator, ".")
    return label.strip(".")


def _by_key(symbols: Sequence[Symbol], key: str) -> Symbol | None:
    return next((symbol for symbol in symbols if symbol.key == key), None)


def _standing(there: Symbol, known: Symbol | None) -> Standing:
    return Standing.EXACT if known is None or there.span == known.span else Standing.MOVED


def _alike(symbol: Symbol, other: Symbol) -> bool:
    return symbol.kind is other.kind and symbol.name == other.name


def _same_crowd(published: Sequence[Symbol], current: Sequence[Symbol], there: Symbol) -> bool:
    """Whether, of all equal definitions at this place, only this one's text changed: then the key still means it."""
    before = {s.key: s.text_hash for s in published if _equal_place(s, there, published, current)}
    after = {s.key: s.text_hash for s in current if _equal_place(s, there, current, current)}
    others_before = {key: text for key, text in before.items() if key != there.key}
    others_after = {key: text for key, text in after.items() if key != there.key}
    return there.key in before and others_before == others_after


def _equal_place(symbol: Symbol, there: Symbol, its_list: Sequence[Symbol], current: Sequence[Symbol]) -> bool:
    if not _alike(symbol, there) or symbol.qualified_name != there.qualified_name:
        return False
    return _parent_key(symbol, its_list) == _parent_key(there, current)


def _parent_key(symbol: Symbol, symbols: Sequence[Symbol]) -> str:
    return symbols[symbol.parent].key if symbol.parent >= 0 else ""
