"""Rerankers that a user may choose: late-interaction models on this machine, and scoring services over HTTP."""
