"""What tools answer when the chosen vector store is down, slow, incomplete or has lost what was published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satori.publication.progress import read_operation
from tests.conftest import Indexed, write_files
from tests.publication.milvus import MilvusServer, choose, milvus_server
from tests.server.asking import ask

pytest.importorskip("pymilvus", reason="the extra satori-code[milvus] is not installed")
pytest.importorskip("milvus_lite", reason="the server of these tests is Milvus Lite's")

pytestmark = pytest.mark.timeout(300)
SOURCE = {"shop/retry.py": "def schedule_retry(policy):\n    return policy.attempts\n", "README.md": "# Shop\n"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MilvusServer]:
    with milvus_server(tmp_path / "milvus") as running:
        yield running


def test_a_store_that_fails_blocks_search_alone(
    server: MilvusServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four reasons, all blocked; files and symbols are still answered; no build is started by itself."""
    config = tmp_path / "config.toml"
    monkeypatch.setenv("SATORI_CONFIG_FILE", str(config))
    write_files(tmp_path / "repo", SOURCE)
    indexed = Indexed(tmp_path / "repo", tmp_path / "state")
    choose(config, name="milvus", uri=server.uri, seconds=20.0)
    info = indexed.lifecycle().sync().info
    context = indexed.context()

    def search() -> dict[str, Any]:
        return ask(context, "search_codebase", path=str(indexed.root), query="how are retries scheduled")

    assert search()["groups"]
    choose(config, name="milvus", uri=server.uri, seconds=1.0)
    server.pause()
    assert search()["reason"] == "store_timeout"
    server.resume()
    server.stop()
    refused = search()
    assert (refused["status"], refused["reason"]) == ("blocked", "store_unreachable")
    assert server.uri in refused["message"]
    outline = ask(context, "file_outline", path=str(indexed.root), file="shop/retry.py")
    assert outline["status"] == "ok" and "schedule_retry" in str(outline)
    server.start()
    choose(config, name="milvus", uri=server.uri, seconds=20.0)
    assert search()["groups"]
    client = server.client()
    row = client.query(info.table, filter="chunk_id >= 0", output_fields=["chunk_id"], limit=1)[0]
    client.delete(info.table, ids=[row["chunk_id"]])
    assert search()["reason"] == "store_incomplete"
    client.drop_collection(info.table)
    gone = search()
    assert (gone["reason"], "satori index --force" in gone["message"]) == ("store_collection_missing", True)
    status = ask(context, "manage_index", action="status", path=str(indexed.root))
    assert status["state"] == "ready"
    operation = read_operation(indexed.lifecycle().paths)
    assert operation is not None and operation.action == "sync" and not operation.running
    context.workbench.close()
