"""Mining: documented definitions give their description and their code without it."""

from __future__ import annotations

import pytest

from training.guides import guides
from training.mine import _pairs_of_file, definitions
from training.prose import first_paragraph, is_description, split_identifier
from training.scenarios import scenarios

SOURCES = {
    "python": 'class A:\n    def get_stored(self):\n        """Return the cached value.\n\n        More.\n        """\n'
    "        x = 1\n        return x\n",
    "typescript": "/** Return the cached value. */\nexport class Q {\n"
    "  /**\n   * Return the cached value.\n"
    "   * @returns it\n   */\n  getStored(): number {\n    const x = 1\n    return x\n  }\n}\n",
    "javascript": "// Return the cached value.\nexports.getStored = function () {\n  const x = 1\n  return x\n}\n",
    "go": "package a\n\n// Return the cached value.\n// Slowly.\n"
    "func (a *A) GetStored() int {\n\tx := 1\n\treturn x\n}\n",
    "java": "class A {\n  /** Return the cached value. */\n  @Override\n"
    "  int getStored() {\n    int x = 1;\n    return x;\n  }\n}\n",
    "csharp": "class A {\n  /// <summary>Return the cached value.</summary>\n"
    "  int GetStored() {\n    return 1;\n  }\n}\n",
    "c": "/* Return the cached value. */\nstatic int *get_stored(struct a *a)\n{\n  return 0;\n}\n",
    "cpp": "namespace a {\n/// Return the cached value.\ntemplate <class T> T A::get_stored() {\n  return 0;\n}\n}\n",
    "rust": "impl A {\n  /// Return the cached value.\n  #[inline]\n  fn get_stored(&self) -> u8 {\n    1\n  }\n}\n",
    "kotlin": "/** Return the cached value. */\nfun getStored(): Int {\n  val x = 1\n  return x\n}\n",
    "scala": "object A {\n  /** Return the cached value. */\n  def getStored: Int = {\n    1\n  }\n}\n",
    "php": "<?php\nclass A {\n  /** Return the cached value. */\n  function getStored() {\n    return 1;\n  }\n}\n",
    "ruby": "class A\n  # Return the cached value.\n  def get_stored\n    x = 1\n    x\n  end\nend\n",
    "bash": "# Return the cached value.\nget_stored() {\n  local x=1\n  echo $x\n}\n",
}


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_documented_definitions_give_pairs(language: str) -> None:
    """The description and the identifier each give a pair; neither text holds the description."""
    pairs = list(_pairs_of_file("o/r", "src/f", SOURCES[language].encode(), language))
    documented = [p for p in pairs if p.kind == "doc" and "stored" in p.symbol.lower()]
    assert any(p.query.startswith("Return the cached value") for p in documented)
    assert all("cached value" not in p.code for p in documented)
    named = [p for p in pairs if p.kind == "name" and p.query == "get stored"]
    assert named
    assert all("getstored" not in p.code.lower().replace("_", "") for p in named)


def test_owner_chains_are_kept() -> None:
    """Nested definitions carry their owners, outermost first."""
    source = b"class A:\n    class B:\n        def f(self):\n            return 1\n"
    assert [(d.owners, d.name) for d in definitions(source, "python")] == [((), "A"), (("A",), "B"), (("A", "B"), "f")]


def test_trailing_comments_document_nothing() -> None:
    """A comment behind code on the line above belongs to that line."""
    source = b"x = 1  # the number of things held\ndef f():\n    return 1\n"
    assert [d.documentation for d in definitions(source, "python")] == [""]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("/**\n * Parses {@link Foo} quickly.\n *\n * Later.\n */", "Parses Foo quickly."),
        ("// First line\n// second line.", "First line second line."),
        ('/// <summary>\n/// Gets the <see cref="T:A.B"/> of it.\n/// </summary>', "Gets the A.B of it."),
        ("-- | Fold a map\n-- to a value.", "Fold a map to a value."),
        ("Return :class:`Foo` of *x*.\n\n:param x: it", "Return Foo of *x*."),
        ("@brief Opens the file.\n@param f it", "Opens the file."),
    ],
)
def test_first_paragraph_is_cleaned(comment: str, expected: str) -> None:
    """Markers, tags and markup go; the first paragraph stays, on one line."""
    assert first_paragraph(comment) == expected


@pytest.mark.parametrize(
    "text",
    ["Copyright 2020 The Authors, all of them", "TODO make this fast again", "too short", "eslint-disable no-var x"],
)
def test_directives_and_licences_are_no_descriptions(text: str) -> None:
    """What describes nothing is rejected."""
    assert not is_description(text)


def test_identifiers_split() -> None:
    """The words of an identifier in its usual spellings."""
    assert split_identifier("parseHTTPHeader_v2") == ["parse", "http", "header", "v", "2"]


def test_tests_and_guides_give_pairs() -> None:
    """A test's description asks for its body; a guide's section asks for its sample."""
    source = (
        b'describe("cache", () => {\n  it("drops the oldest entry first", () => {\n'
        b"    expect(cache.size).toBe(1)\n  })\n})\n"
    )
    assert [(p.kind, p.query) for p in scenarios("o/r", "a.test.ts", source, "typescript")] == [
        ("test", "drops the oldest entry first")
    ]
    page = (
        b"# Streams\n\n## Reading a stream\n\nRead every chunk as it arrives.\n\n"
        b"```js\nfor await (const c of s) log(c)\n```\n"
    )
    assert [(p.kind, p.query, p.code) for p in guides("o/r", "docs/a.md", page)] == [
        ("guide", "Reading a stream. Read every chunk as it arrives.", "for await (const c of s) log(c)")
    ]
    assert not list(guides("o/r", "CHANGELOG.md", page))
