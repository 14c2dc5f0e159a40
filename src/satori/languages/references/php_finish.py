"""What PHP references need the whole file for: ranges of closures, fields' holders, namespaces, results."""

from __future__ import annotations

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.languages.references.php_nodes import chain_of, root_of
from satori.model.definition import SymbolKind
from satori.model.reference import CHAIN_CHARACTERS, Binding, BindingKind, Mark

_VARIABLE, _FIELD = int(BindingKind.VARIABLE), int(BindingKind.FIELD)
TYPES = {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.ENUM}
_UNKNOWN = "?"
FILE_END = 2**31 - 1


class Finish:
    """The last pass over one file's references."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        # (first, last, names shared with what is around), the innermost of those at one place last.
        self.closures: list[tuple[int, int, frozenset[str]]] = []
        # Names that a closure begins with a copy of, "*" for all, by its first byte.
        self.copied: dict[int, frozenset[str]] = {}
        for first, text in sorted(reading.notes.get("closure", ()), key=lambda item: item[0]):
            last, copied, shared = text.split(":")
            self.closures.append((first, int(last), frozenset(shared.split(","))))
            self.copied[first] = frozenset(copied.split(","))
        self.parameters = {
            item.definition: {text.partition(":")[0].lstrip("*") for text in item.parameters.split(",") if text}
            for item in reading.signatures
        }

        self.straight = {start: int(end) for start, end in reading.notes.get("straight", ())}
        # What a closure may assign at any time.
        self.shared = {(reading.owners.at(first), name) for first, _, shared in self.closures for name in shared}

    def run(self) -> None:
        """Everything, in an order that matters."""
        self._namespaces()
        self._later()
        self._scopes()
        self._results()
        self._drop()

    def _namespaces(self) -> None:
        reading = self.reading
        found = sorted(reading.notes.get("namespace", ()))
        if not found:
            return
        reading.package = found[0][1]
        if len(found) == 1:
            return
        reading.marks.append(Mark(-1, "namespaces"))
        for index, definition in enumerate(reading.definitions):
            before = [text for end, text in found if end <= definition.span.start]
            if definition.parent < 0 and before and before[-1] != reading.package:
                reading.marks.append(Mark(index, f"namespace {before[-1]}"))

    def _around(self, at: int, owner: int, name: str = "") -> tuple[int, int]:
        """The innermost closure of the owner around a byte that does not share the name; (0, 0) for none."""
        start = self.reading.definitions[owner].span.start if owner >= 0 else -1
        for first, last, shared in reversed(self.closures):
            if first <= at < last and first > start and name not in shared:
                return first, last
        return 0, 0

    def _scopes(self) -> None:
        definitions = self.reading.definitions
        kept: list[Binding] = []
        for binding in self.reading.bindings:
            if binding.first == -1:
                kept.append(self._placed(binding))
            elif binding.first == -2:
                holder = definitions[binding.owner].parent if binding.owner >= 0 else -1
                if holder >= 0 and definitions[holder].kind in TYPES:
                    # What a closure assigns may begin with a variable of its own.
                    inside = self.closures and self._around(binding.start, binding.owner)[1]
                    value = "" if inside and binding.value.startswith("$") else binding.value
                    kept.append(binding._replace(scope=holder, first=0, last=0, value=value))
            else:
                kept.append(binding)
        self.reading.bindings = kept

    def _later(self) -> None:
        """Bindings of the assignments whose variables something begins with."""
        reading = self.reading
        assigned: dict[str, list[Node]] = {}
        for name, node in reading.later:
            assigned.setdefault(name, []).append(node)
        waiting = [root_of(site.receiver) for site in reading.sites if site.receiver]
        waiting += [root_of(binding.value) for binding in reading.bindings if binding.value]
        waiting += [root_of(chain) for _, chain in reading.notes.get("return", ())]
        while waiting:
            name = waiting.pop()
            for node in assigned.pop(name, ()):
                value = chain_of(reading, node.child_by_field_name("right"))
                at = node.start_byte
                owner = reading.owners.at(at)
                binding = Binding(owner, owner, at, -1, -1, _VARIABLE, name, "", value)
                reading.bindings.append(self._placed(binding))
                waiting.append(root_of(value))

    def _placed(self, binding: Binding) -> Binding:
        """A variable's binding with the range in which it is seen."""
        end = self.straight.get(binding.start)
        if end is not None and (binding.owner, binding.name) not in self.shared:
            last = self.reading.definitions[binding.owner].span.end if binding.owner >= 0 else FILE_END
            return binding._replace(first=end, last=last)
        first, last = self._around(binding.start, binding.owner, binding.name) if self.closures else (0, 0)
        if last and not self.copied[first].isdisjoint(("*", binding.name)):
            # It had another value before.
            return binding._replace(first=first, last=last, type="", value="")
        return binding._replace(first=first if last else self._loop(binding), last=last)

    def _loop(self, binding: Binding) -> int:
        """Where a conditional binding is first seen: it, or the outermost loop of its function around it."""
        at = binding.start
        if (binding.owner, binding.name) in self.shared:
            return 0
        start = self.reading.definitions[binding.owner].span.start if binding.owner >= 0 else -1
        return min((first for first, last in self.reading.spans if start < first <= at < last), default=at)

    def _results(self) -> None:
        reading = self.reading
        local: dict[tuple[int, str], list[Binding]] = {}
        for binding in reading.bindings:
            if binding.kind == _VARIABLE and binding.scope >= 0:
                local.setdefault((binding.scope, binding.name), []).append(binding)

        def plain(owner: int, chain: str, depth: int = 0) -> str:
            """The chain without local variables; "" when they may be several things."""
            root = root_of(chain)
            if not root.startswith("$") or root == "$this" or owner < 0:
                return chain
            bindings = local.get((owner, root), ())
            if root in self.parameters.get(owner, ()):
                return "" if bindings else chain
            if len(bindings) != 1 or depth or bindings[0].type or bindings[0].start not in self.straight:
                return ""
            value = plain(owner, bindings[0].value, depth + 1)
            return (value + chain[len(root) :])[:CHAIN_CHARACTERS] if value else ""

        reading.bindings = [
            item._replace(value=plain(item.owner, item.value)) if item.kind == _FIELD and item.value else item
            for item in reading.bindings
        ]
        results: dict[int, set[str]] = {}
        for at, chain in reading.notes.get("return", ()):
            owner = reading.owners.at(at)
            if owner >= 0 and not (self.closures and self._around(at, owner)[1]):
                results.setdefault(owner, set()).add(plain(owner, chain) or _UNKNOWN)
        reading.signatures = [
            item if item.returns else item._replace(results=",".join(sorted(results.get(item.definition, ()))))
            for item in reading.signatures
        ]

    def _drop(self) -> None:
        """Keep the variables that call sites begin with, and those that these are assigned from."""
        by_place: dict[tuple[int, str], list[Binding]] = {}
        for binding in self.reading.bindings:
            if binding.kind == _VARIABLE:
                by_place.setdefault((binding.scope, binding.name), []).append(binding)
        waiting = [(site.owner, root_of(site.receiver)) for site in self.reading.sites if site.receiver]
        needed: set[tuple[int, str]] = set()
        while waiting:
            place = waiting.pop()
            if place in needed or not place[1].startswith("$"):
                continue
            needed.add(place)
            waiting += [(binding.scope, root_of(binding.value)) for binding in by_place.get(place, ())]
        self.reading.bindings = [
            binding
            for binding in self.reading.bindings
            if binding.kind != _VARIABLE or (binding.scope, binding.name) in needed
        ]
