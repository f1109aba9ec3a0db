"""The importer for tx: database, JSONL files, event streams, Markdown learnings."""
