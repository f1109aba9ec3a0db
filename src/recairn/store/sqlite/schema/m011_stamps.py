"""When and by which database each part of a memory was said; what is to go to others, and went.

What was said before there were stamps was said when the memory was last changed, by nobody in
particular. What was destroyed leaves a uid, so that it never comes back.
"""

TABLES = """
create table erased (
    uid text not null,
    memory bigint not null,
    project text not null default '',
    at bigint not null,
    replica text not null default '',
    primary key (uid)
){rowid};

-- Projects that go to a server: what each is called there, and how far it was read.
create table shares (
    project text not null,
    name text not null,
    server text not null,
    position text not null default '',
    created_at bigint not null,
    pulled_at bigint,
    primary key (project)
){rowid};

-- What others have not been told yet; the mark changes whenever the thing does.
create table outbox (
    noun text not null,
    name text not null,
    mark bigint not null,
    primary key (noun, name)
){rowid};

create table outbox_refused (
    noun text not null,
    name text not null,
    project text not null,
    why text not null,
    at bigint not null,
    primary key (noun, name)
){rowid};

-- On a server: every thing of a project once, under the number of its last change.
create table feed_heads (
    project text not null,
    last bigint not null,
    primary key (project)
){rowid};
create table feed (
    project text not null,
    noun text not null,
    name text not null,
    number bigint not null,
    primary key (project, noun, name)
){rowid};
create index feed_by_number on feed({team}project, number);

-- Records that this version cannot read, or not yet: they are sent on as they came.
create table kept_records (
    noun text not null,
    name text not null,
    project text not null,
    waits_for text not null default '',
    record text not null,
    primary key (noun, name)
){rowid};
create index kept_records_waiting on kept_records({team}waits_for) where waits_for <> '';

create table erasure_acks (
    uid text not null,
    replica text not null,
    at bigint not null,
    primary key (uid, replica)
){rowid};
"""
_COLUMN = "alter table memories add column stamps text not null default '';"
CARRIED_OVER = """
update memories set stamps = '{"all":[' || updated_at || ',""]}'
where updated_at > created_at or deleted_at is not null or valid_until is not null;
"""
_ERASED = """
insert or ignore into erased(uid, memory, at)
select json_extract(before, '$.uid'), memory, max(at) from history
where event = 'erased' and json_extract(before, '$.uid') is not null group by 1;
"""
SQLITE = (
    _COLUMN
    + CARRIED_OVER
    + TABLES.replace("{rowid}", " without rowid").replace("{team}", "")
    + _ERASED
)
