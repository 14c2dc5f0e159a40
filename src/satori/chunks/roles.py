"""What part a file plays, read from its path and its facts: test, example, generated and so on.

Ranking demotes some roles unless the question asks for them; nothing is hidden here, and no content is read.
"""

from __future__ import annotations

import re
from enum import IntFlag


class Role(IntFlag):
    """A file may play several parts at once."""

    NONE = 0
    TEST = 1
    EXAMPLE = 2
    COMPAT = 4
    GENERATED = 8
    VENDORED = 16
    DECLARATION = 32
    DOCUMENTATION = 64
    BENCHMARK = 128


_TEST_DIRECTORIES = frozenset(
    "test tests testing __tests__ spec specs testdata test-data testsuite fixtures __fixtures__ __mocks__ mocks e2e "
    "androidtest commontest jvmtest nativetest jstest unittest unittests testutil testutils".split()
)
_EXAMPLE_DIRECTORIES = frozenset(
    "example examples sample samples demo demos tutorial tutorials playground playgrounds docs_src doc-examples".split()
)
_BENCHMARK_DIRECTORIES = frozenset("bench benches benchmark benchmarks perf".split())
_VENDORED_DIRECTORIES = frozenset(
    """vendor vendored _vendor third_party third-party thirdparty node_modules bower_components external deps
    extern""".split()
)
_COMPAT_DIRECTORIES = frozenset("compat legacy deprecated polyfill polyfills shims".split())
_DOCUMENTATION_DIRECTORIES = frozenset("docs doc documentation website".split())
_GENERATED_NAME = re.compile(
    r"(_pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h)|\.g\.(dart|cs)|\.designer\.cs|\.generated\.\w+|_generated\.\w+|\.min\.(js|css)|\.bundle\.js)$",
    re.IGNORECASE,
)
_TEST_NAME = re.compile(
    r"(^test_.*|^tests?\.(py|rs|go|rb|hs)$|_tests?\.\w+$|[._-](test|spec|cy)\.\w+$|_spec\.\w+$|^conftest\.py$|\.bats$|_test_helper"
    r"|[a-z0-9](Test|Tests|Spec|TestCase|IT)\.\w+$)"
)
_COMPAT_NAME = re.compile(
    r"^_?(compat|legacy|deprecated|polyfills?|shims?)(_.*)?$|_(compat|deprecated|legacy)$", re.IGNORECASE
)
_DECLARATION_NAME = re.compile(r"(\.d\.[cm]?ts|\.pyi|\.mli|\.hs-boot)$")


def roles_of(path: str, *, generated: bool = False, documentation: bool = False) -> Role:
    """The roles of the file at `path` (POSIX, relative); `generated` and `documentation` come from its facts."""
    *directories, name = path.split("/")
    role = Role.GENERATED if generated else Role.NONE
    lowered = [directory.lower() for directory in directories]
    if any(d in _TEST_DIRECTORIES for d in lowered) or _TEST_NAME.search(name):
        role |= Role.TEST
    if any(d in _EXAMPLE_DIRECTORIES for d in lowered):
        role |= Role.EXAMPLE
    if any(d in _BENCHMARK_DIRECTORIES for d in lowered):
        role |= Role.BENCHMARK
    if any(d in _VENDORED_DIRECTORIES for d in lowered):
        role |= Role.VENDORED
    if any(d in _COMPAT_DIRECTORIES for d in lowered) or _COMPAT_NAME.search(name.rsplit(".", 1)[0]):
        role |= Role.COMPAT
    if documentation or any(d in _DOCUMENTATION_DIRECTORIES for d in lowered):
        role |= Role.DOCUMENTATION
    if _GENERATED_NAME.search(name):
        role |= Role.GENERATED
    if _DECLARATION_NAME.search(name):
        role |= Role.DECLARATION
    return role
