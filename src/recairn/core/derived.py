"""What follows from the words of a memory: what an index wants to know, and its look-alike keys.

Made once at the write door, and again by the store whenever the words change. Pure.
"""

from __future__ import annotations

from hashlib import blake2b
from zlib import crc32

from recairn.core.concepts import concepts
from recairn.core.kinds import KINDS, fields_text
from recairn.core.memory_text import joined_text
from recairn.core.similarity import look_alike_keys
from recairn.core.times import date_words
from recairn.core.visibility import reach_tokens
from recairn.core.words import (
    foreign_parts,
    identifier_words,
    mixed_case,
    normalised,
    telling_count,
    words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# The spelled-out date is part of every memory's text: day, month, year, weekday.
_DATE_WORDS = 4

# A document may say one thing twice, and a memory may quote it: its chunks resemble nothing.
ALONE = "chunk"


def derived(text: str, text_words: Sequence[str]) -> dict[str, Any]:
    """What is read out of a memory's whole text, which comes with its words."""
    mixed = mixed_case(text)
    idents = identifier_words(mixed) if mixed else ""
    _, foreign = foreign_parts(text, text_words)
    return {
        "concepts": concepts(text, mixed),
        "idents": " ".join(filter(None, (idents, *dict.fromkeys(foreign)))),
        "words": telling_count(text_words) + len(idents.split()) + _DATE_WORDS,
        "content_hash": content_hash(text),
    }


def text_columns(title: str, content: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from a memory's text."""
    details = fields_text(fields) if fields else ""
    text = joined_text(title, content, details)
    return {"details": details, **derived(text, words(text))}


def following(row: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that change with those of a row: what its words, readers and date lead to."""
    changed = changes.keys()
    columns: dict[str, Any] = {}
    if not changed.isdisjoint(("title", "content", "fields")):
        columns.update(text_columns(row["title"], row["content"], row["fields"]))
    if not changed.isdisjoint(("tier", "project", "session_id")):
        columns["reach"] = reach_tokens(row["tier"], row["project"], row["session_id"])
    if "created_at" in changed:
        columns["dates"] = date_words(row["created_at"])
    return columns


def keys_of_row(row: Mapping[str, Any]) -> list[int]:
    """The look-alike keys of a row: of its words, its name and its readers."""
    if row["kind"] == ALONE:
        return []
    return text_keys(words(joined_text(row["title"], row["content"], row["details"])), row)


def text_keys(text_words: Sequence[str], row: Mapping[str, Any]) -> list[int]:
    """The same where the words of the text are at hand; the last is that of the very same text.

    What goes by a name has a key of it, the same as that of a text which says nothing else. The
    salt keeps memories with different readers apart.
    """
    salt = crc32(row["reach"].encode())
    keys = look_alike_keys(text_words, salt)
    if KINDS[row["kind"]].named:
        keys.append(_hash_key(content_hash(name_of(row["title"], row["content"])), salt))
    keys.append(_hash_key(row["content_hash"], salt))
    return keys


def _hash_key(hashed: str, salt: int) -> int:
    return int(hashed[:15], 16) ^ salt


def name_of(title: str, content: str) -> str:
    """What a memory of a named kind goes by."""
    return title or content


def content_hash(text: str) -> str:
    """Equal for texts that differ only in case and white space."""
    return blake2b(normalised(text).encode(), digest_size=16).hexdigest()
