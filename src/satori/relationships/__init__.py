"""Whole-repository resolution over facts: what calls, imports and exports what, by named rules."""
