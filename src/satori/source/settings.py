"""What the user chose for one codebase: profile, extra patterns; from satori.toml and from the call.

satori.toml lies in the root and may hold `profile`, `include` and `ignore`, nothing else: it comes with the
repository, so it cannot name commands, models, hosts or paths outside the root. Unknown keys are warned about.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field

from satori.errors import UsageError
from satori.source.profile import Profile

#: The optional settings file in the root.
FILE_NAME = "satori.toml"
_KEYS = ("profile", "include", "ignore")
_PATTERN_LIMIT = 1000
_LENGTH_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Which files are wanted beyond what the rules in the tree say.

    `ignore` holds patterns in .gitignore's syntax, relative to the root. `include` holds patterns of the same kind
    that bring files in although an ignore rule, the default skip of dependency trees or the profile leaves them out
    (secrets, caps and directories that are themselves ignored stay out). `include` beats `ignore`; .satoriignore
    beats both. `warnings` says what was wrong with satori.toml; it does not count in comparisons.
    """

    profile: Profile = Profile.DEFAULT
    include: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)


def make_settings(
    toml: bytes | None = None,
    *,
    profile: str | None = None,
    include: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
) -> SourceSettings:
    """Settings from the bytes of satori.toml (None: there is none) and the call's own arguments, which beat them.

    A wrong value in the file is warned about and left at its default, so that a broken file never stops a codebase
    from being indexed. Raises UsageError for wrong arguments of the call.
    """
    warnings: list[str] = []
    chosen = _from_toml(toml, warnings) if toml is not None else {}
    if profile is not None:
        try:
            chosen["profile"] = Profile(profile)
        except ValueError as error:
            names = ", ".join(member.value for member in Profile)
            raise UsageError(f"There is no profile {profile!r}.", next_step=f"Choose one of: {names}.") from error
    for name, given in (("include", include), ("ignore", ignore)):
        if given is not None:
            patterns = tuple(given)
            problem = _pattern_problem(patterns)
            if problem:
                raise UsageError(f"{name}: {problem}.", next_step="Give patterns in .gitignore's syntax, one each.")
            chosen[name] = patterns
    return SourceSettings(
        profile=chosen.get("profile", Profile.DEFAULT),  # type: ignore[arg-type]
        include=chosen.get("include", ()),  # type: ignore[arg-type]
        ignore=chosen.get("ignore", ()),  # type: ignore[arg-type]
        warnings=tuple(warnings),
    )


def _from_toml(data: bytes, warnings: list[str]) -> dict[str, Profile | tuple[str, ...]]:
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        warnings.append(f"{FILE_NAME} is not valid TOML and was not used: {str(error)[:200]}")
        return {}
    chosen: dict[str, Profile | tuple[str, ...]] = {}
    for key, value in table.items():
        if key == "profile":
            if isinstance(value, str) and value in list(Profile):
                chosen[key] = Profile(value)
            else:
                names = ", ".join(member.value for member in Profile)
                warnings.append(f"{FILE_NAME}: profile must be one of {names}; the default is used.")
        elif key in ("include", "ignore"):
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                problem = _pattern_problem(tuple(value))
                if not problem:
                    chosen[key] = tuple(value)
            else:
                problem = "it must be a list of strings"
            if problem:
                warnings.append(f"{FILE_NAME}: {key} was not used: {problem}.")
        else:
            warnings.append(f"{FILE_NAME}: unknown key {key[:80]!r}; the keys are {', '.join(_KEYS)}.")
    return chosen


def _pattern_problem(patterns: tuple[object, ...]) -> str:
    if len(patterns) > _PATTERN_LIMIT:
        return f"more than {_PATTERN_LIMIT} patterns"
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern.strip():
            return "every pattern must be a string that is not empty"
        if len(pattern) > _LENGTH_LIMIT or "\n" in pattern or "\0" in pattern:
            return "a pattern is one line of bounded length"
        if any("\ud800" <= char <= "\udfff" for char in pattern):
            return "a pattern must be valid Unicode"
    return ""
