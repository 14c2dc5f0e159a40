"""Check a call's arguments against its contract, and say exactly what is wrong and what was probably meant.

The rules are those of the published JSON Schema and nothing else; a test holds the two together. It performs no I/O
and knows nothing of paths beyond their being absolute.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from satori.errors import UsageError
from satori.server.reasons import Reason
from satori.server.schema import Kind, Parameter
from satori.server.words import clip

MAX_PROBLEMS = 8

# Words that other products use for the same thing; consulted only when the tool has the parameter on the right.
_MEANT: dict[str, tuple[str, ...]] = {
    "path": (
        "project", "project_name", "project_path", "project_root", "repo", "repo_name", "repo_path", "repository",
        "repository_path", "codebase", "codebase_path", "root", "root_path", "dir", "directory", "folder", "cwd",
        "workspace", "workspace_path", "base_path", "target_directory", "index",
    ),
    "file": ("file_path", "filename", "file_name", "filepath", "relative_path", "rel_path", "target_file"),
    "query": ("q", "question", "search", "text", "term", "terms", "pattern", "keywords", "search_query", "prompt"),
    "limit": ("max_results", "top_k", "topk", "k", "n", "count", "num_results", "max", "size", "page_size"),
    "start_line": ("line", "line_start", "from", "from_line", "offset", "start", "begin_line"),
    "end_line": ("line_end", "to", "to_line", "end", "until", "last_line"),
    "handle": ("cursor", "token", "continuation", "continuation_handle", "page_token"),
    "expectedOffset": ("offset", "start", "skip", "position"),
    "open_symbol": ("symbol", "symbol_id", "symbol_name", "symbol_key", "symbol_ref"),
    "symbolRef": ("symbol", "symbol_id", "symbol_name", "function", "target", "name"),
    "sourceSymbolId": ("source", "from", "source_symbol", "from_symbol", "start"),
    "targetSymbolId": ("target", "to", "target_symbol", "to_symbol", "end"),
    "symbolId": ("id",),
    "symbolKey": ("key",),
    "symbolLabel": ("label", "name"),
    "symbolIdExact": ("symbol", "symbol_id", "symbolid", "id"),
    "symbolLabelExact": ("symbol_label", "symbollabel", "label", "name"),
    "subtree": ("subdir", "subdirectory", "area", "directory"),
    "includePaths": ("include", "include_globs", "globs", "glob"),
    "excludePaths": ("exclude", "exclude_globs", "ignore"),
    "baseRef": ("base", "ref", "branch", "commit", "base_ref", "revision"),
    "includeUntracked": ("untracked",),
    "depth": ("max_depth", "levels", "hops"),
    "maxDepth": ("depth", "max_depth", "levels", "hops"),
    "operationId": ("operation", "job", "job_id", "op_id", "id"),
    "ignorePatterns": ("ignore", "exclude", "exclude_patterns"),
    "action": ("command", "operation", "op", "mode"),
    "altTerms": ("alternatives", "synonyms", "alt_terms", "alternative_terms"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one parameter; `meant` is the parameter probably meant, or empty."""

    parameter: str
    reason: Reason
    message: str
    expected: str
    meant: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The shape that answers carry."""
        return {
            "parameter": self.parameter,
            "code": self.reason.value,
            "message": self.message,
            "expected": self.expected,
            "meant": self.meant or None,
        }


class InvalidArgumentsError(UsageError):
    """A call's arguments do not fit the tool's contract; `problems` names each parameter."""

    def __init__(self, tool: str, problems: list[Problem]) -> None:
        first = problems[0]
        more = f" ({len(problems) - 1} more problem(s) are listed.)" if len(problems) > 1 else ""
        super().__init__(first.message + more, next_step="Correct it and call again.", code=first.reason.value)
        self.tool = tool
        self.problems = problems[:MAX_PROBLEMS]


def validate(tool: str, parameters: tuple[Parameter, ...], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`arguments` with every default filled in (absent optional parameters are None).

    Raises InvalidArgumentsError, naming every offending parameter.
    """
    problems: list[Problem] = []
    checked = _check_object(parameters, arguments, "", problems)
    if problems:
        raise InvalidArgumentsError(tool, problems)
    return checked


def _check_object(
    parameters: tuple[Parameter, ...], given: Mapping[str, Any], prefix: str, problems: list[Problem]
) -> dict[str, Any]:
    known = {parameter.name: parameter for parameter in parameters}
    absent = [name for name in known if name not in given]
    for name in given:
        if name not in known:
            problems.append(_unknown(str(name), known, absent, prefix))
    checked: dict[str, Any] = {}
    for name, parameter in known.items():
        if name in given:
            checked[name] = _check_value(parameter, given[name], prefix + name, problems)
        elif parameter.required:
            problems.append(
                Problem(
                    prefix + name,
                    Reason.MISSING_PARAMETER,
                    f"The required parameter '{prefix}{name}' is missing; it takes {parameter.expects}.",
                    parameter.expects,
                )
            )
        else:
            checked[name] = parameter.default
    return checked


