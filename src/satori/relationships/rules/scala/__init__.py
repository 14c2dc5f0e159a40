"""Scala: packages, names, types and calls.

What is proved is the static target: it presumes that a member which a type has is meant, rather than one that an
implicit conversion would give, and that bases and wildcard imports of the standard library bring no name of the
repository.
"""
