"""How exactly each language's calls are resolved, and what that allows the tools to call them.

The figures are those of docs/callgraph.md (a test holds the two equal); `benchmarks.callgraph` measures them. A
language gets one `Measurement` a repository: its `tree` is the first cell of the page's row, word for word.
"""

from __future__ import annotations

from enum import StrEnum

from satori.model.measurement import Measurement
from satori.relationships.registry import supports

QUALIFIED_PRECISION = 0.99
CONSERVATIVE_PRECISION = 0.98

CALLS: dict[str, tuple[Measurement, ...]] = {
    "c": (
        Measurement("jq, `src`", "libclang 18", 0.985, 1.0),
        Measurement("lz4", "libclang 18", 0.948, 1.0),
        Measurement("libuv, the files that Linux compiles", "libclang 18", 0.849, 1.0),
        Measurement("redis, `src`", "libclang 18", 0.992, 1.0),
    ),
    "cpp": (
        Measurement("abseil, `absl/`, without its tests", "libclang 18", 0.752, 0.9996, judged_precision=0.9999),
        Measurement("re2, tests included", "libclang 18", 0.938, 1.0, judged_precision=1.0),
        Measurement("leveldb, tests included", "libclang 18", 0.853, 1.0, judged_precision=1.0),
        Measurement("fmt, tests and googletest included", "libclang 18", 0.553, 1.0, judged_precision=1.0),
    ),
    "csharp": (
        Measurement("SharpZipLib 1.0, `src`", "mcs 6.8", 0.923, 1.0),
        Measurement("Cecil 0.11", "mcs 6.8", 0.883, 1.0),
        Measurement("NLog 4.5, `src/NLog`", "mcs 6.8", 0.66, 1.0),
        Measurement("Newtonsoft.Json 10, `Src/Newtonsoft.Json`", "mcs 6.8", 0.677, 1.0),
    ),
    "go": (
        Measurement("Go 1.19, `net/http`, in the standard library", "go/types 1.19", 0.884, 1.0),
        Measurement("gorm", "go/types 1.19", 0.854, 1.0),
        Measurement("caddy", "go/types 1.19", 0.965, 1.0),
        Measurement("etcd, all modules", "go/types 1.19", 0.771, 1.0),
    ),
    "java": (
        Measurement("guava 31.1, `guava/`", "javac 17", 0.765, 1.0),
        Measurement("jsoup, tests included", "javac 17", 0.907, 1.0),
        Measurement("gson, `gson/`, tests included", "javac 17", 0.882, 1.0),
        Measurement("commons-io, tests included", "javac 17", 0.874, 1.0),
    ),
    "javascript": (
        Measurement("express", "the TypeScript 5.6 checker", 0.995, 1.0),
        Measurement("mocha, `lib` and `bin`", "the TypeScript 5.6 checker", 0.782, 1.0),
    ),
    "kotlin": (
        Measurement("koin-core, tests included", "kotlinc 2.4", 0.849, 1.0),
        Measurement("okio, `okio/src`, tests included", "kotlinc 2.4", 0.611, 0.9989, judged_precision=1.0),
        Measurement(
            "kotlinx.coroutines, scored on the core and its tests",
            "kotlinc 2.4",
            0.639,
            0.9998,
            judged_precision=0.9998,
        ),
        Measurement("kotlinx.serialization, core and JSON without tests", "kotlinc 2.4", 0.607, 1.0),
    ),
    "php": (
        Measurement("symfony/console, tests included", "intelephense 1.10", 0.908, 0.9997, judged_precision=1.0),
        Measurement("monolog, tests included", "intelephense 1.10", 0.948, 1.0),
        Measurement("Twig, tests included", "intelephense 1.10", 0.947, 1.0),
        Measurement("Composer, tests included", "intelephense 1.10", 0.793, 0.9981, judged_precision=1.0),
    ),
    "python": (
        Measurement("Django 5, `django/`", "scip-python", 0.904, 0.9847, judged_precision=1.0),
        Measurement("Scrapy, tests included", "scip-python", 0.845, 0.9837, judged_precision=1.0),
    ),
    "rust": (
        Measurement("ripgrep", "rust-analyzer 1.85", 0.961, 0.9998, judged_precision=1.0),
        Measurement("regex", "rust-analyzer 1.85", 0.957, 0.9997, judged_precision=1.0),
        Measurement("rayon", "rust-analyzer 1.85", 0.708, 0.9945, judged_precision=1.0),
        Measurement("serde", "rust-analyzer 1.85", 0.784, 0.9987, judged_precision=1.0),
    ),
    "scala": (
        Measurement("scalariform 0.2.10", "scalac 2.11", 0.866, 1.0),
        Measurement("scala-xml 1.0.6", "scalac 2.11", 0.764, 1.0),
        Measurement("spray-json 1.3.3", "scalac 2.11", 0.797, 1.0),
        Measurement("scopt 3.5.0", "scalac 2.11", 0.887, 1.0),
        Measurement("scalaz 7.1.17", "scalac 2.11", 0.59, 1.0),
        Measurement("squants 0.6.2", "scalac 2.11", 0.645, 1.0),
        Measurement("scalacheck 1.11.6", "scalac 2.11", 0.654, 1.0),
        Measurement("scala-parser-combinators 1.0.5", "scalac 2.11", 0.524, 1.0),
    ),
    "tsx": (Measurement("excalidraw, its TSX files", "the TypeScript 5.6 checker", 0.964, 1.0),),
    "typescript": (
        Measurement("rxjs, `packages/rxjs/src`", "the TypeScript 5.6 checker", 0.834, 0.9983, judged_precision=1.0),
        Measurement("zod", "the TypeScript 5.6 checker", 0.88, 1.0),
    ),
}


class CallSupport(StrEnum):
    """What a language's call edges may be called.

    qualified: on every tree that was measured, at least 0.99 of the judged edges are right. conservative: at least
    0.98, or not measured yet. unsupported: no rules, or rules that are wrong more often; nothing is said of its calls.
    """

    QUALIFIED = "qualified"
    CONSERVATIVE = "conservative"
    UNSUPPORTED = "unsupported"


def call_support(language: str) -> CallSupport:
    """What the tools may call the language's call edges, by the worst tree that was measured."""
    if not supports(language):
        return CallSupport.UNSUPPORTED
    precisions = [one.true_precision for one in CALLS.get(language, ()) if one.true_precision is not None]
    if not precisions:
        return CallSupport.CONSERVATIVE
    worst = min(precisions)
    if worst < CONSERVATIVE_PRECISION:
        return CallSupport.UNSUPPORTED
    return CallSupport.QUALIFIED if worst >= QUALIFIED_PRECISION else CallSupport.CONSERVATIVE
