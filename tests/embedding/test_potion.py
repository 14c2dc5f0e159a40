"""model2vec folders: read as the library reads them, refused when they are damaged or something else."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from satori.embedding.port import Embedder
from satori.embedding.potion import FILES, PotionEmbedder, load_potion, read_tensors
from satori.embedding.registry import load_embedder
from satori.embedding.static import quantise
from satori.errors import EmbedderError, ModelError
from satori.remote.modelfolder import MANIFEST, ModelFolder, open_folder, provision
from satori.settings.choice import EmbedderChoice
from tests.embedding.folders import shipped_tokens, write_model, write_tensors

TEXTS = ["Open the file and read settings", "class cart: add line", "", "zzqqxx", "päivää \udc80 世界", "file " * 3000]


def _provisioned(tmp_path: Path, folder: Path, name: str = "made/potion-test") -> ModelFolder:
    return provision({file: folder / file for file in FILES}, tmp_path / "models", name, "a test")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> PotionEmbedder:
    base = tmp_path_factory.mktemp("potion")
    folder = _provisioned(base, write_model(base / "source"))
    return PotionEmbedder(folder)


def test_a_text_is_the_mean_of_its_tokens(model: PotionEmbedder) -> None:
    """Tokens of the model's own tokenizer, unknown ones left out; equal to the sum over the shipped table's rows."""
    words, vectors = shipped_tokens(4000)
    at = {word: position for position, word in enumerate(words)}
    known = [word for word in ("open", "the", "file", "and", "read", "settings") if word in at]
    mean = vectors[[at[word] for word in known]].astype(np.float64).mean(axis=0)
    expected = quantise(mean[np.newaxis].astype(np.float32))[0]
    assert len(known) >= 4 and (model.encode_query("open THE file, and read settings!") == expected).all()


def test_it_is_an_embedder_like_the_shipped_one(model: PotionEmbedder) -> None:
    """Rows for all texts, zeros without a known token, one row whatever stands beside it."""
    assert isinstance(model, Embedder) and not model.connected and model.provider == "potion"
    rows = model.encode_documents(TEXTS)
    assert rows.shape == (len(TEXTS), 256) and rows.dtype == np.int8
    assert not rows[2].any() and not rows[3].any() and rows[0].any()
    alone = np.stack([model.encode_query(text) for text in TEXTS])
    shuffled = random.Random(7).sample(range(len(TEXTS)), len(TEXTS))
    again = model.encode_documents([TEXTS[at] for at in shuffled])
    assert (alone == rows).all() and (again == rows[shuffled]).all()


@pytest.mark.parametrize("layout", ["mapped", "float16", "sentence-transformers"])
def test_every_layout_gives_the_same_vectors(tmp_path: Path, model: PotionEmbedder, layout: str) -> None:
    """Weights and mapping of the newer format, half precision, and the other name of the table."""
    folder = write_model(
        tmp_path / "source",
        mapped=layout == "mapped",
        dtype="float16" if layout == "float16" else "float32",
        name="embedding.weight" if layout == "sentence-transformers" else "embeddings",
    )
    other = PotionEmbedder(_provisioned(tmp_path, folder))
    ours, theirs = (one.encode_documents(TEXTS).astype(int) for one in (model, other))
    assert np.abs(ours - theirs).max() <= 1
    assert (other.model == model.model) == (layout == "none")


def test_the_name_follows_from_the_bytes(tmp_path: Path, model: PotionEmbedder) -> None:
    """Another table is another model; the same files provisioned twice are one folder."""
    source = write_model(tmp_path / "source")
    first, second = _provisioned(tmp_path, source), _provisioned(tmp_path, source)
    assert first.path == second.path and PotionEmbedder(first).model == model.model
    other = _provisioned(tmp_path, write_model(tmp_path / "other", 3999))
    assert PotionEmbedder(other).model != model.model
    assert not list((tmp_path / "models").glob(".staging*"))


def test_it_is_loaded_by_choice(tmp_path: Path) -> None:
    """The registry makes it from the folder's path; without one the way to provision is named."""
    folder = _provisioned(tmp_path, write_model(tmp_path / "source"))
    assert load_embedder(EmbedderChoice("potion", path=str(folder.path))).dimension == 256
    with pytest.raises(EmbedderError, match="satori install --embedder potion"):
        load_potion(EmbedderChoice("potion"))


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    """One byte less, one byte other, gone: each refused by name, the large file's content by `verify` at the latest."""
    folder = _provisioned(tmp_path, write_model(tmp_path / "source"))
    file = folder.path / name
    data = file.read_bytes()
    file.write_bytes(data[:-1])
    with pytest.raises(ModelError, match=name):
        open_folder(folder.path)
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(ModelError, match=name):
        open_folder(folder.path).verify()
    file.unlink()
    with pytest.raises(ModelError, match=name):
        open_folder(folder.path)
    # Provisioning again mends it.
    assert _provisioned(tmp_path, tmp_path / "source").path == folder.path
    open_folder(folder.path).verify()


def test_a_folder_that_was_not_provisioned_is_refused(tmp_path: Path) -> None:
    """Its files could change under an index: it is copied first, with hashes."""
    with pytest.raises(ModelError, match=MANIFEST):
        open_folder(write_model(tmp_path / "source"))
    (tmp_path / "source" / MANIFEST).write_text(
        json.dumps({"format": 1, "name": "x", "source": "", "files": {"../up": {"bytes": 1, "sha256": ""}}})
    )
    with pytest.raises(ModelError, match="outside"):
        open_folder(tmp_path / "source")


def test_damaged_tensors_are_refused(tmp_path: Path) -> None:
    """Cut anywhere, with a wild header or offsets outside: an error, never a crash or rows of something else."""
    path = tmp_path / "model.safetensors"
    write_tensors(path, {"embeddings": np.ones((4, 8), np.float32)})
    whole = path.read_bytes()
    assert (read_tensors(path)["embeddings"] == 1).all()
    for length in (0, 4, 8, 20, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelError):
            read_tensors(path)
    for header in (
        "[]",
        '{"embeddings": 3}',
        "{",
        '{"e": {"dtype": "F32", "shape": [4, 8], "data_offsets": [0, 999]}}',
    ):
        path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(128))
        with pytest.raises(ModelError):
            read_tensors(path)
    rng = random.Random(3)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(3):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            read_tensors(path)
        except ModelError:
            continue


@pytest.mark.parametrize("what", ["no table", "too long", "too few", "no tokenizer", "mapping", "weights"])
def test_what_is_no_model_is_refused(tmp_path: Path, what: str) -> None:
    """Tables that do not fit the tokenizer, vectors beyond exact sums, files of other kinds."""
    folder = write_model(tmp_path / "source", 50)
    table = np.ones((51, 16), np.float32)
    tensors: dict[str, dict[str, NDArray[Any]]] = {
        "no table": {"other": table},
        "too long": {"embeddings": np.ones((51, 1025), np.float32)},
        "too few": {"embeddings": table[:40]},
        "mapping": {"embeddings": table[:9], "mapping": np.full(51, 9, np.int64)},
        "weights": {"embeddings": table, "weights": np.ones(3)},
    }
    if what in tensors:
        write_tensors(folder / "model.safetensors", tensors[what])
    else:
        (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError):
        PotionEmbedder(_provisioned(tmp_path, folder))
