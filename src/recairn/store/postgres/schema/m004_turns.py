"""The turns of sessions on a server, and the order of creation as an index."""

from __future__ import annotations

from recairn.store.postgres.schema.m001_initial import secured

_TABLES = """
create table turns (
    team integer not null default {team},
    id bigint not null default next_turns(),
    at bigint not null,
    session_id text not null,
    project text not null default '',
    agent text not null default '',
    event text not null,
    prompt text not null default '',
    silence text not null default '',
    injection bigint,
    left_out text not null default '[]',
    terms text not null default '[]',
    primary key (team, id)
);
create index turns_by_session on turns(team, session_id, at);

create index memories_by_time on memories(team, created_at, id);
create index memories_for_all on memories(team, created_at, id) where tier = 'global';
"""

POSTGRES = secured(_TABLES, ("turns",))
