"""Hypothesis strategies for configurations as people write them: any style, comments, order and line ending."""

from __future__ import annotations

import json

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "theme", "Größe", "other server", "x-1", "nested", "servers2", 'q"uote', "satoris"])
SCALARS = st.one_of(
    st.booleans(),
    st.none(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=12),
    st.sampled_from(["// no comment", "/* neither */", "a, }", "[mcp_servers.satori]", "C:\\x"]),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
COMMENTS = st.sampled_from(["", "", "", " // why", " /* a */", ' // "satori": {}', " /* two\n lines */"])


@st.composite
def json_texts(draw: st.DrawFn, container: str) -> str:
    """A JSON or JSONC document, with or without the container, in any layout."""
    data = draw(st.dictionaries(KEYS, DATA, max_size=4))
    if draw(st.booleans()):
        servers = draw(st.dictionaries(KEYS, DATA, max_size=3))
        items = list(data.items())
        items.insert(draw(st.integers(0, len(items))), (container, servers))
        data = dict(items)
    style = draw(st.sampled_from(["compact", "spaced", "indented", "tabs", "comments"]))
    if style == "compact":
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=draw(st.booleans()))
    elif style == "spaced":
        text = json.dumps(data)
    elif style == "comments":
        text = _commented(draw, data, "")
    else:
        text = json.dumps(data, indent="\t" if style == "tabs" else draw(st.sampled_from([0, 1, 2, 4])))
    text = (
        draw(st.sampled_from(["", "", "\ufeff", "\n", "// head\n"])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))
    )
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def _commented(draw: st.DrawFn, value: object, indent: str) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    inner = indent + draw(st.sampled_from(["  ", "    ", "\t"]))
    lines = ["{" + draw(COMMENTS)]
    for number, (key, item) in enumerate(value.items()):
        last = number + 1 == len(value)
        comma = "," if not last or draw(st.booleans()) else ""
        lines.append(f"{inner}{json.dumps(key)} : {_commented(draw, item, inner)}{comma}{draw(COMMENTS)}")
    if draw(st.booleans()):
        lines.append(f"{inner}// the end")
    return "\n".join([*lines, f"{indent}}}"])


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """A TOML document with root keys, tables, other servers, multi-line strings and comments."""
    lines = draw(
        st.lists(
            st.sampled_from(
                [
                    'model = "x" # best',
                    "# [mcp_servers.satori]",
                    "",
                    "flag = true",
                    'text = """\n[mcp_servers.satori]\ncommand = "no"\n"""',
                    "list = [\n  1,\n  2, # two\n]",
                    "pi = 3.140",
                    'mcp_servers.dotted.command = "d"',
                    "when = 1979-05-27T07:32:00Z",
                ]
            ),
            max_size=4,
            unique=True,
        )
    )
    tables = draw(
        st.lists(
            st.sampled_from(
                [
                    '[mcp_servers.other]\ncommand = "o"\nargs = ["a", "b"]\n\n[mcp_servers.other.env]\nK = "v"',
                    '[projects."/home/me"]\ntrust_level = "trusted"',
                    "[[rules]]\nname = 'one'\n[[rules]]\nname = 'two'",
                    "  [tui]  # look\n  theme = 'dark'",
                    "# a comment of the next table\n[features]\nweb = true",
                    "[mcp_servers.satori2]\nurl = 'x'",
                ]
            ),
            max_size=4,
            unique=True,
        )
    )
    text = draw(st.sampled_from(["\n", "\n\n"])).join([*lines, *tables]) + draw(st.sampled_from(["", "\n", "\n\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def yaml_texts(draw: st.DrawFn) -> str:
    """A YAML document whose top level is a mapping, with or without the list of servers."""
    parts = draw(
        st.lists(
            st.sampled_from(
                [
                    "name: Local Config",
                    "version: 1.0.0 # v",
                    "# mcpServers:\n#   - name: satori",
                    "models:\n  - name: m\n    provider: openai\n    roles:\n      - chat",
                    "prompt: |\n  mcpServers:\n    - name: satori\n\n  end",
                    '"quoted key": [1, 2]',
                    "",
                    "rules:\n- one\n- two",
                ]
            ),
            max_size=5,
            unique=True,
        )
    )
    servers = draw(
        st.sampled_from(
            [
                None,
                None,
                "mcpServers: []",
                "mcpServers:",
                "mcpServers: null # none",
                "mcpServers:\n  - name: other\n    command: o\n    args:\n      - -v",
                "mcpServers:\n- name: other\n  command: o\n- name: third\n  url: 'x' # u",
                "mcpServers: # mine\n    # first\n    - name: other\n      command: o",
                "mcpServers:\n  - {name: other, command: o}",
            ]
        )
    )
    if servers is not None:
        parts.insert(draw(st.integers(0, len(parts))), servers)
    text = "\n".join(parts) + draw(st.sampled_from(["", "\n", "\n\n"]))
    if text and draw(st.booleans()):
        text = "---\n" + text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text
