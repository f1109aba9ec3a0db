"""The first tables, second part: sessions, tasks, what was handed out, logs, documents, imports."""

WORK = """
create table sessions (
    team integer not null default {team},
    id text not null,
    project text not null default '',
    agent text not null default '',
    directory text not null default '',
    branch text not null default '',
    prompt text not null default '',
    summary text not null default '',
    context text not null default '{}',
    started_at bigint not null,
    last_seen_at bigint not null,
    ended_at bigint,
    primary key (team, id)
);
create index sessions_by_project on sessions(team, project, started_at);

create table session_memories (
    team integer not null default {team},
    session_id text not null,
    memory bigint not null,
    usage_type text not null,
    at bigint not null,
    primary key (team, session_id, memory, usage_type),
    foreign key (team, session_id) references sessions (team, id)
        on delete cascade deferrable,
    foreign key (team, memory) references memories (team, id)
        on delete cascade deferrable
);
create index session_memories_by_memory on session_memories(team, memory, at);

-- The session that commands run by a user in a folder join without naming it.
create table current_sessions (
    team integer not null default {team},
    place text not null,
    session_id text not null,
    primary key (team, place),
    foreign key (team, session_id) references sessions (team, id)
        on delete cascade deferrable
);

-- What the last look at the repository said of a memory: 0 holds, 1 what it names is gone.
create table staleness (
    team integer not null default {team},
    memory bigint not null,
    checked_at bigint not null,
    state text not null,
    value double precision not null,
    detail text not null,
    primary key (team, memory),
    foreign key (team, memory) references memories (team, id)
        on delete cascade deferrable
);

create table read_cursors (
    team integer not null default {team},
    reader text not null,
    stream text not null,
    position bigint not null,
    updated_at bigint not null,
    primary key (team, reader, stream)
);

create table tasks (
    team integer not null default {team},
    id text not null,
    title text not null,
    description text not null default '',
    category text not null default '',
    project text not null default '',
    status text not null default 'open',
    score double precision not null default 0,
    parent_id text,
    outcome text,
    outcome_note text not null default '',
    source_type text not null default 'manual',
    source_ref text not null default '',
    session_id text,
    metadata text not null default '{}',
    created_at bigint not null,
    updated_at bigint not null,
    started_at bigint,
    completed_at bigint,
    primary key (team, id),
    foreign key (team, parent_id) references tasks (team, id)
        on delete set null (parent_id) deferrable
);
create index tasks_by_project on tasks(team, project, status);
create index tasks_by_parent on tasks(team, parent_id) where parent_id is not null;

create table task_deps (
    team integer not null default {team},
    task_id text not null,
    depends_on text not null,
    primary key (team, task_id, depends_on),
    foreign key (team, task_id) references tasks (team, id)
        on delete cascade deferrable,
    foreign key (team, depends_on) references tasks (team, id)
        on delete cascade deferrable
);
create index task_deps_by_target on task_deps(team, depends_on);

-- What was done to a task, with the values before: an edit destroys nothing silently.
create table task_events (
    team integer not null default {team},
    id bigint not null default next_task_events(),
    task_id text not null,
    at bigint not null,
    event text not null,
    reason text not null default '',
    before text not null default '{}',
    session_id text,
    primary key (team, id),
    foreign key (team, task_id) references tasks (team, id)
        on delete cascade deferrable
);
create index task_events_by_task on task_events(team, task_id);

-- The task that a user in a folder, or a session, is at work on.
create table current_tasks (
    team integer not null default {team},
    place text not null,
    task_id text not null,
    primary key (team, place),
    foreign key (team, task_id) references tasks (team, id)
        on delete cascade deferrable
);

create table compactions (
    team integer not null default {team},
    id bigint not null default next_compactions(),
    at bigint not null,
    task_ids text not null,
    memories text not null default '[]',
    summary text not null default '',
    exported_to text not null default '',
    primary key (team, id)
);

create table injections (
    team integer not null default {team},
    id bigint not null default next_injections(),
    at bigint not null,
    surface text not null,
    task_id text,
    session_id text,
    project text not null default '',
    query text not null default '',
    budget_tokens bigint,
    tokens bigint not null,
    characters bigint not null,
    outcome text,
    outcome_at bigint,
    primary key (team, id)
);
create index injections_by_task on injections(team, task_id) where task_id is not null;
create index injections_by_session on injections(team, session_id) where session_id is not null;

create table injection_memories (
    team integer not null default {team},
    injection bigint not null,
    memory bigint not null,
    position bigint not null,
    tokens bigint not null,
    score double precision,
    used text,
    used_at bigint,
    primary key (team, injection, memory),
    foreign key (team, injection) references injections (team, id)
        on delete cascade deferrable,
    foreign key (team, memory) references memories (team, id)
        on delete cascade deferrable
);
create index injection_memories_by_memory on injection_memories(team, memory);

create table feedback (
    team integer not null default {team},
    id bigint not null default next_feedback(),
    memory bigint not null,
    at bigint not null,
    score double precision not null,
    weight double precision not null default 1.0,
    source text not null,
    query text not null default '',
    task_id text,
    session_id text,
    note text not null default '',
    event bigint,
    primary key (team, id),
    foreign key (team, memory) references memories (team, id)
        on delete cascade deferrable
);
create index feedback_by_memory on feedback(team, memory);
create index feedback_by_task on feedback(team, task_id) where task_id is not null;

create table access_log (
    team integer not null default {team},
    id bigint not null default next_access_log(),
    memory bigint not null,
    at bigint not null,
    source text not null,
    session_id text,
    primary key (team, id)
);
create index access_log_by_memory on access_log(team, memory);

create table query_log (
    team integer not null default {team},
    id bigint not null default next_query_log(),
    at bigint not null,
    query text not null,
    tool text not null,
    mode text not null,
    profile text not null,
    project text,
    session_id text,
    results bigint not null,
    result_ids text not null,
    duration_ms double precision not null,
    primary key (team, id)
);
create index query_log_by_time on query_log(team, at);

create table search_failures (
    team integer not null default {team},
    id bigint not null default next_search_failures(),
    at bigint not null,
    failure_type text not null,
    query text not null,
    project text,
    wanted bigint,
    model text,
    note text not null default '',
    primary key (team, id)
);

create table documents (
    team integer not null default {team},
    id bigint not null default next_documents(),
    uid text not null,
    path text not null,
    url text not null default '',
    title text not null default '',
    project text not null default '',
    format text not null default '',
    content_hash text not null,
    size bigint not null default 0,
    modified_at bigint,
    missing_since bigint,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint,
    primary key (team, id),
    unique (team, uid)
);
create unique index documents_by_path on documents(team, project, path) where deleted_at is null;

-- Which record of which source became which memory, so that a second import adds nothing. What was
-- destroyed for good stays known here: it does not come back. Holds no text, only hashes of it.
create table imports (
    team integer not null default {team},
    source text not null,
    origin text not null,
    key text not null,
    hash text not null,
    memory bigint,
    own bigint not null,
    position bigint not null,
    primary key (team, source, origin, key),
    foreign key (team, memory) references memories (team, id)
        on delete set null (memory) deferrable
);
create index imports_by_memory on imports(team, memory) where memory is not null;
"""
