"""What a JavaScript file's references need the whole file for: blocks, rebinding, fields, results, pruning."""

from __future__ import annotations

from satori.languages.references.base import Reading
from satori.languages.references.javascript_nodes import root_of
from satori.languages.references.stretches import Stretches
from satori.model.definition import SymbolKind
from satori.model.reference import CHAIN_CHARACTERS, Binding, BindingKind, CallSite, Mark

_VARIABLE, _FIELD, _ATTRIBUTE = int(BindingKind.VARIABLE), int(BindingKind.FIELD), int(BindingKind.ATTRIBUTE)
_CLASSES = {SymbolKind.CLASS, SymbolKind.INTERFACE}


class Finish:
    """What can only be said once the whole file was read."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.blocks = Stretches(self._ranges("block"))
        self.own_this = Stretches(self._ranges("this"))
        self.inner = Stretches(self._ranges("inner"))
        self.decorators = Stretches(self._ranges("decorator"))

    def _ranges(self, note: str) -> list[tuple[int, int]]:
        return [(start, int(end)) for start, end in self.reading.notes.get(note, ())]

    def run(self) -> None:
        """All of it."""
        reading = self.reading
        definitions = reading.definitions
        placed = [self._in_block(binding) for binding in reading.bindings]
        reading.bindings = [b for b in placed if b.last or not b.value.startswith("#")]
        for binding in reading.bindings:
            if binding.value.startswith("#"):
                reading.marks.append(Mark(int(binding.value[1:]), "block"))
        reading.sites = list(dict.fromkeys(self._outside_decorator(site) for site in reading.sites))
        self.parameters = {
            item.definition: {text.partition(":")[0].lstrip("*") for text in item.parameters.split(",")}
            for item in reading.signatures
        }
        self.by_name: dict[str, list[Binding]] = {}
        for binding in reading.bindings:
            if binding.kind == _VARIABLE:
                self.by_name.setdefault(binding.name, []).append(binding)
        for at, text in sorted(reading.notes.get("rebound", ())):
            name, _, value = text.partition(" ")
            self._rebind(at, name, value)
        for at, text in sorted(reading.notes.get("field", ())):
            owner_text, name, value = text.split(" ", 2)
            self._field(at, int(owner_text), name, value)
        self._results()
        self._without_locals()
        wanted = {site.name if not site.receiver else root_of(site.receiver) for site in reading.sites}
        wanted.update(root_of(base.text) for base in reading.bases)
        wanted.update(root_of(binding.value) for binding in reading.bindings if binding.value)
        wanted.add("this")
        reading.bindings = [
            binding
            for binding in dict.fromkeys(reading.bindings)
            if binding.kind != _VARIABLE
            or binding.name in wanted
            or (binding.scope < 0 and not binding.last)
            or (binding.scope >= 0 and definitions[binding.scope].kind is SymbolKind.NAMESPACE)
        ]

    def _in_block(self, binding: Binding) -> Binding:
        if binding.first != -1:
            return binding
        first, last = self.blocks.at(binding.start)
        owner = binding.scope
        body = self.reading.definitions[owner].body_start if owner >= 0 else -1
        if last == 0 or first <= body:
            # The block is the function's own, or around it: the name is seen in the whole scope.
            return binding._replace(first=0, last=0)
        return binding._replace(first=first, last=last)

    def _outside_decorator(self, site: CallSite) -> CallSite:
        if self.decorators.at(site.start)[1] and site.owner >= 0:
            return site._replace(owner=self.reading.definitions[site.owner].parent)
        return site

    def _rebind(self, at: int, name: str, value: str) -> None:
        """Assign to the variable that is seen at `at`; a name that nothing declares is the file's."""
        scope = self.reading.owners.at(at)
        owner = scope
        while scope >= 0:
            if name in self.parameters.get(scope, ()):
                break
            seen = [
                b for b in self.by_name.get(name, ()) if b.scope == scope and (not b.last or b.first <= at < b.last)
            ]
            if seen:
                best = min(seen, key=lambda b: b.last - b.first if b.last else 1 << 40)
                self.reading.bindings.append(
                    Binding(scope, owner, at, best.first, best.last, _VARIABLE, name, "", value)
                )
                return
            if any(d.parent == scope and d.name == name for d in self.reading.definitions):
                break
            scope = self.reading.definitions[scope].parent
        if scope < 0:
            seen = [b for b in self.by_name.get(name, ()) if b.scope < 0 and b.last and b.first <= at < b.last]
            if seen:
                best = min(seen, key=lambda b: b.last - b.first)
                place = (scope, owner, at, best.first, best.last, _VARIABLE)
                self.reading.bindings.append(Binding(*place, name, "", value))
                return
        self.reading.bindings.append(Binding(scope, owner, at, 0, 0, _VARIABLE, name, "", value))

    def _field(self, at: int, owner: int, name: str, value: str) -> None:
        """`this.name = value`: a field of the class around, if `this` is its instance."""
        definitions = self.reading.definitions
        if value == f"this.{name}.bind()":
            # The method stays what it was, tied to its instance.
            return
        first, last = self.own_this.at(at)
        holder = owner
        while holder >= 0 and definitions[holder].kind not in _CLASSES:
            holder = definitions[holder].parent
        if last and (owner < 0 or first > definitions[owner].span.start):
            return
        if holder >= 0:
            self.reading.bindings.append(Binding(holder, owner, at, 0, 0, _FIELD, name, "", value))
        else:
            self.reading.bindings.append(Binding(owner, owner, at, 0, 0, _ATTRIBUTE, f"this.{name}", "", value))

    def _results(self) -> None:
        results: dict[int, set[str]] = {}
        for at, chain in self.reading.notes.get("return", ()):
            owner = self.reading.owners.at(at)
            if owner < 0:
                continue
            first, last = self.inner.at(at)
            if last and first > self.reading.definitions[owner].span.start:
                continue
            results.setdefault(owner, set()).add(chain)
        for owner, chain in self.reading.notes.get("returned", ()):
            results.setdefault(owner, set()).add(chain)
        self.results = results

    def _without_locals(self) -> None:
        """Fields, bases and results that begin with a local variable are written with its one value, or not at all."""
        reading = self.reading
        local: dict[tuple[int, str], list[Binding]] = {}
        for binding in reading.bindings:
            if binding.kind == _VARIABLE and binding.scope >= 0 and binding.name != "this":
                local.setdefault((binding.scope, binding.name), []).append(binding)

        def plain(owner: int, chain: str, depth: int = 0) -> str:
            root = root_of(chain)
            while owner >= 0:
                if root in self.parameters.get(owner, ()):
                    return chain
                bindings = local.get((owner, root))
                if bindings is not None:
                    only = bindings[0]
                    if len(bindings) > 1 or not only.value or only.last or depth:
                        return ""
                    value = plain(owner, only.value, depth + 1)
                    return value + chain[len(root) :] if value else ""
                owner = reading.definitions[owner].parent
            return chain

        reading.bindings = [
            binding._replace(value=plain(binding.owner, binding.value)[:CHAIN_CHARACTERS])
            if binding.kind == _FIELD and binding.value
            else binding
            for binding in reading.bindings
        ]
        reading.bases = [
            base._replace(text=plain(reading.definitions[base.definition].parent, base.text)) for base in reading.bases
        ]
        reading.signatures = [
            item._replace(
                results=",".join(
                    sorted({plain(item.definition, chain) or "?" for chain in self.results.get(item.definition, ())})
                )
            )
            for item in reading.signatures
        ]
