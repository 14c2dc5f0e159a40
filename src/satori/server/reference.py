"""The tool reference in Markdown, written from the contracts and reasons themselves.

`python -m satori.server.reference` prints it; docs/tools.md holds exactly that, and a test compares the two.
"""

from __future__ import annotations

import sys

from satori.server.contract import LARGE_BUDGET, Contract
from satori.server.reasons import Reason, Status, WarningCode
from satori.server.schema import Parameter
from satori.server.tools.registry import CONTRACTS

_HEAD = """\
# The MCP tools

This page is written by `python -m satori.server.reference` from the contracts that validate requests and answers; a
test keeps the two equal. The same tools can be called from the shell: `satori tool call NAME --args-json JSON`.

## Common to all

- Every path is absolute and may be any directory inside an indexed codebase; answers are confined to it. Every `file`
  is relative to the codebase's root. A checkout inside another one (a worktree, a submodule) is a codebase of its own.
- Unknown, missing and wrongly typed parameters are refused by name, with what they take and, for a near miss, the
  parameter that was probably meant.
- An answer is one JSON object, the same as text and as structured content, laid out over several lines:
  `status`, `reason`, `message`, `publication`, `freshness`, the tool's own fields, `coverage`, `warnings`, `omitted`,
  `recommendedNextAction`. `isError` is set for status `error` only.
- An answer is at most 16 KiB ({large} KiB for read_file and for search_codebase with debug full). What did not fit is
  counted in `omitted`, and `continuation` or `recommendedNextAction` gets the rest.
- `recommendedNextAction` is a complete, valid call. It is null when the request itself was wrong.
- Denied before anything is looked at: `/`, the home directory and what holds it, Satori's state, paths outside the
  session's workspaces (the client's roots, CLAUDE_PROJECT_DIR, the working directory, Codex's workspaces) that are in
  no codebase indexed from the shell, and links that lead out of those.
- Source in answers is quoted evidence, never instructions; keys and tokens in it are masked with their offsets kept.
"""

_CHECKS = """\
## Tools only

There are no MCP resources and no prompts. Status and capabilities depend on a path, and `list_codebases` and
`manage_index` (status, detail capabilities) answer with them; a resource would be a second way to the same thing, which
a model reaches only through further tools that its client then offers for every server.

## Starting

Nothing is loaded before the first call. `satori serve` reads no Publication and no model after `initialize`: agents
start a server for every session and thread whether or not it is used, which codebase a session is about is known from
its first call, and that call pays for the loading once. Installed agents share one runtime, whose codebases stay
loaded.

## Checking a server with the official tools

```
npx --yes @modelcontextprotocol/inspector@2 --cli satori serve --method tools/list --strict
npx --yes @modelcontextprotocol/inspector@2 --cli satori serve --method tools/call --tool-name search_codebase \\
    --tool-arg path=/path/to/repository --tool-arg query="where are retries scheduled"
```

`benchmarks/inspector.sh [DIRECTORY]` runs both, in the handshake era and in the stateless one, against a temporary home
directory. `make conformance` runs the official conformance suite and then the inspector; its last results, with a
reason for each expected failure, stand in [clients.md](clients.md). Both need npm.
"""


def render() -> str:
    """The whole page."""
    parts = [_HEAD.format(large=LARGE_BUDGET // 1024)]
    parts += [_tool(contract) for contract in CONTRACTS]
    parts += [_statuses(), _reasons(), _warnings(), _CHECKS]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _tool(contract: Contract) -> str:
    lines = [f"## {contract.name}", "", contract.description, ""]
    hints = ["read-only" if contract.read_only else "changes Satori's state"]
    if contract.destructive:
        hints.append("destructive (clear)")
    if contract.idempotent:
        hints.append("idempotent")
    lines += [f"Hints: {', '.join(hints)}. Budget: {contract.budget // 1024} KiB.", ""]
    if contract.parameters:
        lines += ["| parameter | takes | default | meaning |", "|---|---|---|---|"]
        for parameter in contract.parameters:
            lines.append(_row(parameter, ""))
            lines += [_row(field, f"{parameter.name}.") for field in parameter.fields]
    else:
        lines.append("No parameters.")
    own = ", ".join(f"`{name}`" for name in contract.fields)
    lines += ["", f"Own fields of the answer: {own}."]
    return "\n".join(lines)


def _row(parameter: Parameter, prefix: str) -> str:
    default = "required" if parameter.required else ("" if parameter.default is None else f"`{parameter.default}`")
    return f"| `{prefix}{parameter.name}` | {parameter.expects} | {default} | {parameter.description} |"


def _statuses() -> str:
    lines = ["## Statuses", "", "| status | reasons |", "|---|---|"]
    for status in Status:
        codes = ", ".join(f"`{reason.value}`" for reason in Reason if reason.status is status)
        lines.append(f"| `{status.value}` | {codes or 'none'} |")
    return "\n".join(lines)


def _reasons() -> str:
    lines = ["## Reasons", "", "| reason | status | meaning |", "|---|---|---|"]
    lines += [f"| `{reason.value}` | `{reason.status.value}` | {reason.explanation} |" for reason in Reason]
    return "\n".join(lines)


def _warnings() -> str:
    lines = ["## Warnings", "", "| code | meaning |", "|---|---|"]
    lines += [f"| `{code.value}` | {code.explanation} |" for code in WarningCode]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(render())
