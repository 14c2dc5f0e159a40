"""One file's bytes to its facts, whatever the bytes are.

A file that no language serves, that is not text, or that defeats its parser becomes text-only facts which say so. It
bounds size, not time: a worker that runs this owns the watchdog, because a parser cannot be interrupted from inside.
"""

from __future__ import annotations

from satori.languages.registry import language_for
from satori.model.definition import FileFacts

# Above this a parse costs seconds and the file is data or a bundle in practice; it stays searchable as text.
MAX_PARSED_BYTES = 4 * 1024 * 1024
# Minified or packed source: lines this long on average carry no structure a reader would ask for.
_MINIFIED_LINE = 1_000
_MINIFIED_BYTES = 16 * 1024


def extract_facts(language: str, data: bytes) -> FileFacts:
    """Facts of `data` read as `language`; never raises for any bytes.

    A failure of the extractor is one sentence in `problem`, and `parsed` is False. An unknown language is no problem.
    """
    served = language_for(language)
    if served is None:
        return _text_only(language, "")
    if not data.strip():
        return FileFacts(language, ())
    if b"\0" in data:
        return _text_only(language, "holds NUL bytes, so it is not UTF-8 source")
    if len(data) > MAX_PARSED_BYTES:
        return _text_only(language, f"larger than {MAX_PARSED_BYTES} bytes, so it is not parsed")
    if len(data) > _MINIFIED_BYTES and len(data) > _MINIFIED_LINE * (data.count(b"\n") + 1):
        return _text_only(language, "", generated=True)
    try:
        return served.extract(data)
    except Exception as error:
        return _text_only(language, f"the extractor failed: {type(error).__name__}: {error}"[:200])


def _text_only(language: str, problem: str, *, generated: bool = False) -> FileFacts:
    return FileFacts(language, (), parsed=False, problem=problem, generated=generated)
