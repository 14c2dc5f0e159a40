"""What the person who runs Satori has chosen: one file of their own, never anything in a repository."""
