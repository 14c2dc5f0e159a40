"""A ColBERT folder is read as PyLate reads it, and orders by MaxSim; what is wrong with it is said, never guessed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from satori.errors import ModelError, RerankerError
from satori.remote.modelfolder import provision
from satori.search.rerank import RerankOutcome, RerankPolicy, rerank
from satori.search.rerankers.colbert import ColbertReranker, maxsim
from satori.search.rerankers.folder import ColbertConfig, ColbertFolder
from tests.search.rerankers.folders import WORDS, table, write_folder

pytest.importorskip("onnxruntime", reason="the extra satori-code[rerank] is not installed")
pytest.importorskip("tokenizers", reason="the extra satori-code[rerank] is not installed")
pytest.importorskip("onnx", reason="the model of these tests is made with onnx")

PASSAGES = ["parse json", "retry failed delivery", "clip polygon"]


def opened(directory: Path | None) -> ColbertReranker:
    """With time enough to load on a busy machine."""
    return ColbertReranker(directory, 60.0)


def unit(*words: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    rows = table()[[WORDS.index(word) for word in words]]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def test_scores_are_the_sum_of_best_similarities(tmp_path: Path) -> None:
    """The reranker's number is MaxSim over exactly the tokens that PyLate would use, prefixes and special ones among
    them."""
    found = opened(write_folder(tmp_path / "m")).score("retry delay", PASSAGES)
    query = unit("[CLS]", "[Q] ", "retry", "delay", "[SEP]")
    for score, passage in zip(found, PASSAGES, strict=True):
        document = unit("[CLS]", "[D] ", *passage.split(), "[SEP]")
        assert score == pytest.approx(float((query @ document.T).max(axis=1).sum()), abs=1e-3)
    assert int(np.argmax(found)) == 1


def test_questions_are_filled_with_mask_tokens(tmp_path: Path) -> None:
    """With expansion every question has its full length, and the added tokens count in the sum."""
    plain = opened(write_folder(tmp_path / "plain"))
    filled = opened(write_folder(tmp_path / "filled", do_query_expansion=True))
    document = unit("[CLS]", "[D] ", "parse", "json", "[SEP]")
    query = unit("[CLS]", "[Q] ", "retry", "[SEP]", *["[MASK]"] * 4)
    (score,) = filled.score("retry", ["parse json"])
    assert score == pytest.approx(maxsim(query, document), abs=1e-3)
    assert plain.score("retry", ["parse json"])[0] == pytest.approx(maxsim(query[:4], document), abs=1e-3)


def test_texts_are_cut_with_their_last_token_kept(tmp_path: Path) -> None:
    """A long passage ends with the separator, as the model was trained; the prefix counts in the length."""
    reranker = opened(write_folder(tmp_path / "m", document_length=6))
    long, cut = reranker.score("retry", ["parse json clip polygon socket close", "parse json clip"])
    assert long == cut


def test_punctuation_of_passages_is_left_out(tmp_path: Path) -> None:
    """Words of the skip list have no vector; in questions they stay."""
    reranker = opened(write_folder(tmp_path / "m"))
    bare, dotted = reranker.score("retry .", ["parse json", "parse ( json ) . ,"])
    assert bare == dotted
    kept = opened(write_folder(tmp_path / "kept", skiplist_words=[]))
    assert kept.score("retry .", ["parse json"])[0] < kept.score("retry .", ["parse json ."])[0]


def test_models_without_prefixes_and_with_token_types(tmp_path: Path) -> None:
    """Empty prefixes add no token; every input that the model names is given."""
    folder = write_folder(tmp_path / "m", inputs=3, query_prefix="", document_prefix="")
    query, document = unit("[CLS]", "retry", "[SEP]"), unit("[CLS]", "delay", "[SEP]")
    assert opened(folder).score("retry", ["delay"])[0] == pytest.approx(maxsim(query, document), abs=1e-3)


def test_a_score_does_not_depend_on_its_neighbours(tmp_path: Path) -> None:
    """Alone, first or last: one passage, one score; whatever the number of threads asking."""
    reranker = opened(write_folder(tmp_path / "m"))
    alone = [reranker.score("retry delay", [passage])[0] for passage in PASSAGES]
    assert reranker.score("retry delay", PASSAGES[::-1]) == alone[::-1]
    found: list[list[float]] = []
    threads = [threading.Thread(target=lambda: found.append(reranker.score("retry delay", PASSAGES))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 4


def test_the_onnx_configuration_wins_and_the_rest_is_pylates_default(tmp_path: Path) -> None:
    """Both files are read; unknown keys mean nothing."""
    (tmp_path / "config_sentence_transformers.json").write_text('{"query_length": 48, "document_length": 300, "x": 1}')
    (tmp_path / "onnx_config.json").write_text('{"query_length": 40, "attend_to_expansion_tokens": true}')
    found = ColbertConfig.read(tmp_path)
    assert (found.query_length, found.document_length, found.attend_to_expansion_tokens) == (40, 300, True)
    assert (found.query_prefix, found.do_query_expansion) == ("[Q] ", True)


def test_the_smaller_model_is_taken(tmp_path: Path) -> None:
    """model_int8.onnx is what runs on a processor, when the folder has both."""
    write_folder(tmp_path)
    assert ColbertFolder.open(tmp_path).model.name == "model.onnx"
    (tmp_path / "model_int8.onnx").write_bytes((tmp_path / "model.onnx").read_bytes())
    assert ColbertFolder.open(tmp_path).model.name == "model_int8.onnx"


def test_a_provisioned_folder_is_verified(tmp_path: Path) -> None:
    """It answers as its source does; any file that changed since is refused by name, the model's own too."""
    source = write_folder(tmp_path / "m", model="model_int8.onnx")
    folder = provision({file.name: file for file in source.iterdir()}, tmp_path / "models", "team/tiny", "a test").path
    assert opened(folder).score("retry", PASSAGES) == opened(source).score("retry", PASSAGES)
    for name in ("model_int8.onnx", "tokenizer.json"):
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
        with pytest.raises(ModelError, match=f"{name} is not what it was"):
            opened(folder).score("retry", PASSAGES)
        (folder / name).write_bytes(before)


