from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.server.reasons import Reason
from satori.server.schema import Kind, Parameter, object_schema
from satori.server.validate import InvalidArgumentsError, meant_parameter, validate

PARAMETERS = (
    Parameter("path", Kind.STRING, "p", True, minimum=1, maximum=100, absolute=True),
    Parameter("query", Kind.STRING, "q", maximum=20),
    Parameter("scope", Kind.STRING, "s", default="runtime", choices=("runtime", "mixed", "docs")),
    Parameter("limit", Kind.INTEGER, "l", default=20, minimum=1, maximum=200),
    Parameter("altTerms", Kind.STRINGS, "a", maximum=2, item_maximum=5),
    Parameter("includeUntracked", Kind.BOOLEAN, "u", default=False),
    Parameter("open_symbol", Kind.OBJECT, "o", fields=(Parameter("symbolId", Kind.STRING, "i", maximum=9),)),
)


def problems(**arguments: Any) -> list[tuple[str, Reason, str]]:
    with pytest.raises(InvalidArgumentsError) as caught:
        validate("t", PARAMETERS, arguments)
    return [(problem.parameter, problem.reason, problem.meant) for problem in caught.value.problems]


def test_defaults_are_filled_in() -> None:
    """A minimal call has every parameter: defaults, or None."""
    assert validate("t", PARAMETERS, {"path": "/r"}) == {
        "path": "/r",
        "query": None,
        "scope": "runtime",
        "limit": 20,
        "altTerms": None,
        "includeUntracked": False,
        "open_symbol": None,
    }


@pytest.mark.parametrize(
    ("given_name", "meant"),
    [
        ("project_name", "path"),
        ("repo_path", "path"),
        ("querry", "query"),
        ("alt_terms", "altTerms"),
        ("ALTTERMS", "altTerms"),
        ("top_k", "limit"),
        ("untracked", "includeUntracked"),
        ("zzzz", ""),
    ],
)
def test_a_misspelt_parameter_is_answered_with_the_one_meant(given_name: str, meant: str) -> None:
    """Near misses, other products' words and other cases all find their parameter."""
    assert problems(path="/r", **{given_name: "x"}) == [(given_name, Reason.UNKNOWN_PARAMETER, meant)]


def test_a_misspelt_required_parameter_names_both_problems() -> None:
    """The unknown one, with the one meant, and the missing one."""
    assert problems(repository="/r") == [
        ("repository", Reason.UNKNOWN_PARAMETER, "path"),
        ("path", Reason.MISSING_PARAMETER, ""),
    ]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("path", "src", Reason.RELATIVE_PATH),
        ("path", "", Reason.INVALID_VALUE),
        ("path", 7, Reason.WRONG_TYPE),
        ("path", "/a\x00b", Reason.INVALID_VALUE),
        ("limit", "5", Reason.WRONG_TYPE),
        ("limit", True, Reason.WRONG_TYPE),
        ("limit", 5.5, Reason.WRONG_TYPE),
        ("limit", None, Reason.WRONG_TYPE),
        ("limit", 0, Reason.INVALID_VALUE),
        ("limit", 201, Reason.INVALID_VALUE),
        ("scope", "everything", Reason.INVALID_VALUE),
        ("altTerms", "word", Reason.WRONG_TYPE),
        ("altTerms", ["a", 1], Reason.WRONG_TYPE),
        ("altTerms", ["a", "b", "c"], Reason.INVALID_VALUE),
        ("altTerms", ["toolong"], Reason.INVALID_VALUE),
        ("includeUntracked", "true", Reason.WRONG_TYPE),
        ("open_symbol", "s1", Reason.WRONG_TYPE),
        ("query", "x" * 21, Reason.INVALID_VALUE),
    ],
)
def test_wrong_values_name_their_parameter(name: str, value: Any, reason: Reason) -> None:
    """Every wrong type and value is refused with the parameter's own name."""
    assert problems(**{"path": "/r", name: value}) == [(name, reason, "")]


def test_a_nested_parameter_is_named_by_its_way() -> None:
    """Inside an object the name says where it is."""
    assert problems(path="/r", open_symbol={"id": "s1"}) == [
        ("open_symbol.id", Reason.UNKNOWN_PARAMETER, "open_symbol.symbolId")
    ]


def test_an_integer_may_come_as_a_whole_float() -> None:
    """JSON has one number type: 5.0 is 5."""
    assert validate("t", PARAMETERS, {"path": "/r", "limit": 5.0})["limit"] == 5


def test_meant_prefers_what_is_not_given_yet() -> None:
    """`from` with start_line given already means nothing else here."""
    assert meant_parameter("from", ["start_line", "end_line"], ["start_line", "end_line"]) == "start_line"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.floats(-3, 300) | st.text(max_size=24) | st.just("/r"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=6,
)
NAMES = st.sampled_from([parameter.name for parameter in PARAMETERS] + ["extra"])


@settings(max_examples=400)
@given(st.dictionaries(NAMES, JSON, max_size=5))
def test_the_validator_and_the_published_schema_agree(arguments: dict[str, Any]) -> None:
    """What JSON Schema accepts the validator accepts and the other way round, but for absolute paths and NUL."""
    valid = jsonschema.Draft202012Validator(object_schema(PARAMETERS)).is_valid(arguments)
    path = arguments.get("path")
    if isinstance(path, str) and (not path.startswith("/") or "\x00" in path):
        valid = False
    try:
        validate("t", PARAMETERS, arguments)
        accepted = True
    except InvalidArgumentsError:
        accepted = False
    assert accepted == valid
