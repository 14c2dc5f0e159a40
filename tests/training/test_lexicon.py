"""What a word means is learned from which sentences it stands in."""

from __future__ import annotations

import json
from pathlib import Path

from training.lexicon import align, build


def test_alignment_finds_the_word_that_comes_and_goes_with_another() -> None:
    """Two words that always occur together are told apart by the sentences in which only one does."""
    sides = [
        (["datei", "lesen"], ["read", "file"]),
        (["datei", "loeschen"], ["delete", "file"]),
        (["ordner", "lesen"], ["read", "folder"]),
        (["ordner", "loeschen"], ["delete", "folder"]),
    ] * 3
    found = align(sides)
    assert {word: max(found[word], key=lambda e: found[word][e]) for word in ("datei", "lesen", "ordner")} == {
        "datei": "file",
        "lesen": "read",
        "ordner": "folder",
    }


def test_the_lexicon_is_a_function_of_its_sentences(tmp_path: Path) -> None:
    """Forms of one English word are one meaning, grammar has none, English words carry a mark, two runs are equal."""
    rows = [
        ("r", "de", "die Datei lesen", "read the file"),
        ("r", "de", "die Dateien lesen", "read the files"),
        ("r", "de", "die Datei schreiben", "write the file"),
        ("r", "de", "die Liste schreiben", "write the list"),
        ("r", "de", "die Liste lesen", "read the list"),
        ("r", "de", "den Server lesen", "read the server"),
        ("r", "de", "den Server schreiben", "write the server"),
    ] * 4
    (tmp_path / "translations.jsonl").write_text(
        "\n".join(
            json.dumps([repository, language, f"{text} {n}", f"{source} {n}"])
            for n, (repository, language, text, source) in enumerate(rows)
        )
    )
    sizes = build(tmp_path, tmp_path / "one.txt")
    build(tmp_path, tmp_path / "two.txt")
    text = (tmp_path / "one.txt").read_text()
    assert text == (tmp_path / "two.txt").read_text()
    lines = dict(line.split("\t") for line in text.splitlines() if "\t" in line)
    assert sizes == {"de": len(lines)}
    assert (lines["datei"], lines["liste"], lines["die"]) == ("file", "list", "")
    assert lines["~server"] == "server"
