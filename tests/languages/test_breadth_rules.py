"""What single languages of the breadth do with constructs that a generic reader gets wrong."""

from __future__ import annotations

import pytest

from satori.facts.extract import extract_facts
from satori.model.definition import Definition, DefinitionFlag, FileFacts, SymbolKind


def read(language: str, source: str) -> FileFacts:
    """Facts of a well-formed source text."""
    facts = extract_facts(language, source.encode())
    assert not facts.problem
    return facts


def named(facts: FileFacts, qualified_name: str) -> Definition:
    """The one definition of that qualified name."""
    (found,) = [each for each in facts.definitions if each.qualified_name == qualified_name]
    return found


def text(source: str, definition: Definition) -> str:
    """The definition's own source."""
    return source.encode()[definition.span.start : definition.span.end].decode()


@pytest.mark.parametrize(
    ("language", "source", "name", "documentation"),
    [
        ("ruby", "class A\n  # Adds one.\n  #\n  # Twice.\n  def add(x); end\nend\n", "A.add", "Adds one.\n\nTwice."),
        ("swift", "/// Moves.\n@objc func move() {}\n", "move", "Moves."),
        ("lua", "--- Adds.\n-- @param a number\nfunction M.add(a) end\n", "M.add", "Adds."),
        (
            "elixir",
            'defmodule A do\n  @doc """\n  Adds.\n  """\n  @spec f(t) :: t\n  def f(x), do: x\nend\n',
            "A.f",
            "Adds.",
        ),
        ("elixir", 'defmodule A do\n  @moduledoc "All."\n  def f, do: 1\nend\n', "A", "All."),
        ("haskell", "module M where\n-- | Doubles.\nf :: Int -> Int\nf x = 2 * x\n", "M.f", "Doubles."),
        ("ocaml", "(** Doubles. *)\nlet f x = 2 * x\n", "f", "Doubles."),
        ("zig", "/// Adds.\npub fn add() void {}\n", "add", "Adds."),
        ("julia", '"""\n    f(x)\n\nDoubles.\n"""\nf(x) = 2x\n', "f", "f(x)\n\nDoubles."),
        ("r", "#' Doubles\n#'\n#' @export\nf <- function(x) 2 * x\n", "f", "Doubles\n\n@export"),
        ("proto", "// A user.\nmessage User {\n  // The id.\n  int64 id = 1;\n}\n", "User.id", "The id."),
        ("graphql", '"""A user."""\ntype User {\n  "The id"\n  id: ID\n}\n', "User.id", "The id"),
        ("sql", "-- People.\nCREATE TABLE people (id int);\n", "people", "People."),
        ("make", "# Builds it.\nall:\n\tcc x.c\n", "all", "Builds it."),
        ("dockerfile", "# The builder.\nFROM go AS build\n", "build", "The builder."),
        ("cmake", "# Adds it.\nfunction(add_it name)\nendfunction()\n", "add_it", "Adds it."),
        ("hcl", '# The net.\nresource "aws_vpc" "main" {\n}\n', "aws_vpc.main", "The net."),
        ("yaml", "# What runs.\njobs:\n  a: 1\n", "jobs", "What runs."),
        ("erlang", "-module(m).\n%% @doc Doubles.\n-spec f(T) -> T.\nf(X) -> X.\n", "m.f", "@doc Doubles."),
        ("perl", "package P;\n# Makes one.\nsub new { }\n", "P.new", "Makes one."),
        ("dart", "/// Adds.\n@override\nint add(int a) => a;\n", "add", "Adds."),
        ("objc", "/** Loads. */\n- (void)load;\n", "", ""),
        ("bash", "# Says it.\nsay() { echo; }\n", "say", "Says it."),
        ("css", "/* Buttons. */\n.btn { color: red }\n", ".btn", "Buttons."),
    ],
)
def test_the_comment_above_documents_and_belongs_to_the_span(
    language: str, source: str, name: str, documentation: str
) -> None:
    """Comments, doc attributes and docstrings directly above a definition are its documentation and in its span."""
    facts = read(language, source)
    if not name:
        assert facts.definitions == ()
        return
    definition = named(facts, name)
    assert definition.documentation.startswith(documentation)
    assert documentation.splitlines()[0] in text(source, definition)


@pytest.mark.parametrize(
    ("language", "source", "name", "first", "last"),
    [
        ("haskell", "module M where\nf :: Int -> Int\nf 0 = 1\n-- rest\nf n = n\n\ng = 1\n", "M.f", 2, 5),
        ("elixir", "defmodule A do\n  def f(0), do: 1\n  def f(n), do: n\nend\n", "A.f", 2, 3),
        ("erlang", "-module(m).\nf(0) -> 1;\nf(N) -> N.\n", "m.f", 2, 3),
    ],
)
def test_clauses_of_one_function_are_one_symbol(language: str, source: str, name: str, first: int, last: int) -> None:
    """Equations and clauses that follow one another make one definition, whole."""
    span = named(read(language, source), name).span
    assert (span.start_line, span.end_line) == (first, last)


