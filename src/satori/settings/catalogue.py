"""Every setting there is: its key, what it takes, what it is without being set.

Secrets are no settings: a key is named by the file that holds it, or lies in the system's keyring. Nothing is read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from satori.errors import SettingsError

EMBEDDERS = ("static", "potion", "ollama", "openai", "voyage", "gemini")
RERANKERS = ("none", "lateon", "voyage", "cohere")
SWITCH = ("off", "on")
STORES = ("lancedb", "milvus")

Scalar = str | int | float


# What belongs to one provider and means nothing, or something else, to another: it goes when the name changes.
_BOUND = frozenset("model path endpoint dimension key_file query_prefix document_prefix price uri region".split())


class Kind(StrEnum):
    """What a setting takes."""

    CHOICE = "choice"
    TEXT = "text"
    PATH = "path"
    URL = "url"
    INTEGER = "integer"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Setting:
    """One key. `default` is in effect without a setting; "" and 0 mean the chosen provider's own default."""

    key: str
    kind: Kind
    default: Scalar
    help: str
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 0

    @property
    def table(self) -> str:
        """The part before the dot: a table of the file."""
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """The part after the dot."""
        return self.key.partition(".")[2]

    @property
    def bound(self) -> bool:
        """Whether it belongs to the provider that the table names."""
        return self.name in _BOUND

    def parse(self, text: str) -> Scalar:
        """The value that a person's text means. Raises SettingsError."""
        try:
            if self.kind is Kind.INTEGER:
                return self.check(int(text))
            if self.kind is Kind.NUMBER:
                return self.check(float(text))
        except ValueError as error:
            raise self._wrong(text) from error
        text = text.strip()
        if self.kind is Kind.PATH and text and not text.startswith("~"):
            # A person's path is from where they stand; those who read the file stand elsewhere.
            text = os.path.abspath(text)  # noqa: PTH100 (keeps `..` lexical and needs no existing path)
        return self.check(text)

    def check(self, value: object) -> Scalar:
        """The value, when it is one that this setting takes. Raises SettingsError."""
        if isinstance(value, bool):
            raise self._wrong(value)
        if self.kind in (Kind.INTEGER, Kind.NUMBER):
            if not isinstance(value, int if self.kind is Kind.INTEGER else int | float):
                raise self._wrong(value)
            if not self.low <= value <= self.high:
                raise self._wrong(value)
            return value
        if not isinstance(value, str) or not value or any(ord(letter) < 32 for letter in value):
            raise self._wrong(value)
        fits = {
            Kind.CHOICE: lambda: value in self.choices,
            Kind.URL: lambda: _is_plain_url(value),
            Kind.PATH: lambda: value.startswith(("/", "~")),
        }
        if not fits.get(self.kind, lambda: True)():
            raise self._wrong(value)
        return value

    @property
    def takes(self) -> str:
        """What it takes, in words."""
        if self.kind is Kind.CHOICE:
            return f"one of {', '.join(self.choices)}"
        if self.kind in (Kind.INTEGER, Kind.NUMBER):
            return f"{'a whole number' if self.kind is Kind.INTEGER else 'a number'} from {self.low:g} to {self.high:g}"
        return {
            Kind.PATH: "an absolute path",
            Kind.URL: "an http or https address without user, password or query",
        }.get(self.kind, "text")

    def _wrong(self, value: object) -> SettingsError:
        # A value is not repeated: somebody may have given a key where a file's name belongs.
        what = f"'{value}'" if isinstance(value, int | float) else "the given value"
        return SettingsError(f"{self.key} takes {self.takes}; {what} is none.", next_step="See: satori config show")


def _is_plain_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query or parts.fragment) and not text.endswith("?")
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain and (port is None or port > 0)


CATALOGUE: dict[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting("embedder.name", Kind.CHOICE, "static", "What makes vectors.", EMBEDDERS),
        Setting("embedder.model", Kind.TEXT, "", "The provider's model."),
        Setting("embedder.path", Kind.PATH, "", "The folder of a potion model."),
        Setting("embedder.endpoint", Kind.URL, "", "The provider's address."),
        Setting("embedder.dimension", Kind.INTEGER, 0, "Components of a vector.", low=8, high=1024),
        Setting("embedder.key_file", Kind.PATH, "", "A file (mode 0600) that holds the provider's key."),
        Setting("embedder.query_prefix", Kind.TEXT, "", "Put before a question, where the model wants it."),
        Setting("embedder.document_prefix", Kind.TEXT, "", "Put before a piece of code, where the model wants it."),
        Setting("embedder.concurrency", Kind.INTEGER, 4, "Requests at the same time.", low=1, high=32),
        Setting(
            "embedder.query_seconds", Kind.NUMBER, 3.0, "Longest wait of a question for its vector.", low=0.1, high=30
        ),
        Setting(
            "embedder.price", Kind.NUMBER, -1.0, "US dollars for a million tokens, for estimates.", low=0, high=1000
        ),
        Setting("reranker.name", Kind.CHOICE, "none", "What reorders the best candidates.", RERANKERS),
        Setting("reranker.model", Kind.TEXT, "", "The provider's model."),
        Setting("reranker.path", Kind.PATH, "", "The folder of a local model."),
        Setting("reranker.endpoint", Kind.URL, "", "The provider's address."),
        Setting("reranker.key_file", Kind.PATH, "", "A file (mode 0600) that holds the provider's key."),
        Setting("reranker.seconds", Kind.NUMBER, 2.0, "Longest wait of a question for it.", low=0.1, high=30),
        Setting("store.name", Kind.CHOICE, "lancedb", "Where vectors are kept.", STORES),
        Setting("store.uri", Kind.TEXT, "", "A Milvus server's address, or s3://BUCKET/PREFIX for LanceDB."),
        Setting("store.key_file", Kind.PATH, "", "A file (mode 0600) that holds the store's token, or ID:SECRET."),
        Setting("store.endpoint", Kind.URL, "", "The address of an object store that is not Amazon's."),
        Setting("store.region", Kind.TEXT, "", "The object store's region."),
        Setting("store.seconds", Kind.NUMBER, 10.0, "Longest wait of a question for the store.", low=0.1, high=120),
        Setting(
            "watch.files", Kind.CHOICE, "off", "Sync by itself when files change (needs satori-code[watch]).", SWITCH
        ),
        Setting("network.proxy", Kind.URL, "", "An HTTP proxy for addresses that are not loopback."),
    )
}


def setting_named(key: str) -> Setting:
    """The setting of that key. Raises SettingsError naming the nearest."""
    found = CATALOGUE.get(key)
    if found is not None:
        return found
    import difflib

    near = difflib.get_close_matches(key, CATALOGUE, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    if key.rpartition(".")[2] in ("key", "api_key", "token", "secret"):
        hint = " Keys are kept out of settings: put it in a file of mode 0600 and set embedder.key_file."
    raise SettingsError(f"There is no setting '{key[:60]}'.{hint}", next_step="See them all: satori config show")
