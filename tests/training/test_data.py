"""Balancing, bags, vocabulary, quantisation and alignment: what the trainer and the package rely on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from satori.embedding.tokens import Tokenizer
from satori.embedding.weights import load_static, verify
from training import export, vocabulary
from training.data import MAX_SHARE, bags, balanced
from training.mine import Pair
from training.translations import _aligned, _entries, _language_of


def pair(language: str, number: int) -> Pair:
    return Pair("doc", "o/r", language, f"q{number}", "p", "s", "c")


def test_no_language_exceeds_its_share() -> None:
    """However uneven the corpus, no language is above a fifth of what is kept, and small ones are kept whole."""
    sizes = {"python": 5_000, "go": 900, "c": 800, "rust": 700, "java": 600, "zig": 50, "ruby": 400}
    kept = Counter(p.language for p in balanced([pair(k, i) for k, n in sizes.items() for i in range(n)]))
    assert max(kept.values()) <= 0.2 * sum(kept.values())
    assert kept["zig"] == 50
    assert kept["python"] >= 0.9 * MAX_SHARE * sum(kept.values())


def test_bags_count_tokens_per_text() -> None:
    """Each token once with 1 + ln of its count; an empty text is an empty row; rows can be taken in any order."""
    found = bags(Tokenizer(["get", "it"]), ["get it get", "", "it"])
    ids, counts, starts = found.take(np.array([2, 0, 1]))
    assert ids.tolist() == [1, 0, 1]
    assert np.allclose(counts, [1.0, 1.0 + np.log(2), 1.0])
    assert starts.tolist() == [0, 1, 3]


def test_vocabulary_holds_shared_words_and_pieces_of_the_rest() -> None:
    """A word needs several repositories; the others are covered by pieces; no entry occurs twice."""
    texts = [(f"o/{i}", "getCache privateName" + str(i) if i else "get cache zzyzx") for i in range(4)]
    words = vocabulary.build(texts, 10, 20, min_repositories=3)
    assert {"get", "cache", "private", "name"} <= set(words)
    assert words.index("zzyzx") >= 4, "one repository's word can only be a piece"
    assert len(set(words)) == len(words)
    extra = vocabulary.foreign([("de", "wird geladen " * 3), ("zh", "缓存失效 " * 9)], words, 5, 12)
    assert {"wird", "geladen", "缓存", "缓"} <= set(extra)
    assert not set(extra) & set(words)


def test_exported_tables_load_and_keep_directions(tmp_path: Path) -> None:
    """What export writes passes the runtime's checks, and quantising moves no vector far."""
    random = np.random.default_rng(3)
    table = random.normal(size=(6, 32)).astype(np.float32)
    weights = random.uniform(0.5, 2, 6).astype(np.float32)
    words = ["get", "it", "load", "cache", "a", "b"]
    export.write(tmp_path, "toy", table, weights, words, {})
    verify(tmp_path)
    row = load_static(tmp_path).encode_query("loadCache it it").astype(float)
    exact = weights[2] * table[2] + weights[3] * table[3] + weights[1] * (1 + np.log(2)) * table[1]
    assert row @ exact / np.linalg.norm(row) / np.linalg.norm(exact) > 0.999


def test_translations_align_by_construction() -> None:
    """Units, entries and messages pair by key; pages pair by block only where their structure agrees."""
    unit = '<source>Load {0}</source>\n        <target state="translated">{0} laden</target>'
    assert list(_entries("a.de.xlf", unit, "")) == [("laden", "Load")]
    assert list(_entries("de.po", 'msgid "Load it"\nmsgstr "Lade "\n"es"\n', "")) == [("Lade es", "Load it")]
    assert list(_entries("de.json", '{"a": {"b": "Lade es"}}', '{"a": {"b": "Load it"}}')) == [("Lade es", "Load it")]
    assert list(_aligned("# Eins\n\nText", "# One\n\nText here")) == [("# Eins", "# One"), ("Text", "Text here")]
    assert list(_aligned("# Eins\n\nText\n\nMehr", "# One\n\nText")) == []
    assert _language_of("content/zh-CN/api/app.md") == ("zh", "content/*/api/app.md")
    assert _language_of("src/xlf/Strings.pt-BR.xlf") == ("pt", "src/xlf/Strings.*.xlf")
