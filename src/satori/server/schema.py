"""The parameters of a tool, declared once: JSON Schema, validation and the reference are all made from here.

Schemas stay in the subset that every client's model API accepts: plain objects, at most one level of nesting, no
references, no alternatives, every array with its items. It does not validate (see `validate`) and knows no tool.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Schema = dict[str, Any]


class Kind(StrEnum):
    """The type of a parameter, in JSON's words."""

    STRING = "string"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    STRINGS = "array"
    OBJECT = "object"

    @property
    def takes(self) -> str:
        """What a caller must send, in plain words."""
        return _TAKES[self]


_TAKES = {
    Kind.STRING: "a string",
    Kind.INTEGER: "an integer",
    Kind.BOOLEAN: "true or false",
    Kind.STRINGS: "an array of strings",
    Kind.OBJECT: "an object",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One input parameter.

    `minimum` and `maximum` bound an integer's value, a string's length in characters or an array's number of items
    (each item then being at most `item_maximum` characters). `absolute` marks a string that must be an absolute path.
    `fields` are an object's own parameters.
    """

    name: str
    kind: Kind
    description: str
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    item_maximum: int = 1_024
    absolute: bool = False
    fields: tuple[Parameter, ...] = ()

    @property
    def expects(self) -> str:
        """What a valid value looks like, in one phrase for error messages and the reference."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.absolute:
            return "an absolute path"
        if self.kind is Kind.OBJECT:
            return "an object with " + ", ".join(field.name for field in self.fields)
        if self.kind is Kind.INTEGER and self.minimum is not None:
            upper = "" if self.maximum is None else f" to {self.maximum:,}"
            return f"an integer from {self.minimum}{upper}" if upper else f"an integer of at least {self.minimum}"
        if self.kind is Kind.STRINGS and self.maximum is not None:
            return f"an array of at most {self.maximum} strings"
        if self.kind is Kind.STRING and self.maximum is not None:
            return f"a string of at most {self.maximum:,} characters"
        return self.kind.takes

    def schema(self) -> Schema:
        """This parameter as JSON Schema."""
        schema: Schema = {"type": self.kind.value, "description": self.description}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.default is not None:
            schema["default"] = self.default
        if self.kind is Kind.INTEGER:
            _bound(schema, "minimum", self.minimum)
            _bound(schema, "maximum", self.maximum)
        elif self.kind is Kind.STRING:
            _bound(schema, "minLength", self.minimum)
            _bound(schema, "maxLength", self.maximum)
        elif self.kind is Kind.STRINGS:
            schema["items"] = {"type": "string", "maxLength": self.item_maximum}
            _bound(schema, "maxItems", self.maximum)
        elif self.kind is Kind.OBJECT:
            schema.update(object_schema(self.fields))
        return schema


def object_schema(parameters: tuple[Parameter, ...]) -> Schema:
    """A closed JSON object with these properties."""
    schema: Schema = {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "additionalProperties": False,
    }
    required = [parameter.name for parameter in parameters if parameter.required]
    if required:
        schema["required"] = required
    return schema


def _bound(schema: Schema, key: str, value: int | None) -> None:
    if value is not None:
        schema[key] = value


# Parts of output schemas. Answers are described fully but never by reference, so that any validator can check them.


def record(properties: dict[str, Schema], *, optional: tuple[str, ...] = (), nullable: bool = False) -> Schema:
    """A closed object whose properties are all required but for `optional`."""
    schema: Schema = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    return or_null(schema) if nullable else schema


def counts() -> Schema:
    """An object from names to non-negative integers."""
    return {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}


def listing(items: Schema) -> Schema:
    """An array."""
    return {"type": "array", "items": items}


def text(*choices: str) -> Schema:
    """A string, of these values when any are given."""
    return {"type": "string", "enum": list(choices)} if choices else {"type": "string"}


def or_null(schema: Schema) -> Schema:
    """The same, or null; spelt as alternatives, which more clients understand than a list of types."""
    return {"anyOf": [schema, {"type": "null"}]}


def number() -> Schema:
    """A count or a position."""
    return {"type": "integer", "minimum": 0}


def flag() -> Schema:
    """True or false."""
    return {"type": "boolean"}


def anything() -> Schema:
    """An open object: its keys are named in prose."""
    return {"type": "object"}
