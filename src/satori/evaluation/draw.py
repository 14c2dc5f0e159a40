"""Questions drawn from a directory itself, with a fixed seed: nobody has to label anything.

Unique symbols (one pattern over the text, independent of Satori's parsers, so that neither engine marks its own work),
definitions that no window of the baseline holds whole, and foreign questions. A drawn set says less than a written one:
it tests that a name finds its definition, that an answer comes whole, and that an engine can say no.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from satori.evaluation.baseline import Passage, load_baseline
from satori.evaluation.engine import NaiveEngine
from satori.evaluation.foreign import foreign_to
from satori.evaluation.question import Question, QuestionKind, QuestionSet, Target

SEED = 20_241_130
_SHORTEST, _LONGEST = 300, 1_000
# Types, constants and variables by keyword; fields, properties and assignments at the start of a line; PHP's properties
# and Ruby's accessors.
_OTHER = re.compile(
    r"\b(?:type|const|let|var|val|object|module|namespace|typedef|macro_rules!|defp|defmacrop?)[ \t]+(\w+)"
    r"|^[ \t]*(\w+)[?]?[ \t]*[:=](?!=)"
    r"|\b(?:public|protected|private|static|readonly)[ \t]+(?:[?\w|\\]+[ \t]+)?\$(\w+)"
    r"|\b[cm]?attr_\w+[ \t]+:(\w+)",
    re.MULTILINE,
)
_PROSE = frozenset({".md", ".mdx", ".rst", ".txt", ".adoc", ".html"})


def draw_set(
    engine: NaiveEngine, name: str, symbols: int, straddling: int, foreign: int, seed: int = SEED
) -> QuestionSet:
    """Draw up to so many questions of each kind from the baseline's texts.

    `straddling` are definitions of 300 to 1,000 characters, which would fit into one window had a window begun there.
    """
    documents = engine.rag.documents
    chance = random.Random(seed)  # noqa: S311  (drawing questions; nothing secret)
    pairs = _definitions(documents)
    counts = Counter(head.name for head, _ in pairs) + Counter(_other_definitions(documents))
    unique = [(head, whole) for head, whole in pairs if counts[head.name] == 1]
    torn = [whole for _, whole in unique if _SHORTEST < whole.end - whole.start < _LONGEST and _is_torn(engine, whole)]
    heads = chance.sample([head for head, _ in unique], min(symbols, len(unique)))
    bodies = chance.sample(torn, min(straddling, len(torn)))
    strangers = foreign_to(documents.values())
    strangers = chance.sample(strangers, min(foreign, len(strangers)))
    questions = [Question(head.name, QuestionKind.SYMBOL, _target(engine, head)) for head in heads]
    for body in bodies:
        query = f"What does {body.name} do, from its first line to its last?"
        questions.append(Question(query, QuestionKind.STRADDLING, _target(engine, body)))
    questions += [Question(query, QuestionKind.UNANSWERABLE) for query in strangers]
    prose = all(Path(head.path).suffix in _PROSE for head, _ in pairs)
    return QuestionSet(name, tuple(questions), scope="docs" if prose else "runtime")


def _definitions(documents: Mapping[str, str]) -> list[tuple[Passage, Passage]]:
    """Return what the pattern finds outside triple quotes; of Python only what CPython's own parser agrees with."""
    pairs = load_baseline().definitions(dict(documents))
    lines = {
        path: _python_names(documents[path]) for path in {head.path for head, _ in pairs if head.path.endswith(".py")}
    }

    def agreed(head: Passage) -> bool:
        text = documents[head.path]
        if head.path in lines:
            return (head.name, text.count("\n", 0, head.start) + 1) in lines[head.path]
        return text.count('"""', 0, head.start) % 2 == 0

    return [pair for pair in pairs if agreed(pair[0])]


def _other_definitions(documents: Mapping[str, str]) -> Iterator[str]:
    """Yield names defined in a way that the pattern does not know: a name that has another definition is not unique."""
    for path, text in documents.items():
        if Path(path).suffix not in _PROSE:
            yield from (match[match.lastindex or 0] for match in _OTHER.finditer(text))


def _python_names(text: str) -> frozenset[tuple[str, int]]:
    """Return name and line of every definition in a Python text; none when it does not parse."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return frozenset()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset((node.name, node.lineno) for node in nodes if isinstance(node, kinds))


def _target(engine: NaiveEngine, passage: Passage) -> Target:
    lines = engine.lines_of(passage)
    return Target(passage.path, lines.start_line, lines.end_line, passage.name)


def _is_torn(engine: NaiveEngine, whole: Passage) -> bool:
    """Whether no window holds the passage, counting a line that a window cuts as held."""
    wanted = engine.lines_of(whole)
    windows = load_baseline().windows_of(whole.path, engine.rag.documents[whole.path])
    near = (engine.lines_of(window) for window in windows if window.start <= whole.end and whole.start <= window.end)
    return not any(lines.start_line <= wanted.start_line and wanted.end_line <= lines.end_line for lines in near)
