"""A Filter as SQL conditions on `memories m`, always inside the query that ranks."""

from __future__ import annotations

from recairn.core.model import left_sql
from recairn.core.record import replace
from recairn.store.statements.base import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Filter

_VISIBLE = (
    "(({own} and m.tier <> 'session') or m.tier = 'global'"
    " or (m.tier = 'session' and m.session_id = ?))"
)
# All but candidates; of those the rules that agents suggest.
SHOWN = "(m.trust <> 'unverified' or (m.kind = 'rule' and substr(m.author, 1, 5) = 'agent'))"
_COLUMNS = ("sector", "tier", "category", "source_ref", "trust", "branch")
_NARROWING = (*_COLUMNS, "author", "in_session", "since", "before", "as_of", "among")


# Who names so many kinds leaves out those of one purpose, such as pieces of documents.
_MOST_KINDS = 8

# The few of many, by an index of their own; a statement must repeat its condition to use it.
FEW = ("rule", "handoff", "entity", "chunk")
AMONG_FEW = "m.kind in ('rule', 'handoff', 'entity', 'chunk')"


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
    for column in _COLUMNS:
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
