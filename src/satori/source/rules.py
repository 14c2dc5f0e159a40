"""All ignore rules that hold in one directory, tested fast: most names match nothing and must cost almost nothing.

Lists are ordered from the weakest to the strongest; the last list with an opinion decides, within it the last
pattern. A `RuleSet` is such an order; a `Frame` is a rule set seen from one directory, with the by-path patterns that
can still match there. Reading the lists from the tree is `scan`'s task.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from satori.source.ignore import Pattern, PatternList


class Layer(IntEnum):
    """Who says so; decides what a re-inclusion lifts."""

    GIT = 0
    SETTINGS = 1
    SATORIIGNORE = 2


@dataclass(frozen=True, slots=True, eq=False)
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
    """Ordered lists with one filter over all their by-name patterns."""

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
        self.frame = Frame(self, "", ())

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
        active: list[tuple[BoundList, Pattern]] = []
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
                    active.append(pair)
                if slashes < pattern.depth or pattern.depth < 0:
                    kept.append(pair)
            elif head.startswith(here):
                kept.append(pair)
        if not kept and not active and not literals:
            return self.frame
        return Frame(self, directory, tuple(kept), frozenset(literals), tuple(active))


class Frame:
    """A rule set seen from one directory (whose subject is `directory`)."""

    __slots__ = ("active", "directory", "live", "may_match", "rules")

    def __init__(
        self,
        rules: RuleSet,
        directory: str,
        live: _Live,
        literals: frozenset[str] = frozenset(),
        active: _Live = (),
    ) -> None:
        """`live` may match below; `active` wildcard patterns and `literals` may match right here."""
        self.rules = rules
        self.directory = directory
        self.live = live
        self.active = active
        self.may_match = _filter(rules, literals, bool(active))

    def verdict(self, directory: str, name: str, is_directory: bool) -> Verdict | None:
        """What the rules say about the entry `name` of `directory` (subjects; with a trailing slash or empty)."""
        path = directory + name
        for bound in reversed(self.rules.lists):
            said = bound.patterns.verdict(bound.below(path), name, is_directory)
            if said is not None:
                return Verdict(said, bound.layer)
        return None


def _filter(rules: RuleSet, more: frozenset[str], always: bool) -> Callable[[str], bool]:
    """A test of a name that is never False for a name that some pattern matches."""
    literals = rules.literals | more
    suffixes, prefixes = rules.suffixes, rules.prefixes
    matches = rules.expression.fullmatch if rules.expression is not None else None
    if always or "" in suffixes:
        return _always
    if matches is None:
        return lambda name: name in literals or name.endswith(suffixes) or name.startswith(prefixes)
    return lambda name: (
        name in literals or name.endswith(suffixes) or name.startswith(prefixes) or matches(name) is not None
    )


def _by_path(lists: tuple[BoundList, ...]) -> _Live:
    return tuple((bound, pattern) for bound in lists for pattern in bound.patterns.patterns if pattern.by_path)


def _always(name: str) -> bool:
    return True


def _alternatives(expressions: list[tuple[int, str]]) -> re.Pattern[str] | None:
    if not expressions:
        return None
    # ASCII case folding for all when it is wanted by one: a filter may say yes too often.
    folding = re.IGNORECASE | re.ASCII if any(flag for flag, _ in expressions) else 0
    return re.compile("|".join(f"(?:{text})" for _, text in expressions), re.DOTALL | folding)
