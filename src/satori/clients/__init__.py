"""How agents' own configurations name Satori."""
