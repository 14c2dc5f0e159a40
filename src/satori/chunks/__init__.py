"""Ownership-aware chunks and the texts that are made from them for retrieval."""
