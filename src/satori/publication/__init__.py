"""One immutable generation: staged, verified, activated atomically, pinned by readers."""
