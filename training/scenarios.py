"""Pairs from tests: what a test says it shows, and the code that exercises it.

Test descriptions are the plainest questions about behaviour that repositories hold, and the only prose much TypeScript,
JavaScript and Ruby has. Two sources: description strings (`it("...")`, `test "..." do`, `t.Run("...")`) and long test
names. What a test asserts is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import tree_sitter

from training.grammars import parser
from training.mine import MAX_CODE, MIN_CODE, Pair, definitions
from training.prose import first_paragraph, is_description, split_identifier

__all__ = ["scenarios"]

_SCRIPT = """(call_expression function: (_) @call arguments: (arguments . (string) @text
    [(arrow_function) (function_expression)] @body))"""
_QUERIES = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "ruby": "(call method: (identifier) @call arguments: (argument_list . (string) @text) block: (_) @body)",
    "elixir": "(call target: (identifier) @call (arguments . (string) @text) (do_block) @body)",
    "zig": "(test_declaration (string) @text (block) @body)",
    "go": """(call_expression function: (selector_expression field: (field_identifier) @call)
        arguments: (argument_list . (interpreted_string_literal) @text (func_literal) @body))""",
}
_CALLS = frozenset("it test specify scenario example Run it.only test.concurrent it.effect test.each".split())
_LEADING = frozenset("test tests should it when spec testcase".split())


@cache
def _query(language: str) -> tree_sitter.Query | None:
    source = _QUERIES.get(language)
    known = parser(language).language
    return tree_sitter.Query(known, source) if source and known is not None else None


def _decoded(nodes: list[tree_sitter.Node]) -> str:
    return (nodes[0].text or b"").decode("utf-8", "replace")


def scenarios(repository: str, path: str, data: bytes, language: str) -> Iterator[Pair]:
    """Pairs of kind `test` from one test file, in source order."""
    shown = "typescript" if language == "tsx" else language
    query = _query(language)
    if query is not None:
        root = parser(language).parse(data).root_node
        for _, captures in tree_sitter.QueryCursor(query).matches(root):
            if "call" in captures and _decoded(captures["call"]) not in _CALLS:
                continue
            text = first_paragraph(_decoded(captures["text"]).strip("\"'`").replace("\\", ""))
            body = _decoded(captures["body"])
            if is_description(text) and len(body) >= MIN_CODE:
                yield Pair("test", repository, shown, text, path, "", body[:MAX_CODE])
    for definition in definitions(data, language):
        words = split_identifier(definition.name)
        while words and words[0] in _LEADING:
            words = words[1:]
        if definition.is_type or len(words) < 4 or len(words) > 20:
            continue
        body = re.sub(rf"(?<!\w){re.escape(definition.name)}(?!\w)", "_", definition.text.strip())
        if body.count("\n") >= 2:
            yield Pair("test", repository, shown, " ".join(words), path, ".".join(definition.owners), body[:MAX_CODE])
