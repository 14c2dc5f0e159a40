"""Whose execution a byte of a file belongs to, and in which scope a name written there is looked up.

Definitions nest, so the file falls into stretches with one innermost definition each; a lookup is one bisection.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence

from satori.model.definition import Definition, SymbolKind

# What holds code of its own. Values (`x = f()`) run where they stand.
CODE_KINDS = frozenset(SymbolKind) - {
    SymbolKind.CONSTANT,
    SymbolKind.PROPERTY,
    SymbolKind.TYPE,
    SymbolKind.SECTION,
    SymbolKind.FILE,
}


class Owners:
    """The innermost definition of `kinds` at an offset, -1 for the file.

    With `from_body` a definition owns only what its body holds, so that decorators, defaults and annotations belong to
    whatever is around it; otherwise it owns its whole span.
    """

    __slots__ = ("_owners", "_starts")

    def __init__(
        self,
        definitions: Sequence[Definition],
        kinds: Collection[SymbolKind] = CODE_KINDS,
        *,
        from_body: bool,
    ) -> None:
        starts = [0]
        owners = [-1]
        open_: list[tuple[int, int]] = []
        # Sorted, since a definition may stand in the header of one whose body comes later.
        stretches = sorted(
            (definition.body_start if from_body else definition.span.start, -definition.span.end, index)
            for index, definition in enumerate(definitions)
            if definition.kind in kinds
        )
        for start, negative_end, index in stretches:
            end = -negative_end
            while open_ and open_[-1][0] <= start:
                closed, _ = open_.pop()
                _mark(starts, owners, closed, open_[-1][1] if open_ else -1)
            if start >= end:
                continue
            _mark(starts, owners, start, index)
            open_.append((end, index))
        while open_:
            closed, _ = open_.pop()
            _mark(starts, owners, closed, open_[-1][1] if open_ else -1)
        self._starts = starts
        self._owners = owners

    def at(self, offset: int) -> int:
        """The innermost owner of the byte at `offset`."""
        return self._owners[bisect_right(self._starts, offset) - 1]


def _mark(starts: list[int], owners: list[int], at: int, owner: int) -> None:
    if starts[-1] == at:
        owners[-1] = owner
    else:
        starts.append(at)
        owners.append(owner)
