"""How a memory lies in its table row."""

from __future__ import annotations

from recairn.model import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# In the order of the fields of `Memory`.
COLUMNS = (
    "id",
    "uid",
    "kind",
    "title",
    "content",
    "fields",
    "project",
    "tier",
    "sector",
    "category",
    "keywords",
    "concepts",
    "scope",
    "importance",
    "confidence",
    "salience",
    "helpful",
    "harmful",
    "outcome_score",
    "usage_count",
    "last_used_at",
    "created_at",
    "updated_at",
    "decayed_at",
    "valid_from",
    "valid_until",
    "superseded_by",
    "expires_at",
    "deleted_at",
    "pinned",
    "immutable",
    "source_type",
    "source_ref",
    "session_id",
    "trust",
    "external_id",
    "content_hash",
)
SELECT = ", ".join(f"m.{column}" for column in COLUMNS)

# What a person or program wrote, as opposed to counters that every use moves: the row hash covers
# exactly these, so that bit rot in them shows.
AUTHORED = (
    "uid",
    "kind",
    "title",
    "content",
    "fields",
    "details",
    "project",
    "tier",
    "sector",
    "category",
    "keywords",
    "concepts",
    "idents",
    "dates",
    "words",
    "reach",
    "scope",
    "importance",
    "confidence",
    "created_at",
    "valid_from",
    "valid_until",
    "superseded_by",
    "expires_at",
    "deleted_at",
    "pinned",
    "immutable",
    "source_type",
    "source_ref",
    "session_id",
    "trust",
    "external_id",
    "content_hash",
)
COUNTERS = (
    "salience",
    "helpful",
    "harmful",
    "outcome_score",
    "usage_count",
    "last_used_at",
    "updated_at",
    "decayed_at",
)
CHANGEABLE = frozenset(AUTHORED + COUNTERS) - {"uid"}

JSON_COLUMNS = ("fields", "keywords", "concepts")

_JSON_AT: dict[int, Any] = {
    COLUMNS.index("fields"): {},
    COLUMNS.index("keywords"): (),
    COLUMNS.index("concepts"): (),
}
_FLAGS_AT = (COLUMNS.index("pinned"), COLUMNS.index("immutable"))
_EMPTY = ("{}", "[]")


def memory_from_row(row: Sequence[Any]) -> Memory:
    values = list(row)
    for index, nothing in _JSON_AT.items():
        text = values[index]
        if text in _EMPTY:
            values[index] = nothing
        else:
            found = from_json(text)
            values[index] = tuple(found) if isinstance(found, list) else found
    for index in _FLAGS_AT:
        values[index] = bool(values[index])
    return Memory(*values)


def from_json(text: str) -> Any:
    import json

    return json.loads(text)


def to_json(value: Any) -> str:
    if not value:
        return "[]" if isinstance(value, list | tuple) else "{}"
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def row_hash(authored: Sequence[Any]) -> str:
    """A checksum over the values of the authored columns, by which `verify` sees changed bytes."""
    from hashlib import blake2b

    joined = "\x1f".join(map(str, authored))
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def as_stored(column: str, value: Any) -> Any:
    """A Python value as its column keeps it."""
    if column in JSON_COLUMNS and not isinstance(value, str):
        return to_json(value)
    return int(value) if isinstance(value, bool) else value
