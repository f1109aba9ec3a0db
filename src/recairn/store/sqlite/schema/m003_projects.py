"""Projects: a readable name each, other names that lead to it, and marks of the places it lies in.

Other tables keep a project's name; here it is unique. Names that memories of an older database bear
have no row at first: the first checkout that fits takes them over.
"""

SQLITE = """
-- A part of a repository has the project of the whole as its parent, and the folder it begins at.
create table projects (
    id integer primary key,
    name text not null unique,
    parent integer references projects(id) on delete cascade,
    folder text not null default '',
    created_at integer not null
);
create index projects_by_parent on projects(parent) where parent is not null;

create table project_aliases (
    name text primary key,
    project integer not null references projects(id) on delete cascade
) without rowid;
create index project_aliases_by_project on project_aliases(project);

create table project_marks (
    kind text not null,
    value text not null,
    project integer not null references projects(id) on delete cascade,
    state integer not null default 1,
    at integer not null,
    primary key (kind, value)
) without rowid;
create index project_marks_by_project on project_marks(project);

-- What was done to projects, with all that is needed to take it back.
create table project_changes (
    id integer primary key,
    at integer not null,
    event text not null,
    project text not null,
    details text not null default '{}',
    session_id text,
    undone_at integer
);
"""
