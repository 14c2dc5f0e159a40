"""C++: namespaces and includes (`spaces`), overloads, classes (`types`), names and chains (`names`), calls.

Templates are taken by name and never instantiated, macros are not expanded, overloads are told apart by arity alone.
"""
