"""The rows of memories, of what resembles them, and of what is linked to them."""

from __future__ import annotations

from recairn.core.record import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class NewMemory(Row):
    """A memory to be put: its row, ready made by the write door, and its look-alike keys."""

    row: Mapping[str, Any]
    keys: Sequence[int]


class Cursor(Row):
    """Where a page of a listing ended: when its last memory was made, and its number."""

    created_at: int
    id: int


class LookAlike(Row):
    """A memory that shares look-alike keys with a draft."""

    id: int
    uid: str
    title: str
    content: str
    details: str
    content_hash: str


class Label(Row):
    """A memory in a few words: its kind, its title or the beginning of its text, its successor."""

    kind: str
    text: str
    successor: int | None


class LinkRow(Row):
    """A link as seen from one of its ends; `forward` where the stored edge leads that way."""

    here: int
    there: int
    relation: str
    weight: float
    forward: bool


class EntityRow(Row):
    """A live entity and what it goes by."""

    id: int
    project: str
    tier: str
    title: str
    content: str
    aliases: Sequence[str]


class Text(Row):
    """A memory and all that it says."""

    memory: int
    text: str


class MentionRow(Row):
    """An edge that was made because one memory names another, and the text that names it."""

    source: int
    target: int
    text: str


class StalenessRow(Row):
    """What a look at the repository said of a memory; `value` in 0..1."""

    memory: int
    checked_at: int
    state: str
    value: float
    detail: str
