"""How many memories of each sort there are, kept up by triggers: no count reads them any more.

A row says how many memories have one state, project, tier, kind, trust, sector and source. Those of
the day -1 count all days; the others count, without the sector, what was made on a day and is open.
"""

from __future__ import annotations

_GROUPED = ("project", "tier", "kind", "trust", "sector", "source_type")
_KEY = f"day, state, {', '.join(_GROUPED)}"
_INSERT = f"insert into tallies({_KEY}, memories) "
_COUNTED = (*_GROUPED, "created_at", "deleted_at", "valid_until", "expires_at")
_STATE = (
    "case when {row}.deleted_at is not null then 'forgotten'"
    " when {row}.valid_until is not null then 'replaced'"
    " when {row}.expires_at is not null then 'expiring' else 'open' end"
)


def _count(row: str, difference: str, rest: str) -> tuple[str, str]:
    """The statements that count a row, or all: for all days, and for its day."""
    names = ", ".join(f"{row}.{name}" for name in _GROUPED)
    of_day = names.replace(f"{row}.sector", "''")
    state = _STATE.format(row=row)
    return (
        f"{_INSERT}select -1, {state}, {names}, {difference} {rest.format(where='true')};",
        f"{_INSERT}select {row}.created_at / 86400000, 'open', {of_day}, {difference} "
        + rest.format(where=f"{state} = 'open'")
        + ";",
    )


def _count_one(row: str, difference: int) -> str:
    rest = f"where {{where}} on conflict ({_KEY}) do update set memories = memories + {difference}"
    return "\n".join(_count(row, str(difference), rest))


SQLITE = f"""
create table tallies (
    day integer not null,
    state text not null,
    project text not null,
    tier text not null,
    kind text not null,
    trust text not null,
    sector text not null,
    source_type text not null,
    memories integer not null,
    primary key ({_KEY})
) without rowid;
{"".join(_count("m", "count(*)", "from memories m where {where} group by 1, 2, 3, 4, 5, 6, 7, 8"))}
create trigger memories_counted_in after insert on memories begin
{_count_one("new", 1)}
end;
create trigger memories_counted_out after delete on memories begin
{_count_one("old", -1)}
end;
create trigger memories_counted_anew after update of {", ".join(_COUNTED)} on memories begin
{_count_one("old", -1)}
{_count_one("new", 1)}
end;
create index memories_ending on memories(valid_until) where valid_until is not null;
create index memories_expiring on memories(expires_at) where expires_at is not null;
create index memories_waiting on memories(created_at) where trust = 'unverified';
create index vectors_first on vectors(model) where piece = 0;
"""
