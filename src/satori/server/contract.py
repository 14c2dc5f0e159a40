"""What a tool promises: name, description, parameters, the fields of its answer, its hints and its budget.

A contract renders to the schemas that clients see. It holds no behaviour.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from satori.server.envelope import envelope_schema
from satori.server.schema import Kind, Parameter, Schema, object_schema

ANSWER_BUDGET = 16 * 1024
LARGE_BUDGET = 48 * 1024


@dataclass(frozen=True, slots=True)
class Contract:
    """One tool's contract.

    `fields` are the answer's own properties beside the envelope's; `budget` is the largest answer in bytes of its
    text form, except that `larger` says for which arguments `LARGE_BUDGET` holds instead.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    fields: dict[str, Schema] = field(default_factory=dict)
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    budget: int = ANSWER_BUDGET

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def input_schema(self) -> Schema:
        """The JSON Schema of the arguments."""
        return object_schema(self.parameters)

    def output_schema(self) -> Schema:
        """The JSON Schema of every answer."""
        return envelope_schema(self.fields)


PATH = Parameter(
    "path",
    Kind.STRING,
    "Absolute path of the codebase, or of any directory inside it; answers are confined to that directory.",
    required=True,
    minimum=1,
    maximum=4_096,
    absolute=True,
)
