"""Versions of what is derived from one file's bytes. A change makes every cached fact stale and is a fingerprint field.

Each number is a ladder: raise it by one, with the date and the reason, whenever equal bytes may now give other facts.
"""

from __future__ import annotations

# Grammar versions, the tree-sitter runtime, and which files a grammar is given.
# 1  2026-11-30  first release: the grammars that requirements.lock names
PARSER_VERSION = 1

# Handlers, spans, kinds, names, signatures, documentation, packing.
# 1  2026-11-30  first release
# 2  2026-11-30  references: Python's imports, bases, bindings and call sites beside the definitions
# 3  2026-11-30  types found again behind syntax errors; members of anonymous classes; order of captures
# 4  2026-11-30  references of JavaScript, TypeScript and their configuration; results of functions
# 5  2026-11-30  references of C
# 6  2026-11-30  references of Go; go.mod and go.work
# 7  2026-11-30  references of C++; classes defined outside the one that declares them
# 8  2026-11-30  references of PHP; PSR-4 of composer.json
# 9  2026-11-30  references of Java; arguments of call sites
# 10 2026-11-30  references of Rust; Cargo.toml
# 11 2026-11-30  references of C#; what a pointer made by `auto` leads to is not fixed
# 12 2026-11-30  references of Scala
# 13 2026-11-30  calls in the arguments of macros that take expressions, in Rust
# 14 2026-11-30  specializations of C++ functions; blocks of conditions
# 15 2026-11-30  class templates and specializations of C++
# 16 2026-11-30  imports of blocks in Scala
# 17 2026-11-30  C#: no definitions named by keywords, directives or `case`
# 18 2026-11-30  references of Kotlin; its annotated classes with a constructor, annotation classes
# 19 2026-11-30  macros of C++ that open a namespace
# 20 2026-11-30  constructors and accessors of Kotlin behind annotations and line breaks
EXTRACTOR_VERSION = 20
