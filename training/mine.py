"""Training pairs from source trees: what a person would ask, and the code that answers.

Three kinds: `doc` (first paragraph of a definition's documentation -> its code without it), `name` (its identifier as
words -> its body with the name blanked) and `file` (a file's own description -> the outline of its definitions).
Deterministic: the same clones give the same pairs in the same order. It keeps no pair whose text it saw before.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import tree_sitter

from training import corpus
from training.grammars import EXTENSIONS, GRAMMARS, Grammar, parser
from training.prose import first_paragraph, is_description, split_identifier

__all__ = ["Definition", "Pair", "definitions", "mine"]

MAX_CODE = 2_000
"""Characters of code a document keeps: about what one chunk holds."""
MIN_CODE = 24
MAX_PAIRS_OF_A_REPOSITORY = {"doc": 5_000, "name": 3_000, "file": 800, "test": 2_500, "guide": 400, "section": 600}

_NAME_TYPES = ("identifier", "type_identifier", "simple_identifier", "name", "constant", "word", "variable", "alias")
_ELIXIR_DEFINERS = ("def", "defp", "defmacro", "defmodule", "defprotocol", "defguard", "defdelegate")
_SKIPPABLE = frozenset(
    "attribute_item attribute_list attributes annotation decorator modifiers pragma unary_operator".split()
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition the miner found: its owner chain, its raw documentation, and its text without that documentation."""

    name: str
    owners: tuple[str, ...]
    is_type: bool
    documentation: str
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A training pair. `header` is the projection's metadata (path, then qualified name); `code` follows it."""

    kind: str
    repository: str
    language: str
    query: str
    path: str
    symbol: str
    code: str


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _name(node: tree_sitter.Node, language: str) -> str:
    if language == "elixir":
        return _elixir_name(node)
    if language == "zig" and node.type == "variable_declaration":
        kinds = {child.type for child in node.named_children}
        if not kinds & {"struct_declaration", "enum_declaration", "union_declaration"}:
            return ""
    if language in ("javascript", "typescript", "tsx"):
        return _script_name(node)
    if language == "lua" and node.type == "assignment_statement":
        values = node.named_children[-1].named_children if node.named_children else []
        if len(values) != 1 or values[0].type != "function_definition":
            return ""
        return _text(node.named_children[0])
    if language == "go" and node.type == "type_declaration":
        specs = [c for c in node.named_children if c.type in ("type_spec", "type_alias")]
        node = specs[0] if len(specs) == 1 else node
    if language == "swift" and node.type == "init_declaration":
        return "init"
    if language in ("c", "cpp"):
        return _c_name(node)
    named = node.child_by_field_name("name")
    if named is None:
        named = next((c for c in node.named_children if c.type in _NAME_TYPES), None)
    return _text(named) if named is not None else ""


def _c_name(node: tree_sitter.Node) -> str:
    if node.type in ("declaration", "field_declaration", "function_definition", "type_definition"):
        inner = node.child_by_field_name("declarator")
        is_function = False
        while inner is not None and inner.type not in _C_NAMES:
            is_function = is_function or inner.type == "function_declarator"
            following = inner.child_by_field_name("declarator")
            if following is None:
                following = next(
                    (c for c in inner.named_children if c.type.endswith(("declarator", "identifier"))), None
                )
            inner = following
        if inner is None or not (is_function or node.type == "type_definition"):
            return ""
        return _text(inner)
    if node.child_by_field_name("body") is None and node.type != "preproc_function_def":
        return ""
    named = node.child_by_field_name("name")
    return _text(named) if named is not None else ""


_C_NAMES = frozenset(
    "identifier field_identifier type_identifier qualified_identifier destructor_name operator_name "
    "template_function".split()
)


