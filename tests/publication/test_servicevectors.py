"""Publications whose vectors come from a service, and what a change of embedder does to what is served."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satori.codebase.codebase import Codebase
from satori.embedding.registry import SHIPPED, load_embedder
from satori.errors import CancelledError, EmbedderError, IncompatibleError, SettingsError
from satori.publication import operations
from satori.publication.analysis import analyse_file
from satori.publication.background import QUESTIONS
from satori.publication.lifecycle import Lifecycle
from satori.publication.progress import Operation, OperationState, Phase
from satori.publication.rebuild import rebuild_if_incompatible
from satori.publication.state import StateRoot
from satori.publication.status import CodebaseState
from satori.remote import client as remote
from satori.settings import file as settings
from satori.source.freshness import check
from tests.embedding.folders import write_model
from tests.embedding.providers import SPOKEN, error_of, texts_of
from tests.publication.conftest import write
from tests.remote.loopback import Loopback, Reply, Request, serving

DIMENSION = 64


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file of this test's own; child processes inherit it."""
    path = tmp_path / "config.toml"
    monkeypatch.setenv(settings.VARIABLE, str(path))
    monkeypatch.setattr(remote, "_FIRST_PAUSE", 0.01)
    return path


@pytest.fixture
def service() -> Iterator[Loopback]:
    with serving(lambda request: SPOKEN["ollama"](request, DIMENSION)) as loopback:
        yield loopback


def choose(service: Loopback, **more: str | int | float) -> None:
    """Choose Ollama at the test's server."""
    values: dict[str, str | int | float] = {
        "embedder.name": "ollama",
        "embedder.endpoint": service.url,
        "embedder.dimension": DIMENSION,
        "embedder.query_seconds": 1.0,
        **{f"embedder.{name}": value for name, value in more.items()},
    }
    settings.assign_all(values)


def asked(service: Loopback, purpose: str = "search_document: ") -> list[str]:
    """The texts that the service was given so far for that purpose."""
    texts = [text for request in service.requests for text in texts_of("ollama", request.body)]
    return [text for text in texts if text.startswith(purpose)]


def test_a_build_asks_for_each_text_once_and_a_sync_for_what_is_new(
    config: Path, service: Loopback, lifecycle: Lifecycle, root: Path
) -> None:
    """Rule: distinct projections cost one text each; what was asked before, also by another build, comes from the
    cache; the fixed questions are asked once and kept in the base."""
    choose(service)
    summary = lifecycle.sync()
    texts = asked(service)
    assert len(texts) == len(set(texts)) > summary.info.counts.chunks // 2
    assert len(asked(service, "search_query: ")) == len(QUESTIONS)
    write(root, "app/new.py", "def added_function():\n    return 1\n")
    lifecycle.sync()
    assert 0 < len(asked(service)) - len(texts) <= 4
    before = len(service.requests)
    lifecycle.reindex()
    assert len(service.requests) == before
    with lifecycle.pin() as snapshot:
        assert snapshot.base.dimension == DIMENSION and snapshot.base.arrays["background_query"].shape[1] == DIMENSION
        assert snapshot.info.fingerprint.embedding_provider == "ollama"
        assert snapshot.base["chunk_vector"].any(axis=1).all() and snapshot.base["file_vector"].any(axis=1).all()


def test_incremental_equals_clean(config: Path, service: Loopback, lifecycle: Lifecycle, root: Path) -> None:
    """Rule: after edits, every file's vectors are those of a build of the same tree from nothing."""
    choose(service)
    lifecycle.sync()
    write(root, "app/retry.py", "def retry_now(task):\n    return task.run()\n", old=False)
    write(root, "app/more.py", "def more():\n    return 2\n")
    (root / "web/types.ts").unlink()
    lifecycle.sync()
    incremental = _vectors(lifecycle)
    lifecycle.reindex()
    assert incremental == _vectors(lifecycle)


