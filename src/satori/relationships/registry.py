"""Which rules serve which language. One line a language; a module is imported when its language is first met."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satori.relationships.rules.base import Rules

# language name: (module in satori.relationships.rules, class)
_MODULES: dict[str, tuple[str, str]] = {
    "c": ("c", "CRules"),
    "cpp": ("cpp.calls", "CppRules"),
    "csharp": ("csharp.calls", "CSharpRules"),
    "go": ("go.calls", "GoRules"),
    "java": ("java.calls", "JavaRules"),
    "javascript": ("javascript.calls", "JavaScriptRules"),
    "kotlin": ("kotlin.calls", "KotlinRules"),
    "php": ("php.calls", "PhpRules"),
    "python": ("python.calls", "PythonRules"),
    "rust": ("rust.calls", "RustRules"),
    "scala": ("scala.calls", "ScalaRules"),
    "tsx": ("javascript.calls", "JavaScriptRules"),
    "typescript": ("javascript.calls", "JavaScriptRules"),
}


def supports(language: str) -> bool:
    """Whether calls of the language are resolved at all."""
    return language in _MODULES


def supported_languages() -> tuple[str, ...]:
    """Every language with rules, sorted."""
    return tuple(sorted(_MODULES))


@cache
def rules_for(language: str) -> type[Rules] | None:
    """The class of the language's rules; None when it has none."""
    entry = _MODULES.get(language)
    if entry is None:
        return None
    module, attribute = entry
    rules: type[Rules] = getattr(importlib.import_module(f"satori.relationships.rules.{module}"), attribute)
    return rules
