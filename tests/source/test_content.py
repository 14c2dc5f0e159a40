"""Which bytes are text worth indexing."""

from __future__ import annotations

import base64
import random

import pytest

from satori.source.content import judge
from satori.source.filetypes import Category
from satori.source.skip import SkipReason

NOISE = base64.b64encode(random.Random(1).randbytes(10_000))
PROSE = b"A paragraph in one line, as editors that wrap softly write it. " * 40


@pytest.mark.parametrize(
    ("data", "language", "category", "expected"),
    [
        (b"", "python", Category.SOURCE, None),
        (b"x = 1\n", "python", Category.SOURCE, None),
        (b"\xef\xbb\xbfx = 1\r\n# \xf0\x9f\x98\x80\r\n", "python", Category.SOURCE, None),
        (b"\0" * 100, "python", Category.SOURCE, SkipReason.BINARY),
        (b"x = 1\n" * 5000 + b"\0", "python", Category.SOURCE, SkipReason.BINARY),
        ("x = 'é'\n".encode("latin-1"), "python", Category.SOURCE, SkipReason.NOT_UTF8),
        ("x = 'é'\n".encode("utf-16"), "python", Category.SOURCE, SkipReason.NOT_UTF8),
        ("x = 1\n".encode("utf-16-le"), "python", Category.SOURCE, SkipReason.BINARY),
        (b"\xed\xa0\x80", "python", Category.SOURCE, SkipReason.NOT_UTF8),
        (b"x" * 1_000_000, "python", Category.SOURCE, SkipReason.MINIFIED),
        (b"var a=1;" * 6_000_000, "javascript", Category.SOURCE, SkipReason.MINIFIED),
        (b"export const x = '" + NOISE + b"';\n", "typescript", Category.SOURCE, SkipReason.MINIFIED),
        (b'{"vocab":{' + b'"a":1,' * 2000 + b"}}", "json", Category.CONFIGURATION, SkipReason.MINIFIED),
        (b"short\n" * 300 + b"DATA = '" + b"x" * 20_000 + b"'\n", "python", Category.SOURCE, None),
        (b"x" * 3000, "javascript", Category.SOURCE, None),
        (PROSE * 3, "markdown", Category.DOCUMENTATION, None),
        (PROSE.replace(b" ", b"") * 3, "markdown", Category.DOCUMENTATION, SkipReason.MINIFIED),
        ("一段没有空格的中文文档。".encode() * 500, "markdown", Category.DOCUMENTATION, None),
        (b'{"cells": [' + NOISE + b"]}", "notebook", Category.SOURCE, None),
        (
            b"\n".join(NOISE[at : at + 76] for at in range(0, len(NOISE), 76)),
            "typescript",
            Category.SOURCE,
            SkipReason.MINIFIED,
        ),
        (b"line\r" * 3000, "python", Category.SOURCE, None),
    ],
)
def test_bytes_are_judged(data: bytes, language: str, category: Category, expected: SkipReason | None) -> None:
    """Binary, other encodings, one-line bundles and encoded noise are refused; hand-written text is not."""
    assert judge(data, language, category) is expected


def test_every_reason_explains_itself() -> None:
    """A code alone is no answer."""
    for reason in SkipReason:
        assert reason.explanation.endswith(".")
        assert len(reason.explanation) > 15
