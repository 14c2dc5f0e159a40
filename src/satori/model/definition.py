"""A definition as one file's bytes state it, before it has a path or an identity.

Definitions are facts: pure functions of (bytes, language, extractor version). Identity (key, id) is given by
`satori.symbols`, which knows the path. Nothing here reads files or resolves names.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag, StrEnum

from satori.model.reference import References
from satori.model.span import Span


class SymbolKind(StrEnum):
    """What a symbol is, in the words that tools answer with."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    TRAIT = "trait"
    ENUM = "enum"
    STRUCT = "struct"
    TYPE = "type"
    MODULE = "module"
    NAMESPACE = "namespace"
    PROPERTY = "property"
    CONSTANT = "constant"
    MACRO = "macro"
    COMPONENT = "component"
    HOOK = "hook"
    TEST = "test"
    SECTION = "section"
    FILE = "file"

    @property
    def is_container(self) -> bool:
        """Whether members are chunked on their own, with a header chunk for this symbol."""
        return self in _CONTAINERS

    @property
    def is_type_like(self) -> bool:
        """Class-like definitions: the ones a bare type name asks for."""
        return self in _TYPE_LIKE


_TYPE_LIKE = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.STRUCT,
        SymbolKind.TYPE,
        SymbolKind.COMPONENT,
    }
)
_CONTAINERS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.STRUCT,
        SymbolKind.MODULE,
        SymbolKind.NAMESPACE,
        SymbolKind.SECTION,
        SymbolKind.FILE,
    }
)


class DefinitionFlag(IntFlag):
    """Measured properties of a definition; a bit set so that it packs into one integer."""

    NONE = 0
    EXPORTED = 1
    TEST = 2
    GENERATED = 4
    DECLARATION_ONLY = 8
    IN_ERROR = 16
    ABSTRACT = 32


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition in a file.

    `parent` is the index, in the file's definition list, of the innermost enclosing owner, or -1 for the file itself.
    `span` covers decorators, attributes, documentation comment and export keyword; `name_start:name_end` slices the
    name token; `body_start` is the byte where the body begins (`span.end` when there is none). `qualified_name` is
    the owner chain joined by the language's separator, without the file. `signature` is one line, white space
    folded, at most 300 characters; `documentation` is the cleaned doc comment, at most 2,000 characters.
    `receiver` names the type that owns a definition written outside it (Go methods, Kotlin extensions), else "".
    """

    kind: SymbolKind
    name: str
    qualified_name: str
    parent: int
    span: Span
    name_start: int
    name_end: int
    body_start: int
    signature: str
    documentation: str
    flags: DefinitionFlag = DefinitionFlag.NONE
    receiver: str = ""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file's bytes say by themselves.

    `definitions` are in source order, parents before children, and form a forest: spans nest or are disjoint.
    `comments` are (start, end) byte ranges of comments and documentation strings, in order. `module_doc` is the
    file's own leading documentation. `parsed` is False when the file is served as text only; `problem` says why
    (empty when nothing went wrong). `error_ranges` counts the syntax-error regions the parser reported. `references`
    is None for a language whose references are not read.
    """

    language: str
    definitions: tuple[Definition, ...]
    comments: tuple[tuple[int, int], ...] = ()
    module_doc: str = ""
    parsed: bool = True
    problem: str = ""
    error_ranges: int = 0
    generated: bool = False
    references: References | None = None
