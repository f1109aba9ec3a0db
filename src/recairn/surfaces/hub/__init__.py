"""The server of a team: page, API, MCP and what laptops exchange, behind one gate."""
