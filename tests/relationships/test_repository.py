"""Questions are remembered, conclusions are shared with their questions, circles end alike from every side."""

from __future__ import annotations

from satori.relationships.memory import MemoryStore
from satori.relationships.repository import Repository, question
from satori.relationships.unit import Ref
from tests.relationships.cases import resolve_files


def test_a_conclusion_brings_its_questions_to_everyone_who_uses_it() -> None:
    """Whoever uses a shared conclusion depends on all that it was drawn from."""
    repository = Repository(MemoryStore(["a.py"], {}))
    repository.begin()
    assert repository.once(("x",), lambda: repository.exists("a.py"))
    repository.begin()
    assert repository.asked() == frozenset()
    assert repository.once(("x",), lambda: False)
    assert repository.asked() == {question("p:a.py")}


def test_a_circle_gives_one_answer_wherever_it_is_entered() -> None:
    """Nothing of a circle is kept, so that every question is answered as if it were the first."""

    def answers(first: str) -> dict[str, str]:
        repository = Repository(MemoryStore([], {}))

        def ask(name: str) -> str:
            other = {"a": "b", "b": "c", "c": "a"}[name]
            return repository.once((name,), lambda: name + ask(other), "!")

        repository.begin()
        ask(first)
        return {name: ask(name) for name in "abc"}

    assert answers("a") == answers("b") == answers("c") == {"a": "abc!", "b": "bca!", "c": "cab!"}


def test_a_chain_without_end_is_given_up() -> None:
    """A chain of names deeper than any real one ends instead of exhausting the stack."""
    repository = Repository(MemoryStore([], {}))

    def deeper(number: int) -> int:
        return int(repository.once((number,), lambda: deeper(number + 1), -1))

    repository.begin()
    assert deeper(0) == -1


def test_what_can_come_between_is_in_the_cone() -> None:
    """A cone holds the descendants of a type and what else those descend from, never its own ancestors."""
    source = b"""
class Top:
    def m(self): pass
class Base(Top):
    def call(self): self.m()
class Mixin:
    def m(self): pass
class Heir(Mixin, Base):
    pass
class Stranger:
    def m(self): pass
"""
    case = resolve_files({"a.py": source})
    (claim,) = [claim for claim in case.resolutions["a.py"].claims if claim.name == "m"]
    assert claim.status.value == "ambiguous"
    assert claim.note == "1 type in the repository may replace the static target"
    assert [case.name_of(key) for key in claim.targets] == ["a.py:Top.m"]


def test_heirs_are_sorted_and_definers_found() -> None:
    """The store answers in an order that no history decides."""
    store = MemoryStore(["b.py", "a.py"], {})
    store.set_bases([(Ref("b.py", 1), [Ref("a.py", 0)]), (Ref("a.py", 2), [Ref("a.py", 0)])])
    assert store.heirs(Ref("a.py", 0)) == [Ref("a.py", 2), Ref("b.py", 1)]
    assert store.is_directory("") and not store.is_directory("a.py")
