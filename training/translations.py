"""Parallel sentences from translated public documentation: a foreign sentence and its English source.

Four formats, all aligned by construction: XLIFF units, gettext entries, keyed messages (ini, JSON, Lua), and Markdown
pages whose blocks correspond one to one. Entries left in English, placeholders and one-word labels are dropped. It
translates nothing.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from training import corpus
from training.prose import first_paragraph

__all__ = ["LANGUAGES", "Translation", "mine"]

LANGUAGES = ("de", "es", "fr", "ja", "pt", "zh")
_TAGS = {
    "de": "de",
    "de-de": "de",
    "de_de": "de",
    "es": "es",
    "es-es": "es",
    "es_es": "es",
    "es-419": "es",
    "fr": "fr",
    "fr-fr": "fr",
    "fr_fr": "fr",
    "ja": "ja",
    "ja-jp": "ja",
    "ja_jp": "ja",
    "pt": "pt",
    "pt-br": "pt",
    "pt_br": "pt",
    "pt-pt": "pt",
    "zh": "zh",
    "zh-cn": "zh",
    "zh_cn": "zh",
    "zh-hans": "zh",
    "zh_hans": "zh",
}
_ENGLISH = frozenset({"en", "en-us", "en_us", "en-gb"})
_TAGGED = re.compile(
    r"(?<![A-Za-z])(" + "|".join(sorted([*_TAGS, *_ENGLISH], key=len, reverse=True)) + r")(?![A-Za-z])", re.I
)
_UNIT = re.compile(r"<source>(.*?)</source>\s*<target state=\"(?:translated|final)\">(.*?)</target>", re.S)
_ENTRY = re.compile(r'^msgid ((?:"(?:[^"\\]|\\.)*"\s*)+)^msgstr ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.M)
_INI = re.compile(r"^([\w.\-]+)\s*=\s*(.+)$", re.M)
_PLACEHOLDER = re.compile(r"\{[^}]*\}|%\(\w+\)s|%[-\d.]*[sdv@]|\$\{[^}]*\}|&\w+;|MSB\d+:?|[A-Z]{2,}\d{3,}:?|<[^>]+>")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LETTERS = re.compile(r"[^\W\d_]")
_FENCED = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Translation:
    """One aligned pair."""

    repository: str
    language: str
    foreign: str
    english: str


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", _PLACEHOLDER.sub(" ", html.unescape(text))).strip()


def _accepted(language: str, foreign: str, english: str) -> bool:
    if foreign == english or not 6 <= len(english) <= 400 or len(_LETTERS.findall(foreign)) < 4:
        return False
    is_cjk = bool(_CJK.search(foreign))
    if is_cjk != (language in ("ja", "zh")) or english.count(" ") < 1:
        return False
    same = set(foreign.lower().split()) & set(english.lower().split())
    return is_cjk or len(same) <= 0.6 * len(set(english.lower().split()))


def _unquoted(block: str) -> str:
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', block)).replace('\\"', '"').replace("\\n", " ")


def _messages(data: str, suffix: str) -> dict[str, str]:
    if suffix == ".json":
        flat: dict[str, str] = {}
        stack: list[tuple[str, object]] = [("", json.loads(data))]
        while stack:
            prefix, value = stack.pop()
            if isinstance(value, dict):
                stack.extend((f"{prefix}.{k}", v) for k, v in value.items())
            elif isinstance(value, str):
                flat[prefix] = value
        return flat
    if suffix == ".lua":
        return {m.group(1): m.group(3) for m in re.finditer(r"^(\w[\w.]*)\s*=\s*(['\"])(.*?)\2", data, re.M)}
    section, found = "", {}
    for line in data.splitlines():
        if line.startswith("["):
            section = line
        elif match := _INI.match(line):
            found[section + match.group(1)] = match.group(2)
    return found


def _blocks(page: str) -> list[str]:
    page = re.sub(r"\A---\n.*?\n---\n", "", page.replace("\r\n", "\n"), flags=re.S)
    return [b for b in re.split(r"\n\s*\n|\n(?=[-*] |#|\d+\. )", _FENCED.sub("\n\n```\n\n", page)) if b.strip()]


def _aligned(foreign: str, english: str) -> Iterator[tuple[str, str]]:
    a, b = _blocks(foreign), _blocks(english)
    if len(a) != len(b):
        kinds = [[i for i, block in enumerate(side) if block.startswith("#")] for side in (a, b)]
        if len(kinds[0]) != len(kinds[1]) or not kinds[0]:
            return
        ends = [[*starts[1:], len(side)] for starts, side in zip(kinds, (a, b), strict=True)]
        for i, j, k, m in zip(kinds[0], ends[0], kinds[1], ends[1], strict=True):
            if j - i == m - k:
                yield from zip(a[i:j], b[k:m], strict=True)
        return
    yield from zip(a, b, strict=True)


def _language_of(path: str) -> tuple[str, str]:
    """(language or "en" or "", the path with its language tag removed)."""
    tags = list(_TAGGED.finditer(path))
    if not tags:
        return "", path
    tag = tags[-1]
    name = tag.group(1).lower()
    return ("en" if name in _ENGLISH else _TAGS[name]), path[: tag.start()] + "*" + path[tag.end() :]


def _english_of(key: str, paths: dict[str, str]) -> str:
    for tag in ("en-US", "en_US", "en-us", "en", "EN"):
        if (name := key.replace("*", tag)) in paths:
            return name
    for dropped in ("*/", ".*", "-*", "_*", "/*"):
        if (name := key.replace(dropped, "", 1)) in paths:
            return name
    match = re.match(r"(.*?)(?:i18n|localization|locales?|translations?)/\*/(.*)$", key)
    return match.group(1) + match.group(2) if match and match.group(1) + match.group(2) in paths else ""


def _pairs(repository: corpus.Repository, clones: Path) -> Iterator[Translation]:
    clone = repository.clone(clones)
    suffixes = (".md", ".mdx", ".xlf", ".po", ".ini", ".json", ".lua")
    listed = {
        p: b for p, b, size in corpus.listing(clone, repository.revision) if p.endswith(suffixes) and size < 1_500_000
    }
    wanted = []
    for path in listed:
        language, key = _language_of(path)
        if language not in LANGUAGES:
            continue
        if path.endswith((".xlf", ".po")):
            wanted.append((path, language, ""))
        elif english := _english_of(key, listed):
            wanted.append((path, language, english))
    needed = sorted({name for path, _, english in wanted for name in (path, english) if name})
    texts = {
        name: data.decode("utf-8", "replace")
        for name, data in zip(needed, corpus.contents(clone, [listed[n] for n in needed]), strict=True)
    }
    for path, language, english in wanted:
        for foreign_text, english_text in _entries(path, texts[path], texts.get(english, "")):
            yield Translation(repository.repository, language, foreign_text, english_text)


def _entries(path: str, foreign: str, english: str) -> Iterator[tuple[str, str]]:
    if path.endswith(".xlf"):
        for source, target in _UNIT.findall(foreign):
            yield _plain(target), _plain(source)
    elif path.endswith(".po"):
        for source, target in _ENTRY.findall(foreign):
            yield _plain(_unquoted(target)), _plain(_unquoted(source))
    elif path.endswith((".md", ".mdx")):
        for ours, theirs in _aligned(foreign, english):
            yield (
                first_paragraph(re.sub(r"^[#\-*\d. >]+", "", ours)),
                first_paragraph(re.sub(r"^[#\-*\d. >]+", "", theirs)),
            )
    else:
        suffix = path[path.rfind(".") :]
        try:
            messages, originals = _messages(foreign, suffix), _messages(english, suffix)
        except ValueError:
            return
        for key, value in messages.items():
            if key in originals:
                yield _plain(value), _plain(originals[key])


def mine(repositories: list[corpus.Repository], clones: Path, out: Path) -> None:
    """Write OUT/translations.jsonl from the repositories that are used for it, each pair once."""
    seen: set[tuple[str, str]] = set()
    lines: list[str] = []
    counts: Counter[tuple[str, str]] = Counter()
    for repository in repositories:
        if "translations" not in repository.uses:
            continue
        for pair in _pairs(repository, clones):
            if (pair.language, pair.foreign) not in seen and _accepted(pair.language, pair.foreign, pair.english):
                seen.add((pair.language, pair.foreign))
                lines.append(
                    json.dumps([pair.repository, pair.language, pair.foreign, pair.english], ensure_ascii=False)
                )
                counts[repository.repository, pair.language] += 1
    out.mkdir(parents=True, exist_ok=True)
    (out / "translations.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")
    print({language: sum(v for (_, k), v in counts.items() if k == language) for language in LANGUAGES}, counts)
