"""Registering recairn with coding agents: their MCP server lists and their hooks.

Each agent is a table of edits (`agents`); an edit is a pure function from a file's text to its new
text (`edits`); writing keeps a copy of what was there (`plan`).
"""
