"""C#: projects, namespaces and types by name (`spaces`), members (`types`), names and chains (`names`), `calls`.

Generic types are taken with any arguments, `#if` is not evaluated, overloads are told apart by arity alone.
"""
