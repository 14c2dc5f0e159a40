"""The version of what is resolved from equal facts: a fingerprint field.

A ladder: raise it by one, with the date and the reason, whenever equal facts may now give other edges or claims.
"""

from __future__ import annotations

# 0  2026-11-30  no relationships were published
# 1  2026-11-30  first form: rules for Python, JavaScript, TypeScript and C
# 2  2026-11-30  rules for Go
# 3  2026-11-30  rules for C++
# 4  2026-11-30  rules for PHP
# 5  2026-11-30  rules for Java
# 6  2026-11-30  rules for Rust
# 7  2026-11-30  rules for C#; one argument may copy in C++
# 8  2026-11-30  rules for Scala
# 9  2026-11-30  specialized functions of C++; types that `#if` may leave out in C#
# 10 2026-11-30  class specializations of C++ prove nothing
# 11 2026-11-30  imports of blocks in Scala are seen there alone
# 12 2026-11-30  functions that only tests define in PHP
# 13 2026-11-30  rules for Kotlin; Java sees platforms of Kotlin modules
# 14 2026-11-30  Rust's impl blocks of types that other files name alike are told apart by their own file
# 15 2026-11-30  namespaces behind macros and unknown classes around, in C++
# 16 2026-11-30  what may stand behind an interface of Go is among the candidates
# 17 2026-11-30  functions of other modules' tests are not seen from Kotlin
# 18 2026-11-30  nested types of Kotlin have no value of those around them; lambdas decide no overload
RELATIONSHIP_VERSION = 18
