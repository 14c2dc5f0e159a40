"""`satori config`: what the user's settings say and where each value comes from; setting one, taking one out.

They are the user's own, in one file outside every repository. Providing models is `satori install`'s work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from satori.cli.output import print_json, quoted
from satori.errors import SatoriError, SettingsError, UsageError

if TYPE_CHECKING:
    from satori.settings.file import Settings


@click.group()
def config() -> None:
    """Show or change the settings of this user: embedder, reranker, store.

    Nothing in a repository can change them. Keys of providers are kept out of them: name a file with
    embedder.key_file, or use the system's keyring.
    """


@config.command()
@click.option("--json", "as_json", is_flag=True, help="Print the settings as JSON.")
@click.option("--all", "everything", is_flag=True, help="Also the settings that are at their defaults.")
def show(as_json: bool, everything: bool) -> None:
    """Show what is in effect and where each value comes from."""
    from satori.settings.catalogue import CATALOGUE
    from satori.settings.file import current

    settings = current()
    rows = effective(settings)
    if as_json:
        values = {key: {"value": value, "source": source} for key, value, source in rows}
        print_json({"file": str(settings.path), "settings": values, "unknown": list(settings.unknown)})
        return
    click.echo(f"# {settings.path}{'' if settings.path.exists() else ' (not there: everything is at its default)'}")
    shown = [row for row in rows if everything or row[2] != "default" or row[0].endswith(".name")]
    width = max(len(f"{key} = {told(value)}") for key, value, _ in shown)
    for key, value, source in shown:
        origin = "this file" if source == str(settings.path) else source
        meaning = f". {CATALOGUE[key].help} Takes {CATALOGUE[key].takes}." if everything else ""
        click.echo(f"{f'{key} = {told(value)}':<{width}}  # {origin}{meaning}")
    for key in settings.unknown:
        click.echo(f"# {key} means nothing to this version: satori config unset {key}")


@config.command("set")
@click.argument("key")
@click.argument("value")
def set_value(key: str, value: str) -> None:
    """Set KEY to VALUE; `satori config show --all` lists the keys."""
    from satori.settings.catalogue import setting_named
    from satori.settings.file import assign

    try:
        setting_named(key).parse(value)
    except SettingsError as error:
        raise UsageError(error.message, next_step=error.next_step) from error
    path = assign(key, value)
    click.echo(f"{path}: {key} = {told(setting_named(key).parse(value))}")
    for line in consequences(key):
        click.echo(line)


@config.command()
@click.argument("keys", nargs=-1, required=True)
def unset(keys: tuple[str, ...]) -> None:
    """Take KEYS out, so that their defaults are in effect."""
    from satori.settings.file import unset as take_out

    try:
        path = take_out(keys)
    except SettingsError as error:
        if error.message.startswith("There is no setting"):
            raise UsageError(error.message, next_step=error.next_step) from error
        raise
    click.echo(f"{path}: {', '.join(keys)} at the default")
    for line in consequences(*keys):
        click.echo(line)


def effective(settings: Settings) -> list[tuple[str, Any, str]]:
    """(key, value, source) of every setting: the file, what the chosen provider fills in, or `default`."""
    from satori.embedding.described import provider_defaults
    from satori.settings.catalogue import CATALOGUE

    choice = settings.embedder
    filled = provider_defaults(choice)
    rows = []
    for key in CATALOGUE:
        found = settings.value(key)
        if not found.is_set and key in filled:
            rows.append((key, filled[key], f"default of {choice.name}"))
        else:
            rows.append((key, found.value, found.source))
    return rows


def told(value: object) -> str:
    """A value as the file holds it; "" and -1 mean that nothing is set."""
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def consequences(*keys: str) -> list[str]:
    """What follows from a change of these settings: a choice that cannot be used yet, indexes to be rebuilt."""
    if not any(key.startswith("embedder.") for key in keys):
        return []
    from satori.embedding.registry import chosen, load_embedder
    from satori.publication.embedders import fingerprint_of
    from satori.publication.state import default_state_root
    from satori.publication.status import list_codebases

    try:
        embedder = load_embedder(chosen())
        statuses = list_codebases(default_state_root(), fingerprint_of(embedder))
    except SatoriError as error:
        return [f"Not usable yet: {error}"]
    lines = []
    for status in statuses:
        if any(difference.field.startswith("embedding") for difference in status.differences):
            meanwhile = "goes on being served as it is until" if status.served else "is not served until"
            lines.append(f"{status.root} {meanwhile}: satori index {quoted(status.root)}")
    return lines
