"""intelephense's answer for each call of a PHP tree, in the format "sites" of `benchmarks.oracles`.

    python -m benchmarks.oracle_php OUT ROOT SERVER

SERVER is intelephense's `lib/intelephense.js` (an npm package, not a dependency of the project); it runs under node and
is asked over LSP for the definition of every name that our own reader takes for a callee. Sites with no answer or with
several are left out.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlparse

from satori.facts.extract import extract_facts
from satori.model.reference import SiteForm

_BATCH = 64


class Client:
    """The smallest client that a language server takes: requests, notifications, answers by their number."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the server has no pipes; start it again")
        self._to: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._from: BinaryIO = self._process.stdout  # type: ignore[assignment]
        self._numbers = itertools.count(1)

    def notify(self, method: str, params: object) -> None:
        """Say something that has no answer."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, all_params: list[Any]) -> list[Any]:
        """The results of one request for each of `all_params`, in their order; None for errors."""
        numbers = [next(self._numbers) for _ in all_params]
        for number, params in zip(numbers, all_params, strict=True):
            self._send({"id": number, "method": method, "params": params})
        found: dict[int, Any] = {}
        while len(found) < len(numbers):
            message = self._receive()
            if "method" not in message and message.get("id") in numbers:
                found[message["id"]] = message.get("result")
        return [found[number] for number in numbers]

    def wait_for(self, method: str) -> None:
        """Read until the server sends this notification."""
        while self._receive().get("method") != method:
            pass

    def close(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._to.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while line := self._from.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise RuntimeError("the server ended; run it by hand to see why")
        message: dict[str, Any] = json.loads(self._from.read(length))
        if "method" in message and "id" in message:
            # What it asks of us (settings, capabilities) has no answer here.
            count = len(message["params"].get("items", ())) if isinstance(message.get("params"), dict) else 0
            self._send({"id": message["id"], "result": [None] * count if count else None})
        return message


class Places:
    """Bytes of a file from LSP's lines and UTF-16 columns, and back."""

    def __init__(self, data: bytes) -> None:
        self.lines = data.splitlines(keepends=True)
        self.starts = [0, *itertools.accumulate(len(line) for line in self.lines)]

    def byte(self, line: int, column: int) -> int:
        """The byte at a place."""
        units = self.lines[line].decode("utf-8", "replace").encode("utf-16-le")[: 2 * column]
        return self.starts[line] + len(units.decode("utf-16-le", "replace").encode())

    def place(self, byte: int, line: int) -> dict[str, int]:
        """The place of a byte in a line counted from 1."""
        head = self.lines[line - 1][: byte - self.starts[line - 1]]
        return {"line": line - 1, "character": len(head.decode("utf-8", "replace").encode("utf-16-le")) // 2}


def rows(root: Path, server: str) -> Iterator[str]:
    """One row for each call with one answer."""
    files = {path: path.read_bytes() for path in sorted(root.rglob("*.php")) if path.is_file()}
    client = Client(["node", server, "--stdio"])
    with tempfile.TemporaryDirectory() as storage:
        options = {"storagePath": storage, "clearCache": True}
        capabilities = {"textDocument": {"definition": {"linkSupport": True}}}
        start: dict[str, Any] = {"processId": None, "rootUri": root.as_uri(), "capabilities": capabilities}
        start["workspaceFolders"] = [{"uri": root.as_uri(), "name": "tree"}]
        client.ask("initialize", [{**start, "initializationOptions": options}])
        client.notify("initialized", {})
        client.wait_for("indexingEnded")
        for path, data in files.items():
            yield from _answers(client, root, path, data, files)
        client.close()


def _answers(client: Client, root: Path, path: Path, data: bytes, files: dict[Path, bytes]) -> Iterator[str]:
    references = extract_facts("php", data).references
    document = {"uri": path.as_uri()}
    text = {**document, "languageId": "php", "version": 1, "text": data.decode("utf-8", "replace")}
    client.notify("textDocument/didOpen", {"textDocument": text})
    places = Places(data)
    sites = [site for site in references.sites if site.name] if references is not None else []
    for at in range(0, len(sites), _BATCH):
        batch = sites[at : at + _BATCH]
        asked = [{"textDocument": document, "position": places.place(site.start, site.line)} for site in batch]
        for site, result in zip(batch, client.ask("textDocument/definition", asked), strict=True):
            found = [result] if isinstance(result, dict) else result or []
            # `new C` has two: the class, then its constructor.
            if not found or len(found) > (2 if site.form == SiteForm.CONSTRUCT else 1):
                continue
            target = Path(unquote(urlparse(found[0].get("targetUri") or found[0]["uri"]).path))
            span = found[0].get("targetSelectionRange") or found[0]["range"]
            place = f"{path.relative_to(root).as_posix()}\t{site.start}"
            if target not in files:
                yield f"{place}\t<external>\t-1\t{site.name}"
                continue
            byte = Places(files[target]).byte(span["start"]["line"], span["start"]["character"])
            yield f"{place}\t{target.relative_to(root).as_posix()}\t{byte}\t{site.name}"
    client.notify("textDocument/didClose", {"textDocument": document})


def main() -> None:
    """Ask and write the answers."""
    out, root, server = sys.argv[1:4]
    Path(out).write_text("".join(row + "\n" for row in rows(Path(root).resolve(), server)), encoding="utf-8")


if __name__ == "__main__":
    main()
