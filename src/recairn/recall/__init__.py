"""The one pipeline out: search, and the contexts made of what it finds."""