def _script_name(node: tree_sitter.Node) -> str:
    if node.type in ("variable_declarator", "public_field_definition", "pair", "assignment_expression"):
        value = node.child_by_field_name("right" if node.type == "assignment_expression" else "value")
        if value is None or value.type not in ("arrow_function", "function_expression", "class", "function"):
            return ""
    named = node.child_by_field_name("name") or node.child_by_field_name("key") or node.child_by_field_name("left")
    if named is None:
        return ""
    if named.type == "member_expression":
        return re.sub(r"\.prototype\b|^(?:module\.)?exports\.?|^this\.", "", _text(named)).lstrip(".")
    return _text(named)


def _elixir_name(node: tree_sitter.Node) -> str:
    target = node.child_by_field_name("target")
    if target is None or _text(target) not in _ELIXIR_DEFINERS:
        return ""
    head = next((c for c in node.named_children if c.type == "arguments"), None)
    inner = head.named_children[0] if head is not None and head.named_children else None
    while inner is not None and inner.type not in ("identifier", "alias"):
        inner = inner.named_children[0] if inner.named_children else None
    return _text(inner) if inner is not None else ""


def _is_comment(node: tree_sitter.Node) -> bool:
    return "comment" in node.type or node.type == "haddock"


def _leading(node: tree_sitter.Node, source: bytes) -> tuple[str, int]:
    """The raw comment block right above a node, and the byte where the node's own text (attributes included) starts."""
    start, row = node.start_byte, node.start_point[0]
    comments: list[str] = []
    previous = node.prev_sibling
    if previous is None and node.parent is not None and node.parent.type in ("declarations", "body_statement"):
        last = node.parent.prev_sibling  # some grammars leave the comment of a body's first member outside the body
        if last is not None and last.type == "imports" and last.named_children:
            last = last.named_children[-1]
        previous = last if last is not None and _is_comment(last) else None
    while previous is not None and previous.end_point[0] >= row - 1:
        if _is_comment(previous):
            line_start = source.rfind(b"\n", 0, previous.start_byte) + 1
            if source[line_start : previous.start_byte].strip():
                break  # a trailing comment of the line above belongs to that line
            comments.append(_text(previous))
        elif previous.type in _SKIPPABLE and not comments:
            if previous.type == "unary_operator":
                match = re.match(r"@(?:doc|moduledoc)\s+(?:~S)?(\"\"\"|\")(.*?)\1", _text(previous), re.S)
                if match:
                    return match.group(2), start
            else:
                start = previous.start_byte
        else:
            break
        row = previous.start_point[0]
        previous = previous.prev_sibling
    return "\n".join(reversed(comments)), start


def _docstring(node: tree_sitter.Node, language: str, source: bytes, start: int) -> tuple[str, str]:
    """(docstring, text without it) for languages that document inside the body; ("", text) otherwise."""
    text = source[start : node.end_byte]
    if language == "python":
        body = node.child_by_field_name("body")
        first = body.named_children[0] if body is not None and body.named_children else None
        if first is not None and first.type == "expression_statement" and first.named_children:
            string = first.named_children[0]
            if string.type == "string":
                raw = re.sub(r"^[rRuUbB]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$", "", _text(string))
                before, after = first.start_byte - start, first.end_byte - start
                return raw, (text[:before].rstrip() + text[after:]).decode("utf-8", "replace")
    elif language == "elixir" and text.startswith(b"defmodule"):
        decoded = text.decode("utf-8", "replace")
        match = re.search(r"@moduledoc\s+(?:~S)?(\"\"\"|\")(.*?)\1", decoded[:4000], re.S)
        if match:
            return match.group(2), decoded[: match.start()] + decoded[match.end() :]
    return "", text.decode("utf-8", "replace")


