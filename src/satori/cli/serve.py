"""`satori serve`: the MCP server on standard input and output."""

from __future__ import annotations

import click


@click.command()
def serve() -> int:
    """Serve MCP on standard input and output.

    For MCP clients; nothing but JSON-RPC appears on standard output. Ends when its input ends, on SIGINT and SIGTERM,
    and when the process that started it dies.
    """
    from satori.publication.state import default_state_root
    from satori.server.stdio import serve as serve_stdio

    return serve_stdio(default_state_root())
