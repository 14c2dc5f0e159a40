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
    "astro": ("astro", "Astro"),
    "bash": ("bash", "Bash"),
    "c": ("c", "C"),
    "cmake": ("cmake", "CMake"),
    "cpp": ("cpp", "Cpp"),
    "csharp": ("csharp", "CSharp"),
    "css": ("css", "CSS"),
    "dart": ("dart", "Dart"),
    "dockerfile": ("dockerfile", "Dockerfile"),
    "elixir": ("elixir", "Elixir"),
    "erlang": ("erlang", "Erlang"),
    "go": ("go", "Go"),
    "gomod": ("gomod", "GoMod"),
    "graphql": ("graphql", "GraphQL"),
    "haskell": ("haskell", "Haskell"),
    "hcl": ("hcl", "HCL"),
    "html": ("html", "HTML"),
    "java": ("java", "Java"),
    "javascript": ("javascript", "JavaScript"),
    "json": ("json", "JSON"),
    "julia": ("julia", "Julia"),
    "kotlin": ("kotlin", "Kotlin"),
    "lua": ("lua", "Lua"),
    "make": ("make", "Make"),
    "markdown": ("markdown", "Markdown"),
    "notebook": ("notebook", "Notebook"),
    "objc": ("objc", "ObjC"),
    "ocaml": ("ocaml", "OCaml"),
    "perl": ("perl", "Perl"),
    "php": ("php", "Php"),
    "proto": ("proto", "Proto"),
    "python": ("python", "Python"),
    "r": ("r", "R"),
    "rst": ("rst", "RST"),
    "ruby": ("ruby", "Ruby"),
    "rust": ("rust", "Rust"),
    "scala": ("scala", "Scala"),
    "scss": ("css", "SCSS"),
    "sql": ("sql", "SQL"),
    "svelte": ("svelte", "Svelte"),
    "swift": ("swift", "Swift"),
    "toml": ("toml", "TOML"),
    "tsx": ("typescript", "Tsx"),
    "typescript": ("typescript", "TypeScript"),
    "vue": ("vue", "Vue"),
    "yaml": ("yaml", "YAML"),
    "zig": ("zig", "Zig"),
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