def definitions(source: bytes, language: str) -> Iterator[Definition]:
    """Every definition the grammar's table names, outermost first, in source order; function bodies are not entered."""
    grammar = GRAMMARS[language]
    tree = parser(language).parse(source)
    stack: list[tuple[tree_sitter.Node, tuple[str, ...], tree_sitter.Node | None]] = [(tree.root_node, (), None)]
    previous_name = ""
    while stack:
        node, owners, wrapper = stack.pop()
        inside = owners
        if node.type in grammar.functions or node.type in grammar.types:
            name = _name(node, language)
            if language == "haskell" and name == previous_name and node.type != "signature":
                continue
            if name:
                outer = wrapper if wrapper is not None else node
                documentation, start = _leading(outer, source)
                end = _haskell_end(node, name) if node.type == "signature" else node
                inner, text = _docstring(end, language, source, start)
                is_type = node.type in grammar.types or (language == "elixir" and text.startswith("defmodule"))
                yield Definition(name, owners, is_type, inner or documentation, text)
                previous_name = name
                inside = (*owners, name)
                if not is_type:
                    continue
        elif node.type not in grammar.containers:
            continue
        elif node.type in ("impl_item", "mod_item", "namespace_definition", "namespace_declaration"):
            named = node.child_by_field_name("type") or node.child_by_field_name("name")
            if named is not None and node.type == "impl_item":
                inside = (*owners, _text(named))
        _push(stack, node, inside, wrapper, grammar)


def _push(
    stack: list[tuple[tree_sitter.Node, tuple[str, ...], tree_sitter.Node | None]],
    node: tree_sitter.Node,
    owners: tuple[str, ...],
    wrapper: tree_sitter.Node | None,
    grammar: Grammar,
) -> None:
    children = [
        c
        for c in node.named_children
        if c.type in grammar.functions
        or c.type in grammar.types
        or c.type in grammar.containers
        or c.type.endswith("body")
        or c.type
        in (
            "declaration_list",
            "field_declaration_list",
            "do_block",
            "block",
            "class_declarations",
            "struct_declaration",
            "enum_declaration",
            "union_declaration",
        )
    ]
    if grammar.language in ("javascript", "typescript", "tsx"):
        children = [c for c in children if c.type not in ("statement_block",)]
    outer = None
    if node.type in grammar.wrappers:
        outer = wrapper if wrapper is not None else node
    for child in reversed(children):
        kind = child.type
        if kind in grammar.functions or kind in grammar.types or kind in grammar.containers:
            stack.append((child, owners, outer))
        else:
            for inner in reversed(child.named_children):
                stack.append((inner, owners, None))


def _haskell_end(node: tree_sitter.Node, name: str) -> tree_sitter.Node:
    """The last equation that follows a signature under the same name."""
    last, following = node, node.next_named_sibling
    while following is not None and following.type in ("function", "bind") and _name(following, "haskell") == name:
        last, following = following, following.next_named_sibling
    return last


def _blank(text: str, name: str) -> str:
    return re.sub(rf"(?<![\w]){re.escape(name)}(?![\w])", "_", text)


def _file_description(source: str, language: str) -> str:
    """The description a file gives of itself at its top, or an empty string."""
    head = source.lstrip("\ufeff \n")[:6000]
    if language == "python":
        match = re.match(r"(?:#[^\n]*\n|\s)*[rRuU]?(\"\"\"|''')(.*?)\1", head, re.S)
        return first_paragraph(match.group(2)) if match else ""
    for block in re.findall(
        r"\A(?:[^\n]*<\?php[^\n]*\n|\s)*((?:/\*.*?\*/|(?:[ \t]*(?://|--|#)[^\n]*\n)+))", head, re.S
    )[:1]:
        for paragraph in re.split(r"\n[ \t]*(?:\*|//[/!]?|--|#)?[ \t]*\n", block):
            text = first_paragraph(paragraph)
            if text and is_description(text):
                return text
    return ""


