"""What people type who do not know our names yet. Only suggestions: each command has one name."""

from __future__ import annotations

_MEANT = {
    "add": "keep new note put save write",
    "archive": "clean gc prune",
    "config": "set setting settings",
    "consolidate": "dedupe merge",
    "context": "inject prime",
    "demo": "example tour tutorial",
    "doctor": "check fix recover repair",
    "edit": "change modify update",
    "forget": "del destroy erase remove",
    "import": "load migrate",
    "init": "begin setup",
    "install": "register",
    "link": "connect relate",
    "list": "all memories",
    "mcp": "server",
    "mirror": "pull push",
    "recent": "latest log newest",
    "search": "ask find grep lookup query",
    "serve": "browser dashboard page ui web",
    "show": "cat info open read view",
    "stats": "count",
    "status": "dashboard gui ui",
    "task": "issue issues tasks todo todos",
    "undo": "revert rollback",
    "--version": "-v -V",
    "--help": "-? /?",
}
SYNONYMS = {word: name for name, words in _MEANT.items() for word in words.split()}
