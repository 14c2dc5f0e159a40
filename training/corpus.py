"""The corpus manifest: which repositories, at which revision, under which licence, and how their files are read.

Reads bare clones with git plumbing only (no checkout, no hooks, no filters). It fetches nothing: clones are laid out by
whoever runs the training as CLONES/OWNER+NAME/repo.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

__all__ = ["MANIFEST", "Repository", "describe", "files", "is_first_party", "is_test", "load", "save"]

MANIFEST = Path(__file__).with_name("corpus.json")
MAX_FILE_BYTES = 400_000
SOURCE_BUDGET = 5_000_000
"""Bytes of source that one repository contributes at most: breadth of repositories is what teaches."""
TEST_BUDGET = 1_500_000

EXCLUDED = frozenset(
    """aiohttp fastapi flask httpx model2vec pydantic requests starlette click axios express redux gin cobra chi gson
    commons-lang jackson-databind guzzle monolog laravel framework sinatra rack rails tokio serde axum trpc
    zod vitest messagepack-csharp newtonsoft.json dapper ktor kotlinx.coroutines exposed cats circe http4s
    alamofire vapor snapkit json abseil-cpp fmt curl redis libuv bats-core bats nvm bash-it phoenix plug ecto
    aeson pandoc xmonad telescope.nvim lazy.nvim mini.nvim zig zls zig-clap django sympy scikit-learn
    matplotlib pytest sphinx astropy pylint xarray seaborn
    semble satori apscheduler asynq ioredis book""".split()
)
"""Repositories that evaluations use, this project's own sets included: never part of the corpus."""

_LICENCES: tuple[tuple[str, str], ...] = (
    ("GPL", r"gnu (?:lesser |affero )?general public license(?! version 2\.0 or)"),
    ("Apache-2.0", r"apache license,? version 2\.0|apache license\s+version 2\.0"),
    ("ISC", r"permission to use, copy, modify, and/?(?:or)? ?distribute this software for any purpose"),
    ("Zlib", r"this software is provided ['\"]as-is['\"], without any express or implied warranty"),
    ("Unlicense", r"this is free and unencumbered software released into the public domain"),
    ("PSF-2.0", r"python software foundation license version 2"),
    ("BSD-3-Clause", r"redistribution and use in source and binary forms.*(?:neither the names?|the names? of)"),
    ("BSD-2-Clause", r"redistribution and use in source and binary forms"),
    ("MIT", r"permission is hereby granted, free of charge, to any person obtaining a copy"),
)
_LICENCE_FILE = re.compile(r"(?:mit-|apache-|bsd-)?(?:licen[cs]e|copying|unlicense)(?:[-.].*)?$", re.I)
_FOREIGN_DIRECTORY = re.compile(
    r"(?:^|/)(?:vendor(?:ed)?|third[-_]?party|3rd[-_]?party|node_modules|deps|external|extern|bundled|dist|build|out|"
    r"generated|gen|__generated__|testdata|fixtures?|snapshots?|__snapshots__|submodules|contrib|locales?|i18n|l10n|"
    r"singleheader|amalgamat\w+|migrations)/"
)
_TEST_DIRECTORY = re.compile(r"(?:^|/)(?:tests?|spec|specs|__tests__|testing|[^/]*[tT]ests?|e2e|benchmarks?|bench)/")
_FOREIGN_NAME = re.compile(r"(?:\.min\.|\.d\.ts$|_pb2|\.pb\.|\.g\.|\.generated\.)", re.I)
_TEST_NAME = re.compile(r"(?:[._-][tT]ests?\.|\.spec\.|_spec\.rb$|^test_|Tests?\.\w+$|Spec\.\w+$)")
_GENERATED = re.compile(rb"do not edit|@generated|auto-?generated|automatically generated", re.I)


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository of the corpus, pinned."""

    repository: str
    revision: str
    licence: str
    language: str
    uses: tuple[str, ...] = ("pairs",)
    """`pairs` for documented code, `translations` for parallel documentation."""
    held_out: bool = False
    """Kept from training, for measuring."""

    def clone(self, clones: Path) -> Path:
        """The bare clone's directory below `clones`."""
        return clones / self.repository.replace("/", "+") / "repo"


def load(path: Path = MANIFEST) -> list[Repository]:
    """The manifest, in its order."""
    return [Repository(**{**entry, "uses": tuple(entry["uses"])}) for entry in json.loads(path.read_text("utf-8"))]


def save(repositories: list[Repository], path: Path = MANIFEST) -> None:
    """Write the manifest, one repository a line, sorted by name."""
    lines = [
        json.dumps(asdict(r), ensure_ascii=False) for r in sorted(repositories, key=lambda r: r.repository.lower())
    ]
    path.write_text("[\n " + ",\n ".join(lines) + "\n]\n", "utf-8")


GitError = subprocess.CalledProcessError


