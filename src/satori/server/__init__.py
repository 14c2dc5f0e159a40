"""The MCP tools: contracts, budgets, refusals."""
