"""The user's settings file: where it is, what it says, and how one value of it is changed.

One TOML file in the user's configuration directory, or where SATORI_CONFIG_FILE says. It chooses addresses that source
text is sent to, so it must belong to the user and be writable by nobody else. A file that cannot be understood is an
error, never the defaults: falling back would rebuild every index. Comments and order survive a change.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from satori.errors import SettingsError
from satori.settings.catalogue import CATALOGUE, Scalar, setting_named
from satori.settings.choice import EmbedderChoice, RerankerChoice, StoreChoice
from satori.settings.private import UnsafeFileError, read_private

VARIABLE = "SATORI_CONFIG_FILE"
_LIMIT_BYTES = 1 << 20
_PREVIOUS = "previous"
_KEPT_PREVIOUS = 4


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value and where it comes from: `default`, or the file."""

    value: Scalar
    source: str

    @property
    def is_set(self) -> bool:
        """Whether the user said so."""
        return self.source != "default"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is in effect. `unknown` are keys of the file that mean nothing to this version; `previous` are embedders
    that were chosen before, the last one first: what they published can be read until it is replaced."""

    path: Path
    values: Mapping[str, Scalar]
    unknown: tuple[str, ...] = ()
    previous: tuple[EmbedderChoice, ...] = ()

    def value(self, key: str) -> Value:
        """One setting. Raises SettingsError for a key that does not exist."""
        setting = setting_named(key)
        if key in self.values:
            return Value(self.values[key], str(self.path))
        return Value(setting.default, "default")

    def _table(self, table: str, names: Iterable[str]) -> dict[str, Any]:
        chosen = {name: self.value(f"{table}.{name}").value for name in names if f"{table}.{name}" in CATALOGUE}
        for name in ("path", "key_file"):
            if chosen.get(name):
                chosen[name] = os.path.expanduser(str(chosen[name]))  # noqa: PTH111 (text in, text out)
        return chosen

    @property
    def embedder(self) -> EmbedderChoice:
        """The chosen embedder."""
        names = [field.name for field in fields(EmbedderChoice)]
        return EmbedderChoice(**self._table("embedder", names), proxy=str(self.value("network.proxy").value))

    @property
    def reranker(self) -> RerankerChoice:
        """The chosen reranker."""
        names = [field.name for field in fields(RerankerChoice)]
        return RerankerChoice(**self._table("reranker", names), proxy=str(self.value("network.proxy").value))

    @property
    def store(self) -> StoreChoice:
        """The chosen store."""
        return StoreChoice(**self._table("store", [field.name for field in fields(StoreChoice)]))


def settings_path() -> Path:
    """SATORI_CONFIG_FILE, else `config.toml` in the user's configuration directory for Satori."""
    configured = os.environ.get(VARIABLE, "")
    if configured:
        return Path(configured)
    from platformdirs import user_config_path

    return user_config_path("satori", appauthor=False) / "config.toml"


_SEEN: dict[Path, tuple[tuple[int, ...], Settings]] = {}
_GUARD = threading.Lock()


def current() -> Settings:
    """The settings as they are now; the file is read again only when it changed. Raises SettingsError."""
    path = settings_path()
    try:
        found = path.stat()
    except FileNotFoundError:
        return Settings(path, {})
    except OSError as error:
        raise _unreadable(path, error) from error
    stamp = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    with _GUARD:
        known = _SEEN.get(path)
    if known is not None and known[0] == stamp:
        return known[1]
    settings = read(path)
    with _GUARD:
        _SEEN[path] = (stamp, settings)
    return settings


def read(path: Path) -> Settings:
    """The settings of one file; the defaults when there is none. Raises SettingsError."""
    return parse(path, _text(path) or "")


def parse(path: Path, text: str) -> Settings:
    """What `text`, the file at `path`, says. Raises SettingsError."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}.", next_step=f"Mend or remove {path}.") from error
    values: dict[str, Scalar] = {}
    unknown: list[str] = []
    for table, content in document.items():
        if table == _PREVIOUS:
            continue
        if not isinstance(content, dict):
            unknown.append(table)
            continue
        for name, value in content.items():
            key = f"{table}.{name}"
            if key not in CATALOGUE:
                unknown.append(key)
                continue
            try:
                values[key] = CATALOGUE[key].check(value)
            except SettingsError as error:
                raise SettingsError(f"{path}: {error.message}", next_step=f"satori config unset {key}") from error
    return Settings(path, values, tuple(unknown), _previous(document))


def assign(key: str, text: str) -> Path:
    """Set one value from a person's text; the file that was written. Raises SettingsError."""
    value = setting_named(key).parse(text)
    return assign_all({key: value})


def assign_all(values: Mapping[str, Scalar]) -> Path:
    """Set several values in one step; the file that was written. Raises SettingsError.

    Where a table's name changes, what belonged to the provider named before goes, unless it is given too.
    """
    return _change(_assignment(values))


