"""LanceDB on an object store: equal answers, one table a base, read from elsewhere, and refusals with their reason. The
service is a real one (moto's server)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.errors import RemoteError, StoreError
from satori.publication import pin as pinning
from satori.publication.lifecycle import Lifecycle
from tests.publication.milvus import choose
from tests.publication.object_store import ObjectStore, object_store
from tests.publication.test_milvus import asked, refusal

pytest.importorskip("moto", reason="the service of these tests is moto's")

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def service() -> Iterator[ObjectStore]:
    with object_store() as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config" / "config.toml"
    monkeypatch.setenv("SATORI_CONFIG_FILE", str(path))
    return path


def key_file(tmp_path: Path, text: str = "AKID:SECRET") -> str:
    path = tmp_path / "key"
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def choose_s3(config: Path, service: ObjectStore, tmp_path: Path, prefix: str = "team", seconds: float = 30.0) -> None:
    choose(
        config,
        name="lancedb",
        uri=f"s3://vectors/{prefix}",
        endpoint=service.endpoint,
        region="us-east-1",
        key_file=key_file(tmp_path),
        seconds=seconds,
    )


def test_a_shared_publication_answers_as_a_local_one(
    service: ObjectStore, config: Path, root: Path, tmp_path: Path
) -> None:
    """Rule: the vectors are on the object store alone; whoever has the state directory, without any, answers from them
    as a local LanceDB does; clear drops them."""
    local = Lifecycle(tmp_path / "local", root)
    local.sync()
    wanted = asked(local)
    choose_s3(config, service, tmp_path)
    writer = Lifecycle(tmp_path / "state", root)
    first = writer.sync().info
    assert service.tables() == {first.table} and first.fingerprint.vector_store_provider == "lancedb-remote"
    assert not writer.paths.generation(first.generation).vectors.exists()
    shutil.copytree(tmp_path / "state", tmp_path / "elsewhere")
    assert asked(Lifecycle(tmp_path / "elsewhere", root)) == wanted
    writer.clear()
    assert service.tables() == set()


def test_an_object_store_that_cannot_be_read_blocks(
    service: ObjectStore, config: Path, root: Path, tmp_path: Path
) -> None:
    """Rule: a lost table and a service that is away are refusals with a next step; nothing is built anew."""
    choose_s3(config, service, tmp_path)
    mine = Lifecycle(tmp_path / "state", root)
    info = mine.sync().info
    service.empty()
    gone = refusal(mine)
    assert (gone.code, info.table in gone.message) == ("store_collection_missing", True)
    pinning._BASES.clear()
    choose(config, name="lancedb", uri="s3://vectors/team", endpoint="http://127.0.0.1:9", region="x", seconds=8.0)
    away = refusal(mine)
    assert away.code in ("store_unreachable", "store_timeout")
    with mine.pin() as snapshot:
        assert snapshot.info.id == info.id


@pytest.mark.parametrize(
    ("text", "endpoint", "said"),
    [("onepart", "https://s3.example.org", "no key for lancedb"), ("a:b", "http://s3.example.org", "in the clear")],
)
def test_keys_are_of_two_parts_and_never_exposed(
    config: Path, root: Path, tmp_path: Path, text: str, endpoint: str, said: str
) -> None:
    """Rule: refused before anything is sent."""
    choose(config, name="lancedb", uri="s3://vectors/team", endpoint=endpoint, key_file=key_file(tmp_path, text))
    with pytest.raises(RemoteError, match=said):
        Lifecycle(tmp_path / "state", root).sync()


def test_a_store_error_is_a_publication_error() -> None:
    """Rule: whoever handles what cannot be served handles this too."""
    assert StoreError("x").code == "store_unreachable"
