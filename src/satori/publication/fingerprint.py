"""The fingerprint: ten fields that decide whether a Publication can be read by this runtime.

Equality is strict; a difference is reported field by field with both values. It does not say what to do about one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One differing field: the Publication's value and this runtime's."""

    field: str
    published: str
    runtime: str

    def __str__(self) -> str:
        return f"{self.field} is {self.published} in the Publication and {self.runtime} in this runtime"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """All values as text, so that a comparison can never depend on a number's type."""

    embedding_provider: str
    embedding_model: str
    embedding_dimension: str
    vector_store_provider: str
    schema_version: str
    parser_version: str
    extractor_version: str
    relationship_version: str
    embedding_projection_version: str
    lexical_projection_version: str

    def document(self) -> dict[str, str]:
        """The ten fields under the names that tools answer with, in their fixed order."""
        return {_camel(name): value for name, value in asdict(self).items()}

    @classmethod
    def from_document(cls, document: dict[str, str]) -> Fingerprint:
        """The inverse of `document`; a missing field reads as empty text, which equals nothing."""
        return cls(**{field.name: str(document.get(_camel(field.name), "")) for field in fields(cls)})

    def differences(self, runtime: Fingerprint) -> tuple[FieldDifference, ...]:
        """Every field in which this Publication differs from `runtime`, in the fixed order."""
        mine, theirs = self.document(), runtime.document()
        return tuple(FieldDifference(name, mine[name], theirs[name]) for name in mine if mine[name] != theirs[name])


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def runtime_fingerprint(provider: str, model: str, dimension: int) -> Fingerprint:
    """What this runtime would publish with the given embedder."""
    from satori.chunks.versions import EMBEDDING_PROJECTION_VERSION, LEXICAL_PROJECTION_VERSION
    from satori.facts.versions import EXTRACTOR_VERSION, PARSER_VERSION
    from satori.publication.stores import provider_of
    from satori.publication.versions import SCHEMA_VERSION
    from satori.relationships.versions import RELATIONSHIP_VERSION
    from satori.settings.file import current

    return Fingerprint(
        embedding_provider=provider,
        embedding_model=model,
        embedding_dimension=str(dimension),
        vector_store_provider=provider_of(current().store),
        schema_version=str(SCHEMA_VERSION),
        parser_version=str(PARSER_VERSION),
        extractor_version=str(EXTRACTOR_VERSION),
        relationship_version=str(RELATIONSHIP_VERSION),
        embedding_projection_version=str(EMBEDDING_PROJECTION_VERSION),
        lexical_projection_version=str(LEXICAL_PROJECTION_VERSION),
    )
