"""Proved edges between symbols."""
