"""Rust: crates by Cargo.toml, modules as trees of files and blocks, paths, impl blocks, static types.

`crates` finds files of modules and other crates, `shapes` are types and meanings, `names` understands paths in scopes,
`types` finds fields, methods and associated functions, `library` knows what std's containers give, `chains` understands
expressions, `calls` answers for call sites. Macros are not expanded, `cfg` is not evaluated.
"""
