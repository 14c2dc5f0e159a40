"""Importing LanceDB without its client for remote catalogues: half of the import, and never used here.

`lance_namespace` and its generated REST models (0.7 of 1.25 s of processor time) are answered by empty classes while
LanceDB loads. When a version of LanceDB needs more of them than names, it is imported plainly. Only the vector store's
own process does this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_UNUSED = ("lance_namespace", "lance_namespace_urllib3_client")


class _Names(ModuleType):
    """A module that has an empty class of any name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # An exception class serves where LanceDB lists errors, and anywhere else a class is only named.
        made = type(name, (Exception,), {})
        setattr(self, name, made)
        return made


class _UnusedFinder:
    """Finds the unused packages as `_Names`."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in _UNUSED:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _Names(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


def import_lancedb() -> Any:
    """The `lancedb` module."""
    finder: Any = _UnusedFinder()
    sys.meta_path.insert(0, finder)
    try:
        import lancedb
    except Exception:
        for name in [name for name in sys.modules if name.partition(".")[0] in (*_UNUSED, "lancedb")]:
            del sys.modules[name]
        sys.meta_path.remove(finder)
        import lancedb
    else:
        sys.meta_path.remove(finder)
    return lancedb
