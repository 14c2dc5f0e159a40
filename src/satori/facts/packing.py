"""Facts as bytes and back: columns of integers and one block of text, to cross processes and to be cached.

Not a format for others to read: it changes with EXTRACTOR_VERSION, and whoever stores it stores that version beside it.
Unpacking checks shape, not truth; damaged bytes raise ValueError.
"""

from __future__ import annotations

import struct
import sys
from array import array
from dataclasses import replace

from satori.facts.referencepacking import pack_references, unpack_references
from satori.model.definition import Definition, DefinitionFlag, FileFacts, SymbolKind
from satori.model.span import Span

_MAGIC = b"SF1\n"
# definitions, comments, strings, error ranges, flag bits
_HEADER = struct.Struct("<4s5I")
# The length of the definitions; the references follow.
_FRAME = struct.Struct("<I")
_PARSED, _GENERATED = 1, 2
_KINDS = tuple(SymbolKind)
_KIND_NUMBER = {kind: number for number, kind in enumerate(_KINDS)}
_COLUMNS = 10
_STRINGS_EACH = 5


def pack(facts: FileFacts) -> bytes:
    """`facts` in about 60 bytes a definition beside its text, then its references. Equal facts give equal bytes."""
    definitions = _pack_definitions(facts)
    references = pack_references(facts.references) if facts.references is not None else b""
    return _FRAME.pack(len(definitions)) + definitions + references


def _pack_definitions(facts: FileFacts) -> bytes:
    numbers = array("i")
    texts: list[str] = [facts.language, facts.module_doc, facts.problem]
    for definition in facts.definitions:
        span = definition.span
        numbers.extend(
            (
                _KIND_NUMBER[definition.kind],
                definition.parent,
                span.start,
                span.end,
                span.start_line,
                span.end_line,
                definition.name_start,
                definition.name_end,
                definition.body_start,
                int(definition.flags),
            )
        )
        texts += (
            definition.name,
            definition.qualified_name,
            definition.signature,
            definition.documentation,
            definition.receiver,
        )
    for comment in facts.comments:
        numbers.extend(comment)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    numbers.extend(map(len, encoded))
    if sys.byteorder == "big":
        numbers.byteswap()
    bits = (_PARSED if facts.parsed else 0) | (_GENERATED if facts.generated else 0)
    header = _HEADER.pack(_MAGIC, len(facts.definitions), len(facts.comments), len(encoded), facts.error_ranges, bits)
    return header + numbers.tobytes() + b"".join(encoded)


def unpack(packed: bytes) -> FileFacts:
    """The facts that `pack` was given; raises ValueError when the bytes are not whole."""
    try:
        end = _FRAME.size + int(_FRAME.unpack_from(packed)[0])
        facts = _unpack_definitions(packed[_FRAME.size : end])
        return replace(facts, references=unpack_references(packed[end:])) if end < len(packed) else facts
    except (struct.error, IndexError, StopIteration, UnicodeDecodeError) as error:
        raise ValueError(f"packed facts are damaged: {error}") from error


def _unpack_definitions(packed: bytes) -> FileFacts:
    magic, definition_count, comment_count, text_count, error_ranges, bits = _HEADER.unpack_from(packed)
    integer_count = definition_count * _COLUMNS + comment_count * 2 + text_count
    text_start = _HEADER.size + integer_count * 4
    if magic != _MAGIC or text_count != definition_count * _STRINGS_EACH + 3 or len(packed) < text_start:
        raise ValueError("packed facts are damaged: the header does not fit the bytes")
    numbers = array("i")
    numbers.frombytes(packed[_HEADER.size : text_start])
    if sys.byteorder == "big":
        numbers.byteswap()
    texts = _texts(packed, text_start, numbers[integer_count - text_count :])
    language, module_doc, problem = texts[:3]
    definitions = []
    at, text_at = 0, 3
    for _ in range(definition_count):
        kind, parent, start, end, first, last, name_start, name_end, body, flags = numbers[at : at + _COLUMNS]
        name, qualified, signature, documentation, receiver = texts[text_at : text_at + _STRINGS_EACH]
        definitions.append(
            Definition(
                _KINDS[kind],
                name,
                qualified,
                parent,
                Span(start, end, first, last),
                name_start,
                name_end,
                body,
                signature,
                documentation,
                DefinitionFlag(flags),
                receiver,
            )
        )
        at += _COLUMNS
        text_at += _STRINGS_EACH
    pairs = numbers[at : at + comment_count * 2]
    comments = tuple(zip(pairs[::2], pairs[1::2], strict=True))
    return FileFacts(
        language,
        tuple(definitions),
        comments,
        module_doc,
        bool(bits & _PARSED),
        problem,
        error_ranges,
        bool(bits & _GENERATED),
    )


def _texts(packed: bytes, at: int, lengths: array[int]) -> list[str]:
    texts = []
    for length in lengths:
        end = at + length
        if length < 0 or end > len(packed):
            raise ValueError("packed facts are damaged: a text reaches past the end")
        texts.append(packed[at:end].decode("utf-8", "surrogatepass"))
        at = end
    if at != len(packed):
        raise ValueError("packed facts are damaged: bytes are left over")
    return texts
