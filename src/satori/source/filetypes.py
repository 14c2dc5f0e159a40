"""What a file is, from its name and its first bytes: a language and a category.

`classify_name` answers from the name alone where that suffices (no I/O); `classify` also looks at the head for names
that leave it open (no extension, `.h`, `.m`, `.ts`, `.pl`, `.v` and the like). Whether a language has a grammar, and
whether a profile covers a category, are decided elsewhere; so is whether the bytes are text at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from satori.source.filetype_tables import BINARY_EXTENSIONS, EXTENSIONS, INTERPRETERS, NAMES

#: How many leading bytes `classify` looks at.
HEAD_BYTES = 4096


class Category(StrEnum):
    """What a file is for; profiles choose among these."""

    SOURCE = "source"
    DOCUMENTATION = "documentation"
    CONFIGURATION = "configuration"
    SCRIPT = "script"
    INFRASTRUCTURE = "infrastructure"
    QUERY = "query"
    DATA = "data"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FileType:
    """A lower-case language name ("text" when unknown) and the category."""

    language: str
    category: Category


UNKNOWN = FileType("text", Category.OTHER)
#: A file that its name alone gives away as not being text.
BINARY = FileType("binary", Category.OTHER)

_BY_EXTENSION = {
    extension: FileType(language, Category(category))
    for category, languages in EXTENSIONS.items()
    for language, extensions in languages.items()
    for extension in extensions.split()
}
_DOT_FILE = FileType("text", Category.CONFIGURATION)
_BY_NAME = {
    name: FileType(language, Category(category))
    for category, languages in NAMES.items()
    for language, names in languages.items()
    for name in names.split()
}
_SCRIPT_LANGUAGES = frozenset(EXTENSIONS["script"])
#: Suffixes that wrap another name: `config.yml.example`, `Makefile.in`.
_WRAPPERS = frozenset("example sample template dist in default tmpl tpl j2 erb bak".split())
#: Extensions that also mean something else when they are plain words in a name such as `Makefile.am`.
_NAME_STEMS = ("dockerfile", "containerfile", "makefile", "jenkinsfile", "gemfile", "vagrantfile", "procfile")
_DOCUMENT_STEMS = ("readme", "license", "licence", "copying", "changelog", "changes", "contributing", "authors", "news")

_CPP = re.compile(
    rb"^\s*(?:namespace\b|template\s*<|class\s+\w|(?:public|private|protected)\s*:|using\s+\w|constexpr\b|extern\s+\"C\+\+\")"
    rb"|\bstd::|#\s*include\s*<(?:string|vector|memory|map|functional|iostream|utility|cstdint|cstddef|type_traits)>",
    re.MULTILINE,
)
_OBJC = re.compile(rb"^\s*(?:@interface|@implementation|@protocol|@class|@import|#\s*import)\b", re.MULTILINE)
_MATLAB = re.compile(rb"^\s*(?:function\b|classdef\b|%)", re.MULTILINE)
_PROLOG = re.compile(rb"^(?::-|[a-z]\w*\([^\n]*\)\s*(?::-|\.)\s*$)", re.MULTILINE)
_COQ = re.compile(rb"^\s*(?:Require|Theorem|Lemma|Definition|Inductive|Section)\b", re.MULTILINE)
_VLANG = re.compile(rb"^\s*(?:module\s+\w+\s*$|fn\s+\w|pub fn\s|import\s+[a-z])", re.MULTILINE)
_VERILOG = re.compile(rb"^\s*(?:module\s+\w+\s*[(;#]|`timescale|`include|`define|endmodule)", re.MULTILINE)
_DEPFILE = re.compile(rb"\A[^\s:]+\.o:\s")
_FSHARP_NOT = re.compile(rb"^\s*(?:#version|precision\s|varying\s|uniform\s|void\s+main)", re.MULTILINE)
_ROFF = re.compile(rb"^[.'](?:\\\"|TH\b|SH\b|Dd\b|Sh\b|so\b|de\b)", re.MULTILINE)
_SHELL = re.compile(rb"^[ \t]*(?:fi|esac|done)[ \t]*(?:;;)?[ \t]*(?:#.*)?$", re.MULTILINE)
_SHELL_USE = re.compile(rb"\$[A-Za-z_{(?@#\d]|\bthen\b")
_LICENSE = re.compile(r"(?:[a-z0-9.]+[-_])?(?:license|licence|copying|copyright|notice)(?:[-_].+)?")
_JSONISH = re.compile(rb"\A\s*[{\[]\s*[\"{\[\]}\d]")


def classify_name(path: str) -> FileType | None:
    """The type if the name alone decides it (or decides at least the category), else None.

    For the ambiguous extensions the category is final and the language is the commonest one; `classify` refines it.
    """
    name = path.rpartition("/")[2].lower()
    known = _BY_NAME.get(name)
    if known is not None:
        return known
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return _BY_NAME["license"] if _LICENSE.fullmatch(name) else None
    if not stem:
        # A dot file that is nothing else configures some tool.
        return _BY_EXTENSION.get(extension) if extension in ("vimrc", "editorconfig") else _DOT_FILE
    if extension.isdigit() and extension not in "12345678":
        return None
    if stem in _NAME_STEMS and extension not in _BY_EXTENSION:
        return _BY_NAME[stem]
    if stem.rpartition(".")[0].startswith("docker-compose") or (stem == "blade" and extension == "php"):
        return FileType("yaml", Category.INFRASTRUCTURE)
    if extension in _WRAPPERS:
        inner = classify_name(stem)
        if inner is not None:
            return inner
    if extension in BINARY_EXTENSIONS:
        return BINARY
    known = _BY_EXTENSION.get(extension)
    if known is None:
        return _BY_NAME["readme"] if stem in _DOCUMENT_STEMS or _LICENSE.fullmatch(stem) else None
    if extension == "txt" and stem.startswith(("requirements", "constraints")):
        return _BY_NAME["requirements.txt"]
    return known


def classify(path: str, head: bytes) -> FileType:
    """The language and category of `path`, whose first bytes (up to `HEAD_BYTES`) are `head`."""
    known = classify_name(path)
    head = head[:HEAD_BYTES]
    if known is None:
        return _from_head(head)
    extension = path.rpartition(".")[2].lower()
    refine = _REFINE.get(extension)
    if refine is not None:
        known = refine(head, known)
    if known.language == "yaml" and known.category is Category.CONFIGURATION and _is_infrastructure(path, head):
        return FileType("yaml", Category.INFRASTRUCTURE)
    return known


def _from_head(head: bytes) -> FileType:
    first = head[:256].split(b"\n", 1)[0]
    if first.startswith(b"#!"):
        language = _interpreter(first[2:].decode("latin-1"))
        if language is not None:
            return FileType(language, Category.SCRIPT if language in _SCRIPT_LANGUAGES else Category.SOURCE)
    if _SHELL.search(head) and _SHELL_USE.search(head):
        return _BY_EXTENSION["sh"]
    if head.startswith(b"<?php"):
        return _BY_EXTENSION["php"]
    if head.startswith(b"<?xml"):
        return FileType("xml", Category.DATA)
    if re.match(rb"\A\s*<!doctype html|\A\s*<html", head, re.IGNORECASE):
        return _BY_EXTENSION["html"]
    if re.search(rb"-\*-\s*(?:mode:\s*)?python\s*-\*-", head[:256], re.IGNORECASE):
        return _BY_EXTENSION["py"]
    return UNKNOWN


def _interpreter(line: str) -> str | None:
    words = line.split()
    for position, word in enumerate(words):
        base = word.rpartition("/")[2]
        if position == 0 and base == "env":
            continue
        if word.startswith("-") or "=" in word:
            continue
        return INTERPRETERS.get(base.lower()) or INTERPRETERS.get(re.sub(r"[\d.]+\Z", "", base.lower()))
    return None


def _is_infrastructure(path: str, head: bytes) -> bool:
    if path.startswith((".github/workflows/", ".circleci/", ".buildkite/", ".gitlab/")):
        return True
    return head.startswith((b"apiVersion:", b"AWSTemplateFormatVersion")) or b"\napiVersion:" in head


def _header(head: bytes, known: FileType) -> FileType:
    if _OBJC.search(head):
        return FileType("objc", Category.SOURCE)
    return FileType("cpp", Category.SOURCE) if _CPP.search(head) else known


def _dot_m(head: bytes, known: FileType) -> FileType:
    if _OBJC.search(head):
        return known
    return FileType("matlab", Category.SOURCE) if _MATLAB.search(head) else known


def _dot_ts(head: bytes, known: FileType) -> FileType:
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!DOCTYPE TS", b"<TS ")):
        return FileType("xml", Category.DATA)
    return known


def _dot_pl(head: bytes, known: FileType) -> FileType:
    if not head.startswith(b"#!") and b"use strict" not in head and _PROLOG.search(head):
        return FileType("prolog", Category.SOURCE)
    return known


def _dot_t(head: bytes, known: FileType) -> FileType:
    return known if head.startswith(b"#!") or re.search(rb"^\s*use\s", head, re.MULTILINE) else UNKNOWN


def _dot_v(head: bytes, known: FileType) -> FileType:
    if _VERILOG.search(head):
        return known
    if _COQ.search(head):
        return FileType("coq", Category.SOURCE)
    return FileType("vlang", Category.SOURCE) if _VLANG.search(head) else known


def _dot_d(head: bytes, known: FileType) -> FileType:
    return FileType("make", Category.DATA) if _DEPFILE.search(head) else known


def _dot_fs(head: bytes, known: FileType) -> FileType:
    return FileType("glsl", Category.SOURCE) if _FSHARP_NOT.search(head) else known


def _manual(head: bytes, known: FileType) -> FileType:
    return known if _ROFF.search(head) else UNKNOWN


def _dot_mod(head: bytes, known: FileType) -> FileType:
    return known if re.search(rb"^(?:module|go|use)\s", head, re.MULTILINE) else UNKNOWN


def _dot_conf(head: bytes, known: FileType) -> FileType:
    return FileType("json", Category.CONFIGURATION) if _JSONISH.search(head) else known


_REFINE = {
    "h": _header,
    "m": _dot_m,
    "ts": _dot_ts,
    "pl": _dot_pl,
    "t": _dot_t,
    "v": _dot_v,
    "d": _dot_d,
    "fs": _dot_fs,
    "mod": _dot_mod,
    "work": _dot_mod,
    "conf": _dot_conf,
    **dict.fromkeys("12345678", _manual),
}