def _vectors(lifecycle: Lifecycle) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with lifecycle.pin() as snapshot:
        for segment in filter(None, (snapshot.base, snapshot.delta)):
            for at, path in enumerate(segment.paths):
                if segment is snapshot.base and int(segment["file_id"][at]) in snapshot.dead:
                    continue
                first, last = segment["file_chunks"][at : at + 2]
                found[path] = segment["chunk_vector"][first:last].tobytes() + segment["file_vector"][at].tobytes()
    return found


def test_progress_says_embedding_and_never_goes_back(config: Path, service: Loopback, lifecycle: Lifecycle) -> None:
    """Rule: the phase counts texts; within a phase `done` only grows and never passes the total."""
    choose(service)
    seen: list[Operation] = []
    answer = service.answer

    def slowly(request: Request) -> Reply:
        time.sleep(0.25)
        return answer(request)

    service.answer = slowly
    lifecycle.sync(listener=seen.append)
    embedding = [operation for operation in seen if operation.phase is Phase.EMBEDDING]
    assert embedding and embedding[0].total > 0
    for phase in Phase:
        done = [operation.done for operation in seen if operation.phase is phase]
        assert done == sorted(done) and all(o.done <= o.total for o in seen if o.total)


@pytest.mark.parametrize("purpose", ["search_document: ", "search_query: "])
@pytest.mark.parametrize("child", [False, True])
def test_a_cancelled_build_ends_within_two_seconds(
    config: Path, service: Loopback, lifecycle: Lifecycle, root: Path, child: bool, purpose: str
) -> None:
    """Rule: also while the service stalls, over code or over the fixed questions; nothing is published and what was
    served goes on being served."""
    lifecycle.sync()
    choose(service)
    answer = service.answer
    service.answer = lambda request: (
        Reply(stall=60) if request.body["input"][0].startswith(purpose) else answer(request)
    )
    if child:
        running = operations.start(lifecycle.state.path, root, "sync")
        _until(lambda: asked(service, purpose) != [])
        began = time.monotonic()
        assert operations.cancel(running.paths, running.id).state is OperationState.CANCELLED
        assert time.monotonic() - began < 2.5
    else:
        stopped: list[float] = []

        def begun(progress: object) -> None:
            def stop() -> None:
                _until(lambda: asked(service, purpose) != [])
                stopped.append(time.monotonic())
                progress.cancel()  # type: ignore[attr-defined]

            threading.Thread(target=stop, daemon=True).start()

        with pytest.raises(CancelledError):
            lifecycle.sync(begun=begun)
        assert time.monotonic() - stopped[0] < 2
    with lifecycle.pin() as snapshot:
        assert snapshot.info.fingerprint.embedding_provider == "static"


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def test_what_was_paid_for_before_a_failure_is_kept(
    config: Path, service: Loopback, lifecycle: Lifecycle, root: Path
) -> None:
    """Rule: a build that the service refuses in the middle fails with its code and words; the next one asks only for
    the rest; a build never becomes current with vectors that nobody made."""
    for number in range(40):
        write(root, f"lib/part{number}.py", f"def part_{number}(value):\n    return value + {number}\n")
    choose(service, concurrency=1)
    answer = service.answer

    def refusing(request: Request) -> Reply:
        if len(service.requests) > 2:
            return Reply(401, error_of("ollama", 401, "no more"))
        return answer(request)

    service.answer = refusing
    with pytest.raises(EmbedderError) as caught:
        lifecycle.sync()
    assert caught.value.code == "remote_unauthorised"
    status = lifecycle.status()
    assert status.state is CodebaseState.FAILED and status.reason == "remote_unauthorised" and not status.served
    paid = set(asked(service)[:64])
    service.answer = answer
    service.requests.clear()
    lifecycle.sync()
    assert len(paid) == 64 and not paid & set(asked(service))


