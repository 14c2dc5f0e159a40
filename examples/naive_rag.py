"""Retrieval the way everybody writes it first, in one file: the baseline that Satori has to beat.

    python examples/naive_rag.py DIR ["a question" | --failures] [-k 3]

Windows of 1,000 characters with 200 of overlap, unit vectors in a numpy array that dies with the process, a dot
product, an argsort; Satori's own embedder, so that no difference is the embedder's. It deliberately has no parser, no
names, no lasting index and no way to say "nothing here answers this": `--failures` shows what follows, on any
directory (docs/naive-baseline.md). A hit that merely quotes the question, as this file does, is left in.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from satori.embedding.registry import load_embedder

WINDOW, OVERLAP = 1_000, 200
PROSE = {".md", ".mdx", ".rst", ".txt", ".adoc", ".html", ".json"}
DEFINITION = re.compile(
    r"^([ \t]*)(?:(?:export|default|public|private|protected|static|final|abstract|async|pub(?:\(\w+\))?)[ \t]+)*"
    r"(?:def|class|func|fun|fn|function|struct|interface|trait|enum)[ \t]+(?:\([^)\n]*\) ?)?([A-Za-z_]\w{4,}\b[?!]?)"
    r"(?![#$]|[ \t]*[;*]|[ \t]+\w+[ \t]*[;,=)\[])", re.M
)  # fmt: skip
HEADING = re.compile(r"^(#{1,6})[ \t]+(\S.{4,60})$", re.M)
UNANSWERABLE = "How often should an espresso machine be descaled when the water is hard?"
PARAPHRASES = (  # a question, and what the names of its answers hold: the text says it in other words
    ("When does it lose patience and give up on something slow?", "timeout|deadline|expire"),
    ("Where is it remembered, so that it need not be worked out twice?", "cache|memoi"),
    ("How does it complain when it is given nonsense?", "error|exception|invalid|valid"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters `start` to `end` (exclusive) of one file: a window, a definition or an answer."""

    path: str
    start: int
    end: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and every place that answers it (none: nothing here does, or nobody knows)."""

    kind: str
    text: str
    answers: tuple[Passage, ...] = ()

    def answered_by(self, hit: Passage) -> bool:
        """Whether one hit holds one whole answer."""
        return any(hit.path == a.path and hit.start <= a.start and a.end <= hit.end for a in self.answers)


class NaiveRag:
    """Every text file under `root` as windows and unit vectors in memory: read once, stale from then on."""

    def __init__(self, root: Path) -> None:
        paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        raw = {path: (root / path).read_bytes() for path in paths if "/." not in f"/{path}"}
        self.documents = {path: data.decode(errors="replace") for path, data in raw.items() if b"\0" not in data}
        self.windows = [window for path, text in self.documents.items() for window in windows_of(path, text)]
        self.embedder = load_embedder()
        self.vectors = unit(self.embedder.encode_documents([self.text_of(w) for w in self.windows] or [""]))

    def text_of(self, passage: Passage) -> str:
        """Return the passage's own characters."""
        return self.documents[passage.path][passage.start : passage.end]

    def search(self, question: str, k: int) -> list[tuple[float, Passage]]:
        """Return the `k` nearest windows with their cosines, best first; always `k`, however far away they are."""
        scores = self.vectors[: len(self.windows)] @ unit(self.embedder.encode_query(question))
        return [(float(scores[i]), self.windows[i]) for i in np.argsort(-scores, kind="stable")[:k]]


def windows_of(path: str, text: str) -> list[Passage]:
    """Cut a text every 800 characters, wherever that falls."""
    starts = range(0, max(1, len(text) - OVERLAP), WINDOW - OVERLAP)
    return [Passage(path, start, min(start + WINDOW, len(text))) for start in starts]


