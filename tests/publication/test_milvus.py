"""Milvus as the search store: equal answers, staged collections, and a refusal with its reason whenever it cannot be
asked. The server is a real one (Milvus Lite's), paused, ended, emptied and started again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.embedding.registry import load_embedder
from satori.errors import BuildError, SatoriError, StoreError
from satori.publication.lifecycle import Lifecycle
from satori.publication.progress import read_operation
from satori.publication.snapshot import Snapshot
from satori.publication.status import CodebaseState
from satori.publication.stores import backend_of
from satori.publication.tables import list_tables
from satori.search.engine import SearchEngine
from satori.search.request import SearchRequest
from satori.settings.file import current
from tests.publication.conftest import write
from tests.publication.milvus import MilvusServer, choose, milvus_server
from tests.search.sample import tree

pytest.importorskip("pymilvus", reason="the extra satori-code[milvus] is not installed")
pytest.importorskip("milvus_lite", reason="the server of these tests is Milvus Lite's")

pytestmark = pytest.mark.timeout(300)

QUESTIONS = (
    "retry policy of a failed delivery",
    "how is the session token parsed",
    "checkout payment total",
    "where is the cache evicted",
    "store of values",
    "fetchUser",
    "must:return parse header",
    "lang:markdown how to save",
    "have you ever been to a five-star resort",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusServer]:
    with milvus_server(tmp_path_factory.mktemp("milvus")) as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings file of this test; it does not exist yet."""
    path = tmp_path / "config" / "config.toml"
    monkeypatch.setenv("SATORI_CONFIG_FILE", str(path))
    return path


@pytest.fixture
def milvus(server: MilvusServer, config: Path) -> MilvusServer:
    choose(config, name="milvus", uri=server.uri, seconds=20.0)
    return server


def answers(snapshot: Snapshot) -> list[object]:
    """Everything that ranking says of each question."""
    engine = SearchEngine(snapshot, load_embedder())
    found = [engine.answer(SearchRequest(query=question, limit=20)) for question in QUESTIONS]
    return [
        (
            answer.relevance,
            answer.verdict,
            [(engine.index.paths[c.file], c.owner, engine.chunk_span(c), c.score, c.exact) for c in answer.candidates],
        )
        for answer in found
    ]


def asked(lifecycle: Lifecycle) -> list[object]:
    with lifecycle.pin() as snapshot:
        return answers(snapshot)


def collections(server: MilvusServer) -> set[str]:
    return set(server.client().list_collections())


def project(root: Path, number: int) -> Path:
    """One of three repositories."""
    for path, text in tree(number, 12 + 8 * number).items():
        write(root, path, text)
    return root


@pytest.mark.parametrize("number", [1, 2, 3])
def test_answers_equal_those_of_lancedb(server: MilvusServer, config: Path, tmp_path: Path, number: int) -> None:
    """Rule: the same tree under either store ranks the same owners by the same scores with the same verdicts; the first
    one also as base and delta, and after the delta was folded; and it is Milvus that is asked."""
    root = project(tmp_path / "project", number)
    local, remote = (Lifecycle(tmp_path / state, root) for state in ("local", "remote"))

    def both() -> tuple[list[object], list[object]]:
        config.unlink(missing_ok=True)
        local.sync()
        wanted = asked(local)
        choose(config, name="milvus", uri=server.uri, seconds=20.0)
        remote.sync()
        return wanted, asked(remote)

    wanted, found = both()
    assert found == wanted
    if number > 1:
        remote.clear()
        return
    with remote.pin() as snapshot:
        assert snapshot.info.table in collections(server)
        assert "chunk_vector" not in snapshot.base.arrays and snapshot.base.dimension == 256
        assert snapshot.base.source is not None
    write(root, "src/added.py", "def evict_cache(session, token):\n    return session.parse(token)\n")
    write(root, sorted(path for path in tree(number, 12 + 8 * number) if path.endswith(".py"))[0], "retry = 1\n")
    wanted, found = both()
    assert found == wanted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("satori.publication.sync.DELTA_FILES", 0)
        patch.setattr("satori.publication.sync.DELTA_SHARE", 0.0)
        write(root, "src/more.py", "def save_invoice(total):\n    return total\n")
        wanted, found = both()
    assert found == wanted
    with remote.pin() as snapshot:
        assert snapshot.delta is None and snapshot.info.table.endswith(f"_{snapshot.info.sequence}")
    remote.clear()


