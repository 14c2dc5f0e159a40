"""Facts plus a path give symbols: definitions with an identity that survives edits elsewhere in the file.

A key is the place (path, language, kind, qualified name, parent's key, ordinal among equals), so moving or editing
other code keeps it. It does not resolve names and does not look at other files.
"""

from __future__ import annotations

import base64
from hashlib import blake2b

from satori.model.definition import DefinitionFlag, FileFacts, SymbolKind
from satori.model.span import Span
from satori.model.symbol import Symbol

_KEY_CHARACTERS = 15
_HASH_CHARACTERS = 8


def identify(path: str, facts: FileFacts, data: bytes) -> list[Symbol]:
    """The file's symbols in source order; index 0 is the file's own, which spans the whole file.

    `path` is the file's path in its codebase, with forward slashes; `data` the bytes that `facts` came from.
    """
    language = facts.language
    last_line = data.count(b"\n", 0, max(len(data) - 1, 0)) + 1
    file_key = _key(path, language, SymbolKind.FILE, "", "", 0)
    flags = DefinitionFlag.GENERATED if facts.generated else DefinitionFlag.NONE
    symbols = [
        Symbol(
            path,
            language,
            0,
            -1,
            SymbolKind.FILE,
            path.rsplit("/", 1)[-1],
            "",
            (),
            Span(0, len(data), 1, last_line),
            0,
            0,
            0,
            "",
            facts.module_doc,
            flags,
            "",
            file_key,
            _text_hash(data),
        )
    ]
    seen: dict[tuple[str, SymbolKind, str], int] = {}
    for index, definition in enumerate(facts.definitions, start=1):
        parent = symbols[definition.parent + 1]
        place = (parent.key, definition.kind, definition.qualified_name)
        ordinal = seen.get(place, 0)
        seen[place] = ordinal + 1
        breadcrumbs = (*parent.breadcrumbs, parent.name) if parent.index else ()
        symbols.append(
            Symbol(
                path,
                language,
                index,
                parent.index,
                definition.kind,
                definition.name,
                definition.qualified_name,
                breadcrumbs,
                definition.span,
                definition.name_start,
                definition.name_end,
                definition.body_start,
                definition.signature,
                definition.documentation,
                definition.flags,
                definition.receiver,
                _key(path, language, definition.kind, definition.qualified_name, parent.key, ordinal),
                _text_hash(data[definition.span.start : definition.span.end]),
            )
        )
    return symbols


def _key(path: str, language: str, kind: SymbolKind, qualified_name: str, parent_key: str, ordinal: int) -> str:
    place = "\0".join((path, language, kind, qualified_name, parent_key, str(ordinal)))
    return "s" + _base32(place.encode("utf-8", "surrogatepass"), _KEY_CHARACTERS)


def _text_hash(text: bytes) -> str:
    return _base32(text, _HASH_CHARACTERS)


def _base32(content: bytes, characters: int) -> str:
    digest = blake2b(content, digest_size=10).digest()
    return base64.b32encode(digest)[:characters].decode("ascii").lower()
