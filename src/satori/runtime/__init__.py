"""The process that serves tools to clients."""
