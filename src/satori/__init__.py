"""Satori: local-first repository intelligence for coding agents.

    from satori import Codebase

    with Codebase.open("path/to/repository") as codebase:
        codebase.sync()
        for hit in codebase.search("where are retries scheduled"):
            print(hit.path, hit.start_line, hit.symbol)

Names are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satori.codebase.codebase import Codebase
    from satori.codebase.hit import Hit
    from satori.errors import SatoriError

__version__ = "0.1.0"
__all__ = ["Codebase", "Hit", "SatoriError", "__version__"]

_HOMES = {
    "Codebase": "satori.codebase.codebase",
    "Hit": "satori.codebase.hit",
    "SatoriError": "satori.errors",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'satori' has no attribute {name!r}")
