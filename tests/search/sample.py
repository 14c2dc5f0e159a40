"""A small multi-language tree and a small real embedder for tests of search."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

import numpy as np

from satori.embedding.static import StaticEmbedder, TokenTable
from satori.embedding.tokens import Tokenizer
from satori.publication.analysis import analyse_file
from satori.publication.segment import Segment, build_segment
from satori.source.filetypes import classify

WORDS = """
retry policy delay attempt queue worker deliver failed schedule parse token header request response
client server cache evict store load save user account password login session render template page
list item price total order cart checkout payment invoice test example config setting read write
file path open close connect socket error
""".split()


def embedder() -> StaticEmbedder:
    """The shipped encoder over a table of random vectors for `WORDS`."""
    values = np.random.default_rng(7).integers(-127, 128, (len(WORDS), 64)).astype(np.int8)
    return StaticEmbedder("sample@0", TokenTable(values, np.full(len(WORDS), 1000)), Tokenizer(WORDS))


def tree(seed: int = 1, size: int = 24) -> dict[str, str]:
    """Files of functions and classes whose names and bodies come from `WORDS`."""
    draw = random.Random(seed)
    files: dict[str, str] = {}
    for number in range(size):
        names = draw.sample(WORDS, 3)
        where = draw.choice(["src", "src/net", "src/shop", "tests", "docs"])
        if where == "docs":
            files[f"docs/{names[0]}{number}.md"] = f"# {names[0]}\n\nHow to {names[1]} the {names[2]}.\n"
            continue
        body = "".join(
            f"def {a}_{b}({c}):\n    # {c} then {a}\n    return {b}({c}, {n})\n\n\n"
            for n in range(draw.randint(1, 9))
            for a, b, c in [draw.sample(WORDS, 3)]
        )
        files[f"{where}/{names[0]}_{names[1]}{number}.py"] = body + f"class {names[2].title()}Thing:\n    x = 1\n"
    return files


def parts(files: Mapping[str, str]) -> dict[str, bytes]:
    """Each file's packed share of a segment."""
    encoder = embedder()
    packed = {}
    for path, text in files.items():
        data = text.encode()
        kind = classify(path, data)
        packed[path] = analyse_file(path, kind.language, kind.category.value, data, embedder=encoder).part
    return packed


def segment(rows: Iterable[tuple[int, bytes]]) -> Segment:
    """A segment of given file ids and parts."""
    return build_segment(list(rows), 64)
