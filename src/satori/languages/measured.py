"""How exactly each language's definitions are read: the figures of docs/languages.md and docs/languages-breadth.md.

A language that is missing was not compared with another reader. `benchmarks.languages` and `benchmarks.outlines`
measure; a test holds this table and the pages equal.
"""

from __future__ import annotations

from satori.model.measurement import Measurement

DEFINITIONS: dict[str, tuple[Measurement, ...]] = {
    "bash": (Measurement("250 files", "universal-ctags 5.9", 0.988, 1.000),),
    "c": (
        Measurement("libuv", "universal-ctags 5.9", 0.9818, 0.9984, 0.9938, 0.9986),
        Measurement("jq, with its generated parser", "universal-ctags 5.9", 0.9785, 0.9976, 0.9851, 0.9981),
    ),
    "cmake": (Measurement("139 files", "universal-ctags 5.9", 0.997, 1.000),),
    "cpp": (
        Measurement("leveldb", "universal-ctags 5.9", 0.9016, 0.9153, 0.9952, 0.9934),
        Measurement("fmt, headers mostly", "universal-ctags 5.9", 0.9741, 0.9862, 0.9867, 0.9893),
    ),
    "csharp": (
        Measurement("Cecil, SharpZipLib, NLog, Newtonsoft.Json", "mcs 6.8 parser", 0.9993, 0.9999),
        Measurement("serilog", "universal-ctags 5.9", 0.9026, 0.8219, 0.9860, 0.9876),
    ),
    "elixir": (Measurement("120 files", "universal-ctags 5.9", 0.993, 0.991),),
    "erlang": (Measurement("107 files", "universal-ctags 5.9", 0.999, 0.991),),
    "go": (Measurement("hugo, cobra", "`go/parser` 1.19", 1.0000, 1.0000),),
    "haskell": (Measurement("250 files", "universal-ctags 5.9", 0.967, 0.962),),
    "java": (Measurement("gson, caffeine", "javac 17", 1.0000, 1.0000),),
    "javascript": (Measurement("eslint/lib, express, mongoose/lib", "TypeScript 5 parser", 1.0000, 1.0000),),
    "julia": (Measurement("60 files", "universal-ctags 5.9", 0.999, 0.993),),
    "kotlin": (
        Measurement("kotlinx.coroutines, core and tests", "kotlinc 2.4", 0.9892, 1.0000),
        Measurement("okhttp", "universal-ctags 5.9", 0.7370, 0.9666, 0.9927, 1.0000),
    ),
    "lua": (Measurement("174 files", "universal-ctags 5.9", 0.929, None),),
    "make": (Measurement("94 files", "universal-ctags 5.9", 0.945, 0.960),),
    "markdown": (Measurement("250 files", "universal-ctags 5.9", 0.999, 0.983),),
    "objc": (Measurement("142 files", "universal-ctags 5.9", 0.992, None),),
    "ocaml": (Measurement("60 files", "universal-ctags 5.9", 0.927, 0.980),),
    "perl": (Measurement("177 files", "universal-ctags 5.9", 0.998, 0.993),),
    "php": (Measurement("composer, laravel", "php-parser (npm)", 1.0000, 1.0000),),
    "proto": (Measurement("117 files", "universal-ctags 5.9", 1.000, 1.000),),
    "python": (Measurement("Django, SQLAlchemy", "CPython 3.11 `ast`", 1.0000, 1.0000),),
    "r": (Measurement("61 files", "universal-ctags 5.9", 0.997, 0.997),),
    "rst": (Measurement("250 files", "universal-ctags 5.9", 1.000, 0.978),),
    "ruby": (Measurement("154 files", "universal-ctags 5.9", 0.998, 0.984),),
    "rust": (Measurement("ripgrep, clap, serde", "syn 1.0", 1.0000, 1.0000),),
    "scala": (Measurement("circe, pekko/actor", "scalameta", 1.0000, 1.0000),),
    "sql": (Measurement("110 files", "universal-ctags 5.9", 1.000, None),),
    "tsx": (Measurement("excalidraw", "TypeScript 5 parser", 1.0000, 0.9995),),
    "typescript": (Measurement("typeorm/src, vitest", "TypeScript 5 parser", 0.9999, 0.9999),),
}