def _pairs_of_file(repository: str, path: str, data: bytes, language: str) -> Iterator[Pair]:
    shown = "typescript" if language == "tsx" else language
    found = list(definitions(data, language))
    for definition in found:
        symbol = ".".join((*definition.owners, definition.name))
        text = definition.text.strip()
        if len(text) < MIN_CODE:
            continue
        query = first_paragraph(definition.documentation)
        if query and is_description(query):
            yield Pair("doc", repository, shown, query, path, symbol, text[:MAX_CODE])
        words = split_identifier(definition.name.rsplit(".", 1)[-1].rsplit("::", 1)[-1].rsplit(":", 1)[-1])
        if len(words) >= 2 and len(" ".join(words)) >= 7 and text.count("\n") >= 2:
            bare = definition.name.rsplit(".", 1)[-1].rsplit("::", 1)[-1].rsplit(":", 1)[-1]
            owner = ".".join(definition.owners)
            yield Pair("name", repository, shown, " ".join(words), path, owner, _blank(text, bare)[:MAX_CODE])
    description = _file_description(data[:8000].decode("utf-8", "replace"), language)
    if description and is_description(description) and len(found) >= 2:
        outline = "\n".join(".".join((*d.owners, d.name)) for d in found)
        yield Pair("file", repository, shown, description, path, "", outline[: MAX_CODE // 2])


def _key(text: str) -> bytes:
    return hashlib.blake2b(re.sub(r"\s+", " ", text.lower()).encode(), digest_size=8).digest()


def _sample(pairs: list[Pair], limit: int) -> list[Pair]:
    """At most `limit` of the pairs, chosen by the hash of their text so that the choice does not depend on order."""
    if len(pairs) <= limit:
        return pairs
    ranked = sorted(range(len(pairs)), key=lambda i: _key(pairs[i].path + pairs[i].symbol + pairs[i].query))
    return [pairs[i] for i in sorted(ranked[:limit])]


def mine_repository(repository: corpus.Repository, clones: Path) -> list[Pair]:
    """All pairs of one repository, deduplicated within it and cut to the limits."""
    from training.guides import guides
    from training.scenarios import scenarios

    seen: set[bytes] = set()
    pairs: dict[str, list[Pair]] = {kind: [] for kind in MAX_PAIRS_OF_A_REPOSITORY}
    for path, data in corpus.files(repository, clones, frozenset(EXTENSIONS) | {".md", ".mdx"}):
        language = EXTENSIONS.get(PurePosixPath(path).suffix, "")
        if language == "c" and path.endswith(".h") and re.search(rb"\b(?:namespace|template|class)\b\s*[\w<]", data):
            language = "cpp"
        if not language:
            found = guides(repository.repository, path, data)
        elif corpus.is_test(path):
            found = scenarios(repository.repository, path, data, language)
        else:
            found = _pairs_of_file(repository.repository, path, data, language)
        for pair in found:
            key = _key(pair.kind + pair.query + "\0" + pair.code)
            if key not in seen:
                seen.add(key)
                pairs[pair.kind].append(pair)
    return [p for kind, limit in MAX_PAIRS_OF_A_REPOSITORY.items() for p in _sample(_distinct(pairs[kind]), limit)]


def _distinct(pairs: list[Pair]) -> list[Pair]:
    """Pairs whose query occurs at most three times: boilerplate descriptions teach nothing."""
    count: dict[str, int] = {}
    kept = []
    for pair in pairs:
        count[pair.query] = count.get(pair.query, 0) + 1
        if count[pair.query] <= 3:
            kept.append(pair)
    return kept


def mine(repositories: list[corpus.Repository], clones: Path, out: Path) -> None:
    """Write OUT/OWNER+NAME.jsonl for each repository; an existing file is kept."""
    out.mkdir(parents=True, exist_ok=True)
    for repository in repositories:
        target = out / f"{repository.repository.replace('/', '+')}.jsonl"
        if "pairs" not in repository.uses or target.exists():
            continue
        pairs = mine_repository(repository, clones)
        lines = [json.dumps([p.kind, p.repository, p.language, p.query, p.path, p.symbol, p.code]) for p in pairs]
        partial = target.with_suffix(".part")
        partial.write_text("".join(line + "\n" for line in lines), "utf-8")
        partial.replace(target)
        counts = {kind: sum(p.kind == kind for p in pairs) for kind in MAX_PAIRS_OF_A_REPOSITORY}
        print(repository.repository, repository.language, counts, flush=True)
