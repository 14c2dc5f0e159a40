from __future__ import annotations

from satori.evaluation.foreign import FOREIGN, foreign_to


def test_a_question_whose_words_occur_is_left_out() -> None:
    """A tree about puppies may answer the puppy question; every other one stays, in order."""
    kept = foreign_to(["def f(): pass", "class PUPPY: ..."])
    assert len(kept) == len(FOREIGN) - 1
    assert not any("puppy" in query for query in kept)
    assert kept == [query for query, _ in FOREIGN if query in kept]


def test_every_question_has_telling_words_in_lower_case_and_stands_once() -> None:
    """The check lowers the text, so the words have to be low already."""
    queries = [query for query, _ in FOREIGN]
    assert len(set(queries)) == len(queries) >= 50
    assert all(words and all(word == word.lower() and word for word in words) for _, words in FOREIGN)
