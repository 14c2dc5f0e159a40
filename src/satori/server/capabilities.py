"""What Satori can tell of each language, and how exactly that was measured: the capability table.

It is a pure function of the code. What one repository holds of a language is the tools' own coverage.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from satori.languages.measured import DEFINITIONS
from satori.languages.registry import language_for, language_names
from satori.model.measurement import Measurement
from satori.relationships.measured import CALLS, CallSupport, call_support
from satori.server.schema import Schema, flag, listing, record, text


def capability_schema() -> Schema:
    """One language of the table."""
    return record(
        {
            "language": text(),
            "symbols": text("deep", "outline", "text"),
            "calls": text(*(support.value for support in CallSupport)),
            "imports": flag(),
            "tests": flag(),
            "definitionsMeasured": listing(text()),
            "callsMeasured": listing(text()),
        }
    )


def capability_dict(language: str) -> dict[str, Any]:
    """One language: what is extracted, and recall and precision with the trees they were measured on."""
    served = language_for(language)
    support = call_support(language)
    return {
        "language": language,
        "symbols": served.capability.symbols if served is not None else "text",
        "calls": support.value,
        "imports": support is not CallSupport.UNSUPPORTED,
        "tests": served.capability.tests if served is not None else False,
        "definitionsMeasured": _sentences(DEFINITIONS.get(language, ())),
        "callsMeasured": _sentences(CALLS.get(language, ())),
    }


def capability_table(first: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Every language that has a module: those of `first` in their order, then the others by name."""
    names = language_names()
    leading = [name for name in first if name in names]
    return [capability_dict(name) for name in (*leading, *(name for name in names if name not in leading))]


def _sentences(measured: Iterable[Measurement]) -> list[str]:
    return [one.sentence() for one in measured]