def test_clauses_of_different_arity_or_apart_are_different_symbols() -> None:
    """`f/1` and `f/2` are two functions; so are clauses with another function between."""
    source = "defmodule A do\n  def f(a), do: a\n  def f(a, b), do: a + b\n  def g, do: 1\n  def f(a), do: a\nend\n"
    assert [each.name for each in read("elixir", source).definitions] == ["A", "f", "f", "g", "f"]


def test_ruby_visibility_and_struct_classes() -> None:
    """`private` hides what follows it and nothing outside its body; `Struct.new` makes a struct with methods."""
    source = (
        "class A\n  private\n  def a; end\n  public def b; end\nend\n"
        "class B\n  def c; end\n  private def d; end\nend\nP = Struct.new(:x) do\n  def e; end\nend\n"
    )
    facts = read("ruby", source)
    visible = {each.name for each in facts.definitions if each.flags & DefinitionFlag.EXPORTED}
    assert visible == {"A", "b", "B", "c", "P", "e"}
    assert named(facts, "P").kind is SymbolKind.STRUCT
    assert text(source, named(facts, "B.d")) == "private def d; end"


def test_objective_c_selectors_and_ns_enum() -> None:
    """A method is called by its whole selector; an NS_ENUM is an enum with its values."""
    source = (
        "typedef NS_ENUM(NSInteger, Mode) {\n    ModeA = 1, // first\n    ModeB,\n};\n"
        "@implementation A\n- (void)put:(id)x forKey:(id)k API_AVAILABLE(ios(10)) {\n"
        "#if X\n    f(\n#else\n    g(\n#endif\n"
        "    1);\n}\n@end\n"
    )
    facts = read("objc", source)
    assert [each.qualified_name for each in facts.definitions] == [
        "Mode",
        "Mode.ModeA",
        "Mode.ModeB",
        "A",
        "A.put:forKey:",
    ]
    assert not facts.error_ranges


def test_sql_bodies_delimiters_and_dialects() -> None:
    """A statement ends where its dialect ends it: dollar quotes, BEGIN ... END, DELIMITER, GO, psql commands."""
    source = (
        "\\echo run me\n"
        "CREATE FUNCTION a() RETURNS int AS $body$ BEGIN; CREATE TABLE no (x int); END; $body$ LANGUAGE plpgsql;\n"
        "CREATE TRIGGER b AFTER INSERT ON t BEGIN UPDATE t SET x = CASE WHEN 1 THEN 2 END; DELETE FROM u; END;\n"
        "DELIMITER //\nCREATE PROCEDURE c() BEGIN SELECT 1; END //\nDELIMITER ;\n"
        "CREATE TABLE [dbo].[d] ([id] int, name text DEFAULT 'a;b', PRIMARY KEY (id))\nGO\n"
        "create or replace view `e` as select ';';\n"
        "COPY t FROM stdin;\n1\tit's\n\\.\n"
        "CREATE OPERATOR CLASS f DEFAULT FOR TYPE g USING btree AS STORAGE h;\n"
        "-- name: GetUser :one\nSELECT * FROM users WHERE id = $1;\n"
    )
    facts = read("sql", source)
    assert [(str(each.kind), each.qualified_name) for each in facts.definitions] == [
        ("function", "a"),
        ("function", "b"),
        ("function", "c"),
        ("struct", "dbo.d"),
        ("property", "dbo.d.id"),
        ("property", "dbo.d.name"),
        ("struct", "e"),
        ("function", "GetUser"),
    ]
    assert text(source, named(facts, "b")).endswith("END;")


def test_dockerfile_continuations_and_here_documents() -> None:
    """`FROM` inside a here-document or after a continuation comment starts no stage."""
    source = (
        "FROM a AS one\nRUN x \\\n# FROM no\n    && y\nRUN <<EOF\nFROM no\nEOF\n"
        "\n# The end.\nFROM one AS two\nENV A=1 \\\n  B=2\n"
    )
    facts = read("dockerfile", source)
    assert [each.qualified_name for each in facts.definitions] == ["one", "two", "two.A", "two.B"]
    assert text(source, named(facts, "one")).endswith("EOF")


def test_make_reads_rules_not_assignments_or_calls() -> None:
    """Target-specific variables, special targets and function calls are not targets; recipes belong to theirs."""
    source = ".PHONY: a\n$(info hello: x)\na b: c ## help\n\tcc $<\nifdef X\n\tld\nendif\n\na: V = 1\nV += 2\nurl := http://x\n"
    facts = read("make", source)
    assert [(each.name, each.span.end_line) for each in facts.definitions] == [("a", 6), ("b", 3), ("url", 11)]


def test_markdown_ignores_headings_that_are_not() -> None:
    """Fences, front matter, lists and comments hold no headings; setext headings count."""
    source = "---\ntitle: x\n# no\n---\n\nA\n=\n\n```sh\n# no\n```\n\n- # no\n\nB\n-\n\n<!--\n# no\n-->\n"
    assert [each.qualified_name for each in read("markdown", source).definitions] == ["A", "A.B"]


