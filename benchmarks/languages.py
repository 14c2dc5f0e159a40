"""Measure the languages on real trees: definitions against other readers, and whether spans are exact.

    python -m benchmarks.languages LANGUAGE DIRECTORY... [--against ctags|ast|FILE] [--differences N]

Against another reader, a definition agrees when both say the same name on the same line. Recall is the share of the
other reader's definitions that Satori has, precision the share of Satori's that the other has, each over the kinds that
both know. `ctags` is universal-ctags on the PATH, `ast` Python's own parser, FILE a JSON-lines list of
{"path", "name", "line", "kind"} made by a compiler (see benchmarks/definitions/). It does not judge differences: print
them and read them; docs/languages.md keeps the verdicts.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.adjudicated import excuse
from satori.facts.extract import extract_facts
from satori.model.definition import FileFacts, SymbolKind

EXTENSIONS = {
    "python": (".py",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".mts", ".cts"),
    "tsx": (".tsx",),
    "go": (".go",),
    "java": (".java",),
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".hpp", ".h"),
    "csharp": (".cs",),
    "rust": (".rs",),
    "scala": (".scala",),
    "kotlin": (".kt", ".kts"),
    "php": (".php",),
}
# ctags' name for the language, and the kinds compared (letters); all kinds are asked for when Satori's are looked up.
CTAGS = {
    "python": ("Python", "cfmv"),
    "javascript": ("JavaScript", "CGMScfgmv"),
    "typescript": ("TypeScript", "CGacefgimnpv"),
    "tsx": ("TypeScript", "CGacefgimnpv"),
    "go": ("Go", "acfimnstv"),
    "java": ("Java", "acefgim"),
    "c": ("C", "defgmpstuvx"),
    "cpp": ("C++", "cdefgmnpstuvx"),
    "csharp": ("C#", "Ecefgimnpst"),
    "rust": ("Rust", "MPcefgimnstv"),
    "kotlin": ("Kotlin", "CTcimov"),
    "php": ("PHP", "cdfitv"),
}
ALL_CTAGS_KINDS = "*"
# Kinds of ours that the other reader has no word for.
UNKNOWN_TO_CTAGS = {
    "javascript": {SymbolKind.TEST, SymbolKind.NAMESPACE},
    "typescript": {SymbolKind.TEST, SymbolKind.NAMESPACE, SymbolKind.MODULE},
    "tsx": {SymbolKind.TEST, SymbolKind.NAMESPACE, SymbolKind.MODULE},
    "php": {SymbolKind.NAMESPACE},
}
# An impl block makes no name; Satori lists it as the place its members are written in.
UNKNOWN_TO_COMPILERS = {"rust": {SymbolKind.NAMESPACE}}
TREE_LIMIT = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Mark:
    """One definition as a reader reports it."""

    path: str
    line: int
    name: str


def main() -> None:
    """Parse arguments, read the trees once, run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=sorted(EXTENSIONS))
    parser.add_argument("directory", nargs="+", type=Path)
    parser.add_argument("--against", help="ctags, ast, or a JSON-lines file of definitions")
    parser.add_argument("--differences", type=int, default=0, help="print up to this many of each")
    arguments = parser.parse_args()
    files = read_trees(arguments.language, arguments.directory)
    facts = {path: extract_facts(arguments.language, data) for path, data in files.items()}
    report_spans(files, facts)
    if arguments.against:
        report_agreement(arguments.language, arguments.against, files, facts, arguments.differences)


def read_trees(language: str, directories: Iterable[Path]) -> dict[str, bytes]:
    """Every file of the language below the directories, by path; a header without C++ in it is C's, else C++'s."""
    files: dict[str, bytes] = {}
    for directory in directories:
        for folder, names, members in os.walk(directory):
            names[:] = sorted(name for name in names if name not in (".git", "node_modules"))
            for member in sorted(members):
                path = Path(folder, member)
                if not member.endswith(EXTENSIONS[language]) or not path.is_file() or path.is_symlink():
                    continue
                data = path.read_bytes()
                if b"\0" in data or len(data) > TREE_LIMIT:
                    continue
                if member.endswith(".h") and (language == "cpp") != looks_like_cpp(data):
                    continue
                files[str(path)] = data
    return files


