"""rust-analyzer's answer for each call of a Rust tree, in the format "sites" of `benchmarks.oracles`.

    python -m benchmarks.oracle_rust OUT ROOT SERVER

SERVER is the program rust-analyzer, not a dependency of the project; the tree has a Cargo.toml or a rust-project.json.
It is asked over LSP for the definition of every name that our own reader takes for a callee. Its symbols (SCIP) would
not do: two impl blocks of one type give one symbol. Sites with no answer or with several are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from benchmarks.oracle_php import Client, Places
from satori.facts.extract import extract_facts

_BATCH = 64


class Analyzer(Client):
    """A client that waits for the analysis of the whole workspace."""

    def settle(self) -> None:
        """Read until the server says that it is at rest."""
        while True:
            message = self._receive()
            if message.get("method") == "experimental/serverStatus" and message["params"].get("quiescent"):
                return


def rows(root: Path, server: str) -> Iterator[str]:
    """One row for each call with one answer."""
    files = {path: path.read_bytes() for path in sorted(root.rglob("*.rs")) if path.is_file()}
    client = Analyzer([server])
    project = root / "rust-project.json"
    options: dict[str, Any] = {"checkOnSave": False, "cachePriming": {"enable": False}}
    if project.exists():
        options["linkedProjects"] = [str(project)]
    capabilities = {"experimental": {"serverStatusNotification": True}}
    start: dict[str, Any] = {"processId": None, "rootUri": root.as_uri(), "capabilities": capabilities}
    client.ask("initialize", [{**start, "initializationOptions": options}])
    client.notify("initialized", {})
    client.settle()
    for path, data in files.items():
        yield from _answers(client, root, path, data, files)
    client.close()


def _answers(client: Client, root: Path, path: Path, data: bytes, files: dict[Path, bytes]) -> Iterator[str]:
    references = extract_facts("rust", data).references
    sites = [site for site in (references.sites if references is not None else ()) if site.name]
    here = Places(data)
    document = {"uri": path.as_uri()}
    for at in range(0, len(sites), _BATCH):
        batch = sites[at : at + _BATCH]
        asked = [{"textDocument": document, "position": here.place(site.start, site.line)} for site in batch]
        for site, answer in zip(batch, client.ask("textDocument/definition", asked), strict=True):
            if not isinstance(answer, list) or len(answer) != 1:
                continue
            target = Path(unquote(urlparse(answer[0]["uri"]).path))
            start = answer[0]["range"]["start"]
            inside = files.get(target)
            name = path.relative_to(root).as_posix()
            if inside is None:
                yield f"{name}\t{site.start}\t<external>\t-1\t{site.name}"
            else:
                byte = Places(inside).byte(start["line"], start["character"])
                yield f"{name}\t{site.start}\t{target.relative_to(root).as_posix()}\t{byte}\t{site.name}"


def main() -> None:
    """Write the rows of one tree."""
    out, root, server = sys.argv[1:4]
    with Path(out).open("w", encoding="utf-8") as sink:
        for row in rows(Path(root).resolve(), server):
            sink.write(row + "\n")


if __name__ == "__main__":
    main()
