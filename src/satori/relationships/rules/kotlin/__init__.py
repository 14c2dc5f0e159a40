"""Kotlin: packages, types, members, extensions and calls, over the same packages and types as Java's.

What is proved is the static target. It presumes that types from outside the repository bring no members that hide what
the repository's sources show, and that smart casts find no other overload. Calls inside a lambda whose receiver is not
known prove nothing, unless they are of something that a receiver has no member like (types).
"""