def looks_like_cpp(data: bytes) -> bool:
    """Whether a header holds words that only C++ has."""
    return any(word in data for word in (b"\nclass ", b"namespace ", b"template <", b"template<", b"public:", b"std::"))


def report_spans(files: dict[str, bytes], facts: dict[str, FileFacts]) -> None:
    """Print how many definitions there are, and how many break a rule of spans (none may)."""
    total = broken = errors = unparsed = 0
    kinds: Counter[str] = Counter()
    for path, found in facts.items():
        errors += bool(found.error_ranges)
        unparsed += not found.parsed
        total += len(found.definitions)
        kinds.update(definition.kind.value for definition in found.definitions)
        broken += count_broken(files[path], found)
    size = sum(map(len, files.values()))
    print(f"files {len(files)}  bytes {size}  with syntax errors {errors}  served as text {unparsed}")
    print(f"definitions {total}  broken spans {broken}  {dict(kinds.most_common())}")


def count_broken(data: bytes, facts: FileFacts) -> int:
    """Definitions whose name does not slice, whose lines are wrong, or that cross another."""
    broken = 0
    for definition in facts.definitions:
        span = definition.span
        sliced = data[definition.name_start : definition.name_end].decode("utf-8", "replace")
        inside = span.start <= definition.name_start < definition.name_end <= span.end <= len(data)
        lines = data.count(b"\n", 0, span.start) + 1 == span.start_line
        nested = definition.parent < 0 or facts.definitions[definition.parent].span.contains(span)
        broken += not (sliced == definition.name and inside and lines and nested)
    ordered = [definition.span for definition in facts.definitions]
    for earlier, later in pairwise(ordered):
        broken += not (earlier.contains(later) or earlier.end <= later.start) and earlier.end > later.start
    return broken


