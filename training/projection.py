"""The text a chunk is embedded as, in training and in use: path, owner chain with name, then the exact code.

The runtime's own projection must have this form; the model has seen the header on a share of its documents and none on
the rest, so a document without a header is merely a weaker one.
"""

from __future__ import annotations

__all__ = ["projected"]


def projected(path: str, symbol: str, code: str) -> str:
    """`path`, a line with the qualified name when there is one, then the code."""
    return f"{path}\n{symbol}\n{code}" if symbol else f"{path}\n{code}"
