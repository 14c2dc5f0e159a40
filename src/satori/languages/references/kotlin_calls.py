"""Call sites of Kotlin, and the lambdas that calls take.

`f(x) { }` is one call, whose lambda is its last argument. A binding `{` is a lambda that may have a receiver of its
own: its value is the chain of the call that takes it (`with(x)` is `x.with`). `let` and `also` give their receiver
the name `it` instead.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.kotlin_nodes import (
    MAX_ARGUMENTS,
    SIMPLE_CALL,
    arguments_of,
    call_parts,
    chain_of,
    form_of,
    nth,
)
from satori.model.reference import CHAIN_CHARACTERS, Binding, BindingKind, CallSite, SiteForm

_VARIABLE = int(BindingKind.VARIABLE)
_BARE, _SELF, _SUPER, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.SELF), int(SiteForm.SUPER), int(SiteForm.DYNAMIC)
_KEYWORDS = frozenset({b"if", b"when", b"while", b"for", b"catch", b"super", b"this", b"throw", b"return"})
_VALUES = {b"true": '"Boolean"', b"false": '"Boolean"', b"null": "None"}
_CALLED_ON = frozenset({"let", "also"})


class KotlinCalls(ReferenceReader):
    """The handlers of calls."""

    def call(self, reading: Reading, node: Node) -> None:
        """A call of a name, of a member, or of a value."""
        plain = SIMPLE_CALL.fullmatch(reading.data, node.start_byte, node.end_byte)
        if plain is not None and self._plain(reading, node, plain):
            return
        callee, arguments, trailing = call_parts(node)
        if callee is None:
            return
        kind = callee.type
        receiver = ""
        name: Node | None = callee
        if kind == "navigation_expression":
            children = callee.named_children
            name = children[-1] if len(children) == 2 else None
            if name is None or name.type != "identifier":
                return
            receiver = chain_of(reading, children[0])
            form = form_of(receiver)
        elif kind == "identifier":
            form = _BARE
        else:
            form = _DYNAMIC
        arity, said = arguments_of(reading, arguments, trailing)
        text = bare(reading.text(name)) if form != _DYNAMIC and name is not None else ""
        self.site(reading, name or callee, form, (arity, said), text, receiver)
        for lambda_ in _lambdas(arguments if nth(node, 0) == callee else None, trailing):
            start, end = lambda_.start_byte, lambda_.end_byte
            reading.notes.setdefault("lambda", set()).add((start, ""))
            owner = reading.owners.at(start)
            place = (owner, owner, start, start, end, _VARIABLE)
            if text in _CALLED_ON:
                if receiver and b"->" not in reading.data[start:end]:
                    reading.bindings.append(Binding(*place, "it", "", receiver))
            else:
                given = said.partition(";")[0]
                if text == "with" and not receiver and given:
                    receiver = given
                chain = f"{receiver}.{text}" if receiver else text if callee.type == "identifier" else "?"
                reading.bindings.append(Binding(*place, "{", "", chain[:CHAIN_CHARACTERS] or "?"))

    def _plain(self, reading: Reading, node: Node, found: re.Match[bytes]) -> bool:
        """A call whose text says all: names and dots, then names and numbers in parentheses."""
        start, end = found.span(2)
        receiver = found.group(1).replace(b"?", b"").replace(b"!!", b"").rstrip(b".").decode()
        if len(receiver) > CHAIN_CHARACTERS or found.group(2) in _KEYWORDS:
            return False
        given = found.group(3)
        arguments = [_atom(atom.strip()) for atom in given.split(b",")] if given.strip() else []
        text = ";".join(arguments) if len(arguments) <= MAX_ARGUMENTS else ""
        line = node.start_point[0] + 1 + reading.data.count(b"\n", node.start_byte, start)
        form = form_of(receiver) if receiver else _BARE
        place = (reading.owners.at(start), start, end, line, form, len(arguments))
        reading.sites.append(CallSite(*place, found.group(2).decode(), receiver, text))
        return True

    def site(self, reading: Reading, name: Node, form: int, given: tuple[int, str], text: str, receiver: str) -> None:
        """Write a call site down, in place of the same call without the lambda behind it."""
        start, end = name.start_byte, name.end_byte
        if form != _DYNAMIC and end - start != len(text.encode()):
            # Names in backticks are their inner text.
            start, end = start + 1, end - 1
        if reading.sites and reading.sites[-1].start == start:
            reading.sites.pop()
        place = (reading.owners.at(start), start, end, name.start_point[0] + 1, form, given[0])
        reading.sites.append(CallSite(*place, text, receiver, given[1]))

    def generic_call(self, reading: Reading, node: Node) -> None:
        """`f<T>(x)`: the grammar takes it for comparisons."""
        inner = node.child_by_field_name("left")
        callee = inner.child_by_field_name("left") if inner is not None else None
        right = inner.child_by_field_name("right") if inner is not None else None
        if callee is None or right is None or reading.data[callee.end_byte : callee.end_byte + 1] != b"<":
            return
        if callee.type == "identifier":
            self.site(reading, callee, _BARE, (1, ""), bare(reading.text(callee)), "")
        elif callee.type == "navigation_expression" and len(callee.named_children) == 2:
            receiver = chain_of(reading, callee.named_children[0])
            name = callee.named_children[1]
            self.site(reading, name, form_of(receiver), (1, ""), bare(reading.text(name)), receiver)

    def infix(self, reading: Reading, node: Node) -> None:
        """`a f b`."""
        children = node.named_children
        if len(children) == 3 and children[1].type == "identifier":
            receiver = chain_of(reading, children[0])
            said = chain_of(reading, children[2])
            self.site(reading, children[1], form_of(receiver), (1, said), bare(reading.text(children[1])), receiver)

    def delegation(self, reading: Reading, node: Node) -> None:
        """`constructor(…) : this(…)` and `super(…)`."""
        called = node.child(0)
        if called is None:
            return
        form = _SELF if called.type == "this" else _SUPER
        arguments = next((child for child in node.named_children if child.type == "value_arguments"), None)
        if called.type in ("this", "super"):
            self.site(reading, called, form, arguments_of(reading, arguments, None), called.type, "")


def bare(text: str) -> str:
    """A name without backticks."""
    return text[1:-1] if len(text) > 2 and text.startswith("`") else text


def _atom(source: bytes) -> str:
    return '"int"' if source[:1].isdigit() else _VALUES.get(source) or source.decode()


def _lambdas(arguments: Node | None, trailing: Node | None) -> list[Node]:
    """The lambdas that a call takes."""
    found: list[Node] = []
    for child in arguments.named_children if arguments is not None else ():
        last = child.named_child(child.named_child_count - 1) if child.named_child_count else None
        if last is not None and last.type == "lambda_literal":
            found.append(last)
    for child in trailing.named_children if trailing is not None else ():
        if child.type == "lambda_literal":
            found.append(child)
    return found
