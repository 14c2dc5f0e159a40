"""References: what one file's bytes say about names that it does not define on the spot.

Imports, exports, bases, bindings and call sites, as written: nothing here is resolved, and nothing depends on a path or
on another file. Scopes and owners are indexes into the file's definitions, -1 for the file itself; offsets are bytes.

An expression is kept as a *chain*, or as "" when it is anything else: `a.b`, `a().b`, `super()`, `a[].b`. Chains hold
names, dots, `()` for a call whatever its arguments, and `[]` for a subscript; a literal is its type's name in quotes
(`"str"`), and the value that is no object is spelled `None` in every language. At most `CHAIN_CHARACTERS` long.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import NamedTuple

CHAIN_CHARACTERS = 120


class ImportFlag(IntFlag):
    """What else is known about an import."""

    NONE = 0
    CONDITIONAL = 1
    REEXPORT = 2
    TYPE_ONLY = 4
    STATIC = 8


class BindingKind(IntEnum):
    """How a name got its meaning. An ATTRIBUTE is assigned from outside (`module.f = g`): its name is a chain."""

    VARIABLE = 0
    PARAMETER = 1
    FIELD = 2
    ATTRIBUTE = 3
    ALIAS = 4


class SiteForm(IntEnum):
    """How a callee is written; the numbers of `satori.model.relationship.CallForm` in order."""

    BARE = 0
    MEMBER = 1
    SELF = 2
    SUPER = 3
    CONSTRUCT = 4
    CHAIN = 5
    DYNAMIC = 6


class Import(NamedTuple):
    """`alias` is the name bound in `scope` ("": none); `name` what is imported from `module` ("": the module itself,
    "*": all it offers). `module` is as written, relative dots or path included. `start:end` is the imported name."""

    scope: int
    start: int
    end: int
    line: int
    flags: int
    module: str
    name: str
    alias: str


class Export(NamedTuple):
    """The file offers `name`: its own `local` chain, or what `module` calls `local` ("*" for all, both ways)."""

    start: int
    end: int
    line: int
    flags: int
    name: str
    local: str
    module: str


class Base(NamedTuple):
    """The type `definition` names `text` (a chain) as a base; `how` is the language's word ("extends", "impl")."""

    definition: int
    text: str
    how: str


class Mark(NamedTuple):
    """A decorator, annotation or attribute of `definition`: a chain, or "" for any other expression."""

    definition: int
    text: str


class Signature(NamedTuple):
    """How `definition` is called: from `least` to `most` arguments (-1: any number), its parameters as
    `name:type` joined by commas (`*` and `**` kept), and the chain of its declared result.

    `results` are the distinct chains that it returns, joined by commas, "?" for one that is none or begins with a local
    variable; "" when it is not known to return anything. `forwards` are the parameters of functions around it that it
    calls.
    """

    definition: int
    least: int
    most: int
    parameters: str
    returns: str
    results: str = ""
    forwards: str = ""


class Binding(NamedTuple):
    """`name` is given a meaning in `scope`, seen from `first` to `last` (both 0: in the whole scope).

    `owner` is the definition whose execution does it: a FIELD's scope is the type and its owner the method. What a
    FIELD's value begins with is never a local variable, so that it can be understood without the method's body.
    `type` is a declared type and `value` the assigned expression, both chains.
    """

    scope: int
    owner: int
    start: int
    first: int
    last: int
    kind: int
    name: str
    type: str
    value: str


class CallSite(NamedTuple):
    """A call: `start:end` is the callee's name (of a dynamic callee the whole expression, with an empty `name`).

    `owner` is the definition whose execution makes the call. `receiver` is the chain before the name; `arity` the
    number of arguments, -1 when it is not known. `arguments` are their chains joined by `;`, where a language's rules
    tell overloads apart by types; "" when that is not needed or nothing is known of any.
    """

    owner: int
    start: int
    end: int
    line: int
    form: int
    arity: int
    name: str
    receiver: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class References:
    """All references of one file, each list in source order. `package` is the namespace that the file declares."""

    package: str = ""
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    bases: tuple[Base, ...] = ()
    marks: tuple[Mark, ...] = ()
    signatures: tuple[Signature, ...] = ()
    bindings: tuple[Binding, ...] = ()
    sites: tuple[CallSite, ...] = ()
