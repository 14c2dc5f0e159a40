"""The shipped model: present, whole, and refused by name when it is not."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from satori.embedding import weights
from satori.embedding.registry import load_embedder, names
from satori.embedding.similarity import UNIT, cosines, inverse_norms, operand
from satori.errors import EmbedderError
from satori.settings.choice import EmbedderChoice


def test_shipped_model_is_whole_and_within_its_bound() -> None:
    """Every file matches its recorded hash and the table is at most 16 MiB."""
    weights.verify()
    assert (weights.DATA / weights.VECTORS).stat().st_size <= 16 * 1024 * 1024 + 128


def test_model_name_carries_the_content_hash(tmp_path: Path) -> None:
    """The model's name changes with any file's recorded hash."""
    first = load_embedder().model
    assert first.startswith("satori-static-256@")
    copy = shutil.copytree(weights.DATA, tmp_path / "data")
    values = np.load(copy / weights.WEIGHTS)
    values[0] += 1
    np.save(copy / weights.WEIGHTS, values)
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["files"][weights.WEIGHTS]["sha256"] = hashlib.sha256((copy / weights.WEIGHTS).read_bytes()).hexdigest()
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert weights.load_static(copy).model != first


@pytest.mark.parametrize("name", [weights.VECTORS, weights.WEIGHTS, weights.VOCABULARY, "manifest.json"])
def test_missing_or_cut_files_are_refused(tmp_path: Path, name: str) -> None:
    """A missing or shortened file is an EmbedderError that says what to do, at load."""
    copy = shutil.copytree(weights.DATA, tmp_path / "data")
    (copy / name).write_bytes((copy / name).read_bytes()[:-2])
    with pytest.raises(EmbedderError, match="Reinstall"):
        weights.load_static(copy)
    (copy / name).unlink()
    with pytest.raises(EmbedderError, match="Reinstall"):
        weights.load_static(copy)


def test_a_flipped_bit_in_the_vectors_is_found_by_verify(tmp_path: Path) -> None:
    """Damage that keeps the size is found by the full check."""
    copy = shutil.copytree(weights.DATA, tmp_path / "data")
    raw = bytearray((copy / weights.VECTORS).read_bytes())
    raw[-1] ^= 1
    (copy / weights.VECTORS).write_bytes(raw)
    with pytest.raises(EmbedderError, match=r"vectors\.npy is damaged"):
        weights.verify(copy)


def test_unknown_embedder_names_the_known_ones() -> None:
    """The shipped one is the default; a choice that does not exist lists what does."""
    assert names()[0] == "static" and load_embedder() is load_embedder(EmbedderChoice("static"))
    with pytest.raises(EmbedderError, match="static, potion, ollama, openai, voyage, gemini"):
        load_embedder(EmbedderChoice("hub"))


def test_shipped_model_finds_code_by_meaning() -> None:
    """Questions in other words than the code rank the code that answers them first."""
    embedder = load_embedder()
    documents = [
        "net/retry.py\nsend_with_backoff\ndef send_with_backoff(req):\n    for attempt in range(5):\n"
        "        try:\n            return send(req)\n        except Timeout:\n            sleep(2 ** attempt)\n",
        "auth/hash.go\ncheckPassword\nfunc checkPassword(hash, plain string) bool {\n"
        "\treturn bcrypt.CompareHashAndPassword([]byte(hash), []byte(plain)) == nil\n}\n",
        "src/tree.ts\nTree.insert\ninsert(node: Node) { if (node.key < this.key) this.left.insert(node); "
        "else this.right.insert(node); this.rebalance() }\n",
    ]
    rows = embedder.encode_documents(documents)
    matrix, inverse = operand(rows), inverse_norms(rows)
    questions = [
        "retry a failed request after waiting longer each time",
        "verify a user's credentials",
        "add an element to a binary tree",
    ]
    for wanted, question in enumerate(questions):
        found = cosines(matrix, inverse, embedder.encode_query(question))
        assert int(found.argmax()) == wanted
        assert found.max() < UNIT
