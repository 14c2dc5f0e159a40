"""go.mod and go.work: the module, its blocks, and the directories that stand in for modules."""

from __future__ import annotations

from satori.facts.extract import extract_facts


def test_a_module_file_says_its_name_and_its_replacements() -> None:
    """Versions and comments are no names; only a replacement by a directory says where a module lies."""
    facts = extract_facts(
        "gomod",
        b"// first\nmodule example.org/app // here\n\ngo 1.19\n\nrequire (\n\tx.y/z v1.2.3 // indirect\n)\n\n"
        b"replace x.y/z v1.2.3 => ./local/z\n\nreplace (\n\tq.r/s => ../t\n\tu.v/w => other.org/w v1.0.0\n)\n",
    )
    assert [(item.kind.value, item.name) for item in facts.definitions] == [
        ("module", "example.org/app"),
        ("section", "require"),
        ("section", "replace"),
    ]
    assert facts.references is not None
    assert facts.references.package == "example.org/app"
    found = [(item.name, item.alias, item.module) for item in facts.references.imports]
    assert found == [("replace", "x.y/z", "./local/z"), ("replace", "q.r/s", "../t")]


def test_a_workspace_names_directories() -> None:
    """One by one or in a block."""
    facts = extract_facts("gomod", b"go 1.19\n\nuse ./a\n\nuse (\n\t./b // second\n\t./c\n)\n")
    assert facts.references is not None
    assert [(item.name, item.module) for item in facts.references.imports] == [
        ("use", "./a"),
        ("use", "./b"),
        ("use", "./c"),
    ]


def test_other_bytes_say_nothing() -> None:
    """A file that is no module file gives no names and no failure."""
    facts = extract_facts("gomod", b"\xff\xfe(((\nmodule\n=> =>\n")
    assert not facts.problem
    assert facts.references is not None
    assert facts.references.package == ""
