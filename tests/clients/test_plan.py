from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.clients import jsonc
from satori.clients.catalogue import CLIENTS, client_named
from satori.clients.client import Client
from satori.clients.formats import Format, RefusedError
from satori.clients.plan import Action, Plan, find_entry, is_managed, plan_install, plan_uninstall
from satori.clients.receipts import Receipt, digest
from tests.clients.configurations import json_texts, toml_texts, yaml_texts

LAUNCHER = "/home/an agent's/.satori/bin/satori-mcp"
FILE = Path("/home/me/config")


def named(name: str) -> Client:
    """The client of that name."""
    client = client_named(name)
    assert client is not None
    return client


@st.composite
def configurations(draw: st.DrawFn) -> tuple[Client, bytes]:
    """A client and a configuration in its syntax."""
    client = draw(st.sampled_from(CLIENTS))
    if client.format is Format.TOML:
        text = draw(toml_texts())
    elif client.format is Format.YAML:
        text = draw(yaml_texts())
    else:
        text = draw(json_texts(client.container[0]))
    return client, text.encode()


def receipt_of(plan: Plan) -> Receipt:
    """What carrying out the plan would record."""
    assert plan.after is not None
    before = None if plan.base is None else digest(plan.base)
    return Receipt(str(FILE), before, digest(plan.after), plan.created_container)


@settings(max_examples=250, deadline=None)
@given(configurations())
def test_install_then_uninstall_gives_back_every_byte(case: tuple[Client, bytes]) -> None:
    """Whatever the format, layout and content: uninstalling gives the bytes of before, and the entry was there."""
    client, data = case
    installed = plan_install(client, FILE, data, LAUNCHER, None)
    assert installed.action is Action.CHANGE, installed.reason
    entry = find_entry(client, installed.after)
    assert entry is not None and is_managed(entry, LAUNCHER)
    back = plan_uninstall(client, FILE, installed.after, LAUNCHER, receipt_of(installed), installed.base)
    assert back.after == data


@settings(max_examples=150, deadline=None)
@given(configurations())
def test_without_a_receipt_only_the_entry_goes(case: tuple[Client, bytes]) -> None:
    """With the state lost or the file changed since, removal edits the text: the rest means what it meant before."""
    client, data = case
    installed = plan_install(client, FILE, data, LAUNCHER, None)
    assert installed.after is not None
    back = plan_uninstall(client, FILE, installed.after, LAUNCHER, None, None)
    assert back.after is not None
    if client.format is Format.TOML:
        assert tomllib.loads(back.after.decode()) == tomllib.loads(data.decode())
        assert back.after.rstrip() == data.rstrip()
    elif client.format is Format.YAML:
        assert not find_entry(client, back.after)
        kept = [line for line in data.decode().splitlines() if line.strip() and not line.startswith("mcpServers")]
        assert [
            line for line in back.after.decode().splitlines() if line.strip() and not line.startswith("mcpServers")
        ] == kept
    else:
        before = jsonc.parse(data.decode()).plain() if data.strip() else {}
        after = jsonc.parse(back.after.decode()).plain()
        assert isinstance(before, dict) and isinstance(after, dict)
        assert {client.container[0]: {}, **after} == {client.container[0]: {}, **before}


@settings(max_examples=150, deadline=None)
@given(configurations())
def test_after_other_changes_every_other_character_stays(case: tuple[Client, bytes]) -> None:
    """The file changed since, so the bytes of before cannot be given back: still nothing but white space differs."""
    client, data = case
    installed = plan_install(client, FILE, data, LAUNCHER, None)
    assert installed.after is not None
    changed = installed.after + b"\n"
    back = plan_uninstall(client, FILE, changed, LAUNCHER, receipt_of(installed), installed.base)
    assert back.after is not None
    found, expected = (b"".join(text.split()) for text in (back.after, data))
    # A YAML list left empty is written [], whether it was that, null or nothing before.
    for empty in (b"mcpServers:[]", b"mcpServers:null"):
        found, expected = (text.replace(empty, b"mcpServers:") for text in (found, expected))
    assert found == expected


@settings(max_examples=100, deadline=None)
@given(configurations())
def test_a_second_install_changes_nothing(case: tuple[Client, bytes]) -> None:
    """Installing twice is installing once; another launcher's entry of this state root is brought up to date."""
    client, data = case
    installed = plan_install(client, FILE, data, LAUNCHER, None)
    again = plan_install(client, FILE, installed.after, LAUNCHER, receipt_of(installed))
    assert again.action is Action.NONE
    assert again.reason == "already installed"


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_missing_file_is_created_and_deleted_again(client: Client) -> None:
    """A new file holds the entry; uninstalling plans its deletion, also after the client reformatted it."""
    created = plan_install(client, FILE, None, LAUNCHER, None)
    assert created.action is Action.CREATE and created.after is not None
    entry = find_entry(client, created.after)
    assert entry is not None and is_managed(entry, LAUNCHER)
    gone = plan_uninstall(client, FILE, created.after, LAUNCHER, receipt_of(created), None)
    assert gone.action is Action.DELETE
    if client.format is Format.JSON:
        reformatted = json.dumps(json.loads(created.after), indent=4).encode()
        assert plan_uninstall(client, FILE, reformatted, LAUNCHER, receipt_of(created), None).action is Action.DELETE


