"""The table of supported clients.

Paths and shapes of those marked RUN were verified by starting the client (benchmarks/clients.py, docs/clients.md);
the others follow their documentation. Order is the order of every listing. Policy is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from satori.clients.client import Client, Surroundings, Verification
from satori.clients.formats import Format, JsonValue

_Paths = Callable[[Surroundings], tuple[Path, ...]]


def _home(*relative: str) -> _Paths:
    return lambda surroundings: tuple(surroundings.home / path for path in relative)


def _under(variable: str, default: str, *relative: str) -> _Paths:
    return lambda surroundings: tuple(surroundings.directory(variable, default) / path for path in relative)


def _claude_file(surroundings: Surroundings) -> tuple[Path, ...]:
    return (surroundings.directory("CLAUDE_CONFIG_DIR", "") / ".claude.json",)


def _antigravity(surroundings: Surroundings) -> tuple[Path, ...]:
    new = surroundings.home / ".gemini/config/mcp_config.json"
    old = surroundings.home / ".gemini/antigravity/mcp_config.json"
    # Older versions keep everything under antigravity/ and read nothing from config/.
    return (old, new) if old.parent.is_dir() and not new.parent.is_dir() else (new, old)


def _vscode(surroundings: Surroundings) -> Path:
    if surroundings.platform == "darwin":
        return surroundings.home / "Library/Application Support/Code/User"
    return surroundings.directory("XDG_CONFIG_HOME", ".config") / "Code/User"


def _plain(launcher: str) -> JsonValue:
    return {"command": launcher, "args": []}


def _stdio(launcher: str) -> JsonValue:
    return {"type": "stdio", "command": launcher, "args": []}


CLIENTS: tuple[Client, ...] = (
    Client(
        name="claude-code",
        title="Claude Code",
        format=Format.JSON,
        container=("mcpServers",),
        # Without alwaysLoad the tools stay hidden behind the client's tool search.
        entry=lambda launcher: {"type": "stdio", "command": launcher, "args": [], "env": {}, "alwaysLoad": True},
        files=_claude_file,
        signs=lambda s: (*_claude_file(s), s.directory("CLAUDE_CONFIG_DIR", ".claude")),
        command="claude",
        skill_link=lambda s: s.directory("CLAUDE_CONFIG_DIR", ".claude") / "skills",
        verification=Verification.RUN,
    ),
    Client(
        name="codex",
        title="Codex",
        format=Format.TOML,
        container=("mcp_servers",),
        entry=lambda launcher: {
            "command": launcher,
            "args": [],
            "startup_timeout_sec": 20,
            "tool_timeout_sec": 120,
        },
        files=_under("CODEX_HOME", ".codex", "config.toml"),
        signs=_under("CODEX_HOME", ".codex", ""),
        command="codex",
        verification=Verification.RUN,
    ),
    Client(
        name="opencode",
        title="OpenCode",
        format=Format.JSON,
        container=("mcp",),
        entry=lambda launcher: {"type": "local", "command": [launcher], "enabled": True},
        files=_under("XDG_CONFIG_HOME", ".config", "opencode/opencode.json", "opencode/opencode.jsonc"),
        signs=_under("XDG_CONFIG_HOME", ".config", "opencode"),
        command="opencode",
        verification=Verification.RUN,
    ),
    Client(
        name="antigravity",
        title="Antigravity",
        format=Format.JSON,
        container=("mcpServers",),
        entry=_plain,
        files=_antigravity,
        signs=_home(".gemini/config", ".gemini/antigravity"),
        command="antigravity",
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        format=Format.JSON,
        container=("mcpServers",),
        entry=_plain,
        files=_home(".gemini/settings.json"),
        signs=_home(".gemini/settings.json"),
        command="gemini",
        verification=Verification.RUN,
    ),
    Client(
        name="qwen",
        title="Qwen Code",
        format=Format.JSON,
        container=("mcpServers",),
        entry=_plain,
        files=_home(".qwen/settings.json"),
        signs=_home(".qwen"),
        command="qwen",
        verification=Verification.RUN,
    ),
    Client(
        name="copilot",
        title="Copilot CLI",
        format=Format.JSON,
        container=("mcpServers",),
        entry=lambda launcher: {"type": "local", "command": launcher, "args": [], "env": {}, "tools": ["*"]},
        files=_home(".copilot/mcp-config.json"),
        signs=_home(".copilot"),
        command="copilot",
        verification=Verification.RUN,
    ),
    Client(
        name="cursor",
        title="Cursor",
        format=Format.JSON,
        container=("mcpServers",),
        entry=_plain,
        files=_home(".cursor/mcp.json"),
        signs=_home(".cursor"),
        command="cursor",
    ),
    Client(
        name="vscode",
        title="VS Code",
        format=Format.JSON,
        container=("servers",),
        entry=_stdio,
        files=lambda s: (_vscode(s) / "mcp.json",),
        signs=lambda s: (_vscode(s),),
        command="code",
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        format=Format.JSON,
        container=("mcpServers",),
        entry=_plain,
        files=_home(".codeium/windsurf/mcp_config.json"),
        signs=_home(".codeium/windsurf"),
        command="windsurf",
    ),
    Client(
        name="zed",
        title="Zed",
        format=Format.JSON,
        container=("context_servers",),
        entry=lambda launcher: {"command": launcher, "args": [], "env": {}},
        files=_under("XDG_CONFIG_HOME", ".config", "zed/settings.json"),
        signs=_under("XDG_CONFIG_HOME", ".config", "zed"),
        command="zed",
    ),
    Client(
        name="kiro",
        title="Kiro",
        format=Format.JSON,
        container=("mcpServers",),
        entry=lambda launcher: {"command": launcher, "args": [], "disabled": False},
        files=_home(".kiro/settings/mcp.json"),
        signs=_home(".kiro"),
        command="kiro",
    ),
    Client(
        name="cline",
        title="Cline",
        format=Format.JSON,
        container=("mcpServers",),
        entry=lambda launcher: {"transport": {"type": "stdio", "command": launcher, "args": []}},
        files=_home(".cline/data/settings/cline_mcp_settings.json"),
        signs=_home(".cline"),
        command="cline",
        verification=Verification.RUN,
    ),
    Client(
        name="continue",
        title="Continue",
        format=Format.YAML,
        container=("mcpServers",),
        entry=_stdio,
        files=_home(".continue/config.yaml"),
        signs=_home(".continue"),
        command="cn",
        header="name: Local Config\nversion: 1.0.0\nschema: v1\n",
        skill_link=lambda s: s.home / ".continue/skills",
        verification=Verification.RUN,
    ),
    Client(
        name="factory",
        title="Factory",
        format=Format.JSON,
        container=("mcpServers",),
        entry=lambda launcher: {"type": "stdio", "command": launcher, "args": [], "disabled": False},
        files=_home(".factory/mcp.json"),
        signs=_home(".factory"),
        command="droid",
        verification=Verification.RUN,
    ),
)

CLIENT_NAMES: tuple[str, ...] = tuple(client.name for client in CLIENTS)


def client_named(name: str) -> Client | None:
    """The client of that name, or None."""
    return next((client for client in CLIENTS if client.name == name), None)
