"""How files are split between base and delta can change no answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.publication.background import Background
from satori.publication.segment import Segment, compact
from satori.search.index import SearchIndex
from satori.search.owners import rank_owners
from satori.search.question import read_question
from satori.search.ranking import rank_files
from satori.search.relevance import background_scale
from satori.search.signals import gather
from tests.search.sample import embedder, parts, segment, tree

QUESTIONS = ("retry the failed delivery", "parse_token", "where is the cart total", "session login password", "zzz")
OLD, NEW = parts(tree(1)), parts(tree(2))
ENCODER = embedder()


def ranked(index: SearchIndex) -> list[object]:
    """Everything an answer is made of, without numbers that depend on storage."""
    answers: list[object] = [background_scale(index, Background(ENCODER))]
    for text in QUESTIONS:
        question = read_question(text)
        evidence, signals = gather(index, question, ENCODER.encode_query(text))
        ranking = rank_files(index, question, signals, index.live_files)
        answers.append([(index.paths[f], s) for f, s in zip(ranking.files, ranking.scores, strict=True)])
        for candidate in rank_owners(index, evidence, ranking, [], 50):
            shard, at = index.locate_chunk(candidate.chunk)
            place = (int(shard.segment["chunk_start"][at]), int(shard.segment["chunk_end"][at]))
            answers.append((index.paths[candidate.file], candidate.owner, place, candidate.score))
    return answers


def whole(files: dict[str, bytes]) -> SearchIndex:
    return SearchIndex(segment(enumerate(files.values(), 1)), (), None)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_base_and_delta_rank_as_one_segment(data: st.DataObject) -> None:
    """Files of a base, some superseded, plus a delta answer exactly as one segment of the live files."""
    old = data.draw(st.lists(st.sampled_from(sorted(OLD)), unique=True, min_size=1))
    removed = set(data.draw(st.lists(st.sampled_from(old), unique=True)))
    added = data.draw(st.lists(st.sampled_from(sorted(NEW)), unique=True))
    live = {path: OLD[path] for path in old if path not in removed and path not in added}
    live.update({path: NEW[path] for path in added})
    base = segment((number, OLD[path]) for number, path in enumerate(old, 1))
    dead = {number for number, path in enumerate(old, 1) if path in removed or path in added}
    delta = segment((1000 + number, NEW[path]) for number, path in enumerate(added))
    assert ranked(SearchIndex(base, dead, delta)) == ranked(whole(live))


def test_compaction_keeps_every_answer() -> None:
    """A base written from an older base and its delta equals one that was built at once."""
    old = sorted(OLD)
    base = segment((number, OLD[path]) for number, path in enumerate(old, 1))
    delta = segment((500 + number, part) for number, part in enumerate(NEW.values()))
    merged = compact(base, {1, 2, 3}, delta)
    built = segment(
        [(number, OLD[path]) for number, path in enumerate(old, 1) if number > 3]
        + [(500 + number, part) for number, part in enumerate(NEW.values())]
    )
    assert merged.paths == built.paths
    for name, array in built.arrays.items():
        assert np.array_equal(merged[name], array), name


def test_a_saved_segment_answers_as_before(tmp_path: Path) -> None:
    """Mapping a segment from disk changes nothing."""
    built = segment(enumerate(OLD.values(), 1))
    built.save(tmp_path / "base.segment")
    loaded = Segment.load(tmp_path / "base.segment", verify=True)
    assert ranked(SearchIndex(loaded, (), None)) == ranked(SearchIndex(built, (), None))


def test_a_stored_background_equals_a_computed_one() -> None:
    """The scale kept with a base is the one that its vectors give, also after files were superseded."""
    from satori.publication.segment import build_segment

    background = Background(ENCODER)
    rows = list(enumerate(OLD.values(), 1))
    stored = build_segment(rows, 64, background)
    for dead in ((), (1, 2), tuple(range(1, 20))):
        assert background_scale(SearchIndex(stored, dead, None), background) == background_scale(
            SearchIndex(segment(rows), dead, None), background
        )


@pytest.mark.parametrize("text", QUESTIONS)
def test_an_empty_codebase_answers_nothing(text: str) -> None:
    """No files, no failure."""
    index = SearchIndex(segment([]), (), None)
    question = read_question(text)
    _, signals = gather(index, question, ENCODER.encode_query(text))
    assert not len(rank_files(index, question, signals, index.live_files).files)


def test_a_base_without_files_takes_a_delta() -> None:
    """A directory that was empty when it was indexed answers once it has files, as a fresh build of them does."""
    rows = list(enumerate((NEW[path] for path in sorted(NEW)), 1))
    grown = SearchIndex(segment([]), (), segment(rows))
    assert ranked(grown) == ranked(SearchIndex(segment(rows), (), None))
