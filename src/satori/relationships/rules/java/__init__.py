"""Java: packages, types, members and calls.

What is proved is the static target. It presumes that types from outside the repository bring no member types, fields or
overloads that hide or outdo those that the repository's sources show, except under names that the Java library has.
"""
