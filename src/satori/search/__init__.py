"""Questions in words over one pinned Publication."""
