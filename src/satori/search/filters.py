"""Which files may answer: scope, subdirectory, languages, path patterns. Deterministic, over live files only.

Path patterns are gitignore patterns matched against the path relative to the root. Content filters (`must:`,
`exclude:`) need stored text and live in `satori.search.literals`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from satori.chunks.roles import Role
from satori.search.index import SearchIndex
from satori.search.operators import Operators
from satori.search.request import Scope
from satori.source.ignore import parse_lines

DOCUMENTATION = "documentation"


def allowed_files(index: SearchIndex, scope: Scope, operators: Operators, subdirectory: str) -> NDArray[np.bool_]:
    """A mask over the index's files."""
    allowed = index.live_files & scope_mask(index, scope)
    if subdirectory:
        prefix = subdirectory.rstrip("/") + "/"
        allowed &= np.fromiter((path.startswith(prefix) for path in index.paths), bool, len(index.paths))
    if operators.languages:
        wanted = set(operators.languages)
        allowed &= np.fromiter((language in wanted for language in index.languages), bool, len(index.languages))
    if operators.paths:
        allowed &= matching(index.paths, operators.paths)
    if operators.not_paths:
        allowed &= ~matching(index.paths, operators.not_paths)
    return allowed


def scope_mask(index: SearchIndex, scope: Scope) -> NDArray[np.bool_]:
    """Files of a scope: documentation is what its category or its directory says is documentation."""
    if scope is Scope.MIXED:
        return np.ones(len(index.paths), bool)
    by_category: NDArray[np.bool_] | None = index.memo.get("documentation")
    if by_category is None:
        by_category = np.fromiter((c == DOCUMENTATION for c in index.categories), bool, len(index.categories))
        index.memo["documentation"] = by_category
    if scope is Scope.DOCS:
        return by_category | ((index.roles & int(Role.DOCUMENTATION)) > 0)
    return ~by_category


def matching(paths: Sequence[str], patterns: Sequence[str]) -> NDArray[np.bool_]:
    """Which paths any of the gitignore patterns matches."""
    listed = parse_lines(patterns)
    return np.fromiter((listed.excludes(path) for path in paths), bool, len(paths))
