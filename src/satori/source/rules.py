"""All ignore rules that hold in one directory, tested fast: most names match nothing and must cost almost nothing.

Lists are ordered from the weakest to the strongest; the last list with an opinion decides, within it the last
pattern. A `RuleSet` is such an order; a `Frame` is a rule set seen from one directory, with the by-path patterns that
can still match there. Reading the lists from the tree is `scan`'s task.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from enum import IntEnum

from satori.source.ignore import Pattern, PatternList, subject

_MEMORY_LIMIT = 200_000


class Layer(IntEnum):
    """Who says so; decides what a re-inclusion lifts."""

    GIT = 0
    SETTINGS = 1
    SATORIIGNORE = 2


@dataclass(frozen=True, slots=True)
class BoundList:
    """A list bound to its directory.

    A path below the root becomes one below the list's directory by cutting `cut` characters from its front (lists
    from inside the tree) or by putting `lead` before it (lists from above the root). Paths are Latin-1 subjects.
    """

    patterns: PatternList
    layer: Layer
    cut: int = 0
    lead: str = ""

    def below(self, path: str) -> str:
        """The path as the list sees it."""
        return self.lead + path[self.cut :]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say about an entry, and which layer said it."""

    ignored: bool
    layer: Layer


_Live = tuple[tuple[BoundList, Pattern], ...]


class RuleSet:
    """Ordered lists with one filter over all their by-name patterns; use `rule_set`, which shares equal ones."""

    __slots__ = ("expression", "frame", "lists", "literals", "prefixes", "suffixes")

    def __init__(self, lists: tuple[BoundList, ...]) -> None:
        """`lists` from the weakest to the strongest."""
        self.lists = lists
        literals: set[str] = set()
        suffixes: list[str] = []
        prefixes: list[str] = []
        expressions: list[tuple[int, str]] = []
        for bound in lists:
            for pattern in bound.patterns.patterns:
                if pattern.by_path:
                    continue
                if pattern.literal is not None:
                    literals.add(pattern.literal)
                elif pattern.suffix is not None:
                    suffixes.append(pattern.suffix)
                elif pattern.prefix:
                    prefixes.append(pattern.prefix)
                elif pattern.expression is not None:
                    expressions.append((pattern.expression.flags & re.IGNORECASE, pattern.expression.pattern))
        self.literals = frozenset(literals)
        self.suffixes = tuple(dict.fromkeys(suffixes))
        self.prefixes = tuple(dict.fromkeys(prefixes))
        self.expression = _alternatives(expressions)
        self.frame = Frame(self, ())

    def root_frame(self, directory: str) -> Frame:
        """The frame at `directory` (a subject with a trailing slash, or empty), from all patterns of all lists."""
        return self._frame(directory, _by_path(self.lists))

    def descend(self, frame: Frame, directory: str) -> Frame:
        """The frame at `directory`, which lies directly in `frame`'s, when no list was added."""
        return self._frame(directory, frame.live) if frame.live else self.frame

    def extend(self, frame: Frame, directory: str, added: tuple[BoundList, ...]) -> Frame:
        """The frame at `directory` for this set, whose lists are those of `frame`'s (seen there) and `added`."""
        return self._frame(directory, frame.live + _by_path(added))

    def _frame(self, directory: str, live: _Live) -> Frame:
        kept = []
        literals: set[str] = set()
        active = False
        for pair in live:
            bound, pattern = pair
            here = bound.below(directory)
            head = pattern.head
            if pattern.literal is not None:
                if here == head:
                    literals.add(pattern.literal[len(head) :])
                elif head.startswith(here):
                    kept.append(pair)
            elif here.startswith(head):
                slashes = here.count("/") if pattern.depth >= 0 else -1
                if slashes == pattern.depth:
                    active = True
                if slashes < pattern.depth or pattern.depth < 0:
                    kept.append(pair)
            elif head.startswith(here):
                kept.append(pair)
        if not kept and not active and not literals:
            return self.frame
        return Frame(self, tuple(kept), frozenset(literals), active)


class Frame:
    """A rule set seen from one directory.

    `may_match[name]` is False only for names that no pattern matches there; it is computed once for each name.
    """

    __slots__ = ("live", "may_match", "rules")

    def __init__(
        self, rules: RuleSet, live: _Live, literals: frozenset[str] = frozenset(), active: bool = False
    ) -> None:
        """`live` by-path patterns may match below; `literals`, and wildcards if `active`, may match right here."""
        self.rules = rules
        self.live = live
        self.may_match = _Filter(rules, literals, active)

    def verdict(self, directory: str, name: str, is_directory: bool) -> Verdict | None:
        """What the rules say about the entry `name` of the subject `directory` (with a trailing slash or empty)."""
        name = subject(name)
        path = directory + name
        for bound in reversed(self.rules.lists):
            said = bound.patterns.verdict(bound.below(path), name, is_directory)
            if said is not None:
                return Verdict(said, bound.layer)
        return None


class _Filter(dict[str, bool]):
    """Names (as the file system spells them) and whether some pattern may match them; filled on demand."""

    __slots__ = ("_always", "_expression", "_literals", "_prefixes", "_suffixes")

    def __init__(self, rules: RuleSet, literals: frozenset[str], always: bool) -> None:
        super().__init__()
        self._always = always or "" in rules.suffixes
        self._literals = rules.literals | literals
        self._suffixes, self._prefixes = rules.suffixes, rules.prefixes
        self._expression = rules.expression

    def __missing__(self, name: str) -> bool:
        if len(self) > _MEMORY_LIMIT:
            self.clear()
        text = name if name.isascii() else subject(name)
        self[name] = answer = (
            self._always
            or text in self._literals
            or text.endswith(self._suffixes)
            or text.startswith(self._prefixes)
            or (self._expression is not None and self._expression.fullmatch(text) is not None)
        )
        return answer


@functools.lru_cache(maxsize=4096)
def rule_set(lists: tuple[BoundList, ...]) -> RuleSet:
    """The rule set of these lists; the same object while the lists stay the same, from one walk to the next."""
    return RuleSet(lists)


def _by_path(lists: tuple[BoundList, ...]) -> _Live:
    return tuple((bound, pattern) for bound in lists for pattern in bound.patterns.patterns if pattern.by_path)


def _alternatives(expressions: list[tuple[int, str]]) -> re.Pattern[str] | None:
    if not expressions:
        return None
    # ASCII case folding for all when it is wanted by one: a filter may say yes too often.
    folding = re.IGNORECASE | re.ASCII if any(flag for flag, _ in expressions) else 0
    return re.compile("|".join(f"(?:{text})" for _, text in expressions), re.DOTALL | folding)
