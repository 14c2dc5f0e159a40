"""Rust: items of every kind, fields, variants, impl blocks, `macro_rules!`, `#[test]` functions.

An impl block is a namespace named by its type, with the qualified name `impl Trait for Type` and the flag
DECLARATION_ONLY, since it makes no new name; its members hang on the type: `Type.method`, receiver `Type`. What macros
expand to, and items written inside macro invocations, are not symbols. `cfg` is not evaluated. The arguments of std's
macros that take expressions (`assert_eq!`, `println!`, `vec!`) are parsed as expressions: their `!` is blanked out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import DECLARATION_ONLY, EXPORTED, TEST, Draft, Scan
from satori.model.definition import SymbolKind

_KINDS = {
    "struct_item": SymbolKind.STRUCT,
    "union_item": SymbolKind.STRUCT,
    "enum_item": SymbolKind.ENUM,
    "trait_item": SymbolKind.TRAIT,
    "mod_item": SymbolKind.MODULE,
    "type_item": SymbolKind.TYPE,
    "associated_type": SymbolKind.TYPE,
    "const_item": SymbolKind.CONSTANT,
    "static_item": SymbolKind.CONSTANT,
    "enum_variant": SymbolKind.CONSTANT,
    "field_declaration": SymbolKind.PROPERTY,
    "macro_definition": SymbolKind.MACRO,
    "function_item": SymbolKind.FUNCTION,
    "function_signature_item": SymbolKind.FUNCTION,
}
# std's macros whose arguments are plain expressions, and `vec![..]`, which then is an array.
_MACRO = re.compile(rb"!(?=[(\[])")
_EXPRESSIONS = frozenset(
    b"assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne print println eprint eprintln format "
    b"write writeln panic unreachable todo unimplemented dbg".split()
)
_LONGEST = 16
_WORD = re.compile(rb"\w*\Z")
_BETWEEN = frozenset({"attribute_item", "line_comment", "block_comment"})


class Rust(GrammarLanguage):
    """Rust, all editions."""

    name: ClassVar[str] = "rust"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    inner_comments: ClassVar[tuple[bytes, ...]] = (b"//!", b"/*!")
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_rust")
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*(?:pub(?:\([^()\n]*\))?[ \t]+)?(?:unsafe[ \t]+)?"
        rb"(?P<keyword>struct|enum|union|trait|mod)[ \t]+(?P<name>\w+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"struct": SymbolKind.STRUCT,
        b"union": SymbolKind.STRUCT,
        b"enum": SymbolKind.ENUM,
        b"trait": SymbolKind.TRAIT,
        b"mod": SymbolKind.MODULE,
    }
    query: ClassVar[str] = """
    (attribute_item) @attribute
    (impl_item) @impl
    [(struct_item) (union_item) (enum_item) (trait_item) (mod_item) (type_item) (associated_type) (const_item)
     (static_item) (enum_variant) (field_declaration) (macro_definition) (function_item) (function_signature_item)]
      @item
    [(line_comment) (block_comment)] @comment
    """

    def source(self, scan: Scan) -> bytes:
        """The file, with expressions where macros have them."""
        data = scan.data
        found: bytearray | None = None
        for mark in _MACRO.finditer(data):
            at = mark.start()
            word = _WORD.search(data, max(0, at - _LONGEST), at)
            name = word.group() if word is not None else b""
            is_list = data[at + 1] == 91
            # Of `std::vec!` a path would be left over.
            if (name == b"vec" and data[at - 4 : at - 3] != b":") if is_list else name in _EXPRESSIONS:
                found = bytearray(data) if found is None else found
                found[at] = 32
                if is_list:
                    found[at - 3 : at] = b"   "
        return data if found is None else bytes(found)

    def attribute(self, scan: Scan, node: Node) -> None:
        """An outer attribute leads its item; `#[test]`, `#[tokio::test]` and `#[cfg(test)]` mark it as a test."""
        self.lead(scan, node)
        text = scan.data[node.start_byte : node.end_byte]
        if b"test" not in text or not (
            text.endswith((b"test]", b"cfg(test)]")) or b"test(" in text or b"rstest" in text
        ):
            return
        item = node.next_named_sibling
        while item is not None and item.type in _BETWEEN:
            item = item.next_named_sibling
        if item is not None:
            scan.seen.add(item.id)

    def item(self, scan: Scan, node: Node) -> None:
        """Everything that has a name of its own."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        kind = _KINDS[node.type]
        draft = scan.add(kind, node, name, body=node.child_by_field_name("body"))
        if draft.name.startswith("r#"):
            draft.name = draft.name[2:]
            draft.name_start += 2
        if draft.body < 0 and (kind is SymbolKind.FUNCTION or kind is SymbolKind.MODULE):
            draft.flags |= DECLARATION_ONLY
        if scan.data.startswith(b"pub", draft.start):
            draft.flags |= EXPORTED
        if node.id in scan.seen:
            draft.flags |= TEST
            if kind is SymbolKind.FUNCTION:
                draft.kind = SymbolKind.TEST
        if kind is SymbolKind.PROPERTY or (kind is SymbolKind.CONSTANT and node.type == "enum_variant"):
            draft.end += scan.data.startswith(b",", draft.end)

    def impl(self, scan: Scan, node: Node) -> None:
        """An impl block: the members' way to their type and trait."""
        target = node.child_by_field_name("type")
        if target is None:
            return
        trait = node.child_by_field_name("trait")
        name = _last_name(target)
        draft = scan.add(
            SymbolKind.NAMESPACE, node, name, body=node.child_by_field_name("body"), flags=DECLARATION_ONLY
        )
        draft.scope = draft.name
        draft.segment = (
            f"impl {draft.name}" if trait is None else f"impl {scan.text(_last_name(trait))} for {draft.name}"
        )

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Functions of a trait or an impl are methods, and an impl's members have its type as receiver."""
        if owner is None:
            return True
        kind = draft.kind
        if owner.kind is SymbolKind.NAMESPACE or owner.kind is SymbolKind.TRAIT:
            if kind is SymbolKind.FUNCTION:
                draft.kind = SymbolKind.METHOD
            if owner.kind is SymbolKind.NAMESPACE and owner.scope:
                draft.receiver = owner.name
                draft.segment = draft.name
            return True
        if kind is SymbolKind.CONSTANT or kind is SymbolKind.PROPERTY:
            return owner.kind not in (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST)
        return True


def _last_name(node: Node) -> Node:
    """The token that names a type: of `a::B<C>` it is B, of `&mut T` it is T; the whole node when it has none."""
    at: Node | None = node
    while at is not None:
        if at.type in ("type_identifier", "primitive_type", "identifier"):
            return at
        following = at.child_by_field_name("name") or at.child_by_field_name("type")
        if following is None:
            return node
        at = following
    return node
