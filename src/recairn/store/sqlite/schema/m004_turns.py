"""The turns of sessions: every moment of an agent's work, what it was handed and what it was not.

Also the order of creation as an index, so that a listing goes on where the page before ended.
"""

SQLITE = """
-- `silence` says why nothing was handed out. `left_out` holds [memory, reason] of what was found
-- and stayed away, `terms` what each score is made of, in the order of the injection.
create table turns (
    id integer primary key,
    at integer not null,
    session_id text not null,
    project text not null default '',
    agent text not null default '',
    event text not null,
    prompt text not null default '',
    silence text not null default '',
    injection integer,
    left_out text not null default '[]',
    terms text not null default '[]'
);
create index turns_by_session on turns(session_id, at);

create index memories_by_time on memories(created_at);
create index memories_for_all on memories(created_at) where tier = 'global';
"""
