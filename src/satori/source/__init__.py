"""Which files a codebase covers, by which rules, and how their bytes are read safely."""
