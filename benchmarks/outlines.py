"""Measure the languages read as outlines: rules of facts, speed, agreement with universal-ctags where it knows them.

    python -m benchmarks.outlines DIRECTORY... [--languages NAME,NAME] [--differences N]

Files are sorted into languages by the same rules as everywhere else. A definition agrees with a tag when both say the
same name and the tag's line is the name's line or inside the definition. Recall is over the kinds listed in `CTAGS`.
Precision is over the same kinds of ours: a definition that ctags does not name anywhere in its file counts against it.
Names are compared by their last part, as ctags qualifies some of them; tags that are no definitions (code in strings,
calls) are left out by rules stated below. It does not judge differences: print and read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter

from satori.facts.extract import extract_facts
from satori.languages.base import GrammarLanguage
from satori.languages.registry import language_for, language_names
from satori.model.definition import FileFacts, SymbolKind
from satori.source.filetypes import HEAD_BYTES, classify
from tests.languages.fuzz import broken_rule

_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST})
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MACRO})
_TYPES = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.TYPE, SymbolKind.ENUM, SymbolKind.INTERFACE})
_VALUES = frozenset({SymbolKind.PROPERTY, SymbolKind.CONSTANT})
_SECTIONS = frozenset({SymbolKind.SECTION})
# language: (ctags' name, ctags' kinds compared, ours compared for precision)
CTAGS: dict[str, tuple[str, str, frozenset[SymbolKind]]] = {
    "bash": ("Sh", "function", frozenset({SymbolKind.FUNCTION})),
    "cmake": ("CMake", "function macro target project option", frozenset({SymbolKind.FUNCTION, SymbolKind.MACRO})),
    "elixir": (
        "Elixir",
        "module protocol function macro guard type callback test",
        _CALLABLE | {SymbolKind.MODULE},
    ),
    "erlang": ("Erlang", "function record module macro type", _FUNCTIONS | _TYPES | {SymbolKind.MACRO}),
    "haskell": ("Haskell", "constructor function type", frozenset({SymbolKind.TYPE})),
    "julia": ("Julia", "function module macro struct constant field", _FUNCTIONS - {SymbolKind.TEST} | _TYPES),
    "lua": ("Lua", "function", frozenset()),
    "make": ("Make", "macro target", frozenset({SymbolKind.CONSTANT, SymbolKind.FUNCTION})),
    "markdown": ("Markdown", "chapter section subsection subsubsection l4subsection l5subsection", _SECTIONS),
    "objc": ("ObjectiveC", "interface implementation protocol method class function macro", frozenset()),
    "ocaml": ("OCaml", "class method value type Constructor RecordField Exception", _TYPES),
    "perl": ("Perl", "package subroutine constant", frozenset({SymbolKind.FUNCTION, SymbolKind.MODULE})),
    "proto": ("Protobuf", "message enum enumerator service rpc oneof", _TYPES | {SymbolKind.METHOD}),
    "r": ("R", "function", frozenset({SymbolKind.FUNCTION})),
    "rst": ("ReStructuredText", "chapter section subsection subsubsection title subtitle", _SECTIONS),
    "ruby": ("Ruby", "class module method singletonMethod constant", _FUNCTIONS - {SymbolKind.TEST} | _TYPES),
    "sql": ("SQL", "table view function procedure trigger index", frozenset()),
}
_WORD_END = re.compile(r"[^.:]+$")


@dataclass(slots=True)
class Tally:
    """One language's sums."""

    files: int = 0
    size: int = 0
    seconds: float = 0.0
    definitions: int = 0
    with_errors: int = 0
    as_text: int = 0
    broken: int = 0
    agreed: int = 0
    tags: int = 0
    confirmed: int = 0
    comparable: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


def files_by_language(directories: list[Path], wanted: set[str]) -> dict[str, list[Path]]:
    """Files of the wanted languages, in path order."""
    found: dict[str, list[Path]] = {}
    for directory in directories:
        for folder, names, members in os.walk(directory):
            names[:] = sorted(name for name in names if name not in (".git", "node_modules"))
            for path in (Path(folder, member) for member in sorted(members)):
                if path.is_symlink() or not path.is_file():
                    continue
                with path.open("rb") as stream:
                    language = classify(path.as_posix(), stream.read(HEAD_BYTES)).language
                if language in wanted:
                    found.setdefault(language, []).append(path)
    return found


def tags_of(path: Path, language: str) -> dict[tuple[str, int], str]:
    """(last part of the name, line): kind, as ctags sees the file."""
    name, kinds, _ = CTAGS[language]
    command = ["ctags", "--output-format=json", "--fields=+nK", f"--language-force={name}", "-f", "-", str(path)]
    output = subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")
    found: dict[tuple[str, int], str] = {}
    text = path.read_bytes()
    source = text.decode("utf-8", "replace").split("\n")
    literal = literal_lines(language, text)
    for line in output.splitlines():
        tag = json.loads(line) if line.startswith("{") else {}
        if tag.get("_type") != "tag" or tag.get("kind") not in kinds.split() or tag["line"] in literal:
            continue
        if is_definition(language, tag["name"], source[tag["line"] - 1]):
            found[last_part(language, tag["name"]), tag["line"]] = tag["kind"]
    return found


