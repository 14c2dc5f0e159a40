"""Profiles: which categories of files a codebase's Publication covers.

A profile decides by category and size only. Ignore rules, secrets and caps hold under every profile and live
elsewhere.
"""

from __future__ import annotations

from enum import StrEnum

from satori.source.filetypes import Category

#: Configuration larger than this is data in a configuration format (fixtures, vocabularies, recorded answers).
CONFIGURATION_LIMIT = 256 * 1024
#: The all-text profile's bound for files that the default profile would not cover.
ANY_TEXT_LIMIT = 1024 * 1024

_MINIMAL = frozenset({Category.SOURCE, Category.DOCUMENTATION})
_DEFAULT = _MINIMAL | {Category.CONFIGURATION, Category.SCRIPT, Category.INFRASTRUCTURE, Category.QUERY}


class Profile(StrEnum):
    """How wide a codebase is indexed; `default` unless the settings say otherwise."""

    MINIMAL = "minimal"
    DEFAULT = "default"
    ALL_TEXT = "all-text"

    @property
    def explanation(self) -> str:
        """What the profile covers, in one clause."""
        return _EXPLANATIONS[self]

    def covers(self, category: Category) -> bool:
        """Whether files of this category can be covered at all, whatever their size."""
        return self is Profile.ALL_TEXT or category in (_MINIMAL if self is Profile.MINIMAL else _DEFAULT)

    def admits(self, category: Category, size: int) -> bool:
        """Whether a text file of this category and size (bytes) is covered."""
        usual = category in (_MINIMAL if self is Profile.MINIMAL else _DEFAULT)
        if usual and (category is not Category.CONFIGURATION or size <= CONFIGURATION_LIMIT):
            return True
        return self is Profile.ALL_TEXT and size <= ANY_TEXT_LIMIT


_EXPLANATIONS = {
    Profile.MINIMAL: "source code and documentation",
    Profile.DEFAULT: "source code, documentation, configuration, scripts, infrastructure and queries",
    Profile.ALL_TEXT: "everything in the default profile and any other UTF-8 file up to 1 MiB",
}
