"""How a memory lies in its table row."""

from __future__ import annotations

from _operator import itemgetter

from recairn.core.model import Memory
from recairn.store.rows import Shown
from recairn.store.statements.base import from_json, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

# All fields of `Memory` but the last, which is looked up.
COLUMNS = Memory.__match_args__[:-1]
# What was checked against the repository before its last change says nothing any more.
_STALE = (
    "coalesce((select t.detail from staleness t where t.memory = m.id and t.value > 0"
    " and t.checked_at >= m.updated_at), '')"
)
SELECT = ", ".join([*(f"m.{column}" for column in COLUMNS), _STALE])
# Columns of a row that `memory_from_row` takes.
_WIDTH = len(COLUMNS) + 1
# What a reader sees beside the memory: its session, its successor, how many are linked to it.
_SHOWN = f"""
select {SELECT}, s.id, s.started_at, s.summary, s.project, n.id, n.content, n.created_at,
    (select count(*) from edges e where e.source = m.id and e.valid_until is null)
        + (select count(*) from edges e where e.target = m.id and e.valid_until is null)
from memories m
left join sessions s on s.id = m.session_id
left join memories n on n.id = m.superseded_by
where m.id {{among}}
"""
_SESSION = ("id", "started_at", "summary", "project")
_SUCCESSOR = ("id", "content", "created_at")

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
    "author",
    "branch",
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
_FLAGS = ("pinned", "immutable")
_FLAGS_AT = tuple(map(COLUMNS.index, _FLAGS))
_EMPTY = ("{}", "[]")

_authored = itemgetter(*AUTHORED)
# By place: what is stored of an empty one.
_AUTHORED_JSON_AT = {
    AUTHORED.index(column): "{}" if column == "fields" else "[]" for column in JSON_COLUMNS
}
# What the row hash is taken of: every value as text, with a separator that no text has.
_SEPARATOR = "\x1f"
_HASHED = _SEPARATOR.join(["%s"] * (len(AUTHORED) - 2))


def memory_from_row(row: Sequence[Any], damaged: set[int]) -> Memory:
    """The memory in a row; where a part of it cannot be read any more, its id is added to those."""
    values = list(row)
    for index, nothing in _JSON_AT.items():
        text = values[index]
        if text in _EMPTY:
            values[index] = nothing
        else:
            found = from_json(text, [] if nothing == () else {})
            values[index] = tuple(found) if isinstance(found, list) else found
            if not found:
                damaged.add(values[0])
    for index in _FLAGS_AT:
        values[index] = bool(values[index])
    return Memory(*values)


def shown_sql(among: str) -> str:
    """The statement for what a reader sees of the memories whose number is among these."""
    return _SHOWN.format(among=among)


def shown_from_rows(rows: Iterable[Sequence[Any]], damaged: set[int]) -> dict[int, Shown]:
    """Its rows by memory."""
    shown = {}
    for row in rows:
        session, successor, related = row[_WIDTH:-4], row[-4:-1], row[-1]
        shown[row[0]] = Shown._make(
            (
                memory_from_row(row[:_WIDTH], damaged),
                None if session[0] is None else dict(zip(_SESSION, session, strict=True)),
                None if successor[0] is None else dict(zip(_SUCCESSOR, successor, strict=True)),
                related,
            )
        )
    return shown


def authored_rows(rows: Iterable[Mapping[str, Any]]) -> list[tuple[Sequence[Any], str]]:
    """The values of new rows' authored columns, as they are stored, each with its hash."""
    stored = list(map(_authored_values, rows))
    return list(zip(stored, _row_hashes(stored), strict=True))


def _authored_values(row: Mapping[str, Any]) -> list[Any]:
    values = list(_authored(row))
    for at, nothing in _AUTHORED_JSON_AT.items():
        values[at] = to_json(values[at]) if values[at] else nothing
    return values


def row_hash(authored: Sequence[Any]) -> str:
    """A checksum over the values of the authored columns, by which `verify` sees changed bytes."""
    return _row_hashes([authored])[0]


def _row_hashes(rows: Iterable[Sequence[Any]]) -> list[str]:
    from _blake2 import blake2b

    return [
        blake2b(_hashed_text(row).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        for row in rows
    ]


def _hashed_text(authored: Sequence[Any]) -> str:
    """The values as one text; without an author or a branch as before those were kept."""
    *values, author, branch = authored
    text = _HASHED % tuple(values)
    text = f"{text}{_SEPARATOR}{author}" if author or branch else text
    return f"{text}{_SEPARATOR}{branch}" if branch else text


def as_stored(column: str, value: Any) -> Any:
    """A Python value as its column keeps it."""
    if column in JSON_COLUMNS and not isinstance(value, str):
        return to_json(value)
    return int(value) if isinstance(value, bool) else value


def as_value(column: str, value: Any) -> Any:
    """What a column keeps, as a memory has it; the other way round than `as_stored`."""
    if column in JSON_COLUMNS:
        nothing: Any = {} if column == "fields" else []
        parsed = from_json(value, nothing) if isinstance(value, str) else value
        return tuple(parsed) if isinstance(parsed, list) else parsed
    return bool(value) if column in _FLAGS and value is not None else value