def spoil(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("model.onnx", "no model", "cannot be loaded"),
        ("tokenizer.json", "{}", "cannot be loaded"),
        ("onnx_config.json", "[]", "it holds no object"),
        ("onnx_config.json", "{", "cannot be used"),
        ("onnx_config.json", '{"query_length": "32"}', "query_length is '32'"),
        ("onnx_config.json", '{"document_length": 100000}', "not between"),
        ("onnx_config.json", '{"skiplist_words": "."}', "no list of words"),
        ("onnx_config.json", '{"query_prefix": "query: "}', "does not know the prefix 'query: '"),
        ("satori.json", "{}", "cannot be used"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path, name: str, text: str, said: str) -> None:
    """The retrieval order stands, and the outcome carries the reason."""
    folder = write_folder(tmp_path / "m")
    spoil(folder, name, text)
    items, outcome, detail = rerank(RerankPolicy(opened(folder), 60), "retry", PASSAGES, PASSAGES)
    assert (items, outcome) == (PASSAGES, RerankOutcome.FAILED)
    assert said in detail


def test_a_missing_folder_or_model_is_said(tmp_path: Path) -> None:
    """No folder named, none there, or one that holds something else."""
    for directory, said in (
        (None, "No folder"),
        (tmp_path / "none", "no reranker model"),
        (tmp_path, "model_int8.onnx"),
    ):
        with pytest.raises(RerankerError, match=said):
            opened(directory).score("retry", PASSAGES)


def test_it_gives_up_between_passages(tmp_path: Path) -> None:
    """A question that was left behind does not keep the processor busy to its end."""
    reranker = ColbertReranker(write_folder(tmp_path / "m"), seconds=-1.0)
    with pytest.raises(RerankerError, match=r"scored 0 of 3 passages"):
        reranker.score("retry", PASSAGES)


def test_without_the_packages_the_extra_is_named(tmp_path: Path) -> None:
    """The retrieval order is served, with the command that installs what is missing."""
    code = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "from pathlib import Path\n"
        "from satori.search.rerankers.colbert import ColbertReranker\n"
        "try: ColbertReranker(Path(sys.argv[1]), 60).score('retry', ['a'])\n"
        "except Exception as error: print(error)\n"
    )
    folder = write_folder(tmp_path / "m")
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert 'pip install "satori-code[rerank]"' in done.stdout


def test_importing_search_loads_no_model_runtime() -> None:
    """The offline default never pays for what it does not use."""
    code = (
        "import sys\n"
        "import satori.search.engine, satori.search.rerankers.colbert, satori.search.rerankers.registry\n"
        "print(json.dumps([m for m in ('onnxruntime', 'tokenizers', 'httpx2') if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", f"import json\n{code}"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
