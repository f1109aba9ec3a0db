"""Counts of memories, kept up by the database itself, so that none of them reads the memories.

A row of `tallies` says how many memories have one state, project, tier, kind, trust, sector and
source. Rows of one day, without the sector, count what was made then and is still open. What
depends on the hour, that is memories with an end to come, is counted row by row by an index.
"""

from __future__ import annotations

from recairn.core.record import replace
from recairn.core.times import DAY
from recairn.store.statements.base import marks
from recairn.store.statements.memory_table import conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Filter

# What memories are told apart by, in the order of the key.
GROUPED = ("project", "tier", "kind", "trust", "sector", "source_type")
# The day of the rows that count all days together.
ALL_DAYS = -1
OPEN, EXPIRING, REPLACED, FORGOTTEN = "open", "expiring", "replaced", "forgotten"
# How many memories and pieces of documents were not forgotten.
LIVING = (
    "select coalesce(sum(memories), 0) from tallies"
    f" where day = {ALL_DAYS} and state <> '{FORGOTTEN}'"
)
# What else a filter may ask for is not told apart.
_UNTALLIED = (
    *("category", "source_ref", "in_session", "branch", "author", "since", "before", "as_of"),
    "among",
)
# Suggestions of agents: of those who wait, they alone are shown without `candidates`.
_SUGGESTED = "m.trust = 'unverified' and m.kind = 'rule' and substr(m.author, 1, 5) = 'agent'"
_OPEN = "m.deleted_at is null and m.valid_until is null and m.expires_at is null"
# Memories whose end is still to come; each condition has an index.
_ENDING = (
    "m.valid_until > ?",
    "m.expires_at > ? and m.valid_until is null",
)


def state_of(row: str) -> str:
    """The state of a memory as an expression of SQL; `row` is what its columns are taken from."""
    return (
        f"case when {row}.deleted_at is not null then '{FORGOTTEN}'"
        f" when {row}.valid_until is not null then '{REPLACED}'"
        f" when {row}.expires_at is not null then '{EXPIRING}' else '{OPEN}' end"
    )


def key(further: str = "") -> str:
    """The columns by which a tally is known; `further` are those of an engine."""
    return f"{further}day, state, {', '.join(GROUPED)}"


def counted(rows: str, further: str = "") -> str:
    """The statement that counts memories anew; `rows` ends with a condition on them.

    They are read once: what was counted by day is added up.
    """
    own = [name for name in further.split(", ") if name]
    kept = [*own, *GROUPED]
    groups = ", ".join(map(str, range(1, len(kept) + 3)))
    names, of_all = ", ".join(GROUPED), "".join(f"{name}, " for name in own)
    of_day = names.replace("sector", "''")
    return (
        f"with grouped as (select {', '.join(f'm.{name} as {name}' for name in kept)},"
        f" m.created_at / {DAY} as day, {state_of('m')} as state, count(*) as number"
        f" from {rows} group by {groups})"
        f" select {of_all}{ALL_DAYS}, state, {names}, sum(number) from grouped group by {groups}"
        f" union all select {of_all}day, state, {of_day}, sum(number) from grouped"
        f" where state = '{OPEN}' group by {groups}"
    )


def miscounted(further: str = "") -> str:
    """The statement that finds tallies which differ from what the memories add up to."""
    kept = f"select {key(further)}, memories from tallies where memories <> 0"
    true = counted("memories m where true", further)
    return (
        f"select * from (select * from ({kept}) k except select * from ({true}) t) more"
        f" union select * from (select * from ({true}) t except select * from ({kept}) k) less"
    )


def is_tallied(filter: Filter) -> bool:
    """Whether what a filter asks for is told apart by the tallies."""
    return (
        filter.hidden in ("", "deleted")
        and not filter.standing
        and not filter.apart
        and not filter.min_salience
        and not filter.include_superseded
        and not filter.include_deleted
        and all(getattr(filter, name) is None for name in _UNTALLIED)
    )


def tallied(filter: Filter, *, by_day: bool = False) -> tuple[str, list[Any]]:
    """The statement that counts by the tallies: one number, or the days with theirs."""
    day = f"m.created_at / {DAY}" if by_day else "0"
    parts, values = [], []

    def add(select: str, bound: list[Any]) -> None:
        parts.append(select)
        values.extend(bound)

    where, bound = _groups(filter)
    days = f"m.day > {ALL_DAYS}" if by_day else f"m.day = {ALL_DAYS}"
    state = FORGOTTEN if filter.hidden else OPEN
    add(
        f"select {'m.day' if by_day else '0'} as day, sum(m.memories) as count from tallies m"
        f" where {days} and m.state = '{state}' and {where} group by 1",
        bound,
    )
    where, bound = conditions(filter)
    rows = f"select {day}, count(*) from memories m where {{}} and {where} group by 1"
    if not filter.hidden:
        for ending in _ENDING:
            add(rows.format(ending), [filter.now, *bound])
        if filter.project is not None and filter.session is not None:
            own = f"m.session_id = ? and m.tier = 'session' and {_OPEN}"
            add(rows.format(own), [filter.session, *bound])
        if not filter.candidates:
            suggested = f"{_SUGGESTED} and m.tier <> 'session' and {_OPEN}"
            add(rows.format(suggested), bound)
    return (
        f"select day, sum(count) from ({' union all '.join(parts)}) counted"
        " group by day order by day",
        values,
    )


def _groups(filter: Filter) -> tuple[str, list[Any]]:
    """What a filter asks of the groups. Those of a session are counted with their rows."""
    plain = replace(filter, project=None, parent=None, hidden="", candidates=True, now=0)
    where, values = conditions(replace(plain, include_deleted=True, include_superseded=True))
    parts = [where]
    if filter.project is not None:
        owners = [filter.project] if filter.parent is None else [filter.project, filter.parent]
        own = f"m.project in ({marks(owners)})"
        if not filter.hidden:
            own = f"({own} and m.tier <> 'session')"
        parts.append(f"({own} or m.tier = 'global')")
        values += owners
    if not filter.candidates:
        parts.append("m.trust <> 'unverified'")
    return " and ".join(parts), values
