"""What the miner knows of each language: grammar, definitions, containers and how a documentation comment looks.

This is a table for mining training pairs, deliberately cruder than the product's own language packages: it wants many
documented definitions from any file that parses, not exact symbols. It needs tree-sitter and its grammar wheels alone.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import tree_sitter

__all__ = ["EXTENSIONS", "GRAMMARS", "Grammar", "parser"]


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: its wheel's module and entry point, and the node types the miner looks at."""

    language: str
    module: str
    functions: frozenset[str]
    types: frozenset[str]
    containers: frozenset[str]
    entry: str = "language"
    wrappers: frozenset[str] = field(default_factory=frozenset)
    """Nodes that hold exactly one definition and start where its text starts (export, decorator, template)."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCRIPT: dict[str, Any] = {
    "functions": _words(
        "function_declaration generator_function_declaration method_definition abstract_method_signature "
        "function_signature method_signature variable_declarator public_field_definition assignment_expression pair"
    ),
    "types": _words(
        "class_declaration abstract_class_declaration interface_declaration type_alias_declaration enum_declaration"
    ),
    "containers": _words(
        "program statement_block class_body interface_body internal_module module object_type lexical_declaration "
        "variable_declaration expression_statement export_statement"
    ),
    "wrappers": _words("export_statement lexical_declaration variable_declaration expression_statement"),
}
_C: dict[str, Any] = {
    "functions": _words("function_definition declaration field_declaration preproc_function_def"),
    "types": _words("class_specifier struct_specifier enum_specifier union_specifier type_definition"),
    "containers": _words(
        "translation_unit namespace_definition declaration_list linkage_specification preproc_ifdef preproc_if "
        "preproc_else field_declaration_list template_declaration"
    ),
    "wrappers": _words("template_declaration"),
}

GRAMMARS: dict[str, Grammar] = {
    g.language: g
    for g in (
        Grammar(
            "python",
            "python",
            _words("function_definition"),
            _words("class_definition"),
            _words("module block decorated_definition if_statement try_statement"),
            wrappers=_words("decorated_definition"),
        ),
        Grammar("javascript", "javascript", **_SCRIPT),
        Grammar("typescript", "typescript", entry="language_typescript", **_SCRIPT),
        Grammar("tsx", "typescript", entry="language_tsx", **_SCRIPT),
        Grammar(
            "go",
            "go",
            _words("function_declaration method_declaration"),
            _words("type_declaration"),
            _words("source_file"),
        ),
        Grammar(
            "java",
            "java",
            _words("method_declaration constructor_declaration"),
            _words(
                "class_declaration interface_declaration enum_declaration record_declaration "
                "annotation_type_declaration"
            ),
            _words("program class_body interface_body enum_body enum_body_declarations"),
        ),
        Grammar(
            "csharp",
            "c_sharp",
            _words("method_declaration constructor_declaration property_declaration delegate_declaration"),
            _words("class_declaration interface_declaration struct_declaration enum_declaration record_declaration"),
            _words("compilation_unit namespace_declaration declaration_list preproc_if"),
        ),
        Grammar("c", "c", **_C),
        Grammar("cpp", "cpp", **_C),
        Grammar(
            "rust",
            "rust",
            _words("function_item function_signature_item macro_definition"),
            _words("struct_item enum_item trait_item type_item union_item"),
            _words("source_file impl_item mod_item declaration_list"),
        ),
        Grammar(
            "scala",
            "scala",
            _words("function_definition function_declaration"),
            _words("class_definition object_definition trait_definition enum_definition"),
            _words("compilation_unit template_body package_clause with_template_body"),
        ),
        Grammar(
            "kotlin",
            "kotlin",
            _words("function_declaration"),
            _words("class_declaration object_declaration"),
            _words("source_file class_body enum_class_body companion_object ERROR"),
        ),
        Grammar(
            "php",
            "php",
            _words("function_definition method_declaration"),
            _words("class_declaration interface_declaration trait_declaration enum_declaration"),
            _words("program declaration_list namespace_definition compound_statement"),
            entry="language_php",
        ),
        Grammar(
            "ruby",
            "ruby",
            _words("method singleton_method"),
            _words("class module"),
            _words("program body_statement singleton_class"),
        ),
        Grammar(
            "swift",
            "swift",
            _words("function_declaration protocol_function_declaration init_declaration"),
            _words("class_declaration protocol_declaration"),
            _words("source_file class_body protocol_body enum_class_body"),
        ),
        Grammar("bash", "bash", _words("function_definition"), frozenset(), _words("program if_statement")),
        Grammar(
            "lua",
            "lua",
            _words("function_declaration assignment_statement"),
            frozenset(),
            _words("chunk variable_declaration"),
            wrappers=_words("variable_declaration"),
        ),
        Grammar("elixir", "elixir", _words("call"), frozenset(), _words("source do_block")),
        Grammar(
            "haskell",
            "haskell",
            _words("signature function bind"),
            _words("data_type newtype class type_synomym"),
            _words("haskell declarations class_declarations"),
        ),
        Grammar(
            "zig",
            "zig",
            _words("function_declaration"),
            _words("variable_declaration"),
            _words("source_file struct_declaration enum_declaration union_declaration"),
        ),
    )
}

EXTENSIONS: dict[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".java": "java",
    ".cs": "csharp",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hpp": "cpp",
    ".hh": "cpp",
    ".hxx": "cpp",
    ".rs": "rust",
    ".scala": "scala",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".php": "php",
    ".rb": "ruby",
    ".swift": "swift",
    ".sh": "bash",
    ".bash": "bash",
    ".lua": "lua",
    ".ex": "elixir",
    ".exs": "elixir",
    ".hs": "haskell",
    ".zig": "zig",
}


@cache
def parser(language: str) -> tree_sitter.Parser:
    """The tree-sitter parser of one language in `GRAMMARS`."""
    grammar = GRAMMARS[language]
    module = importlib.import_module(f"tree_sitter_{grammar.module}")
    return tree_sitter.Parser(tree_sitter.Language(getattr(module, grammar.entry)()))
