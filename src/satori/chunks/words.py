"""From source text and questions to terms.

A word is an identifier or a run of letters and digits. It yields the stems of its camelCase, snake_case, kebab-case
and digit parts and, when it has several parts, the whole identifier with separators removed and case folded, so that
`getUserName`, `get_user_name` and `get-user-name` share one whole. Scripts without spaces yield character pairs.
The same functions read documents and questions; nothing here weighs or counts.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

from satori.chunks.stem import stem

WORD = re.compile(r"\w+(?:-[A-Za-z]\w*)*")
_PART = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+"  # ASCII identifiers
    r"|[^\W\d_A-Za-z]+"  # letters of other scripts
)
# Noise such as base64 has words of any length; no identifier anybody asks for is longer than this.
_LONGEST_WORD = 80
_MOST_PARTS = 12
_PLAIN: dict[str, str] = {}
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")

# English words that carry no topic in a question about code.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but
    by can cannot could did do does doing done down during each either else ever every few find for from further get
    gets give go goes had has have having he her here hers him his how i if in into is it its itself just kind know let
    like look many may me might more most much must my need no nor not of off on once one only onto or other our out
    over own per please same shall she should show so some such tell than that the their them then there these they
    thing this those through to too under until up upon us use used uses using very via want was way we were what when
    where whether which while who whom whose why will with within without would you your code codebase repository
    implemented implementation defined responsible happen happens work works handled""".split()
)


@lru_cache(maxsize=1 << 17)
def parts_of(word: str) -> tuple[str, ...]:
    """The lower-case parts of one word, unstemmed: `HTTPServer2` gives http, server, 2."""
    if not word.isascii():
        word = _unaccented(word)
    found: list[str] = []
    for part in _PART.findall(word)[:_MOST_PARTS]:
        lower = part.casefold()
        if _UNSPACED.search(lower) and len(lower) > 2:
            found.extend(lower[i : i + 2] for i in range(len(lower) - 1))
        else:
            found.append(lower)
    return tuple(found)


def _unaccented(word: str) -> str:
    """Letters with accents become their ASCII letter; letters of other scripts stay whole."""
    return "".join(_PLAIN.get(c) or _PLAIN.setdefault(c, _plain(c)) for c in word)


def _plain(character: str) -> str:
    base = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    folded = character.casefold()
    return base if base.isascii() and base else folded if folded.isascii() else character


@lru_cache(maxsize=1 << 18)
def terms_of(word: str) -> tuple[str, ...]:
    """The terms of one word: stems of its parts, then the whole when there are several parts."""
    if len(word) > _LONGEST_WORD:
        return ()
    parts = parts_of(word)
    stems = tuple(stem(part) for part in parts)
    if len(parts) > 1 and word.isascii():
        return (*stems, "=" + "".join(parts))
    return stems


@lru_cache(maxsize=1 << 18)
def hashes_of(word: str) -> tuple[int, ...]:
    """`terms_of(word)` as 64-bit hashes, for postings."""
    return tuple(term_hash(term) for term in terms_of(word))


@lru_cache(maxsize=1 << 18)
def term_hash(term: str) -> int:
    """A 64-bit hash that is the same in every process; two of a million terms collide with probability 3e-8."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def words_in(text: str) -> list[str]:
    """The words of a text, in order."""
    return WORD.findall(text)
