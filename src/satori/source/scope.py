"""Which ignore lists hold where: from git's configuration and the directories above the root down to one directory.

Order, from the weakest: core.excludesFile, info/exclude, .gitignore files from the repository's top downwards, the
settings' patterns, .satoriignore files from the root downwards. Matching is `rules`' task, walking `walk`'s.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from satori.source.ignore import LIST_LIMIT, PatternList, parse, parse_lines, subject
from satori.source.preferences import GitPreferences
from satori.source.reading import UnstableFileError, read_entry_at
from satori.source.repository import Repository, info_exclude, read_bounded
from satori.source.rules import BoundList, Frame, Layer, RuleSet, rule_set
from satori.source.settings import SourceSettings
from satori.source.skip import SkipReason


@dataclass(frozen=True, slots=True)
class Scope:
    """What holds for a directory and, unless replaced, below it."""

    rules: RuleSet
    git_lists: tuple[BoundList, ...]
    own_lists: tuple[BoundList, ...]
    repository: Repository | None
    preferences: GitPreferences


def root_scope(
    root: str, settings: SourceSettings, repository: Repository | None, preferences: GitPreferences
) -> Scope:
    """The scope at the root of a walk; `root` lies in `repository`, if there is one."""
    own = []
    if settings.ignore:
        own.append(BoundList(parse_lines(settings.ignore), Layer.SETTINGS))
    if settings.include:
        lifted = [pattern[1:] if pattern.startswith("!") else "!" + pattern for pattern in settings.include]
        own.append(BoundList(parse_lines(lifted), Layer.SETTINGS))
    lead = ""
    if repository is not None:
        inside = root[len(repository.top.rstrip("/")) :].strip("/")
        lead = subject(inside) + "/" if inside else ""
    lists = _repository_lists(repository, preferences, 0, lead)
    if repository is not None:
        directory = repository.top.rstrip("/")
        while lead:
            data = read_bounded(directory + "/.gitignore", LIST_LIMIT, follow=False)
            lists += _bound(parse(data, preferences.ignore_case), 0, lead)
            part, _, lead = lead.partition("/")
            directory += "/" + os.fsdecode(part.encode("latin-1"))
    return Scope(rule_set(lists + tuple(own)), lists, tuple(own), repository, preferences)


def submodule_scope(scope: Scope, repository: Repository, directory: str) -> Scope:
    """Inside a submodule at the subject `directory` git's rules start afresh; the user's own go on."""
    lists = _repository_lists(repository, scope.preferences, len(directory), "")
    return Scope(rule_set(lists + scope.own_lists), lists, scope.own_lists, repository, scope.preferences)


def extended_scope(
    scope: Scope, frame: Frame, descriptor: int, directory: str, names: Collection[str]
) -> tuple[Scope, Frame, list[str]]:
    """The scope and frame with the lists that lie in the open directory (subject `directory`) added.

    Lists that are links, pipes and the like are not lists, as in git. The last item names those that could not be
    read.
    """
    added: list[BoundList] = []
    failed = []
    git_lists, own_lists = scope.git_lists, scope.own_lists
    for name, layer in ((".gitignore", Layer.GIT), (".satoriignore", Layer.SATORIIGNORE)):
        if name not in names:
            continue
        try:
            result = read_entry_at(descriptor, name, LIST_LIMIT)
        except FileNotFoundError:
            continue
        except (OSError, UnstableFileError):
            failed.append(name)
            continue
        if isinstance(result, SkipReason):
            continue
        bound = BoundList(parse(result[0], scope.preferences.ignore_case), layer, len(directory))
        if bound.patterns.patterns:
            added.append(bound)
            if layer is Layer.GIT:
                git_lists += (bound,)
            else:
                own_lists += (bound,)
    if added:
        rules = rule_set(git_lists + own_lists)
        scope = Scope(rules, git_lists, own_lists, scope.repository, scope.preferences)
        frame = rules.extend(frame, directory, tuple(added))
    return scope, frame, failed


def _repository_lists(
    repository: Repository | None, preferences: GitPreferences, cut: int, lead: str
) -> tuple[BoundList, ...]:
    lists = _bound(parse(preferences.excludes, preferences.ignore_case), cut, lead)
    if repository is not None:
        lists += _bound(parse(info_exclude(repository), preferences.ignore_case), cut, lead)
    return lists


def _bound(patterns: PatternList, cut: int, lead: str) -> tuple[BoundList, ...]:
    return (BoundList(patterns, Layer.GIT, cut, lead),) if patterns.patterns else ()
