"""Who is on a team, and which memories are for the eyes of one of them alone."""

SQLITE = """
create table members (
    id integer primary key,
    name text not null unique,
    role text not null,
    created_at integer not null,
    revoked_at integer
);

create table private_memories (
    memory integer primary key references memories(id) on delete cascade
);
"""
