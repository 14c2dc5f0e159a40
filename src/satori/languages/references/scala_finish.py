"""What Scala references need the whole file for: packages, ranges of local names, and what calls need."""

from __future__ import annotations

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.languages.references.scala_nodes import chain_of, names_in, plain, root_of, type_text
from satori.languages.references.stretches import Stretches
from satori.model.definition import SymbolKind
from satori.model.reference import Binding, BindingKind, ImportFlag, Mark

_VARIABLE = int(BindingKind.VARIABLE)
_CONDITIONAL = int(ImportFlag.CONDITIONAL)
TYPES = {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.ENUM, SymbolKind.MODULE}
Waiting = tuple[Node, str, "Node | None", str]


class Finish:
    """The last pass over one file's references."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.blocks = Stretches(reading.spans)

    def run(self) -> None:
        """Everything, in an order that matters."""
        self._packages()
        self._imports()
        self._locals()
        self._results()

    def _packages(self) -> None:
        """The package, those whose members are seen, and the definitions that are in another one."""
        reading = self.reading
        package = ""
        inner: list[tuple[int, int, str]] = []
        for start, text in sorted(reading.notes.get("package", ())):
            end, _, name = text.partition(":")
            if end != "-1":
                around = [item for item in inner if item[0] <= start < item[1]]
                outer = around[-1][2] if around else package
                inner.append((start, int(end), f"{outer}.{name}".lstrip(".")))
                continue
            package = f"{package}.{name}".lstrip(".")
            reading.marks.append(Mark(-1, f"sees {package}"))
        reading.package = package
        for index, definition in enumerate(reading.definitions):
            if definition.parent < 0:
                at = definition.name_start
                around = [item for item in inner if item[0] <= at < item[1]]
                if around:
                    reading.marks.append(Mark(index, f"package {around[-1][2]}"))

    def _imports(self) -> None:
        """An import of a block inside a function or a value is seen there alone: it is a binding `import`, too."""
        reading = self.reading
        for at, item in enumerate(reading.imports):
            first, last = self.blocks.at(item.start)
            scope = item.scope
            outermost = reading.definitions[scope].body_start if scope >= 0 else -1
            if last and first > outermost:
                reading.imports[at] = item._replace(flags=item.flags | _CONDITIONAL)
                place = (scope, scope, item.start, first, last, _VARIABLE)
                reading.bindings.append(Binding(*place, "import", item.module, f"{item.name}>{item.alias}"))

    def _locals(self) -> None:
        """Names of blocks that calls begin with, and those that these are made from."""
        reading = self.reading
        known: dict[str, list[Waiting]] = {}
        for kind, node in reading.later:
            if kind == "local":
                pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
                if pattern is not None:
                    known.setdefault(plain(reading.text(pattern)), []).append((pattern, "value", node, ""))
                continue
            found: list[tuple[Node, str]] = []
            names_in(reading, node, "", found)
            for name, said in found:
                known.setdefault(plain(reading.text(name)), []).append((name, "pattern", None, said))
        waiting = [root_of(site.receiver) if site.receiver else site.name for site in reading.sites]
        waiting += [root_of(binding.value) for binding in reading.bindings if binding.value]
        waiting += [root_of(signature.results) for signature in reading.signatures if signature.results]
        while waiting:
            for node, kind, other, said in known.pop(waiting.pop(), ()):
                at = node.start_byte
                if kind == "pattern" and at in reading.named:
                    continue
                written, value = said, ""
                if other is not None:
                    written = type_text(reading, other.child_by_field_name("type"))
                    value = "" if written else chain_of(reading, other.child_by_field_name("value"))
                    if other.type == "var_definition" and value.startswith("new "):
                        value = f"({value[4:]})"
                    waiting.append(root_of(value))
                owner = reading.owners.at(at)
                first, last = self.blocks.at(at)
                place = (owner, owner, at, first, last, _VARIABLE)
                reading.bindings.append(Binding(*place, plain(reading.text(node)), written, value))

    def _results(self) -> None:
        """Results and fields must not begin with a name of a block."""
        reading = self.reading
        local = {(item.scope, item.name) for item in reading.bindings if item.kind == _VARIABLE}
        reading.signatures = [
            item._replace(results="") if item.results and (item.definition, root_of(item.results)) in local else item
            for item in reading.signatures
        ]
