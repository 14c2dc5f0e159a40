"""Whether bytes are text worth indexing: binary, other encodings, and lines nobody wrote by hand.

Spans are offsets into the file as stored, so only UTF-8 (a byte order mark and any line ends included) is indexed
and nothing is transcoded. Generated code with ordinary lines is *not* refused here: it may be the only definition
of a name; ranking puts it below what it was generated from.
"""

from __future__ import annotations

from satori.source.filetypes import Category
from satori.source.skip import SkipReason

#: Files below this size (bytes) are never called minified: whatever they hold, it costs nothing.
SMALL = 4096
#: The mean line length (bytes) above which text is not written by hand.
MEAN_LINE = 400
#: Text, wrapped or not, with less white space than this is encoded data (base64 wrapped at 76 has 1.3 %).
_CODE_BLANKS = 0.016
#: Prose, one paragraph a line, is at least this dense in blanks; encoded data is not.
_PROSE_BLANKS = 0.05
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def judge(data: bytes, language: str, category: Category) -> SkipReason | None:
    """The reason not to index a file with these bytes, or None."""
    if data.startswith(_UTF16_MARKS):
        return SkipReason.NOT_UTF8
    if b"\0" in data:
        return SkipReason.BINARY
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return SkipReason.NOT_UTF8
    if len(data) >= SMALL and _unwritten(data, language, category):
        return SkipReason.MINIFIED
    return None


def _unwritten(data: bytes, language: str, category: Category) -> bool:
    lines = data.count(b"\n") + data.count(b"\r") + 1
    if b"\r\n" in data:
        lines -= data.count(b"\r\n")
    if language == "notebook":
        return False
    blanks = data.count(b" ") + data.count(b"\t")
    if len(data) <= MEAN_LINE * lines:
        dense = blanks + lines < _CODE_BLANKS * len(data)
        return dense and not _wide(data) and sum(len(line) > 40 for line in data.splitlines()) > 0.9 * lines
    if category in (Category.DOCUMENTATION, Category.OTHER):
        return blanks < _PROSE_BLANKS * len(data) and not _wide(data)
    return True


def _wide(data: bytes) -> bool:
    """Whether the text is mostly in a script of several bytes a character, such as Chinese, which needs no blanks."""
    return not data.isascii() and len(data) > 1.5 * len(data.decode("utf-8"))
