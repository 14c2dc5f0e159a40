"""What `satori install --embedder` and `--reranker` do: a plan that can be shown, then models fetched, a service tried
once, and the settings written. If anything before the last step fails, the settings stay as they are.

Which agents get Satori's tools is `satori.cli.install`'s business.
"""

from __future__ import annotations

import difflib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from satori.errors import ModelError, RemoteError, SatoriError, SettingsError, UsageError

if TYPE_CHECKING:
    from satori.remote.modelfolder import ModelFolder
    from satori.settings.catalogue import Scalar
    from satori.settings.choice import EmbedderChoice, RerankerChoice
    from satori.settings.file import Settings

MODELS = "models"
# Tried once before a service is chosen: a word that says nothing of anybody's source.
_TRIED = "satori"


@dataclass(frozen=True, slots=True)
class ProviderPlan:
    """`values` are the settings to be written, `steps` what is done before, in words; `fetched` names tables whose
    model is provisioned, with a folder or a hub's OWNER/NAME."""

    values: dict[str, Scalar]
    steps: tuple[str, ...]
    settings: Settings
    diff: str
    fetched: dict[str, str] = field(default_factory=dict)

    def show(self) -> None:
        """Print the plan."""
        for step in self.steps:
            click.echo(f"# {step}")
        click.echo(self.diff or f"# {self.settings.path}: nothing changes\n", nl=False)


def plan_providers(
    state_root: Path, embedder: str, embedder_model: str, reranker: str, reranker_model: str, more: Sequence[str]
) -> ProviderPlan:
    """The plan for these choices; reads settings and folders, sends nothing. Raises UsageError and SettingsError.

    `embedder_model` and `reranker_model` are a folder, a hub's OWNER/NAME, or a service's model; `more` are KEY=VALUE.
    """
    from satori.settings.catalogue import setting_named
    from satori.settings.file import preview

    values: dict[str, Scalar] = {}
    try:
        for table, name in (("embedder", embedder), ("reranker", reranker)):
            if name:
                values[f"{table}.name"] = setting_named(f"{table}.name").parse(name)
        for item in more:
            key, sign, text = item.partition("=")
            if not sign:
                raise SettingsError(
                    f"--set takes KEY=VALUE; '{key[:60]}' is none.", next_step="See: satori config show --all"
                )
            values[key] = setting_named(key).parse(text)
    except SettingsError as error:
        raise UsageError(error.message, next_step=error.next_step) from error
    fetched: dict[str, str] = {}
    for table, name, model in (("embedder", embedder, embedder_model), ("reranker", reranker, reranker_model)):
        local = name in ("potion", "lateon")
        if model and not local:
            values[f"{table}.model"] = model
        elif local and (model or f"{table}.path" not in values):
            fetched[table] = model or _default_model(name)
    path, before, after, settings = preview(values)
    steps = [_provision_step(settings, table, model, state_root) for table, model in fetched.items()]
    if embedder and "embedder" not in fetched:
        steps += _service_steps(settings.embedder)
    if reranker:
        steps += _reranker_steps(settings.reranker)
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path)
    )
    return ProviderPlan(values, tuple(steps), settings, "".join(lines), fetched)


def carry_out(plan: ProviderPlan, state_root: Path) -> None:
    """Provision models, try the service, write the settings. Raises SatoriError with the settings unchanged."""
    from satori.settings.file import assign_all, preview

    values = dict(plan.values)
    for table, model in plan.fetched.items():
        folder = _provide(plan.settings, table, model, state_root)
        click.echo(f"{folder.path}: {folder.name} from {folder.source}, {len(folder.files)} files verified", err=True)
        values[f"{table}.path"] = str(folder.path)
    _, _, _, settings = preview(values)
    if "embedder.name" in values:
        click.echo(_tried(settings.embedder), err=True)
    path = assign_all(values)
    click.echo(f"{path}: written")


def _default_model(name: str) -> str:
    from satori.embedding import potion
    from satori.search.rerankers import folder

    return potion.DEFAULT_MODEL if name == "potion" else folder.DEFAULT_MODEL


