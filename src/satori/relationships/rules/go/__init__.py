"""Go: packages are directories, names are declared once, every value has a static type.

`packages` finds what an import means, `shapes` are types and meanings, `types` finds fields and methods through
embedding, `names` understands names and chains, `calls` answers for call sites.
"""