def test_rst_ranks_styles_in_order_of_appearance() -> None:
    """Overlined titles are a style of their own; literal blocks, tables and transitions are no titles."""
    source = (
        "===\nTop\n===\n\nOne\n---\n\ntext::\n\n   code\n   ----\n\n"
        "Two\n~~~\n\n----\n\n== ==\na  b\n== ==\n\nThree\n-----\n"
    )
    assert [each.qualified_name for each in read("rst", source).definitions] == [
        "Top",
        "Top.One",
        "Top.One.Two",
        "Top.Three",
    ]


@pytest.mark.parametrize("language", ["vue", "svelte", "astro"])
def test_scripts_keep_the_spans_of_the_containing_file(language: str) -> None:
    """A definition in a script is the exact bytes of the component file, and knows its lines there."""
    source = (
        '<h1 title=\'<b>\'>é \N{GRINNING FACE}</h1>\n<script lang="ts" generic="T extends Foo<X>">\n'
        "/** Adds. */\nexport function add(a: number): number {\n  return a\n}\n</script>\n"
        '<script type="application/json">{"function no() {}": 1}</script>\n<style>.a { color: red }</style>\n'
    )
    facts = read(language, source)
    (definition,) = facts.definitions
    assert facts.language == language
    assert text(source, definition).startswith("export function add") or text(source, definition).startswith(
        "/** Adds."
    )
    assert (definition.span.end_line, definition.documentation) == (6, "Adds.")


def test_a_component_without_script_has_no_symbols_and_no_problem() -> None:
    """Markup alone is text."""
    facts = read("vue", "<template><p>hello</p></template>\n")
    assert facts.definitions == ()
    assert facts.parsed


def test_notebook_cells_map_escapes_back_to_the_file() -> None:
    """What a code cell defines has the file's bytes as span, and the code's own name and signature."""
    source = (
        '{"cells": [{"cell_type": "code", "source": ["%matplotlib inline\\n", "def f(\\n",'
        ' "    a=\\"\\u00e9\\t\\",\\n", "):\\n", "    \\"\\"\\"Doubles.\\"\\"\\"\\n", "    return a"]},'
        ' {"cell_type": "raw", "source": ""}]}'
    )
    facts = read("notebook", source)
    cell, function, *rest = facts.definitions
    assert (cell.kind, cell.name, function.parent, rest) == (SymbolKind.SECTION, "matplotlib inline", 0, [])
    assert (function.name, function.documentation) == ("f", "Doubles.")
    assert function.signature.startswith("def f(")
    assert text(source, function).startswith("def f(")
    assert text(source, function).endswith("return a")


def test_yaml_names_list_items_and_json_skips_small_keys() -> None:
    """A playbook's plays are named; second-level keys are symbols only when there is something in them."""
    plays = read("yaml", "- name: install\n  hosts: all\n- hosts: none\n- name: 'run it'\n  x: 1\n")
    assert [each.name for each in plays.definitions] == ["install", "run it"]
    keys = read("json", '{"a": {"b": 1, "c": {\n"d": 1}}, "e f": [1]}\n')
    assert [each.qualified_name for each in keys.definitions] == ["a", "a.c", "e f"]


def test_html_headings_nest_by_rank_and_lose_their_tags() -> None:
    """A section reaches to the next heading of its rank."""
    facts = read("html", "<body><h1>A <i>b</i></h1><div><h2>C</h2><p>x</p></div><h2>D</h2><h1>E</h1></body>")
    assert [each.qualified_name for each in facts.definitions] == ["A b", "A b.C", "A b.D", "E"]


def test_ocaml_interfaces_are_read_by_their_own_grammar() -> None:
    """`val f : int` is a declaration in an interface and an error in an implementation."""
    facts = read("ocaml", "val f : int -> int\nmodule M : sig\n  type t\nend\n")
    assert [each.qualified_name for each in facts.definitions] == ["f", "M", "M.t"]
    assert named(facts, "f").flags & DefinitionFlag.DECLARATION_ONLY


def test_bats_tests_are_symbols() -> None:
    """`@test` is not shell, but a test."""
    facts = read("bash", '@test "it\'s fine" {\n  run x\n  [ 1 ]\n}\n\nhelper() {\n  :\n}\n')
    assert [(str(each.kind), each.name) for each in facts.definitions] == [
        ("test", "it's fine"),
        ("function", "helper"),
    ]


def test_swift_conditional_members_count() -> None:
    """Members inside `#if` belong to their type, in every branch."""
    facts = read(
        "swift", "class A {\n#if os(iOS)\n    func a() {}\n#else\n    func b() {}\n#endif\n    func c() {}\n}\n"
    )
    assert [each.qualified_name for each in facts.definitions] == ["A", "A.a", "A.b", "A.c"]
    assert not facts.error_ranges


def test_perl_code_ends_at_end_and_packages_hold_theirs() -> None:
    """What follows `__END__` is not code; a package statement holds to the next one."""
    facts = read("perl", "package A;\nsub a { }\npackage B::C {\n  sub b { }\n}\nsub B::C::d { }\n__END__\nsub e { }\n")
    assert [each.qualified_name for each in facts.definitions] == ["A", "A.a", "B.C", "B.C.b", "B.C.d"]
