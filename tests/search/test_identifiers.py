"""No file that holds an identifier is ever left out of an exact scan."""

from __future__ import annotations

import re

import pytest

from satori.navigation.references import find_occurrences
from satori.publication.snapshot import Snapshot
from satori.search.engine import SearchEngine
from satori.search.identifiers import files_that_may_hold
from tests.conftest import Indexed, write_files

SLUG = "-".join(
    ["the", "answer", "is", "told", "by", "lonely_owl", "after", "much", "ado", "in", "these", "many", "words"]
)
FILES = {
    "words.py": "def lonely_owl():\n    return 1\n\n\nHTTPServer2 = lonely_owl\n",
    "slug.md": f"See {SLUG} for more.\n",
    "long.md": "x" * 90 + "-lonely_owl\n",
    "digits.txt": "a1b2c3d4e5f6g7-lonely_owl\n",
    "near.py": "lonely = 1\nowl = 2\nlonelyOwl = 3\n",
    "plain.py": "nothing = 'here'\n",
    "one_line.py": "\n".join(f"v{n} = {n}" for n in range(600)) + "\nTEXT = '" + "some lonely_owl words " * 150 + "'\n",
    "accents.py": "été_lonely = 'ünï-lonely_owl'\n",
}


@pytest.fixture
def engine(own_indexed: Indexed) -> SearchEngine:
    write_files(own_indexed.root, FILES)
    own_indexed.lifecycle().sync()
    return SearchEngine(*own_indexed.lifecycle().serve())


def holders(snapshot: Snapshot, name: str) -> set[int]:
    return {one.row.file_id for one in find_occurrences(snapshot, name, lambda path: True).occurrences}


def test_every_identifier_of_a_repository_is_found_where_a_full_scan_finds_it(engine: SearchEngine) -> None:
    """The files offered hold every occurrence, for each identifier that stands anywhere, however it is written."""
    snapshot = engine.snapshot
    data = [snapshot.content(row.file_id) for row in snapshot.files() if row.skip is None]
    names = {name.decode() for one in data for name in re.findall(rb"[A-Za-z_$][\w$]*", one)}
    assert len(names) > 400
    fewer = 0
    for name in sorted(names):
        offered = files_that_may_hold(engine.index, snapshot, name)
        if offered is not None:
            assert holders(snapshot, name) <= offered, name
            fewer += len(offered) < len(data)
    assert fewer > len(names) // 2


def test_words_that_the_postings_do_not_count_are_looked_for_all_the_same(engine: SearchEngine) -> None:
    """Joined words of many parts or letters, and lines longer than a chunk; files of other words are left out."""
    snapshot = engine.snapshot
    offered = files_that_may_hold(engine.index, snapshot, "lonely_owl")
    assert offered is not None
    paths = {row.path for row in snapshot.files() if row.file_id in offered}
    assert {"words.py", "slug.md", "long.md", "digits.txt", "one_line.py", "accents.py"} <= paths
    assert "plain.py" not in paths
    limited = find_occurrences(snapshot, "lonely_owl", lambda path: True, offered)
    assert limited == find_occurrences(snapshot, "lonely_owl", lambda path: True)


def test_names_of_which_the_postings_know_nothing(engine: SearchEngine) -> None:
    """Another script, punctuation and very long names are scanned for in every file."""
    for name in ("имя", "_", "$", "x" * 61, "a1" * 8):
        assert files_that_may_hold(engine.index, engine.snapshot, name) is None


def test_a_sync_is_followed(own_indexed: Indexed) -> None:
    """What a delta added is offered, what it replaced is not."""
    lifecycle = own_indexed.lifecycle()
    write_files(own_indexed.root, {"shop/late.py": "def quite_new_name():\n    return 1\n"})
    lifecycle.sync()
    engine = SearchEngine(*lifecycle.serve())
    offered = files_that_may_hold(engine.index, engine.snapshot, "quite_new_name")
    assert offered is not None and holders(engine.snapshot, "quite_new_name") <= offered
    assert len(holders(engine.snapshot, "quite_new_name")) == 1