def unit(vectors: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Return the rows as vectors of length one."""
    lengths = np.asarray(np.linalg.norm(vectors.astype(np.float32), axis=-1, keepdims=True), np.float32)
    return (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)


def definitions(documents: dict[str, str]) -> list[tuple[Passage, Passage]]:
    """Return first line and whole of what looks like a definition, or without any code like a section."""
    code = [(path, text) for path, text in documents.items() if Path(path).suffix not in PROSE]
    found = [(path, text, match) for path, text in code for match in DEFINITION.finditer(text)]
    found = found or [(path, text, match) for path, text in documents.items() for match in HEADING.finditer(text)]
    pairs = []
    for path, text, match in found:
        rank = len(match[1])  # ends where a heading of its rank does, or a line indented as little that closes nothing
        outdented = rf"^(?=[ \t]{{0,{rank}}}[^ \t\r\n])(?![ \t]{{{rank}}}(?:[{{)}}\]]|end\b))"
        stop = re.compile(rf"^#{{1,{rank}}} " if "#" in match[1] else outdented, re.M).search(text, match.end())
        ends = len(text[: match.end()] + text[match.end() :].split("\n")[0]), stop.start() if stop else len(text)
        head, whole = (Passage(path, match.start(), len(text[:end].rstrip()), match[2].strip()) for end in ends)
        pairs.append((head, whole))
    return pairs


def failure_questions(rag: NaiveRag, k: int) -> list[Question]:
    """Pick four questions; of those that the directory offers, the first that no hit answers, else the first."""
    pairs = definitions(rag.documents)
    counts = Counter(head.name for head, _ in pairs)
    unique = [(head, whole) for head, whole in pairs if counts[head.name] == 1]
    exact = [Question("exact symbol", head.name, (head,)) for head, _ in unique]
    whole = [Question("straddling", f"What does {d.name} do, from first line to last?", (d,)) for _, d in unique]
    torn = [q for q in whole if 300 < q.answers[0].end - q.answers[0].start < WINDOW]
    torn = [q for q in torn if not any(map(q.answered_by, windows_of(p := q.answers[0].path, rag.documents[p])))]
    reworded = [Question("other words", text, tuple(head for head, _ in pairs if re.search(stem, head.name.lower())))
                for text, stem in PARAPHRASES]  # fmt: skip
    reworded, chosen = [q for q in reworded if q.answers] or reworded, []
    exact, torn = exact or [Question("exact symbol", "main")], torn or [Question("straddling", "What does main do?")]
    for offered in (exact, torn, [Question("unanswerable", UNANSWERABLE)], reworded):
        misses = (q for q in offered[:200] if not any(q.answered_by(hit) for _, hit in rag.search(q.text, k)))
        chosen.append(next(misses, offered[0]))
    return chosen


def main() -> None:
    """Answer one question, or show the four failures, with rank, cosine, path:offset and the text from there on."""
    parser = argparse.ArgumentParser(description="The naive baseline: windows, vectors, a dot product, an argsort.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("question", nargs="?")
    parser.add_argument("--failures", action="store_true", help="four questions that show what it cannot do")
    parser.add_argument("-k", type=int, default=3, help="how many windows to show (3)")
    args = parser.parse_args()
    if not args.directory.is_dir() or bool(args.question) == args.failures or args.k < 1:
        parser.error("give an existing DIR and either a QUESTION or --failures; -k is at least 1")
    rag = NaiveRag(args.directory)
    for question in failure_questions(rag, args.k) if args.failures else [Question("question", args.question)]:
        places = ", ".join(f"{a.path}:{a.start}-{a.end}" for a in question.answers[:3]) or "nothing known"
        print(f"\n{question.kind}: {question.text}" + f"\n  answered by {places}" * args.failures)
        for rank, (score, hit) in enumerate(rag.search(question.text, args.k), 1):
            print(f"  {rank}  {score:.3f}  {hit.path}:{hit.start}  {rag.text_of(hit)[:72]!r}")


if __name__ == "__main__":
    main()
