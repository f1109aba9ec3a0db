"""The machines of members, each with a token of its own; only the digest of that is kept."""

SQLITE = """
create table devices (
    id integer primary key,
    member integer not null references members(id),
    name text not null,
    token text not null unique,
    projects text not null default '',
    created_at integer not null,
    expires_at integer not null,
    revoked_at integer,
    seen_at integer
);
create index devices_by_member on devices(member);
"""
