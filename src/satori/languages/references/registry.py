"""Which module reads the references of which language. One line a language; imported when the language is first met."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satori.languages.references.base import ReferenceReader

# language name: (module in satori.languages.references, class)
_MODULES: dict[str, tuple[str, str]] = {
    "c": ("c", "CReferences"),
    "cpp": ("cpp", "CppReferences"),
    "csharp": ("csharp", "CSharpReferences"),
    "go": ("go", "GoReferences"),
    "java": ("java", "JavaReferences"),
    "javascript": ("javascript", "JavaScriptReferences"),
    "json": ("json", "JsonReferences"),
    "kotlin": ("kotlin", "KotlinReferences"),
    "php": ("php", "PhpReferences"),
    "python": ("python", "PythonReferences"),
    "rust": ("rust", "RustReferences"),
    "scala": ("scala", "ScalaReferences"),
    "toml": ("toml", "TomlReferences"),
    "tsx": ("javascript", "TypeScriptReferences"),
    "typescript": ("javascript", "TypeScriptReferences"),
}


@cache
def reader_for(name: str) -> ReferenceReader | None:
    """The one reader of the language in this process; None when its references are not read."""
    entry = _MODULES.get(name)
    if entry is None:
        return None
    module, attribute = entry
    reader: ReferenceReader = getattr(importlib.import_module(f"satori.languages.references.{module}"), attribute)(name)
    return reader