def _unknown(name: str, known: dict[str, Parameter], absent: list[str], prefix: str) -> Problem:
    meant = meant_parameter(name, list(known), absent)
    shown = clip(name, 60)
    if meant:
        hint = f"did you mean '{prefix}{meant}', which takes {known[meant].expects}?"
        return Problem(
            prefix + shown,
            Reason.UNKNOWN_PARAMETER,
            f"Unknown parameter '{prefix}{shown}': {hint}",
            known[meant].expects,
            prefix + meant,
        )
    expected = "only " + ", ".join(known) if known else "no parameters"
    return Problem(
        prefix + shown,
        Reason.UNKNOWN_PARAMETER,
        f"Unknown parameter '{prefix}{shown}': this takes {expected}.",
        expected,
    )


def meant_parameter(name: str, known: list[str], absent: list[str]) -> str:
    """The parameter that `name` probably stands for: preferring those not given yet; empty when none is near."""
    folded = _fold(name)
    for candidates in (absent, known):
        for candidate in candidates:
            if _fold(candidate) == folded:
                return candidate
        for candidate in candidates:
            if any(_fold(word) == folded for word in _MEANT.get(candidate, ())):
                return candidate
    near = difflib.get_close_matches(folded[:64], [_fold(candidate) for candidate in known], n=1, cutoff=0.7)
    return next((candidate for candidate in known if near and _fold(candidate) == near[0]), "")


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _check_value(parameter: Parameter, value: Any, name: str, problems: list[Problem]) -> Any:
    if parameter.kind is Kind.OBJECT:
        if isinstance(value, Mapping):
            return _check_object(parameter.fields, value, f"{name}.", problems)
        problems.append(_wrong_type(parameter, value, name))
        return None
    if parameter.kind is Kind.INTEGER:
        number = _as_integer(value)
        if number is None:
            problems.append(_wrong_type(parameter, value, name))
        elif not _within(parameter, number):
            problems.append(_invalid(parameter, str(number), name))
        return number
    if parameter.kind is Kind.BOOLEAN:
        if not isinstance(value, bool):
            problems.append(_wrong_type(parameter, value, name))
        return value
    if parameter.kind is Kind.STRINGS:
        return _check_strings(parameter, value, name, problems)
    return _check_string(parameter, value, name, problems)


def _as_integer(value: Any) -> int | None:
    """JSON has one kind of number: 5.0 is the integer 5, as JSON Schema says."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def _within(parameter: Parameter, size: int) -> bool:
    return (parameter.minimum is None or size >= parameter.minimum) and (
        parameter.maximum is None or size <= parameter.maximum
    )


def _check_strings(parameter: Parameter, value: Any, name: str, problems: list[Problem]) -> Any:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        problems.append(_wrong_type(parameter, value, name))
        return None
    if not _within(parameter, len(value)):
        problems.append(_invalid(parameter, f"{len(value)} items", name))
    too_long = next((item for item in value if len(item) > parameter.item_maximum), None)
    if too_long is not None:
        problems.append(_invalid(parameter, f"an item of {len(too_long):,} characters", name))
    return value


def _check_string(parameter: Parameter, value: Any, name: str, problems: list[Problem]) -> Any:
    if not isinstance(value, str):
        problems.append(_wrong_type(parameter, value, name))
    elif parameter.choices and value not in parameter.choices:
        near = difflib.get_close_matches(value[:64].lower(), parameter.choices, n=1, cutoff=0.6)
        problems.append(_invalid(parameter, f"'{clip(value, 60)}'", name, near[0] if near else ""))
    elif not _within(parameter, len(value)):
        problems.append(_invalid(parameter, f"{len(value):,} characters" if value else "an empty string", name))
    elif parameter.absolute and not value.startswith("/"):
        problems.append(
            Problem(
                name,
                Reason.RELATIVE_PATH,
                f"'{name}' takes an absolute path; '{clip(value, 120)}' is relative.",
                parameter.expects,
            )
        )
    elif parameter.absolute and "\x00" in value:
        problems.append(_invalid(parameter, "a path holding a NUL character", name))
    return value


def _wrong_type(parameter: Parameter, value: Any, name: str) -> Problem:
    given = _json_type(value)
    advice = "; leave it out instead" if value is None and not parameter.required else ""
    return Problem(
        name, Reason.WRONG_TYPE, f"'{name}' takes {parameter.expects}, not {given}{advice}.", parameter.expects
    )


def _invalid(parameter: Parameter, given: str, name: str, meant: str = "") -> Problem:
    hint = f" Did you mean '{meant}'?" if meant else ""
    return Problem(
        name, Reason.INVALID_VALUE, f"'{name}' takes {parameter.expects}, not {given}.{hint}", parameter.expects
    )


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list):
        return "an array" if all(isinstance(item, str) for item in value) else "an array of other things"
    return "an object"
