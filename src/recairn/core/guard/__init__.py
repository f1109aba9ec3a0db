"""What text must pass at the door: Unicode clean-up, secret redaction, and safe output.

Pure functions without clock or files. `clean_text` then `redact` run on everything that is
written; `safe_for_terminal` runs on everything that is shown, because a memory may come from an
older database or another program's export. What a log may keep (`loggable`, `plain_name`) is
without secrets, and cheap where none can be.
"""

from __future__ import annotations

from recairn.core.guard.characters import clean_text, safe_for_terminal
from recairn.core.scopes import is_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["clean_text", "loggable", "plain_name", "redact", "safe_for_terminal"]


def redact(text: str, allow: Iterable[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The text with secret values replaced by `[REDACTED]`, and the kinds found, first one first.

    What tells the kind stays (`ghp_[REDACTED]`). An entry of `allow` is a value to leave alone,
    or, after `re:`, a pattern for the whole value. Redacting twice changes nothing more.
    """
    # Deferred: showing and searching need this package, only writing needs the rules.
    from recairn.core.guard.redaction import redact_secrets

    return redact_secrets(text, allow)


# A secret is a long word that is not a word, or stands behind one of these.
_SHORTEST_SECRET = 12  # characters
_ASSIGNING = "=:@"
# Of a hash of the name: enough to tell a few names apart, too few to find a password by.
_MARK_DIGITS = 4


def loggable(query: str) -> str:
    """The question without secrets; the rules are loaded only where one could be."""
    clean = clean_text(query)
    plain = clean.isascii() and not any(mark in clean for mark in _ASSIGNING)
    if plain and all(_harmless(word) for word in clean.split()):
        return clean
    return redact(clean)[0]


def plain_name(name: str) -> str:
    """A name of a project, a session or a record without secrets, by which it is found again.

    Names come with every command: the rules are loaded only for one that has a long part that is
    no word. Where something was taken out, a mark of the whole keeps two such names apart.
    """
    if len(name) < _SHORTEST_SECRET or all(map(_harmless_part, _parts(name))):
        return name
    safe, kinds = redact(name)
    if not kinds:
        return name
    from hashlib import sha256

    return f"{safe}~{sha256(name.encode('utf-8', 'replace')).hexdigest()[:_MARK_DIGITS]}"


def _parts(name: str) -> list[str]:
    for sign in "_./:@ ":
        name = name.replace(sign, "-")
    return name.split("-")


def _harmless_part(part: str) -> bool:
    """Too short, a word, a number, or hexadecimal as in a UUID."""
    return len(part) <= _SHORTEST_SECRET or part.isalpha() or part.isdigit()


def _harmless(word: str) -> bool:
    """Too short for a secret, a word, or a path made of such."""
    if len(word) < _SHORTEST_SECRET or word.isalpha():
        return True
    path = word.strip("`'\".,;!?()")
    return is_file_name(path) and all(
        len(part) < _SHORTEST_SECRET or part.isalpha()
        for part in path.replace(".", "/").replace("_", "/").split("/")
    )
