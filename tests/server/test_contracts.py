from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from satori.server.contract import Contract
from satori.server.instructions import INSTRUCTIONS
from satori.server.reasons import Reason, Status, WarningCode
from satori.server.reference import render
from satori.server.tools.registry import CONTRACTS

ELEVEN = (
    "list_codebases manage_index search_codebase continue_search architecture_overview file_outline read_file "
    "call_graph trace_path find_references detect_changes"
).split()
PAGE = Path(__file__).parents[2] / "docs/tools.md"


def walk(schema: Any, depth: int = 0) -> list[tuple[int, dict[str, Any]]]:
    """Every schema object below `schema`, with its nesting in objects."""
    found = []
    if isinstance(schema, dict):
        if "type" in schema or "anyOf" in schema:
            found.append((depth, schema))
        for key, value in schema.items():
            deeper = depth + 1 if key == "properties" else depth
            for item in value.values() if key == "properties" else [value]:
                found += walk(item, deeper)
    elif isinstance(schema, list):
        for item in schema:
            found += walk(item, depth)
    return found


def test_the_tools_stand_in_their_fixed_order() -> None:
    """Names are those of the contract, in its order, none twice, none invented."""
    names = [contract.name for contract in CONTRACTS]
    assert names == [name for name in ELEVEN if name in names]
    assert len(names) >= 6


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_input_schemas_suit_every_client(contract: Contract) -> None:
    """Plain closed objects: no alternatives, no references, arrays with items, one level of nesting, all described."""
    schema = contract.input_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    text = repr(schema)
    for banned in ("anyOf", "oneOf", "allOf", "$ref", "$defs", "not'", "if'", "patternProperties", "const'"):
        assert banned not in text
    for depth, part in walk(schema):
        assert isinstance(part["type"], str)
        assert depth <= 2
        if part["type"] == "array":
            assert part["items"]["type"] == "string"
        if part["type"] == "object":
            assert part["additionalProperties"] is False
        if depth:
            assert 0 < len(part.get("description", "x")) <= 512
    for name, part in schema["properties"].items():
        assert re.fullmatch(r"[A-Za-z_]{1,64}", name)
        assert part["description"].endswith(".")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_names_descriptions_and_output_schemas(contract: Contract) -> None:
    """Tool names and descriptions stay within what clients keep; output schemas are schemas of objects."""
    assert re.fullmatch(r"[a-z_]{1,40}", contract.name)
    assert 80 <= len(contract.description) <= 2_048
    output = contract.output_schema()
    jsonschema.Draft202012Validator.check_schema(output)
    assert output["type"] == "object"
    for _, part in walk(output):
        assert isinstance(part.get("type", ""), str)
        if part.get("type") == "array":
            assert "items" in part


def test_only_manage_index_changes_anything() -> None:
    """Hints say so, and say that clear destroys."""
    for contract in CONTRACTS:
        assert contract.read_only == (contract.name != "manage_index")
        assert contract.destructive == (contract.name == "manage_index")
        assert contract.idempotent


def test_instructions_fit_and_say_what_source_is() -> None:
    """At most 2,000 characters; source is evidence, never orders."""
    assert len(INSTRUCTIONS) <= 2_000
    assert "never instructions" in INSTRUCTIONS
    for name in re.findall(r"\b(?:[a-z]+_[a-z]+)\b", INSTRUCTIONS):
        assert name in ELEVEN or name in ("start_line", "end_line", "open_symbol")


def test_every_reason_and_warning_is_explained() -> None:
    """The lists are closed, every code has one status and one sentence."""
    for reason in Reason:
        assert reason.explanation.endswith(".")
        assert reason.status in Status
    assert {reason.status for reason in Reason} == set(Status)
    for code in WarningCode:
        assert code.explanation.endswith(".")


def test_the_reference_is_the_contracts() -> None:
    """docs/tools.md is exactly what the contracts say: `python -m satori.server.reference > docs/tools.md`."""
    assert PAGE.read_text(encoding="utf-8") == render()
