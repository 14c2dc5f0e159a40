"""Version ladders of what is stored: a step makes older state unreadable (never migrated), so each step says why.

`STATE_FORMAT` is the layout of files and tables on disk; a runtime refuses a newer one with both numbers named.
`SCHEMA_VERSION` is the fingerprint's field for what rows mean.
"""

from __future__ import annotations

# 1 (2026-11-30): first form: generations of one SQLite database, one base segment and one Lance dataset.
# 2 (2026-11-30): all of one file version in one row, symbol keys as bytes, places as distances, small arrays.
# 3 (2026-11-30): rules and proofs once, edges in the order of their file.
STATE_FORMAT = 3

# 1 (2026-11-30): first form: rows live between two publication sequences; symbols and chunks packed by file.
SCHEMA_VERSION = 1