def test_a_readers_collection_stays_until_it_is_done(
    milvus: MilvusServer, lifecycle: Lifecycle, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: one collection a base; what a pinned Publication names is kept, what none names is dropped, and clear drops
    all."""
    monkeypatch.setattr("satori.publication.sync.DELTA_FILES", 0)
    monkeypatch.setattr("satori.publication.sync.DELTA_SHARE", 0.0)
    before = collections(milvus)
    mine = Lifecycle(tmp_path / "state", root)
    first = mine.sync().info
    reader = mine.pin()
    wanted = answers(reader)
    write(root, "app/retry.py", "def retry_never():\n    return None\n")
    second = mine.sync().info
    assert {first.table, second.table} == collections(milvus) - before
    assert answers(reader) == wanted
    reader.close()
    write(root, "app/retry.py", "def retry_now():\n    return 1\n")
    third = mine.sync().info
    assert collections(milvus) - before == {third.table}
    assert set(list_tables(backend_of(current().store))) == collections(milvus)
    rebuilt = mine.reindex().info
    assert collections(milvus) - before == {rebuilt.table}
    mine.clear()
    assert collections(milvus) == before


def test_what_a_failed_build_left_is_swept(
    milvus: MilvusServer, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: a build that dies after its collection was written changes nothing that is served, and the next one drops
    what it left."""
    before = collections(milvus)
    mine = Lifecycle(tmp_path / "state", root)
    served = mine.sync().info
    with monkeypatch.context() as patch:

        def fail(*_: object) -> None:
            raise OSError(5, "input/output error")

        patch.setattr("satori.publication.generation._verify", fail)
        with pytest.raises(SatoriError):
            mine.reindex()
    left = collections(milvus) - before - {served.table}
    assert len(left) == 1
    with mine.pin() as snapshot:
        assert snapshot.info.id == served.id
        assert answers(snapshot)
    renewed = mine.reindex().info
    assert collections(milvus) - before == {renewed.table}
    mine.clear()


def refusal(lifecycle: Lifecycle) -> StoreError:
    with lifecycle.pin() as snapshot:
        engine = SearchEngine(snapshot, load_embedder())
        with pytest.raises(StoreError) as caught:
            engine.answer(SearchRequest(query="store of values"))
    return caught.value


def test_a_store_that_cannot_be_asked_blocks_and_nothing_is_built(
    milvus: MilvusServer, config: Path, root: Path, tmp_path: Path
) -> None:
    """Rule: down, slow, incomplete and lost are four refusals with a next step; the Publication stays as it is, what
    needs no similarity is still answered, and whatever comes back is used again without a build."""
    mine = Lifecycle(tmp_path / "state", root)
    info = mine.sync().info
    wanted = asked(mine)
    choose(config, name="milvus", uri=milvus.uri, seconds=1.5)

    milvus.pause()
    slow = refusal(mine)
    milvus.resume()
    assert (slow.code, "1.5 seconds" in slow.message) == ("store_timeout", True)

    milvus.stop()
    down = refusal(mine)
    assert (down.code, milvus.uri in down.message) == ("store_unreachable", True)
    with mine.pin() as snapshot:
        assert snapshot.symbols_named("retry_later") and mine.status().state is CodebaseState.READY
    milvus.start()
    choose(config, name="milvus", uri=milvus.uri, seconds=20.0)
    assert asked(mine) == wanted

    client = milvus.client()
    lost = client.query(info.table, filter="chunk_id >= 0", output_fields=["chunk_id"], limit=1)[0]["chunk_id"]
    client.delete(info.table, ids=[lost])
    gap = refusal(mine)
    assert (gap.code, "rows that were published" in gap.message) == ("store_incomplete", True)

    client.drop_collection(info.table)
    gone = refusal(mine)
    assert (gone.code, info.table in gone.message) == ("store_collection_missing", True)
    assert all("satori index --force" in error.next_step for error in (gap, gone))
    operation = read_operation(mine.paths)
    with mine.pin() as snapshot:
        assert snapshot.info.id == info.id and operation is not None and operation.action == "sync"

    # A small change needs no store and is published; folding the delta needs the lost vectors and is refused.
    write(root, "app/retry.py", "def retry_soon():\n    return 2\n")
    assert mine.sync().published
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("satori.publication.sync.DELTA_FILES", 0)
        patch.setattr("satori.publication.sync.DELTA_SHARE", 0.0)
        write(root, "app/retry.py", "def retry_later_still():\n    return 3\n")
        with pytest.raises(StoreError, match="has lost the collection"):
            mine.sync()
    assert mine.reindex().published
    assert asked(mine)
    mine.clear()


def test_a_build_without_its_store_fails_with_the_reason(config: Path, root: Path, tmp_path: Path) -> None:
    """Rule: what is served before is served after; nothing falls back to another store."""
    before = Lifecycle(tmp_path / "state", root)
    served = before.sync().info
    choose(config, name="milvus", uri="http://127.0.0.1:9", seconds=1.0)
    after = Lifecycle(tmp_path / "state", root)
    assert after.status().state is CodebaseState.REQUIRES_REINDEX
    with pytest.raises(BuildError, match="cannot be asked") as caught:
        after.sync()
    assert caught.value.code == "store_failed"
    config.unlink()
    with before.pin() as snapshot:
        assert snapshot.info.id == served.id


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"name": "milvus", "uri": "./milvus.db"}, "http or https address"),
        ({"name": "milvus"}, "http or https address"),
        ({"name": "lancedb", "uri": "/elsewhere"}, "s3://BUCKET/PREFIX"),
    ],
)
def test_addresses_that_cannot_work_are_refused(
    config: Path, root: Path, tmp_path: Path, settings: dict[str, str], said: str
) -> None:
    """Rule: before anything is built."""
    choose(config, **settings)
    with pytest.raises(SatoriError, match=said):
        Lifecycle(tmp_path / "state", root).sync()