def report_agreement(
    language: str, against: str, files: dict[str, bytes], facts: dict[str, FileFacts], shown: int
) -> None:
    """Print recall and precision, and the differences by kind."""
    if against == "ctags":
        theirs, theirs_all = ctags_marks(language, files)
        unknown = UNKNOWN_TO_CTAGS.get(language, set())
    else:
        theirs, failed = ast_marks(files) if against == "ast" else listed_marks(Path(against), files)
        theirs_all = set(theirs)
        unknown = UNKNOWN_TO_COMPILERS.get(language, set())
        facts = {path: found for path, found in facts.items() if path not in failed}
        print(f"  not parsed by the other reader, so left out: {len(failed)} files")
    ours: dict[Mark, str] = {}
    ours_all: set[Mark] = set()
    for path, found in facts.items():
        data = files[path]
        for definition in found.definitions:
            line = data.count(b"\n", 0, definition.name_start) + 1
            mark = Mark(path, line, plain(definition.name))
            ours_all.add(mark)
            if definition.kind not in unknown:
                ours[mark] = definition.kind.value
    missed = {mark: kind for mark, kind in theirs.items() if mark not in ours_all}
    extra = {mark: kind for mark, kind in ours.items() if mark not in theirs_all}
    recall = 1 - len(missed) / max(1, len(theirs))
    precision = 1 - len(extra) / max(1, len(ours))
    print(
        f"against {Path(against).name}: theirs {len(theirs)}  ours {len(ours)}  "
        f"recall {recall:.4f}  precision {precision:.4f}"
    )
    print(f"  only theirs {dict(Counter(missed.values()).most_common())}")
    print(f"  only ours {dict(Counter(extra.values()).most_common())}")
    if against == "ctags":
        missed = judge(language, "theirs", missed, files)
        extra = judge(language, "ours", extra, files)
        recall = 1 - len(missed) / max(1, len(theirs))
        precision = 1 - len(extra) / max(1, len(ours))
        print(f"  adjudicated: recall {recall:.4f}  precision {precision:.4f}")
    for title, marks in (("only theirs", missed), ("only ours", extra)):
        step = max(1, len(marks) // max(1, shown))
        for mark, kind in list(marks.items())[::step][:shown]:
            line_text = files[mark.path].split(b"\n")[mark.line - 1].strip()[:100]
            print(f"  {title}: {kind} {mark.name}  {mark.path}:{mark.line}  {line_text.decode('utf-8', 'replace')}")


def judge(language: str, side: str, marks: dict[Mark, str], files: dict[str, bytes]) -> dict[Mark, str]:
    """The differences that no rule excuses; prints how many each rule does."""
    left: dict[Mark, str] = {}
    reasons: Counter[str] = Counter()
    for mark, kind in marks.items():
        line = files[mark.path].split(b"\n")[mark.line - 1].strip().decode("utf-8", "replace")
        reason = excuse(language, side, kind, mark.name, line)
        if reason:
            reasons[reason] += 1
        else:
            left[mark] = kind
    if reasons:
        print(f"  {'ctags errs' if side == 'theirs' else 'ctags lacks'}: {dict(reasons.most_common())}")
    return left


def plain(name: str) -> str:
    """A name without what readers write differently: white space, quotes, JavaScript's `#`, C#'s `@`."""
    return name.replace(" ", "").strip("'\"`#$@")


def ctags_marks(language: str, files: dict[str, bytes]) -> tuple[dict[Mark, str], set[Mark]]:
    """What universal-ctags says: the compared kinds, and everything it knows."""
    name, letters = CTAGS[language]
    command = ["ctags", "--options=NONE", "--output-format=json", "--fields=+nKz", "--extras=F", f"--languages={name}"]
    command += [f"--language-force={name}", f"--kinds-{name}={ALL_CTAGS_KINDS}", "-f", "-", "-L", "-"]
    answered = subprocess.run(command, input="\n".join(files), capture_output=True, text=True, check=False)
    listing = subprocess.run(["ctags", f"--list-kinds-full={name}"], capture_output=True, text=True, check=True).stdout
    compared = {line.split()[1] for line in listing.splitlines() if line[0] in letters}
    theirs: dict[Mark, str] = {}
    everything: set[Mark] = set()
    for line in answered.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag" or tag["name"].startswith(("__anon", "Anonymous", "anonymous")):
            continue
        mark = Mark(tag["path"], tag["line"], plain(tag["name"]))
        everything.add(mark)
        if tag.get("scopeKind") in ("function", "method", "func") and tag["kind"] in ("constant", "variable", "var"):
            # Locals: neither reader's business, but some of ctags' parsers list them.
            continue
        if tag["kind"] in compared:
            theirs[mark] = tag["kind"]
    return theirs, everything


def ast_marks(files: dict[str, bytes]) -> tuple[dict[Mark, str], set[str]]:
    """What Python's own parser says, by the same rules, and the files that it could not parse."""
    marks: dict[Mark, str] = {}
    failed: set[str] = set()
    for path, data in files.items():
        try:
            module = ast.parse(data)
        except (SyntaxError, ValueError):
            failed.add(path)
            continue
        lines = data.decode("utf-8", "replace").split("\n")
        waiting: list[tuple[ast.AST, bool]] = [(child, True) for child in module.body]
        while waiting:
            node, values = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                line = node.lineno
                while f" {node.name}" not in lines[line - 1]:
                    line += 1
                kind = "class" if isinstance(node, ast.ClassDef) else "function"
                marks[Mark(path, line, node.name)] = kind
                values = kind == "class"
            elif values and isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                            marks[Mark(path, name.lineno, name.id)] = "variable"
            waiting += [(child, values) for child in ast.iter_child_nodes(node)]
    return marks, failed


def listed_marks(listing: Path, files: dict[str, bytes]) -> tuple[dict[Mark, str], set[str]]:
    """What a compiler's lister wrote for the files at hand, and the files that it could not parse."""
    marks: dict[Mark, str] = {}
    failed: set[str] = set()
    for line in listing.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["path"] not in files:
            continue
        if "failed" in entry:
            failed.add(entry["path"])
        else:
            marks[Mark(entry["path"], entry["line"], plain(entry["name"]))] = entry["kind"]
    return {mark: kind for mark, kind in marks.items() if mark.path not in failed}, failed


if __name__ == "__main__":
    main()
