"""The whole data model: memories and their indexes, history, graph, sessions, tasks, logs.

`reach` holds tokens that say who sees a memory (its project, everyone, one session). It is part of
the full-text row, so that the visibility filter is answered by the index itself: that makes a
filtered search cheaper than an unfiltered one.
"""

SQLITE = """
create table memories (
    id integer primary key,
    uid text not null unique,
    external_id text,
    kind text not null,
    title text not null,
    content text not null,
    fields text not null,
    details text not null,
    project text not null,
    tier text not null,
    sector text not null,
    category text not null,
    keywords text not null,
    concepts text not null,
    idents text not null,
    dates text not null,
    words integer not null,
    reach text not null,
    scope text not null,
    importance real not null,
    confidence real not null,
    salience real not null default 1.0,
    helpful real not null default 0,
    harmful real not null default 0,
    outcome_score real,
    usage_count integer not null default 0,
    last_used_at integer,
    created_at integer not null,
    updated_at integer not null,
    decayed_at integer not null,
    valid_from integer not null,
    valid_until integer,
    superseded_by integer references memories(id) on delete set null,
    expires_at integer,
    deleted_at integer,
    pinned integer not null default 0,
    immutable integer not null default 0,
    source_type text not null,
    source_ref text not null,
    session_id text,
    trust text not null,
    content_hash text not null,
    row_hash text not null
);
create index memories_by_project on memories(project, created_at);
create index memories_by_source on memories(source_ref) where source_ref <> '';
create index memories_by_document on memories(json_extract(fields, '$.document'))
    where kind = 'chunk';
create index memories_by_session on memories(session_id) where session_id is not null;
create index memories_by_external_id on memories(external_id) where external_id is not null;
create index memories_by_successor on memories(superseded_by) where superseded_by is not null;
create index memories_by_kind on memories(kind, project)
    where kind in ('rule', 'handoff', 'entity', 'chunk');

create virtual table memories_fts using fts5(
    title, content, details, keywords, category, idents, dates, reach,
    content='memories', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);
-- What is forgotten for good leaves the index too, not only its result lists.
insert into memories_fts(memories_fts, rank) values ('secure-delete', 1);
create virtual table memories_terms using fts5vocab('memories_fts', 'row');

create trigger memories_added after insert on memories begin
    insert into memories_fts(rowid, title, content, details, keywords, category, idents, dates,
                             reach)
    values (new.id, new.title, new.content, new.details, new.keywords, new.category, new.idents,
            new.dates, new.reach);
end;
create trigger memories_removed after delete on memories begin
    insert into memories_fts(memories_fts, rowid, title, content, details, keywords, category,
                             idents, dates, reach)
    values ('delete', old.id, old.title, old.content, old.details, old.keywords, old.category,
            old.idents, old.dates, old.reach);
end;
create trigger memories_rewritten
after update of title, content, details, keywords, category, idents, dates, reach on memories
begin
    insert into memories_fts(memories_fts, rowid, title, content, details, keywords, category,
                             idents, dates, reach)
    values ('delete', old.id, old.title, old.content, old.details, old.keywords, old.category,
            old.idents, old.dates, old.reach);
    insert into memories_fts(rowid, title, content, details, keywords, category, idents, dates,
                             reach)
    values (new.id, new.title, new.content, new.details, new.keywords, new.category, new.idents,
            new.dates, new.reach);
end;

-- Under one of its keys a memory is found by every text that says (nearly) the same.
create table look_alikes (
    key integer not null,
    memory integer not null,
    primary key (key, memory)
) without rowid;

create table history (
    id integer primary key,
    memory integer not null,
    at integer not null,
    event text not null,
    reason text not null default '',
    before text not null default '{}',
    after text not null default '{}',
    session_id text,
    undo_of integer
);
create index history_by_memory on history(memory);
create index history_by_session on history(session_id) where session_id is not null;
create index history_undone on history(undo_of) where undo_of is not null;

create table edges (
    source integer not null references memories(id) on delete cascade,
    target integer not null references memories(id) on delete cascade,
    relation text not null,
    weight real not null default 1.0,
    confidence real not null default 1.0,
    created_by text not null default 'user',
    created_at integer not null,
    valid_from integer not null,
    valid_until integer,
    changed_at integer,
    primary key (source, target, relation)
) without rowid;
create index edges_by_target on edges(target);

create table sessions (
    id text primary key,
    project text not null default '',
    agent text not null default '',
    directory text not null default '',
    branch text not null default '',
    prompt text not null default '',
    summary text not null default '',
    context text not null default '{}',
    started_at integer not null,
    last_seen_at integer not null,
    ended_at integer
) without rowid;
create index sessions_by_project on sessions(project, started_at);

create table session_memories (
    session_id text not null references sessions(id) on delete cascade,
    memory integer not null references memories(id) on delete cascade,
    usage_type text not null,
    at integer not null,
    primary key (session_id, memory, usage_type)
) without rowid;
create index session_memories_by_memory on session_memories(memory, at);

-- The session that commands run by a user in a folder join without naming it.
create table current_sessions (
    place text primary key,
    session_id text not null references sessions(id) on delete cascade
) without rowid;

-- What the last look at the repository said of a memory: 0 holds, 1 what it names is gone.
create table staleness (
    memory integer primary key references memories(id) on delete cascade,
    checked_at integer not null,
    state text not null,
    value real not null,
    detail text not null
);

create table read_cursors (
    reader text not null,
    stream text not null,
    position integer not null,
    updated_at integer not null,
    primary key (reader, stream)
) without rowid;

create table tasks (
    id text primary key,
    title text not null,
    description text not null default '',
    category text not null default '',
    project text not null default '',
    status text not null default 'open',
    score real not null default 0,
    parent_id text references tasks(id) on delete set null,
    outcome text,
    outcome_note text not null default '',
    source_type text not null default 'manual',
    source_ref text not null default '',
    session_id text,
    metadata text not null default '{}',
    created_at integer not null,
    updated_at integer not null,
    started_at integer,
    completed_at integer
) without rowid;
create index tasks_by_project on tasks(project, status);
create index tasks_by_parent on tasks(parent_id) where parent_id is not null;

create table task_deps (
    task_id text not null references tasks(id) on delete cascade,
    depends_on text not null references tasks(id) on delete cascade,
    primary key (task_id, depends_on)
) without rowid;
create index task_deps_by_target on task_deps(depends_on);

-- What was done to a task, with the values before: an edit destroys nothing silently.
create table task_events (
    id integer primary key,
    task_id text not null references tasks(id) on delete cascade,
    at integer not null,
    event text not null,
    reason text not null default '',
    before text not null default '{}',
    session_id text
);
create index task_events_by_task on task_events(task_id);

-- The task that a user in a folder, or a session, is at work on.
create table current_tasks (
    place text primary key,
    task_id text not null references tasks(id) on delete cascade
) without rowid;

create table compactions (
    id integer primary key,
    at integer not null,
    task_ids text not null,
    memories text not null default '[]',
    summary text not null default '',
    exported_to text not null default ''
);

create table injections (
    id integer primary key,
    at integer not null,
    surface text not null,
    task_id text,
    session_id text,
    project text not null default '',
    query text not null default '',
    budget_tokens integer,
    tokens integer not null,
    characters integer not null,
    outcome text,
    outcome_at integer
);
create index injections_by_task on injections(task_id) where task_id is not null;
create index injections_by_session on injections(session_id) where session_id is not null;

create table injection_memories (
    injection integer not null references injections(id) on delete cascade,
    memory integer not null references memories(id) on delete cascade,
    position integer not null,
    tokens integer not null,
    score real,
    used text,
    used_at integer,
    primary key (injection, memory)
) without rowid;
create index injection_memories_by_memory on injection_memories(memory);

create table feedback (
    id integer primary key,
    memory integer not null references memories(id) on delete cascade,
    at integer not null,
    score real not null,
    weight real not null default 1.0,
    source text not null,
    query text not null default '',
    task_id text,
    session_id text,
    note text not null default '',
    event integer
);
create index feedback_by_memory on feedback(memory);
create index feedback_by_task on feedback(task_id) where task_id is not null;

create table access_log (
    id integer primary key,
    memory integer not null,
    at integer not null,
    source text not null,
    session_id text
);
create index access_log_by_memory on access_log(memory);

create table query_log (
    id integer primary key,
    at integer not null,
    query text not null,
    tool text not null,
    mode text not null,
    profile text not null,
    project text,
    session_id text,
    results integer not null,
    result_ids text not null,
    duration_ms real not null
);
create index query_log_by_time on query_log(at);

create table search_failures (
    id integer primary key,
    at integer not null,
    failure_type text not null,
    query text not null,
    project text,
    wanted integer,
    model text,
    note text not null default ''
);

create table documents (
    id integer primary key,
    uid text not null unique,
    path text not null,
    url text not null default '',
    title text not null default '',
    project text not null default '',
    format text not null default '',
    content_hash text not null,
    size integer not null default 0,
    modified_at integer,
    missing_since integer,
    created_at integer not null,
    updated_at integer not null,
    deleted_at integer
);
create unique index documents_by_path on documents(project, path) where deleted_at is null;

-- Which record of which source became which memory, so that a second import adds nothing. What was
-- destroyed for good stays known here: it does not come back. Holds no text, only hashes of it.
create table imports (
    source text not null,
    origin text not null,
    key text not null,
    hash text not null,
    memory integer references memories(id) on delete set null,
    own integer not null,
    position integer not null,
    primary key (source, origin, key)
) without rowid;
create index imports_by_memory on imports(memory) where memory is not null;

create table models (
    id integer primary key,
    fingerprint text not null unique,
    name text not null,
    revision text not null,
    dim integer not null,
    normalisation text not null,
    state text not null default 'building',
    created_at integer not null
);

-- One row per piece of a memory's text: int8 codes for exact scoring, and where its sketch lies.
-- The id is memory, model and piece in one number, so that the pieces of a memory lie side by side
-- and one look-up finds them: memory * 2^28 + model * 2^16 + piece.
create table vectors (
    id integer primary key,
    memory integer not null references memories(id) on delete cascade,
    model integer not null references models(id) on delete cascade,
    piece integer not null,
    block integer not null,
    slot integer not null,
    source_hash text not null,
    crc integer not null,
    codes blob not null
);
create index vectors_by_memory on vectors(memory);
-- Sketches of some hundred vectors side by side, apart by who may see them: what a search scans.
-- Members are ids of eight bytes, 0 where a slot is free; count is the number of those in use.
create table vector_blocks (
    id integer primary key,
    model integer not null references models(id) on delete cascade,
    reach text not null,
    count integer not null,
    members blob not null,
    bits blob not null
);
create index vector_blocks_by_reach on vector_blocks(model, reach, count);

create table config (
    key text primary key,
    value text not null,
    updated_at integer not null
) without rowid;

create table meta (
    key text primary key,
    value text not null
) without rowid;
"""
