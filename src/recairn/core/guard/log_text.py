"""Questions and prompts as a log may keep them: without secrets, and cheap where none can be."""

from __future__ import annotations

from recairn.core.guard import clean_text, redact
from recairn.core.scopes import is_file_name

# A secret is a long word that is not a word, or stands behind one of these.
_SHORTEST_SECRET = 12  # characters
_ASSIGNING = "=:@"


def loggable(query: str) -> str:
    """The question without secrets; the rules are loaded only where one could be."""
    clean = clean_text(query)
    plain = clean.isascii() and not any(mark in clean for mark in _ASSIGNING)
    if plain and all(_harmless(word) for word in clean.split()):
        return clean
    return redact(clean)[0]


def _harmless(word: str) -> bool:
    """Too short for a secret, a word, or a path made of such."""
    if len(word) < _SHORTEST_SECRET or word.isalpha():
        return True
    path = word.strip("`'\".,;!?()")
    return is_file_name(path) and all(
        len(part) < _SHORTEST_SECRET or part.isalpha()
        for part in path.replace(".", "/").replace("_", "/").split("/")
    )
