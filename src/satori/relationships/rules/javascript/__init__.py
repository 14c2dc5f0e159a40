"""JavaScript and TypeScript: modules, names, types and calls.

What is proved is the static target. A call through an interface has its signature as the target unless a type of the
repository implements it; objects that only happen to fit an interface are not looked for.
"""
