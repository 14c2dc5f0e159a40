"""JavaScript, with JSX and CommonJS: functions however they are named, classes and their members, module-level names.

A function is a symbol when its place names it: a declaration, `const f = () =>`, an object's method, a class field,
`exports.f =`, `Foo.prototype.f =`. Object literals' plain values, imports and names bound by `require` are not symbols.
TypeScript builds on this module. It does not resolve types and does not follow re-exports.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import EXPORTED, TEST, Draft, Scan
from satori.model.definition import SymbolKind

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
_NAMED_VALUE = "[(arrow_function) (function_expression) (generator_function) (class)]"
_SUITES = frozenset({"describe", "suite", "context"})
_TESTS = frozenset({"it", "test", "specify", "bench"})
_HOOK = re.compile(r"use[A-Z0-9]")
_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.COMPONENT, SymbolKind.HOOK, SymbolKind.TEST)

# What JavaScript, TypeScript and TSX share.
# Wrappers come first: what they wrap must know of them.
WRAPPER_QUERY = """
(export_statement declaration: (_)) @export
"""
SHARED_QUERY = f"""
(export_statement value: (_)) @default_export
(function_declaration) @function
(generator_function_declaration) @function
(method_definition) @method
(program [(lexical_declaration) (variable_declaration)] @variable)
(export_statement declaration: [(lexical_declaration) (variable_declaration)] @variable)
(lexical_declaration (variable_declarator value: {_NAMED_VALUE})) @held_variable
(variable_declaration (variable_declarator value: {_NAMED_VALUE})) @held_variable
(expression_statement (assignment_expression left: (member_expression) right: {_NAMED_VALUE})) @assigned
(expression_statement (assignment_expression right: (assignment_expression right: {_NAMED_VALUE}))) @assigned
(program (expression_statement (assignment_expression left: (member_expression))) @assigned)
(pair value: {_FUNCTION}) @pair
(pair value: (object [(method_definition) (pair value: {_FUNCTION})])) @group
(expression_statement
  (call_expression arguments: (arguments . [(string) (template_string)] {_FUNCTION})) @test_call)
