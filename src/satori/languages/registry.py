"""Which module serves which language name. One line a language; a module is imported when its language is first met.

A language that is not listed is served as text. The names are those of `satori.source.filetypes`.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satori.languages.base import Language

# language name: (module in satori.languages, class)
_MODULES: dict[str, tuple[str, str]] = {
    "c": ("c", "C"),
    "cpp": ("cpp", "Cpp"),
    "csharp": ("csharp", "CSharp"),
    "go": ("go", "Go"),
    "java": ("java", "Java"),
    "javascript": ("javascript", "JavaScript"),
    "kotlin": ("kotlin", "Kotlin"),
    "php": ("php", "Php"),
    "python": ("python", "Python"),
    "rust": ("rust", "Rust"),
    "scala": ("scala", "Scala"),
    "tsx": ("typescript", "Tsx"),
    "typescript": ("typescript", "TypeScript"),
}


def language_names() -> tuple[str, ...]:
    """Every language that has a module, sorted."""
    return tuple(sorted(_MODULES))


@cache
def language_for(name: str) -> Language | None:
    """The one instance of the language in this process; None when it is served as text."""
    entry = _MODULES.get(name)
    if entry is None:
        return None
    module, attribute = entry
    language: Language = getattr(importlib.import_module(f"satori.languages.{module}"), attribute)()
    return language
