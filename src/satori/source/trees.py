"""Dependency and build trees: directories that are skipped by default where git tracks nothing in them.

It knows names and marker files only; whether git tracks anything, and whether the user lifts the skip, is asked for
in `scan`.
"""

from __future__ import annotations

_NAMES = frozenset(
    (
        "node_modules bower_components jspm_packages web_modules vendor target dist build "
        ".venv venv virtualenv __pycache__ __pypackages__ site-packages .eggs .tox .nox "
        ".mypy_cache .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints htmlcov "
        ".gradle .next .nuxt .output .svelte-kit .parcel-cache .turbo .angular .cache .pnpm-store .yarn "
        ".terraform .terragrunt-cache .serverless .bundle pods carthage deriveddata .build "
        "_build elm-stuff .stack-work dist-newstyle .dart_tool .pub-cache .zig-cache zig-cache zig-out "
        ".bsp .metals .bloop .ccls-cache .clangd .cpcache .shadow-cljs .lsp .import_linter_cache"
    ).split()
)
_SUFFIXES = (".egg-info", ".dist-info")
_PREFIXES = ("cmake-build-",)
#: A directory that holds one of these is a virtual environment or a cache.
MARKERS = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})


def is_dependency_tree(name: str) -> bool:
    """Whether a directory of this name is taken for dependencies or build output unless git tracks it."""
    lowered = name.lower()
    return lowered in _NAMES or lowered.endswith(_SUFFIXES) or lowered.startswith(_PREFIXES)
