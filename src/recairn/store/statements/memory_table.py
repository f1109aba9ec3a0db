"""Memories as their table keeps them: its columns, what a row says, and a Filter as conditions.

The conditions are on `memories m`, always inside the query that ranks.
"""

from __future__ import annotations

from _operator import itemgetter

from recairn.core.model import Memory, left_sql
from recairn.core.record import replace
from recairn.store.rows import Shown
from recairn.store.statements.base import from_json, marks, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter

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

_VISIBLE = (
    "(({own} and m.tier <> 'session') or m.tier = 'global'"
    " or (m.tier = 'session' and m.session_id = ?))"
)
# All but candidates; of those the rules that agents suggest.
SHOWN = "(m.trust <> 'unverified' or (m.kind = 'rule' and substr(m.author, 1, 5) = 'agent'))"
_FILTERED = ("sector", "tier", "category", "source_ref", "trust", "branch")
_NARROWING = (*_FILTERED, "author", "in_session", "since", "before", "as_of", "among")
# Who names so many kinds leaves out those of one purpose, such as pieces of documents.
_MOST_KINDS = 8

# The few of many, by an index of their own; a statement must repeat its condition to use it.
FEW = ("rule", "handoff", "entity", "chunk")
AMONG_FEW = "m.kind in ('rule', 'handoff', 'entity', 'chunk')"


def memory_from_row(row: Sequence[Any], damaged: set[int]) -> Memory:
    """The memory in a row; where a part of it cannot be read any more, its id is added to those."""
    values = list(row)
    for index, nothing in _JSON_AT.items():
        text = values[index]
        if text in _EMPTY:
            values[index] = nothing
        else:
            value = from_json(text, [] if nothing == () else {})
            values[index] = tuple(value) if isinstance(value, list) else value
            if not value:
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


# A Filter as conditions


def conditions(filter: Filter) -> tuple[str, list[Any]]:
    """The where-clause (without `where`) and its values."""
    parts: list[str] = []
    values: list[Any] = []

    def require(condition: str, *bound: Any) -> None:
        parts.append(condition)
        values.extend(bound)

    if filter.project is not None:
        owners = [filter.project] if filter.parent is None else [filter.project, filter.parent]
        own = "m.project = ?" if len(owners) == 1 else "m.project in (?, ?)"
        if filter.hidden:
            require(f"({own} or m.tier = 'global')", *owners)
        else:
            require(_VISIBLE.format(own=own), *owners, filter.session)
    # What leaves out most comes first.
    for column in _FILTERED:
        wanted = getattr(filter, column)
        if wanted is not None:
            require(f"m.{column} = ?", wanted)
    _sorts(filter, require)
    _whose(filter, require)
    if filter.in_session is not None:
        require(
            "exists (select 1 from session_memories s where s.memory = m.id and s.session_id = ?)",
            filter.in_session,
        )
    if filter.min_salience > 0:
        asked = filter.now if filter.as_of is None else filter.as_of
        require(f"{left_sql(asked)} >= ?", filter.min_salience)
    for condition, at in (("m.created_at >= ?", filter.since), ("m.created_at < ?", filter.before)):
        if at is not None:
            require(condition, at)
    _by_name(filter, require)
    _belief(filter, require)
    return " and ".join(parts) or "1 = 1", values


def readers(filter: Filter) -> list[tuple[str, list[Any]]]:
    """The same as conditions of which at most one holds for a memory: each has an index.

    One condition with `or` for all who may see a memory rules every index out.
    """
    if filter.project is None:
        return [(_with_few(filter, rest), bound) for rest, bound in [conditions(filter)]]
    rest, bound = conditions(replace(filter, project=None, parent=None))
    rest = _with_few(filter, rest)
    # Nearly all of a project's memories are of the project's tier: that is asked last.
    return [
        (f"{own} and {rest} and {tier}", [*named, *bound]) for own, named, tier in _owners(filter)
    ]


def of_the_few(filter: Filter) -> bool:
    """Whether only kinds are asked for that have an index of their own."""
    return filter.kinds != () and all(kind in FEW for kind in filter.kinds)


