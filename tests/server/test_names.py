"""Roots and files with the names that break others: every tool answers about them under their true names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from satori.server.tools.registry import BY_NAME
from tests.conftest import Indexed, git, write_files
from tests.server.asking import ask

NAMES = ("文件.py", "with space.py", 'quo"te.py', "tab\there.py", "new\nline.py", "x b/y.py", "plain.py")


@pytest.fixture
def odd(tmp_path: Path) -> Indexed:
    """A repository under an odd name that holds odd names, committed and indexed, then edited and not synced."""
    made = Indexed(tmp_path / "Проект (é) 1", tmp_path / "state")
    body = "def callee_{n}():\n    return {n}\n\n\ndef caller_{n}():\n    return callee_{n}()\n"
    write_files(made.root, {name: body.format(n=number) for number, name in enumerate(NAMES)})
    git(made.root, "init", "-q", "-b", "main")
    git(made.root, "add", "-A")
    git(made.root, "commit", "-q", "-m", "start")
    made.lifecycle().sync()
    for name in NAMES:
        file = made.root / name
        file.write_text(file.read_text().replace("return callee", "return 1 + callee"))
    return made


def test_all_eleven_tools_answer_about_odd_names(odd: Indexed) -> None:
    """`Проект (é) 1`; CJK, space, quote, tab, line end and ` b/`: found, opened, traced and seen as changed."""
    context, path = odd.context(), str(odd.root)
    asked = set()

    def of(tool: str, **arguments: Any) -> dict[str, Any]:
        asked.add(tool)
        answer = ask(context, tool, **arguments)
        assert answer["status"] == "ok", (tool, arguments, answer["message"])
        return answer

    listed = of("list_codebases")["codebases"]
    assert [one["root"] for one in listed] == [path]
    assert of("manage_index", action="status", path=path)["root"] == path
    changed = of("detect_changes", path=path)["seeds"]
    assert {seed["file"] for seed in changed} == set(NAMES)
    assert of("architecture_overview", path=path)
    for number, name in enumerate(NAMES):
        symbols = of("file_outline", path=path, file=name)["symbols"]
        callee, caller = (symbol["symbolId"] for symbol in symbols)
        found = of("search_codebase", path=path, query=f"caller_{number}")["groups"]
        assert found[0]["file"] == name
        assert f"return 1 + callee_{number}" in str(of("read_file", path=f"{path}/{name}")["text"])
        assert name in _strings(of("call_graph", path=path, symbolRef={"file": name, "symbolId": callee}))
        assert name in _strings(of("find_references", path=path, symbolRef={"file": name, "symbolId": callee}))
        of("trace_path", path=path, sourceSymbolId=caller, targetSymbolId=callee)
    # A page of one: the words of two files' definitions.
    page = of("search_codebase", path=path, query="caller_1 caller_2 callee_3", disclosureLimit=1)
    of(page["continuation"]["tool"], **page["continuation"]["arguments"])
    assert asked == set(BY_NAME)


def _strings(answer: object) -> set[str]:
    """Every text in an answer."""
    if isinstance(answer, dict):
        return set().union(*map(_strings, answer.values())) if answer else set()
    if isinstance(answer, list):
        return set().union(*map(_strings, answer)) if answer else set()
    return {answer} if isinstance(answer, str) else set()
