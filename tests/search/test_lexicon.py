"""Questions in other languages are read in English words; English ones, and code in any, stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satori.search.lexicon import DATA, load, segments, translate

READ = [
    ("de", "wie werden Umgebungsvariablen aus der Konfigurationsdatei gelesen", {"environment", "variables", "read"}),
    ("es", "cómo se leen los encabezados de la solicitud HTTP", {"headers", "request", "HTTP"}),
    ("fr", "comment les erreurs sont affichées dans le terminal", {"errors", "terminal"}),
    ("pt", "como os arquivos temporários são removidos", {"files"}),
    ("zh", "如何解析请求的标头", {"request"}),
    ("ja", "ファイルのキャッシュを削除する方法", {"file", "cache"}),
]


@pytest.mark.parametrize(("language", "question", "expected"), READ, ids=[row[0] for row in READ])
def test_words_of_six_languages_are_read_in_english(language: str, question: str, expected: set[str]) -> None:
    """The language is found by its grammar or script, and its words come out as English ones."""
    found = translate(question)
    assert found is not None and found.language == language
    assert expected <= set(found.text.split())


@pytest.mark.parametrize(
    "question",
    [
        "how are routes registered",
        "where does the session middleware validate a token",
        "fix os.path.join on Windows and del the temp dir",
        "QuerySet.filter",
        "naïve bayes classifier training",
        "Error: cannot read property of undefined",
        "cert der parsing",
    ],
)
def test_english_stays_as_it_is(question: str) -> None:
    """A stray foreign word, an accent or a name of code makes no question foreign."""
    assert translate(question) is None


def test_code_in_a_question_is_never_translated() -> None:
    """Quoted, dotted, cased and underscored words are names, whatever they would mean."""
    found = translate("wie ruft `archivo_datei` die Funktion app.fehler und getDatei auf")
    assert found is not None
    assert {"`archivo_datei`", "app.fehler", "getDatei"} <= set(found.text.split())


def test_compounds_and_inflections_mean_what_they_are_made_of() -> None:
    """A word that was never seen is cut into known ones, or taken for a form of one."""
    german = load("de")
    assert "fehlerdateien" not in german.english
    assert set(german.look_up("fehlerdateien") or ()) & {"files", "file"}
    assert german.look_up("qqqqqqqq") is None


def test_ideographs_are_cut_at_known_words_and_at_grammar() -> None:
    """The longest known word first; letters between them are words of their own."""
    assert list(segments("API的文件错误", {"文件", "错误", "文件错误"})) == ["API", "文件错误"]
    assert list(segments("文件错误", {"文件", "错误"})) == ["文件", "错误"]
    assert list(segments("データベースキューx", {"データベース", "キュー"})) == ["データベース", "キュー", "x"]


def test_the_file_is_in_order_and_holds_each_word_once() -> None:
    """Six languages, words sorted within each: a new run of the learning gives a readable difference."""
    blocks = DATA.read_text("utf-8").split("\n# ")[1:]
    assert [block.partition("\n")[0] for block in blocks] == ["de", "es", "fr", "ja", "pt", "zh"]
    for block in blocks:
        words = [line.partition("\t")[0].lstrip("~") for line in block.rstrip("\n").split("\n")[1:]]
        assert words == sorted(set(words)) and len(words) > 1_500


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """No text fails, and the words come out without line breaks."""
    found = translate(text)
    assert found is None or "\n" not in found.text
