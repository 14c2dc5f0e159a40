"""What every Scala value has, and bases and names of the standard library that decide nothing or something."""

from __future__ import annotations

# Members of Any and AnyRef, and what Predef's conversions give to everything.
ANY = frozenset(
    """
    == != equals hashCode ## toString getClass isInstanceOf asInstanceOf eq ne synchronized wait notify notifyAll clone
    finalize -> ensuring formatted
    """.split()
)

# Bases outside the repository whose members a call could hardly mean.
EMPTY_BASES = frozenset(
    """
    Any AnyRef AnyVal Object Product Serializable Cloneable Equals scala.Serializable scala.Product scala.Equals
    java.io.Serializable java.lang.Object java.lang.Cloneable scala.AnyRef scala.AnyVal
    """.split()
)

# Packages of the language itself.
STANDARD = ("scala", "java", "javax")

# Names that wildcard imports of the language's packages bring, and that repositories define too.
STANDARD_NAMES = frozenset(
    """
    Array ArrayBuffer BitSet Buffer Builder Date Entry File Future Iterable Iterator List Map Node Promise Queue Seq Set
    Stack Stream StringBuilder Try Success Failure Vector Codec Source Random Position Reader Writer Properties
    """.split()
)

# What every file sees of them without an import.
VISIBLE = frozenset(
    """
    App ArithmeticException Boolean BigDecimal BigInt Byte Char CharSequence Comparable Double Either Enumeration Error
    Exception Float Function Function0 Function1 Function2 Function3 IllegalArgumentException IllegalStateException
    IndexedSeq IndexOutOfBoundsException Int Integer Iterable Iterator Left List Long Map Math Nil None Numeric Option
    Ordered Ordering PartialFunction Predef Right Runnable RuntimeException Seq Set Short Some Stream String
    StringBuilder StringContext System Thread Throwable Traversable TraversableOnce Tuple Tuple2
    UnsupportedOperationException Vector collection concurrent immutable io math mutable reflect sys util
    """.split()
)
