from __future__ import annotations

import pytest

from satori.facts.extract import extract_facts
from satori.navigation.references import ReferenceKind, _kind
from satori.symbols.identify import identify

PYTHON = '''\
import alpha
from pkg import alpha as other, alphabet

def alpha(alpha_x, alpha=1):
    """Docs about alpha."""
    value = alpha  # alpha again
    thing.alpha(alpha)
    return f"{alpha} alpha {alpha_x}"
'''
TYPESCRIPT = """\
import { alpha } from "./alpha";
export function alpha() { return this.alpha + beta?.alpha; }
const text = `alpha ${alpha} // alpha`;
// alpha
const spread = [...alpha];
"""
GO = 'package p\n\nimport "alpha"\n\nfunc alpha() { x.alpha(); alpha() } // alpha\n'


def kinds(language: str, source: str, name: str = "alpha") -> list[str]:
    """The kinds of every whole-identifier occurrence, in order."""
    import re

    from satori.languages.base import GrammarLanguage
    from satori.languages.registry import language_for

    data = source.encode()
    served = language_for(language)
    assert isinstance(served, GrammarLanguage)
    root = served.tools().parser.parse(data).root_node
    symbols = identify("f", extract_facts(language, data), data)
    declared = {(symbol.name_start, symbol.name_end) for symbol in symbols[1:]}
    pattern = re.compile(rb"(?<![\w$])" + name.encode() + rb"(?![\w$])")
    return [_kind(root, data, *match.span(), declared).value for match in pattern.finditer(data)]


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        (
            "python",
            PYTHON,
            "import import declaration identifier string_or_comment identifier string_or_comment member identifier "
            "identifier string_or_comment",
        ),
        (
            "typescript",
            TYPESCRIPT,
            "import string_or_comment declaration member member string_or_comment identifier string_or_comment "
            "string_or_comment identifier",
        ),
        ("go", GO, "string_or_comment declaration member identifier string_or_comment"),
    ],
)
def test_kinds_are_read_off_the_syntax_tree(language: str, source: str, expected: str) -> None:
    """Each occurrence of `alpha`, told apart by hand."""
    assert kinds(language, source) == [ReferenceKind(kind).value for kind in expected.split()]