@pytest.mark.parametrize("reply", [Reply(500, {"error": "down"}), Reply(body={"embeddings": [[1.0] * 7]})])
def test_a_question_without_a_vector_is_answered_by_words(
    config: Path, service: Loopback, lifecycle: Lifecycle, root: Path, reply: Reply
) -> None:
    """Rule: the answer says that it is without similarity and why, names are still found first, and when the service is
    back it is used again. It never hangs and never claims dense evidence."""
    choose(service)
    lifecycle.sync()
    with Codebase(root, "", lifecycle.state) as codebase:
        good = codebase.answer("where is a value kept")
        assert good.dense and not good.warnings
        answer, service.answer = service.answer, lambda request: reply
        began = time.monotonic()
        poor = codebase.answer("how is a user fetched")
        assert time.monotonic() - began < 4
        assert not poor.dense and poor.relevance == "weak" and poor.candidates
        assert [code for code, _ in poor.warnings] == ["embedder_unavailable"] and "ollama" in poor.warnings[0][1]
        hits = codebase.search("fetchUser")
        assert hits[0].symbol == "fetchUser" and all("dense" not in hit.why for hit in hits)
        assert codebase.answer("zzqqxx").relevance == "none"
        service.answer = answer
        lifecycle.embedder._failed = None  # type: ignore[attr-defined]
        assert codebase.answer("how is a user fetched").dense


def test_a_reader_asks_for_no_background(config: Path, service: Loopback, lifecycle: Lifecycle, root: Path) -> None:
    """Rule: the fixed questions' vectors are in the base, so a new process asks for its own question alone, also when
    there is a delta."""
    choose(service)
    lifecycle.sync()
    write(root, "app/new.py", "def added_function():\n    return 1\n")
    lifecycle.sync()
    service.requests.clear()
    with Codebase(root, "", lifecycle.state) as codebase:
        codebase.answer("a question that nobody asked yet")
    assert len(asked(service, "search_query: ")) == 1


def test_the_old_publication_serves_until_the_new_one_is_active(
    config: Path, service: Loopback, lifecycle: Lifecycle, root: Path
) -> None:
    """Rule: after a change of embedder the state is requires_reindex with both values named, reads go on with the
    embedder that published, and one build later the new one serves. The same on the way back."""
    lifecycle.sync()
    before = lifecycle.status()
    choose(service)
    status = lifecycle.status()
    assert status.state is CodebaseState.REQUIRES_REINDEX and status.served
    assert [difference.field for difference in status.differences] == [
        "embeddingProvider",
        "embeddingModel",
        "embeddingDimension",
    ]
    with Codebase(root, "", lifecycle.state) as codebase:
        assert codebase.search("retry_later")[0].symbol == "retry_later"
        assert not service.requests
        snapshot, embedder = lifecycle.serve()
        snapshot.close()
        assert embedder is load_embedder(SHIPPED)
        summary = lifecycle.sync()
        assert summary.full and summary.info.fingerprint.embedding_provider == "ollama"
        service.requests.clear()
        assert codebase.search("retry_later") and asked(service, "search_query: ") == ["search_query: retry_later"]
    settings.unset(["embedder.name", "embedder.endpoint", "embedder.dimension", "embedder.query_seconds"])
    status = lifecycle.status()
    assert status.state is CodebaseState.REQUIRES_REINDEX and status.served
    snapshot, embedder = lifecycle.serve()
    snapshot.close()
    assert embedder.provider == "ollama"
    assert lifecycle.sync().info.fingerprint == before.publication.fingerprint  # type: ignore[union-attr]
    assert lifecycle.status().state is CodebaseState.READY


def test_an_embedder_that_nobody_chose_is_not_used(
    config: Path, service: Loopback, lifecycle: Lifecycle, root: Path
) -> None:
    """Rule: only the user's own choices, present and earlier, can read a Publication: one made elsewhere is refused."""
    choose(service)
    lifecycle.sync()
    config.unlink()
    with pytest.raises(IncompatibleError, match="embeddingProvider is ollama"):
        lifecycle.pin()
    assert not lifecycle.status().served


