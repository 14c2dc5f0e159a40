"""The `satori` command."""
