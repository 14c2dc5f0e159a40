"""Version ladders of the two projections.

A step here makes every Publication built before it unreadable (strict fingerprint equality), so each step says why.
"""

from __future__ import annotations

# 1 (2026-11-30): first form: path, qualified name, exact content.
EMBEDDING_PROJECTION_VERSION = 1

# 1 (2026-11-30): first form: six fields, identifier parts, suffix stemming, 64-bit term hashes.
LEXICAL_PROJECTION_VERSION = 1