(arguments (function_expression name: (identifier)) @named_expression)
(export_specifier name: (identifier) @exported_name)
(comment) @comment
"""
JSX_QUERY = """
[(jsx_element) (jsx_self_closing_element)] @jsx
"""


class JavaScript(GrammarLanguage):
    """ECMAScript with JSX, as modules, scripts or CommonJS."""

    name: ClassVar[str] = "javascript"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_javascript")
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*(?:(?:export|default|declare|abstract)[ \t]+)*"
        rb"(?P<keyword>class|interface|namespace|enum)[ \t]+(?P<name>[\w$]+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"class": SymbolKind.CLASS,
        b"interface": SymbolKind.INTERFACE,
        b"namespace": SymbolKind.NAMESPACE,
        b"enum": SymbolKind.ENUM,
    }
    query: ClassVar[str] = (
        WRAPPER_QUERY
        + SHARED_QUERY
        + JSX_QUERY
        + """
    (class_declaration) @class_
    (field_definition) @field
    """
    )

    def export(self, scan: Scan, node: Node) -> None:
        """`export` and the decorators before it belong to what they export; an anonymous default is named `default`."""
        inner = node.child_by_field_name("declaration")
        if inner is not None:
            scan.widen(node, inner, EXPORTED)

    def default_export(self, scan: Scan, node: Node) -> None:
        """`export default` of something that is not a declaration; a bare name only exports that name."""
        value = node.child_by_field_name("value")
        keyword = next((child for child in node.children if child.type == "default"), None)
        if value is None or keyword is None:
            return
        if value.type == "identifier":
            self.exported_name(scan, value)
            return
        kind, body = _value_kind(value)
        name = value.child_by_field_name("name") if kind is not SymbolKind.CONSTANT else None
        scan.add(kind, node, keyword if name is None else name, body=body, flags=EXPORTED)

    def function(self, scan: Scan, node: Node) -> None:
        """A function declaration, at any depth."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.FUNCTION, node, name, body=node.child_by_field_name("body"))

    def class_(self, scan: Scan, node: Node) -> None:
        """A class declaration."""
        name = node.child_by_field_name("name")
        if name is not None:
            body = node.child_by_field_name("body")
            scan.add(SymbolKind.CLASS, node, name, body=body, head=_after_decorators(scan, node))

    def method(self, scan: Scan, node: Node) -> None:
        """A method of a class or of an object literal; accessors are methods."""
        self.member(scan, node, SymbolKind.METHOD, node.child_by_field_name("body"))

    def field(self, scan: Scan, node: Node) -> None:
        """A class field: a method when its value is a function."""
        value = node.child_by_field_name("value")
        if value is not None and value.type in FUNCTIONS:
            self.member(scan, node, SymbolKind.METHOD, value.child_by_field_name("body"))
        else:
            self.member(scan, node, SymbolKind.PROPERTY, None)

    def member(self, scan: Scan, node: Node, kind: SymbolKind, body: Node | None) -> None:
        """A member with a name of its own; computed names are not names. The semicolon after it is part of it."""
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        if name is None or name.type == "computed_property_name":
            return
        draft = _add_named(scan, kind, node, name, body)
        draft.head = _after_decorators(scan, node)
        if scan.data[draft.end : draft.end + 1] in (b";", b","):
            draft.end += 1

    def variable(self, scan: Scan, node: Node) -> None:
        """Names bound by one `const`, `let` or `var` at module level."""
        self._bind(scan, node, values=True)

    def held_variable(self, scan: Scan, node: Node) -> None:
        """Functions and classes bound by one `const`, `let` or `var`, at any depth."""
        self._bind(scan, node, values=False)

    def _bind(self, scan: Scan, node: Node, *, values: bool) -> None:
        if not scan.first_time(node):
            return
        declarators = [child for child in node.named_children if child.type == "variable_declarator"]
        flags = scan.widened[node.id][2] if node.id in scan.widened else 0
        for declarator in declarators:
            name = declarator.child_by_field_name("name")
            value = declarator.child_by_field_name("value")
            if name is None or (value is not None and _is_require(scan, value)):
                continue
            kind, body = (SymbolKind.CONSTANT, None) if value is None else _value_kind(value)
            if kind is SymbolKind.CONSTANT and not values:
                continue
            covering = node if len(declarators) == 1 else declarator
            if name.type == "identifier":
                scan.add(kind, covering, name, body=body, flags=flags)
                continue
            for part in _pattern_names(name):
                scan.add_part(SymbolKind.CONSTANT, covering, part, flags=flags)

    def assigned(self, scan: Scan, node: Node) -> None:
        """`exports.f =`, `Foo.prototype.f =`, `app.f =`: functions at any depth, exported values at the top."""
        if not scan.first_time(node):
            return
        assignment: Node | None = node.named_child(0)
        targets: list[Node] = []
        while assignment is not None and assignment.type == "assignment_expression":
            left = assignment.child_by_field_name("left")
            if left is not None and left.type == "member_expression":
                targets.append(left)
            assignment = assignment.child_by_field_name("right")
        value = assignment
        if value is None or not targets:
            return
        if value.type == "object" and scan.text(targets[0]) == "module.exports":
            scan.names.update(_object_keys(scan, value))
        kind, body = _value_kind(value)
        value_name = value.child_by_field_name("name") if kind is not SymbolKind.CONSTANT else None
        first = True
        for target in targets:
            name = target.child_by_field_name("property")
            holder = target.child_by_field_name("object")
            if name is None or holder is None:
                continue
            receiver, exported = _receiver(scan, holder, name)
            if kind is SymbolKind.CONSTANT and not (exported and _is_own_value(scan, value)):
                continue
            if exported and receiver == "module":
                # `module.exports = function f() {}` is f; an anonymous one has no name of its own to be asked for by.
                if value_name is None:
                    continue
                name, receiver = value_name, ""
            draft = scan.add(kind, node if first else target, name, body=body if first else None, receiver=receiver)
            draft.flags |= EXPORTED if exported else 0
            if receiver and kind is SymbolKind.FUNCTION:
                draft.kind = SymbolKind.METHOD
            draft.peer = not first
            draft.leads = first
            first = False

    def pair(self, scan: Scan, node: Node) -> None:
        """`name: function` in an object literal."""
        name = node.child_by_field_name("key")
        value = node.child_by_field_name("value")
        if name is None or value is None or value.type not in FUNCTIONS:
            return
        if name.type in ("property_identifier", "string"):
            _add_named(scan, SymbolKind.FUNCTION, node, name, value.child_by_field_name("body")).held = True

    def group(self, scan: Scan, node: Node) -> None:
        """`name: { f() {} }`: an object literal inside another that holds functions."""
        name = node.child_by_field_name("key")
        value = node.child_by_field_name("value")
        if name is None or value is None or not scan.first_time(node):
            return
        if name.type in ("property_identifier", "string") and _holds_function(value):
            _add_named(scan, SymbolKind.PROPERTY, node, name, None).held = True

    def test_call(self, scan: Scan, node: Node) -> None:
        """`describe("...", fn)` is a namespace of tests, `it("...", fn)` a test; both are named by their string."""
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        # `it.each(table)("...")`, `describe.skip("...")`
        while function is not None and function.type in ("call_expression", "member_expression"):
            function = function.child_by_field_name("function") or function.child_by_field_name("object")
        if function is None or arguments is None or function.type != "identifier" or not scan.first_time(node):
            return
        called = scan.text(function)
        if called not in _SUITES and called not in _TESTS:
            return
        kind = SymbolKind.NAMESPACE if called in _SUITES else SymbolKind.TEST
        title = arguments.named_child(0)
        callback = next((child for child in arguments.named_children if child.type in FUNCTIONS), None)
        if title is None or callback is None:
            return
        draft = _add_named(scan, kind, node, title, callback.child_by_field_name("body"))
        draft.flags |= TEST
        if scan.data[draft.end : draft.end + 1] == b";":
            draft.end += 1

    def named_expression(self, scan: Scan, node: Node) -> None:
        """`on("x", function name() {})`: a function expression with a name of its own, given away."""
        if node.type == "function_expression":
            self.function(scan, node)

    def exported_name(self, scan: Scan, node: Node) -> None:
        """A name in `export { ... }` or `export default name`."""
        scan.names.add(scan.text(node))

    def jsx(self, scan: Scan, node: Node) -> None:
        """Where markup is: it makes a component of the PascalCase function around it."""
        scan.notes.setdefault("markup", []).append(node.start_byte)

    def finish(self, scan: Scan) -> None:
        """Components, hooks and names exported elsewhere in the file."""
        markup = sorted(scan.notes.get("markup", ()))
        for draft in scan.drafts:
            if draft.name in scan.names and not draft.receiver:
                draft.flags |= EXPORTED
            if draft.kind is not SymbolKind.FUNCTION and draft.kind is not SymbolKind.CONSTANT:
                continue
            if draft.kind is SymbolKind.FUNCTION and _HOOK.match(draft.name):
                draft.kind = SymbolKind.HOOK
            elif markup and draft.name[:1].isupper() and not draft.name.isupper():
                at = bisect_left(markup, draft.start)
                if at < len(markup) and markup[at] < draft.end:
                    draft.kind = SymbolKind.COMPONENT

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Locals go; an object's functions stay when the object has a name; only module-level names are exported."""
        if owner is None:
            if draft.kind is SymbolKind.METHOD and not draft.receiver:
                draft.kind = SymbolKind.FUNCTION
            return True
        kind = draft.kind
        if owner.kind in _CALLABLE:
            draft.flags &= ~EXPORTED
            if kind is SymbolKind.CONSTANT:
                return False
            # A `name: () => ...` inside a function is an argument or a returned part, unless an object above names it.
            return not draft.held
        if kind is SymbolKind.FUNCTION and (owner.kind is SymbolKind.CLASS or draft.held):
            draft.kind = SymbolKind.METHOD
        return True


