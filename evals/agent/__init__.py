"""What an agent spends on a task with Satori's tools and with ripgrep: `python -m evals.agent` (see README.md)."""
