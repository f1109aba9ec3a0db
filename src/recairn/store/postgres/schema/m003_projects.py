"""Projects on a server: names, other names, marks of places, and what was done to projects."""

from __future__ import annotations

from recairn.store.postgres.schema.m001_initial import secured

_NUMBERED = ("projects", "project_changes")
_TABLES = """
create table projects (
    team integer not null default {team},
    id bigint not null default next_projects(),
    name text not null,
    parent bigint,
    folder text not null default '',
    created_at bigint not null,
    primary key (team, id),
    unique (team, name),
    foreign key (team, parent) references projects (team, id) on delete cascade deferrable
);
create index projects_by_parent on projects(team, parent) where parent is not null;

create table project_aliases (
    team integer not null default {team},
    name text not null,
    project bigint not null,
    primary key (team, name),
    foreign key (team, project) references projects (team, id) on delete cascade deferrable
);
create index project_aliases_by_project on project_aliases(team, project);

create table project_marks (
    team integer not null default {team},
    kind text not null,
    value text not null,
    project bigint not null,
    state integer not null default 1,
    at bigint not null,
    primary key (team, kind, value),
    foreign key (team, project) references projects (team, id) on delete cascade deferrable
);
create index project_marks_by_project on project_marks(team, project);

create table project_changes (
    team integer not null default {team},
    id bigint not null default next_project_changes(),
    at bigint not null,
    event text not null,
    project text not null,
    details text not null default '{}',
    session_id text,
    undone_at bigint,
    primary key (team, id)
);
"""

POSTGRES = secured(_TABLES, _NUMBERED)
