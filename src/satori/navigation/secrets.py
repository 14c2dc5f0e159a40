"""Mask keys and tokens inside source before it is shown, byte for byte, so that every offset and line stays.

Only recognisable credential shapes and long literal values assigned to secret-sounding names are masked; ordinary
words are not. It changes nothing stored: masking happens where text leaves Satori.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MASK = b"*"

# (a literal that must occur, the pattern; group 1, or the whole match, is the secret)
_SHAPES: tuple[tuple[tuple[bytes, ...], re.Pattern[bytes]], ...] = tuple(
    (tuple(needles), re.compile(pattern))
    for needles, pattern in (
        ((b"AKIA", b"ASIA", b"ABIA", b"ACCA"), rb"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b"),
        ((b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"), rb"\b(gh[pousr]_[A-Za-z0-9]{36,255})\b"),
        ((b"github_pat_",), rb"\b(github_pat_[A-Za-z0-9_]{22,255})\b"),
        ((b"glpat-",), rb"\b(glpat-[A-Za-z0-9_\-]{20,64})"),
        ((b"xox",), rb"\b(xox[abeoprs]-[A-Za-z0-9\-]{10,250})"),
        ((b"hooks.slack.com/",), rb"hooks\.slack\.com/services/([A-Za-z0-9/]{20,120})"),
        ((b"_live_", b"_test_"), rb"\b((?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,247})\b"),
        ((b"AIza",), rb"\b(AIza[A-Za-z0-9_\-]{35})(?![A-Za-z0-9_\-])"),
        ((b"ya29.",), rb"\b(ya29\.[A-Za-z0-9_\-]{20,500})"),
        ((b"sk-",), rb"\b(sk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_\-]{20,250})"),
        ((b"hf_",), rb"\b(hf_[A-Za-z0-9]{30,64})\b"),
        ((b"npm_",), rb"\b(npm_[A-Za-z0-9]{36})\b"),
        ((b"pypi-",), rb"\b(pypi-AgE[A-Za-z0-9_\-]{50,500})"),
        ((b"SG.",), rb"\b(SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64})"),
        ((b"dckr_pat_",), rb"\b(dckr_pat_[A-Za-z0-9_\-]{20,64})"),
        ((b"AccountKey=", b"SharedAccessKey="), rb"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,90}={0,2})"),
        ((b"eyJ",), rb"\b(eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,})"),
        ((b"earer ",), rb"[Bb]earer ([A-Za-z0-9._~+/\-]{24,}={0,2})"),
        ((b"://",), rb"[a-z][a-z0-9+.\-]{1,20}://[^\s:@/'\"<>{}$%]{0,64}:([^\s:@/'\"<>{}$%]{3,128})@[A-Za-z0-9\[]"),
    )
)
_KEY_BLOCK = re.compile(
    rb"-----BEGIN (?:[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----(.{1,16384}?)(?:-----END|\Z)", re.DOTALL
)
_ASSIGNED = re.compile(
    rb"""(?i)(?:passw(?:or)?d|passphrase|secret|token|api_?-?key|access_?-?key|private_?-?key|credential)[a-z0-9_\-]{0,24}
    ["'\]]{0,2}\s{0,4}(?::\s{0,4}[A-Za-z\[\]|. ]{0,24}=|=>|:=|=|:)\s{0,4}[a-z]{0,2}["'`]([^"'`\s\\]{16,256})["'`]""",
    re.VERBOSE,
)
_SECRET_NAMES = (
    b"assw",
    b"assphrase",
    b"ecret",
    b"oken",
    b"key",
    b"Key",
    b"KEY",
    b"redential",
    b"ASSW",
    b"ECRET",
    b"OKEN",
)


@dataclass(frozen=True, slots=True)
class Masked:
    """`data` with `count` secrets replaced by stars of the same length."""

    data: bytes
    count: int


def mask(data: bytes, start: int = 0, end: int | None = None) -> Masked:
    """`data[start:end]` masked. Key blocks are found even when they begin before `start`."""
    stop = len(data) if end is None else end
    window = data[start:stop]
    spans = [(a - start, b - start) for a, b in _key_blocks(data) if a < stop and b > start]
    for needles, pattern in _SHAPES:
        if any(needle in window for needle in needles):
            spans += [match.span(1) for match in pattern.finditer(window)]
    if any(name in window for name in _SECRET_NAMES):
        spans += [match.span(1) for match in _ASSIGNED.finditer(window) if _looks_random(match[1])]
    if not spans:
        return Masked(window, 0)
    return Masked(_starred(window, spans), len(spans))


def mask_text(text: str) -> str:
    """A short text (signature, preview, label) masked; its UTF-8 length stays."""
    masked = mask(text.encode("utf-8", "surrogatepass"))
    return masked.data.decode("utf-8", "surrogatepass") if masked.count else text


def _key_blocks(data: bytes) -> list[tuple[int, int]]:
    if b"PRIVATE KEY" not in data:
        return []
    return [match.span(1) for match in _KEY_BLOCK.finditer(data)]


def _starred(window: bytes, spans: list[tuple[int, int]]) -> bytes:
    masked = bytearray(window)
    for start, end in spans:
        for at in range(max(0, start), min(end, len(masked))):
            # Line breaks stay, so that lines do; a byte of a longer character becomes one star too.
            if masked[at] not in b"\r\n":
                masked[at] = MASK[0]
    return bytes(masked)


def _looks_random(value: bytes) -> bool:
    """Long, of mixed classes and with few repeats: not a sentence, a path, a placeholder or a dotted name."""
    if len(set(value)) < 8 or value.startswith((b"${", b"{{", b"<", b"/", b"http")):
        return False
    digits = sum(48 <= byte <= 57 for byte in value)
    letters = sum(65 <= byte <= 90 or 97 <= byte <= 122 for byte in value)
    separators = sum(byte in b"._-/:{}()" for byte in value)
    return digits >= 2 and letters >= 4 and separators * 8 <= len(value)