def preview(values: Mapping[str, Scalar]) -> tuple[Path, str, str, Settings]:
    """(file, its text now, its text and settings after `assign_all`); nothing is written. Raises SettingsError."""
    path, before, after = _changed(_assignment(values))
    return path, before, after, parse(path, after)


def _assignment(values: Mapping[str, Scalar]) -> Callable[[Any], None]:
    checked = {key: setting_named(key).check(value) for key, value in values.items()}

    def change(document: Any) -> None:
        import tomlkit

        for key, value in checked.items():
            setting = CATALOGUE[key]
            if setting.table not in document:
                document[setting.table] = tomlkit.table()
            table = document[setting.table]
            if setting.name == "name" and table.get("name", setting.default) != value:
                for name in [name for name in table if f"{setting.table}.{name}" not in checked]:
                    if f"{setting.table}.{name}" in CATALOGUE and CATALOGUE[f"{setting.table}.{name}"].bound:
                        table.pop(name)
            table[setting.name] = value

    return change


def unset(keys: Iterable[str]) -> Path:
    """Take values out, so that the defaults are in effect; the file. Raises SettingsError.

    Keys that this version does not know can be taken out too, when the file has them.
    """
    named = list(keys)

    def change(document: Any) -> None:
        for key in named:
            table, _, name = key.partition(".")
            content = document.get(table)
            if key in CATALOGUE or (isinstance(content, dict) and name in content):
                if isinstance(content, dict):
                    content.pop(name, None)
                    if not content:
                        document.pop(table)
            else:
                setting_named(key)

    return _change(change, checked=False)


def _change(change: Callable[[Any], None], *, checked: bool = True) -> Path:
    path, _, after = _changed(change, checked=checked)
    _write(path, after)
    return path


def _changed(change: Callable[[Any], None], *, checked: bool = True) -> tuple[Path, str, str]:
    """(file, its text, its text with `change` applied); a choice of embedder that the change ends is kept in it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path = settings_path()
    text = _text(path) or ""
    before: EmbedderChoice | None = None
    try:
        before = parse(path, text).embedder
    except SettingsError:
        if checked:
            raise
    try:
        document = tomlkit.parse(text)
        change(document)
        after = parse(path, tomlkit.dumps(document)).embedder
        if before is not None and before != after:
            _remember(document, before, after)
        return path, text, tomlkit.dumps(document)
    except TOMLKitError as error:
        raise SettingsError(f"{path} cannot be changed: {error}.", next_step=f"Mend or remove {path}.") from error


def _remember(document: Any, before: EmbedderChoice, after: EmbedderChoice) -> None:
    import tomlkit

    kept = [before, *(choice for choice in _previous(document) if choice != before)]
    rows = tomlkit.aot()
    # The shipped one needs no remembering.
    for choice in [choice for choice in kept if choice not in (after, EmbedderChoice())][:_KEPT_PREVIOUS]:
        row = tomlkit.table()
        for field in fields(EmbedderChoice):
            value = getattr(choice, field.name)
            if value != field.default or field.name == "name":
                row[field.name] = value
        rows.append(row)
    document.pop(_PREVIOUS, None)
    if len(rows):
        table = tomlkit.table(is_super_table=True)
        table["embedder"] = rows
        document[_PREVIOUS] = table


def _previous(document: Mapping[str, Any]) -> tuple[EmbedderChoice, ...]:
    """Earlier choices; one that cannot be understood is left out, since it only spares a refusal."""
    table = document.get(_PREVIOUS)
    rows = table.get("embedder") if isinstance(table, dict) else None
    known = {field.name for field in fields(EmbedderChoice)}
    found = []
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict) or not set(row) <= known:
            continue
        try:
            values = {
                name: setting_named("network.proxy" if name == "proxy" else f"embedder.{name}").check(
                    value.unwrap() if hasattr(value, "unwrap") else value
                )
                for name, value in row.items()
            }
        except SettingsError:
            continue
        found.append(EmbedderChoice(**values))  # type: ignore[arg-type]
    return tuple(found[:_KEPT_PREVIOUS])


def _text(path: Path) -> str | None:
    try:
        return read_private(path, forbidden=0o022, limit=_LIMIT_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnsafeFileError as error:
        raise SettingsError(
            f"{path} {error}, and it decides where source text is sent.",
            next_step=f"Make it yours alone: chmod 600 {path}",
            code="settings_unsafe",
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8.", next_step=f"Mend or remove {path}.") from error


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A settings file that is a link into somebody's dotfiles stays one.
        target = Path(os.path.realpath(path))
        descriptor, temporary = tempfile.mkstemp(prefix=".satori-", dir=target.parent)
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(text.encode("utf-8"))
                handle.flush()
                os.fsync(handle.fileno())
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written: {error.strerror or error}.", next_step="Check its directory's permissions."
        ) from error


def _unreadable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(f"{path} cannot be read: {error.strerror or error}.", next_step=f"chmod 600 {path}")