def _with_few(filter: Filter, where: str) -> str:
    return f"{AMONG_FEW} and {where}" if of_the_few(filter) else where


def _owners(filter: Filter) -> list[tuple[str, list[Any], str]]:
    """Whose memories they are as a condition, its values, and of which tier."""
    owners = [filter.project] if filter.parent is None else [filter.project, filter.parent]
    if filter.hidden in ("deleted", "superseded"):  # few, with an index for all of them
        own = " or ".join("m.project = ?" for _ in owners)
        return [(f"({own} or m.tier = 'global')", [*owners], "1 = 1")]
    kept = "m.tier = 'project'" if not filter.hidden else "m.tier <> 'global'"
    # Rules, handoffs and entities are few in all projects together: found by their kind, not among
    # all of a large project, which its index would be searched for.
    scarce = of_the_few(filter) and "chunk" not in filter.kinds
    named = "m.project || '' = ?" if scarce else "m.project = ?"
    parts: list[tuple[str, list[Any], str]] = [(named, [owner], kept) for owner in owners]
    parts.append(("m.tier = 'global'", [], "1 = 1"))
    if filter.session is not None and not filter.hidden:
        parts.append(("m.session_id = ?", [filter.session], "m.tier = 'session'"))
    return parts


def narrows(filter: Filter) -> bool:
    """Whether the filter may leave out much of what a project may see and what is believed now.

    Candidates are few, and so are all the others where most kinds are asked for.
    """
    return (
        0 < len(filter.kinds) < _MOST_KINDS
        or filter.source_types != ()
        or filter.min_salience > 0
        or filter.hidden != ""
        or filter.standing
        or filter.apart != ()
        or any(getattr(filter, name) is not None for name in _NARROWING)
    )


def _sorts(filter: Filter, require: Any) -> None:
    if filter.kinds:
        require(f"m.kind in ({marks(filter.kinds)})", *filter.kinds)
    elif not filter.include_documents:
        require("m.kind <> 'chunk'")
    pieces = "chunk" in filter.kinds or (filter.include_documents and not filter.kinds)
    if pieces and "transcript" not in filter.source_types:
        require("m.source_type <> 'transcript'")  # conversations are found on request alone
    if filter.source_types:
        require(f"m.source_type in ({marks(filter.source_types)})", *filter.source_types)
    if filter.standing:
        require("(m.kind = 'rule' or m.pinned = 1)")


def _whose(filter: Filter, require: Any) -> None:
    if filter.author is not None:
        start = f"{filter.author}:"
        require("(m.author = ? or substr(m.author, 1, ?) = ?)", filter.author, len(start), start)
    if not filter.candidates:
        require(SHOWN)


def _by_name(filter: Filter, require: Any) -> None:
    """Those that are named one by one."""
    if filter.among is not None:
        require(f"m.id in ({marks(filter.among)})" if filter.among else "1 = 0", *filter.among)
    if filter.apart:
        require(f"m.id not in ({marks(filter.apart)})", *filter.apart)


def _belief(filter: Filter, require: Any) -> None:
    """What is believed now, or was at `as_of`: not deleted, not expired, not yet replaced."""
    at = filter.now if filter.as_of is None else filter.as_of
    if filter.hidden == "deleted":
        require("m.deleted_at is not null")
        return
    if filter.hidden == "expired":
        require("m.deleted_at is null and m.expires_at <= ?", at)
        return
    if filter.hidden == "superseded":
        require("m.deleted_at is null and m.valid_until <= ?", at)
        return
    if filter.as_of is not None:
        require("m.created_at <= ? and m.valid_from <= ?", at, at)
        if not filter.include_deleted:
            require("(m.deleted_at is null or m.deleted_at > ?)", at)
    elif not filter.include_deleted:
        require("m.deleted_at is null")
    if not filter.include_superseded:
        require("(m.valid_until is null or m.valid_until > ?)", at)
    if not filter.include_deleted:
        require("(m.expires_at is null or m.expires_at > ?)", at)
