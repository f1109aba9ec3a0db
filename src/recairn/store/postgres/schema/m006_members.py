"""Members of teams, and rows that only one of them sees.

`owner` is the member who alone sees a row, 0 where all of the team do. Rows about a memory are
hidden with it: whoever reads them looks into `private_memories`, which holds numbers alone and may
be read by all of the team. What numbers rows must see those of everybody, so it runs as the owner
of the tables, for whom a policy of its own shows all of a team, and nothing of another.
"""

from __future__ import annotations

from recairn.store.postgres.schema.m001_initial import NUMBERED, TEAM, secured
from recairn.store.postgres.schema.m005_checksums import with_checksums

_MEMBER = "coalesce(nullif(current_setting('recairn.member', true), '')::integer, 0)"
_TABLES = """
create table members (
    team integer not null default {team},
    id integer not null default next_members(),
    name text not null,
    role text not null,
    created_at bigint not null,
    revoked_at bigint,
    primary key (team, id),
    unique (team, name)
);

create table private_memories (
    team integer not null default {team},
    memory bigint not null,
    owner integer not null default {member},
    primary key (team, memory)
);
"""
_COLUMNS = """
alter table memories add column owner integer not null default 0;
alter table memories add column member integer not null default {member};
alter table history add column member integer not null default {member};
alter table scopes add column owner integer not null default 0;
alter table scopes drop constraint scopes_team_token_key;
alter table scopes add unique (team, token, owner);
alter table postings add column owner integer not null default 0;
alter table postings drop constraint postings_pkey;
alter table postings add primary key (team, reach, term, memory) include (frequency, terms, owner);
alter table vectors add column owner integer not null default 0;
drop index vectors_by_reach;
create index vectors_by_reach on vectors(team, model, reach)
    include (sketch, memory, piece, owner);
"""
# What this adds to the tables that add up.
SUMMED = ("members", "private_memories")
# What a member does with memories is theirs.
_OWN = (
    "sessions",
    "session_memories",
    "current_sessions",
    "current_tasks",
    "read_cursors",
    "injections",
    "injection_memories",
    "turns",
    "query_log",
    "search_failures",
    "imports",
)
# Two members may be at the same place, or import the same file.
_KEYS = {
    "current_sessions": "place",
    "current_tasks": "place",
    "read_cursors": "reader, stream",
    "imports": "source, origin, key",
}
# Those whose rows say of themselves who sees them.
_OWNED = ("memories", "scopes", "postings", "vectors", *_OWN)
# Rows about memories, and the columns that name these.
_ABOUT = {
    "history": ("memory",),
    "look_alikes": ("memory",),
    "staleness": ("memory",),
    "feedback": ("memory",),
    "access_log": ("memory",),
    "edges": ("source", "target"),
}
_HIDDEN = (
    "not exists (select 1 from private_memories p where p.team = {table}.team"
    " and p.memory = {table}.{column} and p.owner <> {reader})"
)
_POLICY = """
drop policy own on {table};
create policy own on {table} using (team = {team} and {seen}) with check (team = {team} and {seen});
"""
# A superuser, who may own the tables, sees all teams: so the team is named.
_NUMBERING = """
create policy numbering on {table} for select to current_user using (team = {team});
create or replace function next_{table}() returns bigint language plpgsql volatile
security definer set search_path from current as
$$begin return (select coalesce(max({column}), 0) + 1 from {table} where team = {team}); end$$;
"""
# The next number of a memory, which no other has or had.
_NEXT_MEMORY = """
create policy numbering on memories for select to current_user using (team = {team});
create function next_memories() returns bigint language plpgsql volatile
security definer set search_path from current as
$$begin return 1 + greatest(
    (select coalesce(max(id), 0) from memories where team = {team}),
    (select coalesce(max(memory), 0) from history where team = {team})
); end$$;
"""
# Which of these numbers rows of a table have, seen or not.
_TAKEN = """
create function taken(kept_in name, numbers bigint[]) returns setof bigint language plpgsql stable
security definer set search_path from current as
$$begin return query execute format(
    'select id from %I where team = $1 and id = any($2)', kept_in) using {team}, numbers; end$$;
"""


def _statements() -> str:
    text = secured(_TABLES, ("members",))
    text += _COLUMNS
    for table in _OWN:
        text += f"alter table {table} add column owner integer not null default {{member}};\n"
    for table, key in _KEYS.items():
        text += f"alter table {table} drop constraint {table}_pkey;\n"
        text += f"alter table {table} add primary key (team, owner, {key});\n"
    for table in _OWNED:
        # Most rows are the team's: the first half answers, and who asks is not worked out.
        seen = f"(owner = 0 or owner = {_MEMBER})"
        text += _POLICY.format(table=table, team=TEAM, seen=seen)
    for table, columns in _ABOUT.items():
        hidden = [_HIDDEN.format(table=table, column=name, reader=_MEMBER) for name in columns]
        text += _POLICY.format(table=table, team=TEAM, seen=" and ".join(hidden))
    for table in (*NUMBERED, "turns", "scopes"):
        column = "reach" if table == "scopes" else "id"
        text += _NUMBERING.format(table=table, column=column, team=TEAM)
    text += _NEXT_MEMORY.format(team=TEAM) + _TAKEN.replace("{team}", TEAM)
    text += with_checksums(("memories", "history", *_OWN, *SUMMED))
    return text.replace("{member}", _MEMBER)


POSTGRES = _statements()
