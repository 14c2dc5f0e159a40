"""Python: modules, names, classes and calls.

What is proved is the static target: it presumes that nobody replaces attributes of modules and classes from outside
(`module.f = g`), that `self` is what the first parameter of a method is called with, and that `__new__` and metaclasses
of other distributions give instances of the class that is called.
"""
