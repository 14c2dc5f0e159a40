"""Differences from ctags that were read and judged: what is no definition, and what ctags has no word for.

Each rule names who errs, and matches `kind name | the line's text`. A rule only excuses a difference; it never counts
one as agreement. docs/languages.md explains them.
"""

from __future__ import annotations

import re

# language: (side, reason, pattern); side "theirs" excuses what only ctags has, "ours" what only Satori has.
_C = (
    ("theirs", "include guard", r"macro \w+ \| #\s*define \w+$"),
    ("theirs", "macro call read as a declaration", r"(?:prototype|function|member|variable) [A-Z][A-Z0-9_]+ \| "),
    ("theirs", "call read as a declaration", r"prototype (\w+) \| (?:.*[(=!] ?|return )?\1\("),
    ("ours", "name behind a macro with arguments", r"\w+ \w+ \| .*\b[A-Z][A-Z0-9_]+\("),
)
RULES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "c": _C,
    "cpp": (
        *_C,
        ("theirs", "name of a googletest macro instead of the test", r"function TEST\w* \| "),
        ("ours", "googletest test", r"test "),
        ("ours", "conversion operator, spelled differently", r"\w+ operator"),
    ),
    "csharp": (
        (
            "theirs",
            "call read as a method",
            r"method (?:[\w.]*\.)?(\w+) \| (?:await |return |throw new |var |using |.*[(=.] ?)?"
            r"(?:[\w.]*\.)?\1(?:<.*>)?\(",
        ),
        (
            "theirs",
            "expression read as a declaration",
            r"(?:field|property|typedef|struct|event) (\w+) \| "
            r".*(?:=>|\bwhere\b|\busing\b|\bnew\b|\breturn\b|\bis\b|\bout\b|[(,])",
        ),
        ("ours", "file-scoped namespace, which it does not know", r"namespace "),
        (
            "ours",
            "generic or nullable declaration, which it does not find",
            r"(?:method|test|property) \w+ \| [^=;{]*\w(?:<[\w, ?.\[\]<>]+>|\?|\?\])[ >\w]",
        ),
        (
            "ours",
            "member with an expression for a body, which it does not find",
            r"(?:method|property) \w+ \| [^\"]*\) ?=>",
        ),
        ("ours", "explicit interface implementation, spelled differently", r"method (\w+) \| [^=;{]*\w\.\1\("),
        ("ours", "type without a body", r"class (\w+) \| .*class \1\b[^{]*;$"),
    ),
    "kotlin": (
        ("theirs", "unnamed companion object, transparent here", r"object Companion \| "),
        ("theirs", "lambda", r"method <lambda> \| "),
        ("theirs", "lambda parameter or garbled name", r"method (?:\S*[^\w`]\S*|\w+) \| .*(?:\{|->)"),
        ("theirs", "local value", r"(?:constant|variable) \w+ \| (?:.*[({] *)?(?:val|var|for) "),
        ("theirs", "anonymous object", r"(?:object|class) <"),
        ("ours", "enum entry, which it has no kind for", r"constant "),
        ("ours", "name in backticks, which it garbles", r"\w+ \S+ \| .*`"),
        ("ours", "secondary constructor", r"method constructor "),
    ),
    "php": (
        ("theirs", "variable of a script or function", r"variable "),
        ("theirs", "local closure", r"function \w+ \| \$"),
    ),
}


def excuse(language: str, side: str, kind: str, name: str, line: str) -> str:
    """Why the difference is not Satori's error; empty when nobody has judged it so."""
    text = f"{kind} {name} | {line}"
    for rule_side, reason, pattern in RULES.get(language, ()):
        if rule_side == side and re.match(pattern, text):
            return reason
    return ""
