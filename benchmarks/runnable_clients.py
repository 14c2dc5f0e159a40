"""The agents that can be run without an account: their packages, a person's configuration, a check and a turn.

Data and small functions only; `benchmarks.clients` runs them.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROMPT = "Find where the delay before a retry is computed."
TOOL = "search_codebase"


@dataclass(frozen=True)
class Place:
    """One client's temporary world."""

    home: Path
    workspace: Path
    command: str
    model: str
    """Root URL of the scripted model."""

    def write(self, name: str, document: Any) -> None:
        """Write a JSON or text file below the home directory."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document if isinstance(document, str) else json.dumps(document, indent=2))


@dataclass(frozen=True)
class Runnable:
    """How one client is installed, asked and driven."""

    name: str
    packages: tuple[str, ...]
    binary: str
    seed: str
    """A configuration as a person might have it before, in the client's own syntax."""
    check: tuple[str, ...] = ()
    """Arguments of its own check, () when it has none that starts the server."""
    connected: str = r"connected"
    ask: Callable[[list[str], dict[str, str], Path], str] | None = None
    """A check that is a conversation instead of a command; gives what the client said of its servers."""
    drive: Callable[[Place], tuple[list[str], dict[str, str]]] | None = None
    """Arguments and variables for one headless turn."""
    prepare: Callable[[Place], None] | None = None
    """Files that the client needs before it works at all, none of them the configuration Satori edits."""


def _trust_gemini(place: Place) -> None:
    place.write(".gemini/trustedFolders.json", {str(place.workspace): "TRUST_FOLDER"})


def _claude(place: Place) -> tuple[list[str], dict[str, str]]:
    return ["-p", PROMPT, "--allowedTools", f"mcp__satori__{TOOL}"], {
        "ANTHROPIC_BASE_URL": place.model,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _codex_status(command: list[str], environment: dict[str, str], directory: Path) -> str:
    """What Codex's app server says of its MCP servers; `codex mcp list` starts none of them."""
    process = subprocess.Popen(
        [*command, "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=directory,
    )
    timer = threading.Timer(60, process.kill)
    timer.start()
    assert process.stdin is not None and process.stdout is not None
    try:
        client = {"name": "satori-clients", "title": "check", "version": "1"}
        for message in (
            {"id": 1, "method": "initialize", "params": {"clientInfo": client}},
            {"method": "initialized"},
            {"id": 2, "method": "mcpServerStatus/list", "params": {}},
        ):
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        for line in process.stdout:
            if json.loads(line).get("id") == 2:
                return line.decode()
        return "no answer"
    finally:
        timer.cancel()
        process.kill()
        process.wait()


def _codex(place: Place) -> tuple[list[str], dict[str, str]]:
    provider = f'{{name="scripted", base_url="{place.model}/v1", wire_api="responses", env_key="SCRIPTED_KEY"}}'
    return [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "-c",
        f"model_providers.scripted={provider}",
        "-c",
        'model_provider="scripted"',
        "-m",
        "gpt-5",
        PROMPT,
    ], {"SCRIPTED_KEY": "x"}


def _opencode(place: Place) -> tuple[list[str], dict[str, str]]:
    overlay = {
        "provider": {
            "scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{place.model}/v1", "apiKey": "x"},
                "models": {"scripted": {"name": "Scripted", "tool_call": True}},
            }
        },
        "model": "scripted/scripted",
        "permission": "allow",
    }
    return ["run", "-m", "scripted/scripted", PROMPT], {"OPENCODE_CONFIG_CONTENT": json.dumps(overlay)}


def _gemini(place: Place) -> tuple[list[str], dict[str, str]]:
    return ["-p", PROMPT, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"], {
        "GOOGLE_GEMINI_BASE_URL": place.model,
        "GEMINI_API_KEY": "scripted",
    }


def _qwen(place: Place) -> tuple[list[str], dict[str, str]]:
    return ["-p", PROMPT, "--yolo", "--auth-type", "openai"], {
        "OPENAI_BASE_URL": f"{place.model}/v1",
        "OPENAI_API_KEY": "scripted",
        "OPENAI_MODEL": "scripted",
    }


def _copilot(place: Place) -> tuple[list[str], dict[str, str]]:
    return ["-p", PROMPT, "--allow-all-tools"], {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{place.model}/v1",
        "COPILOT_PROVIDER_API_KEY": "scripted",
        "COPILOT_MODEL": "scripted",
    }


def _cline(place: Place) -> tuple[list[str], dict[str, str]]:
    return ["-P", "openai-compatible", "-m", "scripted", PROMPT], {}


def _cline_provider(place: Place) -> None:
    settings = {
        "provider": "openai-compatible",
        "apiKey": "scripted",
        "model": "scripted",
        "baseUrl": f"{place.model}/v1",
    }
    provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    place.write(
        ".cline/data/settings/providers.json",
        {
            "version": 1,
            "lastUsedProvider": "openai-compatible",
            "modes": {},
            "providers": {"openai-compatible": provider},
        },
    )


def _continue(place: Place) -> tuple[list[str], dict[str, str]]:
    return ["-p", PROMPT, "--auto"], {"OPENAI_API_KEY": "scripted"}


RUNNABLE: tuple[Runnable, ...] = (
    Runnable(
        "claude-code",
        ("@anthropic-ai/claude-code",),
        "claude",
        '{\n  "hasCompletedOnboarding": true,\n  "mcpServers": {}\n}\n',
        check=("mcp", "list"),
        connected=r"satori: .*Connected",
        drive=_claude,
    ),
    Runnable(
        "codex",
        ("@openai/codex",),
        "codex",
        '# mine\nmodel = "gpt-5"  # best\n\n[tui]\nnotifications = false\n',
        ask=_codex_status,
        connected=r'"serverInfo":\{"name":"satori"',
        drive=_codex,
    ),
    Runnable(
        "opencode",
        ("opencode-ai",),
        "opencode",
        '{\n  // mine\n  "autoupdate": false,\n}\n',
        check=("mcp", "list"),
        drive=_opencode,
    ),
    Runnable(
        "gemini",
        ("@google/gemini-cli",),
        "gemini",
        '{\n  "security": {"auth": {"selectedType": "gemini-api-key"}},\n  "telemetry": {"enabled": false}\n}\n',
        check=("mcp", "list"),
        connected=r"satori: .*Connected",
        drive=_gemini,
        prepare=_trust_gemini,
    ),
    Runnable(
        "qwen",
        ("@qwen-code/qwen-code",),
        "qwen",
        '{\n\t"telemetry": {"enabled": false}\n}\n',
        check=("mcp", "list"),
        connected=r"satori: .*Connected",
        drive=_qwen,
    ),
    Runnable("copilot", ("@github/copilot",), "copilot", '{"mcpServers": {}}\n', drive=_copilot),
    Runnable("cline", ("cline",), "cline", '{\n  "mcpServers": {}\n}', drive=_cline, prepare=_cline_provider),
    Runnable(
        "continue",
        ("@continuedev/cli",),
        "cn",
        "name: Mine\nversion: 1.0.0\nschema: v1\nmodels: # one\n  - name: scripted\n    provider: openai\n"
        "    model: scripted\n    apiBase: MODEL/v1\n    apiKey: scripted\n    roles: [chat]\n"
        "    capabilities: [tool_use]\n",
        drive=_continue,
    ),
    Runnable(
        "factory",
        ("@factory/cli", "@factory/cli-linux-x64"),
        "droid",
        '{\n  "mcpServers": {}\n}\n',
        check=("mcp", "list"),
    ),
)