def _git(clone: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", f"--git-dir={clone}", "-c", "core.hooksPath=/dev/null", *arguments], capture_output=True, check=True
    ).stdout


def listing(clone: Path, revision: str) -> list[tuple[str, str, int]]:
    """(path, blob, size) of every regular file at a revision, in git's order."""
    found = []
    for entry in _git(clone, "ls-tree", "-r", "-l", "-z", revision).split(b"\0"):
        if not entry:
            continue
        info, path = entry.split(b"\t", 1)
        mode, kind, blob, size = info.split()
        if kind == b"blob" and mode != b"120000":
            found.append((path.decode("utf-8", "replace"), blob.decode(), int(size) if size.isdigit() else 0))
    return found


def contents(clone: Path, blobs: list[str]) -> Iterator[bytes]:
    """The blobs' contents in order; an absent blob yields nothing but empty bytes."""
    with subprocess.Popen(
        ["git", f"--git-dir={clone}", "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for blob in blobs:
            process.stdin.write(blob.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline().split()
            if len(header) < 3:
                yield b""
                continue
            data = process.stdout.read(int(header[2]))
            process.stdout.read(1)
            yield data
        process.stdin.close()


def is_first_party(path: str, size: int) -> bool:
    """Whether a path is hand-written, of the repository itself, and of a bounded size."""
    name = PurePosixPath(path).name
    return 0 < size <= MAX_FILE_BYTES and not _FOREIGN_DIRECTORY.search(path) and not _FOREIGN_NAME.search(name)


def is_test(path: str) -> bool:
    """Whether a path is a test's by the usual names of directories and files."""
    return bool(_TEST_DIRECTORY.search(path) or _TEST_NAME.search(PurePosixPath(path).name))


def is_generated(data: bytes) -> bool:
    """Whether a file's first lines say that a tool wrote it, or it is minified."""
    head = data[:600]
    return bool(_GENERATED.search(head)) or (len(data) > 2000 and data.count(b"\n") * 400 < len(data))


def _within(chosen: list[tuple[str, str, int]], budget: int) -> list[tuple[str, str, int]]:
    """As many of the files as a budget of bytes holds, picked by the hash of their paths, in path order."""
    kept = []
    for entry in sorted(chosen, key=lambda c: hashlib.blake2b(c[0].encode(), digest_size=8).digest()):
        budget -= entry[2]
        if budget < 0:
            break
        kept.append(entry)
    return sorted(kept)


def files(repository: Repository, clones: Path, extensions: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of the repository's own files with these extensions, tests included, in path order."""
    clone = repository.clone(clones)
    chosen = [
        entry
        for entry in listing(clone, repository.revision)
        if PurePosixPath(entry[0]).suffix in extensions and is_first_party(entry[0], entry[2])
    ]
    tests = [entry for entry in chosen if is_test(entry[0])]
    chosen = sorted(_within([e for e in chosen if not is_test(e[0])], SOURCE_BUDGET) + _within(tests, TEST_BUDGET))
    for (path, _, _), data in zip(chosen, contents(clone, [blob for _, blob, _ in chosen]), strict=True):
        if data and b"\0" not in data and not is_generated(data):
            yield path, data


def licence_of(clone: Path, revision: str) -> tuple[str, str]:
    """(SPDX-like name, file) of a revision's licence file; ("", "") when none is recognised.

    The file nearest the root counts; of several texts in one file the first. A GNU text gives "GPL".
    """
    candidates = [(p, b) for p, b, _ in listing(clone, revision) if _LICENCE_FILE.match(PurePosixPath(p).name)]
    candidates = [(p, b) for p, b in candidates if p.count("/") <= 2 and not p.startswith((".", "test"))]
    candidates.sort(key=lambda c: (c[0].count("/"), len(c[0]), c[0]))
    for (path, _), data in zip(candidates, contents(clone, [b for _, b in candidates]), strict=True):
        text = re.sub(r"[\s*#]+", " ", data.decode("utf-8", "replace")).lower()
        matches = [
            (m.start(), order, name)
            for order, (name, pattern) in enumerate(_LICENCES)
            if (m := re.search(pattern, text))
        ]
        if matches:
            return min(matches)[2], path
    return "", ""


def describe(clone: Path, repository: str, language: str, uses: tuple[str, ...]) -> Repository:
    """The manifest entry of a clone's HEAD; raises ValueError when its licence is not permissive or it is excluded."""
    if repository.lower().split("/")[1] in EXCLUDED:
        raise ValueError(f"{repository} is used by an evaluation")
    revision = _git(clone, "rev-parse", "HEAD").decode().strip()
    licence, _ = licence_of(clone, revision)
    if licence in ("", "GPL"):
        raise ValueError(f"{repository}: no permissive licence found ({licence or 'none'})")
    return Repository(repository, revision, licence, language, uses)
