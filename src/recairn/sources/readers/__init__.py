"""Files of other programs, read with limits: YAML, JSON, Markdown, SQLite."""