def is_definition(language: str, name: str, line: str) -> bool:
    """False for tags that their own line shows to be none: ctags reads these languages by patterns."""
    if language == "lua":
        word = re.escape(last_part(language, name))
        if name.endswith(("']", '"]')):
            return "function" in line
        return re.search(rf"function\s+[\w.:]*{word}\b|\b{word}\s*=\s*function\b", line) is not None
    if language == "haskell":
        # Splices, default declarations and lines of record syntax are taken for functions.
        return (
            re.match(rf"\s*[({{,|=]?\s*(?:data|newtype|type|class|\(?{re.escape(name)}\)?)(?![\w'])", line) is not None
        )
    return not name.startswith(("anonFunc", "$(", "__anon")) and not (language == "bash" and name.endswith("="))


def literal_lines(language: str, data: bytes) -> set[int]:
    """The lines inside string literals of more than one line, which ctags takes for code in some languages."""
    kinds = {"ruby": ("string", "heredoc_body"), "elixir": ("string", "sigil")}.get(language)
    served = language_for(language)
    if kinds is None or not isinstance(served, GrammarLanguage):
        return set()
    grammar = served.grammar.load()
    query = tree_sitter.Query(grammar, "[" + " ".join(f"({kind})" for kind in kinds) + "] @literal")
    root = tree_sitter.Parser(grammar).parse(data).root_node
    lines: set[int] = set()
    for node in tree_sitter.QueryCursor(query).captures(root).get("literal", []):
        if node.start_point.row < node.end_point.row:
            lines.update(range(node.start_point.row + 2, node.end_point.row + 2))
    return lines


def last_part(language: str, name: str) -> str:
    """The part of a name that both readers write alike."""
    if language in ("elixir", "erlang"):
        name = name.split("/")[0]
    if language == "lua":
        # ctags cuts `T['set']['what it does']` at its last space.
        name = re.split(r"\[['\"]| ", name.removesuffix("']").removesuffix('"]'))[-1]
    if language in ("lua", "elixir", "haskell", "sql"):
        match = _WORD_END.search(name)
        name = match.group() if match else name
    return name


def compare(path: Path, language: str, data: bytes, facts: FileFacts, tally: Tally, limit: int) -> None:
    """Add one file's agreement with ctags."""
    tags = tags_of(path, language)
    ours = [(last_part(language, each.name), each) for each in facts.definitions]
    lines = {(name, data.count(b"\n", 0, each.name_start) + 1) for name, each in ours}
    for (name, line), kind in tags.items():
        tally.tags += 1
        if (name, line) in lines or any(
            mine == name and each.span.start_line <= line <= each.span.end_line for mine, each in ours
        ):
            tally.agreed += 1
        else:
            tally.missed[kind] += 1
            if len(tally.examples) < limit:
                tally.examples.append(f"  missed {kind} {name} {path}:{line}")
    named = {name for name, _ in tags}
    for name, each in ours:
        if each.kind in CTAGS[language][2]:
            tally.comparable += 1
            if name in named:
                tally.confirmed += 1
            elif len(tally.examples) < 2 * limit:
                tally.examples.append(f"  ours alone {each.kind} {name} {path}:{each.span.start_line}")


def measure(language: str, paths: list[Path], limit: int) -> Tally:
    """All files of one language."""
    tally = Tally()
    for path in paths:
        data = path.read_bytes()
        began = time.process_time()
        facts = extract_facts(language, data)
        tally.seconds += time.process_time() - began
        tally.files += 1
        tally.size += len(data)
        tally.definitions += len(facts.definitions)
        tally.with_errors += facts.error_ranges > 0
        tally.as_text += not facts.parsed
        rule = broken_rule(data, facts)
        if rule:
            tally.broken += 1
            tally.examples.append(f"  broken {path}: {rule}")
        if language in CTAGS and facts.parsed:
            compare(path, language, data, facts, tally, limit)
    return tally


def share(part: int, whole: int) -> str:
    """A share as three decimals, or a dash."""
    return f"{part / whole:.3f}" if whole else "-"


def main() -> int:
    """Measure and print one row a language; 1 when a rule is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--languages", help="default: every language read as an outline")
    parser.add_argument("--differences", type=int, default=0, help="print up to this many misses a language")
    arguments = parser.parse_args()
    chosen = arguments.languages.split(",") if arguments.languages else list(language_names())
    wanted = {name for name in chosen if (found := language_for(name)) and found.capability.symbols == "outline"}
    broken = 0
    print("language files bytes definitions broken errors as-text MB/s recall tags precision ours missed")
    for language, paths in sorted(files_by_language(arguments.directories, wanted).items()):
        tally = measure(language, paths, arguments.differences)
        broken += tally.broken
        speed = tally.size / 1e6 / tally.seconds if tally.seconds else 0.0
        print(
            f"{language} {tally.files} {tally.size} {tally.definitions} {tally.broken} {tally.with_errors}"
            f" {tally.as_text} {speed:.1f} {share(tally.agreed, tally.tags)} {tally.tags}"
            f" {share(tally.confirmed, tally.comparable)} {tally.comparable} {dict(tally.missed)}",
            flush=True,
        )
        for example in tally.examples:
            print(example)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
