"""Packages of Java and Kotlin: which file's type a qualified name means.

Several files may declare one type (flavours, modules, platforms): the one in the source root of the asking file counts,
then one in the same module, which is the directory that holds `src`, then one of the same platform (`jvmTest` sees
`jvmMain`), then what Kotlin declares for all platforms (`expect`). Anything else is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from satori.relationships.meaning import Found, Meaning, Unknown
from satori.relationships.repository import Repository
from satori.relationships.unit import Ref, Unit

_PLATFORM = re.compile(r"(\w+)(?:Main|Test)|(android|common|js|jvm|native|wasm)")
LANGUAGES = ("java", "kotlin")


class Packages:
    """Types by package and name."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def type_named(self, unit: Unit, package: str, name: str) -> Found | Unknown | None:
        """The outermost type `name` of a package, as a file sees it; None when the repository has none."""
        found = []
        for ref in self.repository.named(name):
            other = self.repository.unit(ref.path)
            if other is not None and other.language in LANGUAGES and other.package == package:
                outline = other.outlines[ref.at]
                if outline.is_type and outline.parent < 0:
                    found.append(ref)
        if not found:
            return None
        nearest = self.nearest(unit, found)
        if len(nearest) == 1:
            return Found(nearest[0])
        return Unknown(f"declared in {len(nearest)} files", tuple(nearest))

    def nearest(self, unit: Unit, refs: Sequence[Ref]) -> Sequence[Ref]:
        """Those of the definitions that the file sees before the others."""
        if len(refs) < 2:
            return refs
        own = source_root(unit.path, unit.package)
        inside = [ref for ref in refs if own == self._root(ref.path)]
        if inside:
            return inside
        module = module_of(own)
        refs = [ref for ref in refs if module_of(self._root(ref.path)) == module] or refs
        platform = platform_of(own)
        refs = [ref for ref in refs if platform and platform_of(self._root(ref.path)) == platform] or refs
        expected = [ref for ref in refs if self._is_expected(ref)]
        return expected if len(expected) == 1 else refs

    def without_others_tests(self, unit: Unit, refs: Sequence[Ref]) -> list[Ref]:
        """Those of the definitions that do not stand in another module's tests."""
        mine = source_set(unit.path)[0]
        found = []
        for ref in refs:
            module, tests = source_set(ref.path)
            if not tests or module == mine:
                found.append(ref)
        return found

    def _is_expected(self, ref: Ref) -> bool:
        """Whether it is declared for all platforms of a Kotlin module, each of which then has its own."""
        unit = self.repository.unit(ref.path)
        return unit is not None and any("expect" in mark.split() for mark in unit.marks_of.get(ref.at, ()))

    def _root(self, path: str) -> str:
        unit = self.repository.unit(path)
        return source_root(path, unit.package if unit is not None else "")

    def qualified(self, unit: Unit, names: Sequence[str]) -> tuple[Meaning, int] | None:
        """The type that the first of these names spell with its package, and how many names that takes."""
        for count in range(1, len(names)):
            found = self.type_named(unit, ".".join(names[:count]), names[count])
            if found is not None:
                return found, count + 1
        return None


def source_root(path: str, package: str) -> str:
    """The directory that the package's directories stand in."""
    directory = path.rpartition("/")[0]
    below = package.replace(".", "/")
    if below and (directory == below or directory.endswith("/" + below)):
        return directory[: len(directory) - len(below)].rstrip("/")
    return directory


def source_set(path: str) -> tuple[str, bool]:
    """(the module's directory, whether the file stands among its tests), by the directory that names its sources."""
    parts = path.split("/")[:-1]
    for number, part in enumerate(parts):
        if part == "src" or _PLATFORM.fullmatch(part) or part in ("test", "tests"):
            rest = parts[number : number + 2]
            return "/".join(parts[:number]), any(item in ("test", "tests") or item.endswith("Test") for item in rest)
    return "", False


def platform_of(root: str) -> str:
    """The platform that a root's directories name: `jvm` for `src/jvmMain/kotlin`, "" for none."""
    for part in root.split("/"):
        found = _PLATFORM.fullmatch(part)
        if found is not None:
            return found.group(1) or found.group(2)
    return ""


def module_of(root: str) -> str:
    """The directory that holds the root's `src`, or the root itself."""
    parts = root.split("/")
    return "/".join(parts[: parts.index("src")]) if "src" in parts else root
