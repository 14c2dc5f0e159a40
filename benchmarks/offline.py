"""Proves that an installed Satori needs no network and tries none: `make offline-proof`.

After an installation into a temporary HOME, everything runs again inside a network namespace without interfaces:
index, search, status, doctor, the launcher and all eleven tools. strace, where it is there, and an audit hook in every
Python process of the private environment note each connect outside Unix sockets. What could not be enforced is printed
and is never counted as a pass. It does not examine the installation itself.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from satori.clients.probe import Conversation
from satori.errors import SatoriError
from satori.runtime import environment
from satori.runtime.owners import terminate
from satori.runtime.paths import launcher_command, shell_command

_MORE = "".join(
    f'def net_price_of_{word}(gross: float) -> float:\n    """Net price of a {word}."""\n    return gross / 1.{n}\n\n\n'
    for n, word in enumerate(("book", "lamp", "chair", "table", "plant"))
)
SOURCES = {
    "shop/special.py": f'"""Special net prices."""\n\n\n{_MORE}',
    "shop/price.py": (
        '"""Prices."""\n\n\ndef net_price(gross: float) -> float:\n    """Price without tax."""\n'
        "    return gross / tax_factor()\n\n\ndef tax_factor() -> float:\n"
        '    """One plus the tax rate."""\n    return 1.19\n'
    ),
    "shop/cart.py": (
        '"""The cart."""\n\nfrom shop.price import net_price\n\n\ndef total(prices: list[float]) -> float:\n'
        '    """Sum of net prices."""\n    return sum(net_price(price) for price in prices)\n'
    ),
}
HOOK = (
    "import sys; sys.addaudithook(lambda event, args: event == 'socket.connect' and "
    "not isinstance(args[1], (str, bytes)) and open({log!r}, 'a').write(repr(args[1]) + '\\n') and None)"
)
# An address in a send is a datagram that needed no connect. Netlink is a question to the kernel, not a network.
ADDRESSED = re.compile(r"(?:connect|sendto|sendmsg)\(.*?sa_family=(AF_\w+)")
LOCAL = ("AF_UNIX", "AF_NETLINK")


def inside(home: Path, workspace: Path) -> int:
    """Run everything once; the number of things that did not work."""
    os.environ["HOME"] = str(home)
    state_root = home / ".satori"
    satori = str(shell_command(state_root))
    failures = 0
    for arguments in (
        ["index", str(workspace)],
        ["search", "price without tax", str(workspace)],
        ["status", str(workspace)],
        ["list"],
        ["doctor", "--full"],
    ):
        done = subprocess.run([satori, *arguments], capture_output=True, text=True, cwd=workspace)
        print(f"  {'ok  ' if done.returncode == 0 else 'FAIL'} satori {' '.join(arguments[:1])}")
        if done.returncode != 0:
            failures += 1
            print(f"       {(done.stderr or done.stdout).strip()[-400:]}")
    with Conversation([str(launcher_command(state_root))], directory=str(workspace), seconds=60) as talk:
        talk.open()
        names = [tool["name"] for tool in talk.ask("tools/list", {})["tools"]]
        for name, arguments_of in _calls(talk, workspace).items():
            failures += not _call(talk, name, arguments_of)
    missing = set(names) ^ set(_TOOLS)
    if missing:
        print(f"  FAIL tools listed and called differ: {', '.join(sorted(missing))}")
    terminate(state_root)
    return failures + len(missing)


_TOOLS = (
    "list_codebases",
    "manage_index",
    "search_codebase",
    "continue_search",
    "architecture_overview",
    "file_outline",
    "read_file",
    "call_graph",
    "trace_path",
    "find_references",
    "detect_changes",
)


def _calls(talk: Conversation, workspace: Path) -> dict[str, dict[str, Any]]:
    """Valid arguments for every tool, from what a search found."""
    path = str(workspace)
    search = {"path": path, "query": "net price and total", "limit": 3, "disclosureLimit": 1}
    found = talk.ask("tools/call", {"name": "search_codebase", "arguments": search})["structuredContent"]
    follow = found.get("continuation") or {"arguments": {}}
    symbols = {}
    for file in SOURCES:
        outline = talk.ask("tools/call", {"name": "file_outline", "arguments": {"path": path, "file": file}})
        for symbol in outline["structuredContent"].get("symbols", []):
            symbols[symbol["label"]] = symbol
    net = symbols.get("net_price") or next(iter(symbols.values()))
    total = symbols.get("total") or net
    reference = {"file": "shop/price.py", "symbolId": net["symbolId"]}
    return {
        "list_codebases": {},
        "manage_index": {"action": "status", "path": path},
        "search_codebase": search,
        "continue_search": follow["arguments"],
        "architecture_overview": {"path": path},
        "file_outline": {"path": path, "file": "shop/price.py"},
        "read_file": {"path": f"{path}/shop/price.py"},
        "call_graph": {"path": path, "symbolRef": reference},
        "trace_path": {"path": path, "sourceSymbolId": total["symbolId"], "targetSymbolId": net["symbolId"]},
        "find_references": {"path": path, "symbolRef": reference},
        "detect_changes": {"path": path, "includeUntracked": True},
    }


def _call(talk: Conversation, name: str, arguments: dict[str, Any]) -> bool:
    try:
        answer = talk.ask("tools/call", {"name": name, "arguments": arguments})
    except SatoriError as error:
        print(f"  FAIL {name}: {error}")
        return False
    content = answer.get("structuredContent") or {}
    good = content.get("status") == "ok" and not answer.get("isError")
    print(f"  {'ok  ' if good else 'FAIL'} {name}{'' if good else ': ' + str(content.get('message'))}")
    return good


def main() -> int:
    """Prove it; 0 proved, 1 something failed or tried to connect, 2 nothing could be enforced."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inside", nargs=2, metavar=("HOME", "WORKSPACE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return min(inside(Path(arguments.inside[0]), Path(arguments.inside[1])), 100)
    with tempfile.TemporaryDirectory(prefix="satori-offline-") as name:
        return prove(Path(name))


def prove(root: Path) -> int:
    """Install, then run everything under what this machine can enforce."""
    home, workspace, hooked, traced = root / "home", root / "workspace", root / "hook.log", root / "strace.log"
    for file, text in SOURCES.items():
        (workspace / file).parent.mkdir(parents=True, exist_ok=True)
        (workspace / file).write_text(text)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", str(workspace)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    home.mkdir()
    own = {**os.environ, "HOME": str(home)}
    own.pop("SATORI_STATE_ROOT", None)
    installed = subprocess.run(
        [sys.executable, "-m", "satori.cli.main", "install", "--client", "codex", "--yes"],
        env=own,
        capture_output=True,
        text=True,
    )
    if installed.returncode != 0:
        print(f"the installation failed: {installed.stderr}")
        return 1
    runtime = environment.installed(home / ".satori")
    assert runtime is not None
    (environment.site_packages(runtime) / "satori-offline-proof.pth").write_text(HOOK.format(log=str(hooked)))
    command = [sys.executable, "-m", "benchmarks.offline", "--inside", str(home), str(workspace)]
    namespace = next((words for words in (["unshare", "-n"], ["unshare", "-rn"]) if _works([*words, "true"])), None)
    strace = shutil.which("strace")
    tracer = [strace, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(traced)] if strace else []
    if tracer and not _works([*tracer, "true"]):
        tracer = []
    print(f"network namespace: {' '.join(namespace) if namespace else 'NOT AVAILABLE'}")
    print(f"strace: {'yes' if tracer else 'NOT AVAILABLE'}; audit hook in the private environment: yes")
    done = subprocess.run([*(namespace or []), *tracer, *command], env=own)
    attempts = hooked.read_text().splitlines() if hooked.exists() else []
    families = ADDRESSED.findall(traced.read_text(errors="replace")) if traced.exists() else []
    outside = [family for family in families if family not in LOCAL]
    print(
        f"addresses seen by strace: {len(families)}, of a network: {len(outside)}; "
        f"network connects seen by the hook: {len(attempts)}"
    )
    for attempt in (attempts + outside)[:10]:
        print(f"  attempted: {attempt}")
    if done.returncode != 0 or attempts or outside:
        print(json.dumps({"proved": False, "failures": done.returncode, "attempts": len(attempts) + len(outside)}))
        return 1
    if namespace is None and not tracer:
        print("Nothing kept the network away and nothing watched native code: this is NOT a proof.")
        return 2
    print(json.dumps({"proved": True, "namespace": namespace is not None, "strace": bool(tracer), "hook": True}))
    return 0


def _works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    sys.exit(main())