def _add_named(scan: Scan, kind: SymbolKind, node: Node, name: Node, body: Node | None) -> Draft:
    """A draft named by an identifier or by what is between a string's quotes."""
    draft = scan.add(kind, node, name, body=body)
    if name.type in ("string", "template_string") and draft.name_end - draft.name_start > 2:
        draft.name_start += 1
        draft.name_end -= 1
        draft.name = draft.name[1:-1]
    return draft


def _after_decorators(scan: Scan, node: Node) -> int:
    """Where `node` begins without its own decorators."""
    if scan.data[node.start_byte : node.start_byte + 1] != b"@":
        return node.start_byte
    return next((child.start_byte for child in node.children if child.type != "decorator"), node.start_byte)


def _value_kind(value: Node) -> tuple[SymbolKind, Node | None]:
    """What a name bound to `value` is, and the body it has."""
    if value.type in FUNCTIONS:
        return SymbolKind.FUNCTION, value.child_by_field_name("body")
    if value.type == "class":
        return SymbolKind.CLASS, value.child_by_field_name("body")
    return SymbolKind.CONSTANT, None


def _holds_function(literal: Node) -> bool:
    """Whether an object literal has a method or a function among its values."""
    for child in literal.named_children:
        if child.type == "method_definition":
            return True
        value = child.child_by_field_name("value")
        if value is not None and value.type in FUNCTIONS:
            return True
    return False