def _provision_step(settings: Settings, table: str, model: str, state_root: Path) -> str:
    target = state_root / MODELS
    if Path(model).expanduser().is_dir():
        how = f"copies the model in {Path(model).expanduser().absolute()} to {target}, with a hash of each file"
    else:
        how = f"fetches {model} from {_hub(settings, table)} to {target}, each file checked against the hub's hash"
    return f"{how}, and names the folder in {table}.path"


def _reranker_steps(choice: RerankerChoice) -> list[str]:
    from satori.search.rerank import MAX_CANDIDATES, MAX_CHARACTERS
    from satori.search.rerankers.endpoint import FORMS

    form = FORMS.get(choice.name)
    if form is None:
        return []
    sent = f"each question and up to {MAX_CANDIDATES} passages of {MAX_CHARACTERS:,} characters"
    return [f"sends {sent} to {choice.endpoint or form.endpoint} (model {choice.model or form.model})"]


def _service_steps(choice: EmbedderChoice) -> list[str]:
    from satori.embedding.connected import ConnectedEmbedder
    from satori.embedding.registry import is_connected, load_embedder

    if not is_connected(choice.name):
        return []
    embedder = load_embedder(choice)
    assert isinstance(embedder, ConnectedEmbedder)
    try:
        key = f"with the key of {embedder.key_source}" if embedder.key_source else "without a key"
    except SatoriError as error:
        key = f"but: {error}"
    return [
        f"sends source text to {embedder.address} (model {embedder.name}, {embedder.dimension} components), {key}",
        "tries the service once before anything is written",
    ]


def _provide(settings: Settings, table: str, model: str, state_root: Path) -> ModelFolder:
    from satori.remote.hub import fetch
    from satori.remote.modelfolder import provision

    needed = _files(table)
    folder = Path(model).expanduser()
    if folder.is_dir():
        return provision(_present(folder, needed), state_root / MODELS, folder.name, f"folder {folder.absolute()}")
    with tempfile.TemporaryDirectory(prefix="satori-model-") as place:
        hub = _hub(settings, table)
        proxy = str(settings.value("network.proxy").value)
        revision = "main"
        for names in needed:
            for name in names:
                try:
                    found = fetch(model, [name], Path(place), hub=hub, revision=revision, proxy=proxy)
                except RemoteError as error:
                    if error.code == "remote_not_found" and (len(names) > 1 or names[0] in _SPARED):
                        continue
                    raise
                revision = found.commit or revision
                if names[0] not in _SPARED:
                    break
        source = hub if revision == "main" else f"{hub} at {revision[:12]}"
        return provision(_present(Path(place), needed), state_root / MODELS, model, source)


# Files that a model may be without.
_SPARED = frozenset({"config_sentence_transformers.json", "onnx_config.json"})


def _files(table: str) -> tuple[tuple[str, ...], ...]:
    """The files of a model; of several names in one place, the first that is there."""
    if table == "embedder":
        from satori.embedding.potion import FILES

        return tuple((name,) for name in FILES)
    from satori.search.rerankers.folder import CONFIG_FILES, MODEL_FILES, TOKENIZER_FILE

    return ((TOKENIZER_FILE,), MODEL_FILES, *((name,) for name in CONFIG_FILES))


def _present(folder: Path, needed: tuple[tuple[str, ...], ...]) -> dict[str, Path]:
    found = {}
    for names in needed:
        name = next((name for name in names if (folder / name).is_file()), None)
        if name is not None:
            found[name] = folder / name
        elif names[0] not in _SPARED:
            raise ModelError(f"{folder} lacks {' or '.join(names)}.", next_step="Name the model's own folder.")
    return found


def _hub(settings: Settings, table: str) -> str:
    from satori.remote.hub import HUB

    return str(settings.value(f"{table}.endpoint").value) or HUB


def _tried(choice: EmbedderChoice) -> str:
    """One vector of one word, to know before anything is written that the choice works."""
    from satori.embedding.registry import load_embedder

    embedder = load_embedder(choice)
    began = time.monotonic()
    row = embedder.encode_queries([_TRIED])
    milliseconds = (time.monotonic() - began) * 1000
    return f"{embedder.provider}: {embedder.model} gave {row.shape[1]} components in {milliseconds:.0f} ms"