def test_a_rebuild_starts_by_itself_for_an_offline_choice_alone(
    config: Path, service: Loopback, lifecycle: Lifecycle, tmp_path: Path
) -> None:
    """Rule: a service may cost money, so a person starts that build; from a service back to offline it is automatic."""
    lifecycle.sync()
    choose(service)
    assert rebuild_if_incompatible(lifecycle.state.path, lifecycle.root, lifecycle.fingerprint) is None
    lifecycle.sync()
    settings.unset(["embedder.name", "embedder.endpoint", "embedder.dimension"])
    running = rebuild_if_incompatible(lifecycle.state.path, lifecycle.root, lifecycle.fingerprint)
    assert running is not None
    done = running.wait(60)
    assert done is not None and done.state is OperationState.COMPLETED
    assert lifecycle.status().state is CodebaseState.READY


def test_a_question_does_not_publish_through_a_service(
    config: Path, service: Loopback, lifecycle: Lifecycle, root: Path
) -> None:
    """Rule: catching up before an answer is a moment's work; a service's build is not, and is left to a sync."""
    choose(service)
    lifecycle.sync()
    write(root, "app/new.py", "def added_function():\n    return 1\n")
    service.requests.clear()
    with lifecycle.pin() as snapshot:
        found = check(str(root), snapshot.manifest(), lifecycle.settings(), 1000.0)
        assert not lifecycle.catch_up(snapshot, found)
    assert not service.requests


def test_potion_is_embedded_by_the_workers(config: Path, lifecycle: Lifecycle, root: Path, tmp_path: Path) -> None:
    """Rule: a local model is loaded in the worker processes by its folder; vectors are what the parent would make, and
    the same cache serves texts that were embedded before by exactly that model."""
    from satori.embedding.potion import FILES
    from satori.remote.modelfolder import provision

    source = write_model(tmp_path / "source")
    folder = provision({name: source / name for name in FILES}, tmp_path / "models", "made/potion", "a test")
    settings.assign_all({"embedder.name": "potion", "embedder.path": str(folder.path)})
    lifecycle.sync()
    with lifecycle.pin() as snapshot:
        assert snapshot.info.fingerprint.embedding_model == f"made/potion@{folder.digest}"
        data = (root / "app/retry.py").read_bytes()
        made = analyse_file("app/retry.py", "python", "source", data, embedder=load_embedder(lifecycle.choice))
        at = snapshot.base.paths.index("app/retry.py")
        first, last = snapshot.base["file_chunks"][at : at + 2]
        assert made.vectors.any() and (snapshot.base["chunk_vector"][first:last] == made.vectors[:-1]).all()
        assert "background_query" not in snapshot.base.arrays
    with Codebase(root, "", lifecycle.state) as codebase:
        assert codebase.search("retry_later")[0].symbol == "retry_later"


def test_settings_that_cannot_be_read_refuse_everything(config: Path, lifecycle: Lifecycle) -> None:
    """Rule: a broken file is no reason to rebuild with the default: it is named, and nothing changes."""
    lifecycle.sync()
    config.write_text("[embedder\n")
    config.chmod(0o600)
    for act in (lifecycle.pin, lifecycle.sync, lifecycle.status):
        with pytest.raises(SettingsError, match=r"config\.toml"):
            act()
    config.unlink()
    lifecycle.pin().close()
    lifecycle.sync()
    assert lifecycle.status().state is CodebaseState.READY


def test_nothing_of_a_service_is_imported_by_default(tmp_path: Path, root: Path) -> None:
    """Rule: the offline default imports no HTTP client, no TOML writer, no tokenizer, and opens no settings file."""
    import subprocess
    import sys

    program = (
        "import sys; from pathlib import Path\n"
        "from satori.codebase.codebase import Codebase\n"
        f"with Codebase.open({str(root)!r}, {str(tmp_path / 'state')!r}) as codebase:\n"
        "    codebase.sync(); codebase.search('where is a value kept')\n"
        "bad = {'httpx2', 'httpx', 'tomlkit', 'tokenizers', 'onnxruntime', 'keyring', 'ssl', 'satori.remote.client'}\n"
        "print(sorted(bad & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert list(StateRoot(tmp_path / "state").codebases())
