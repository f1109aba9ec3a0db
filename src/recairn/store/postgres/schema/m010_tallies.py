"""How many memories of each sort there are, kept up by triggers: no count reads them any more.

As in a file; `owner` is the member who alone sees those memories, 0 where all of the team do. The
writers of a team take turns, so nobody waits for a count. Many memories that one statement brings
are counted by one statement.
"""

from __future__ import annotations

from recairn.store.postgres.schema.m001_initial import TEAM

_GROUPED = ("project", "tier", "kind", "trust", "sector", "source_type")
_KEY = f"team, owner, day, state, {', '.join(_GROUPED)}"
_COUNTED = (*_GROUPED, "owner", "created_at", "deleted_at", "valid_until", "expires_at")
_STATE = (
    "case when m.deleted_at is not null then 'forgotten'"
    " when m.valid_until is not null then 'replaced'"
    " when m.expires_at is not null then 'expiring' else 'open' end"
)
_TABLE = f"""
create table tallies (
    team integer not null default {TEAM},
    owner integer not null,
    day bigint not null,
    state text not null,
    project text not null,
    tier text not null,
    kind text not null,
    trust text not null,
    sector text not null,
    source_type text not null,
    memories bigint not null,
    primary key ({_KEY})
);
"""


def _count(rows: str, sign: str) -> str:
    """The statement that adds rows up, or takes them away, for all days and for each of them."""
    names = ", ".join(f"m.{name}" for name in _GROUPED)
    of_day = names.replace("m.sector", "''")
    groups = ", ".join(map(str, range(1, len(_GROUPED) + 5)))
    return (
        f"insert into tallies({_KEY}, memories)"
        f" select m.team, m.owner, -1, {_STATE}, {names}, {sign}count(*) from {rows} m"
        f" group by {groups}"
        f" union all select m.team, m.owner, m.created_at / 86400000, 'open', {of_day},"
        f" {sign}count(*) from {rows} m where {_STATE} = 'open' group by {groups}"
        f" on conflict ({_KEY}) do update set memories = tallies.memories + excluded.memories;"
    )


def _function(name: str, statements: str) -> str:
    return (
        f"create function {name}() returns trigger language plpgsql"
        f" set search_path from current as $$begin {statements} return null; end$$;\n"
    )


# A row that changes may bring its own tally back, so it is taken away before it is added.
_TRIGGERS = (
    _function("count_memories_in", _count("fresh", ""))
    + _function("count_memories_out", _count("gone", "-"))
    + _function(
        "count_memory_anew",
        _count("(select old.*)", "-") + " " + _count("(select new.*)", ""),
    )
    + f"""
create trigger counted_in after insert on memories
    referencing new table as fresh for each statement execute function count_memories_in();
create trigger counted_out after delete on memories
    referencing old table as gone for each statement execute function count_memories_out();
create trigger counted_anew after update of {", ".join(_COUNTED)} on memories
    for each row execute function count_memory_anew();
"""
)
_MEMBER = "coalesce(nullif(current_setting('recairn.member', true), '')::integer, 0)"
_SEEN = f"team = {TEAM} and (owner = 0 or owner = {_MEMBER})"
_SECURED = f"""
alter table tallies enable row level security;
alter table tallies force row level security;
create policy own on tallies using ({_SEEN}) with check ({_SEEN});
"""
# Who makes the tables sees the memories of all teams for this one statement.
_FILLED = f"""
alter table memories no force row level security;
{_count("memories", "")}
alter table memories force row level security;
"""
_INDEXES = """
create index memories_ending on memories(team, valid_until) where valid_until is not null;
create index memories_expiring on memories(team, expires_at) where expires_at is not null;
create index memories_waiting on memories(team, created_at) where trust = 'unverified';
"""
POSTGRES = _TABLE + _FILLED + _SECURED + _TRIGGERS + _INDEXES