def _is_require(scan: Scan, value: Node) -> bool:
    """`require("x")`, `require("x").y`, `await import("x")`: an import, not a definition."""
    if not scan.data.startswith((b"require(", b"await import("), value.start_byte):
        return False
    _, closing, rest = scan.data[value.start_byte : value.end_byte].partition(b")")
    return bool(closing) and b"(" not in rest


def _is_own_value(scan: Scan, value: Node) -> bool:
    """Whether `exports.x = value` defines something: not a name, a member or an import from elsewhere."""
    return value.type not in ("identifier", "member_expression", "undefined") and not _is_require(scan, value)


def _receiver(scan: Scan, holder: Node, name: Node) -> tuple[str, bool]:
    """(receiver, exported) of `holder.name =`; receiver "module" with exported means `module.exports =` itself."""
    text = scan.text(holder)
    if text == "module" and scan.text(name) == "exports":
        return "module", True
    if text in ("exports", "module.exports"):
        return "", True
    if text == "this":
        return "", False
    text = text.removesuffix(".prototype")
    return (text if re.fullmatch(r"[\w$.]{1,80}", text) else ""), False


def _object_keys(scan: Scan, literal: Node) -> list[str]:
    """The names that `module.exports = {...}` exports."""
    keys = []
    for child in literal.named_children:
        key = child.child_by_field_name("key") or child.child_by_field_name("name") or child
        if key.type in ("shorthand_property_identifier", "property_identifier"):
            keys.append(scan.text(key))
    return keys


def _pattern_names(pattern: Node) -> list[Node]:
    """Names bound by a destructuring pattern, left to right, without recursion."""
    found: list[Node] = []
    waiting = [pattern]
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(node)
        elif node.type == "pair_pattern":
            value = node.child_by_field_name("value")
            waiting += [value] if value is not None else []
        elif node.type in ("object_assignment_pattern", "assignment_pattern"):
            left = node.child_by_field_name("left")
            waiting += [left] if left is not None else []
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            waiting += reversed(node.named_children)
    return found
