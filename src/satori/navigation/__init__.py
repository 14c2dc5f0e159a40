"""Questions about symbols and files over one pinned Publication."""
