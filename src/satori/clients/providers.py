"""Examines what the user's settings choose: each value in effect with whose word it is, and whether the choice works.

A service is asked once, for the vector of one fixed word, a store for the names of its tables; no source text
is sent. It changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from satori.clients.finding import Finding, Level
from satori.errors import SatoriError
from satori.settings.choice import EmbedderChoice
from satori.settings.file import Settings, current

_TRIED = "satori"


def examine_providers() -> Iterator[Finding]:
    """Findings about settings, embedder, reranker and store."""
    try:
        settings = current()
    except SatoriError as error:
        yield Finding("settings", Level.FAIL, error.message, error.next_step)
        return
    if not settings.path.exists():
        yield Finding("settings", Level.OK, f"{settings.path} is not there: everything is at its default")
    else:
        said = ", ".join(f"{key} = {value}" for key, value in sorted(settings.values.items())) or "nothing"
        yield Finding("settings", Level.OK, f"{settings.path} says {said}; the rest is at its default")
    for key in settings.unknown:
        yield Finding("settings", Level.WARN, f"{key} means nothing to this version.", f"satori config unset {key}")
    yield from _embedder(settings)
    yield from _reranker(settings)
    yield from _store(settings)


def _embedder(settings: Settings) -> Iterator[Finding]:
    from satori.embedding.registry import is_connected, load_embedder

    choice = settings.embedder
    origin = "the settings" if settings.value("embedder.name").is_set else "default"
    if choice.name == "static":
        yield Finding("embedder", Level.OK, f"static ({origin}): offline, from the package")
        return
    try:
        embedder = load_embedder(choice)
    except SatoriError as error:
        yield Finding("embedder", Level.FAIL, f"{choice.name} ({origin}): {error.message}", error.next_step)
        return
    if not is_connected(choice.name):
        yield from _local(choice, origin)
        return
    yield from _service(choice, origin, embedder.model, embedder.dimension)


def _local(choice: EmbedderChoice, origin: str) -> Iterator[Finding]:
    from pathlib import Path

    from satori.remote.modelfolder import open_folder

    try:
        folder = open_folder(Path(choice.path))
        folder.verify()
    except SatoriError as error:
        yield Finding("embedder", Level.FAIL, f"{choice.name} ({origin}): {error.message}", error.next_step)
        return
    words = f"{choice.name} ({origin}): offline, {folder.name}@{folder.digest} from {folder.source}"
    yield Finding("embedder", Level.OK, f"{words}, every file verified")


def _service(choice: EmbedderChoice, origin: str, model: str, dimension: int) -> Iterator[Finding]:
    from satori.embedding.connected import ConnectedEmbedder

    # One of its own: what a question remembers of an earlier failure must not answer for it.
    embedder = ConnectedEmbedder(choice)
    words = f"{choice.name} ({origin}): {model}, {dimension} components"
    try:
        key = f"key from {embedder.key_source}" if embedder.key_source else "no key"
        began = time.monotonic()
        embedder.encode_query(_TRIED)
        milliseconds = (time.monotonic() - began) * 1000
    except SatoriError as error:
        yield Finding("embedder", Level.FAIL, f"{words}. {error.message}", error.next_step)
        return
    finally:
        embedder.close()
    yield Finding("embedder", Level.OK, f"{words}, {key}; answered in {milliseconds:.0f} ms")


def _reranker(settings: Settings) -> Iterator[Finding]:
    choice = settings.reranker
    origin = "the settings" if settings.value("reranker.name").is_set else "default"
    if choice.name == "none":
        yield Finding("reranker", Level.OK, f"none ({origin})")
        return
    from satori.search.rerankers.registry import load_policy

    reranker = load_policy(choice).reranker
    assert reranker is not None
    try:
        began = time.monotonic()
        scores = reranker.score("where is a file opened", ["def open_file(path): ...", "class Cart: ..."])
        milliseconds = (time.monotonic() - began) * 1000
    except Exception as error:  # a model may raise anything; the answers then go without it
        step = getattr(error, "next_step", "") or "satori config show"
        words = getattr(error, "message", "") or f"{type(error).__name__}: {error}"
        yield Finding("reranker", Level.FAIL, f"{choice.name} ({origin}): {words}", step)
        return
    words = f"{choice.name} ({origin}): {reranker.name}, {len(scores)} scores in {milliseconds:.0f} ms"
    yield Finding("reranker", Level.OK, words)


def _store(settings: Settings) -> Iterator[Finding]:
    from satori.publication.stores import TABLE_PREFIX, backend_of, is_remote
    from satori.publication.tables import list_tables

    choice = settings.store
    origin = "the settings" if settings.value("store.name").is_set or choice.uri else "default"
    if not is_remote(choice):
        yield Finding("store", Level.OK, f"{choice.name} ({origin}): in the state root")
        return
    try:
        began = time.monotonic()
        count = len(list_tables(backend_of(choice)))
        milliseconds = (time.monotonic() - began) * 1000
    except SatoriError as error:
        yield Finding("store", Level.FAIL, f"{choice.name} ({origin}): {error.message}", error.next_step)
        return
    words = f"{choice.name} ({origin}): {choice.uri}, {count} tables {TABLE_PREFIX}* listed in {milliseconds:.0f} ms"
    yield Finding("store", Level.OK, words)