FOREIGN = {
    Format.JSON: b'{\n  "%s": {\n    "satori": {"command": "/elsewhere/satori-mcp"}\n  }\n}\n',
    Format.TOML: b'[%s.satori]\ncommand = "/elsewhere/satori-mcp"\n',
    Format.YAML: b"%s:\n  - name: satori\n    command: /elsewhere/satori-mcp\n",
}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_an_unmanaged_entry_is_refused_and_never_removed(client: Client) -> None:
    """A `satori` entry that starts anything but this state root's launcher belongs to the person."""
    data = FOREIGN[client.format] % client.container[0].encode()
    refused = plan_install(client, FILE, data, LAUNCHER, None)
    assert refused.action is Action.REFUSE
    assert "did not write" in refused.reason and f"--client {client.name}" in refused.reason
    assert plan_uninstall(client, FILE, data, LAUNCHER, None, None).action is Action.NONE


UNCLEAR = [
    ("gemini", b'{"mcpServers": [', "not valid JSON"),
    ("gemini", b'{"mcpServers": []}', "not an object"),
    ("gemini", b"[]", "not an object"),
    ("gemini", b"{'single': 1}", "not valid JSON"),
    ("gemini", b'{"mcpServers": {}, "mcpServers": {}}', "twice"),
    ("gemini", b'{"a": "\xff"}', "not UTF-8"),
    ("gemini", b'{"a": 1} {"b": 2}', "follows the document"),
    ("gemini", b"[" * 5000, "nested"),
    ("codex", b"a = ", "not valid TOML"),
    ("codex", b"mcp_servers = { o = { command = 'x' } }\n", "inline table"),
    ("codex", b"mcp_servers = 3\n", "not a table"),
    ("continue", b"- a\n- b\n", "left margin"),
    ("continue", b"mcpServers: [{name: o}]\n", "not a block list"),
    ("continue", b"mcpServers:\n  o: 1\n", "not a block list"),
    ("continue", b"a: 1\n---\nb: 2\n", "several documents"),
    ("continue", b"mcpServers: &x\n  - name: o\n", "not a block list"),
    ("continue", b"mcpServers: []\nmcpServers: []\n", "twice"),
]


@pytest.mark.parametrize(("name", "data", "words"), UNCLEAR)
def test_unclear_text_is_refused_with_the_entry_to_add_by_hand(name: str, data: bytes, words: str) -> None:
    """What cannot be edited with certainty is left alone; the refusal says why and shows what to add."""
    refused = plan_install(named(name), FILE, data, LAUNCHER, None)
    assert refused.action is Action.REFUSE and refused.after is None
    assert words in refused.reason
    assert "Add this by hand" in refused.reason and "satori-mcp" in refused.reason


def test_the_diff_shows_exactly_the_added_lines() -> None:
    """A person sees what will be written: the comment and the other server stay untouched lines."""
    data = b'{\n  // mine\n  "mcpServers": {\n    "o": {"x": 1}\n  }\n}\n'
    plan = plan_install(named("gemini"), FILE, data, "/s/bin/satori-mcp", None)
    changed = [line for line in plan.diff().splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        '+    "satori": {',
        '+      "command": "/s/bin/satori-mcp",',
        '+      "args": []',
        "+    },",
    ]


def test_an_older_shape_of_the_own_entry_is_replaced() -> None:
    """An entry that starts the own launcher but lacks a field is brought up to date; uninstalling gives the base."""
    client = named("claude-code")
    data = b'{"a": 1, "mcpServers": {"satori": {"command": "/l"}}}'
    plan = plan_install(client, FILE, data, "/l", None)
    assert plan.action is Action.CHANGE and plan.after is not None
    assert json.loads(plan.after)["mcpServers"]["satori"]["alwaysLoad"] is True
    back = plan_uninstall(client, FILE, plan.after, "/l", receipt_of(plan), plan.base)
    assert back.after == b'{"a": 1, "mcpServers": {}}'


def test_numbers_are_never_reformatted() -> None:
    """Large and odd numbers keep their digits: text is edited, not reserialised."""
    data = b'{"id": 12345678901234567890123, "f": 1.50, "e": 1E+2}'
    plan = plan_install(named("gemini"), FILE, data, LAUNCHER, None)
    assert plan.after is not None
    assert b'"id": 12345678901234567890123, "f": 1.50, "e": 1E+2' in plan.after


def test_removal_from_the_middle_and_the_end_keeps_commas_right() -> None:
    """An entry that a person moved is removed with the right comma, comments of others staying."""
    container = ("m",)
    middle = '{"m": {\n  "a": 1, // one\n  "satori": {},\n  "b": 2\n}}'
    assert jsonc.remove(middle, container, "satori") == '{"m": {\n  "a": 1, // one\n  "b": 2\n}}'
    last = '{"m": {\n  "a": 1, // one\n  "satori": {}\n}}'
    assert jsonc.remove(last, container, "satori") == '{"m": {\n  "a": 1 // one\n}}'
    trailing = '{"m": {\n  "a": 1,\n  "satori": {},\n}}'
    assert jsonc.remove(trailing, container, "satori") == '{"m": {\n  "a": 1,\n}}'
    inline = '{"m": {"a": 1, "satori": {}}}'
    assert jsonc.remove(inline, container, "satori") == '{"m": {"a": 1}}'
    after_comment = '{"m": { // c\n "satori": {}, "a": 1}}'
    assert jsonc.parse(jsonc.remove(after_comment, container, "satori")).plain() == {"m": {"a": 1}}


def test_two_yaml_servers_of_the_name_are_refused() -> None:
    """With two items of the name nobody can say which is Satori's."""
    data = b"mcpServers:\n  - name: satori\n    command: a\n  - name: satori\n    command: b\n"
    with pytest.raises(RefusedError, match="Two servers"):
        find_entry(named("continue"), data)
