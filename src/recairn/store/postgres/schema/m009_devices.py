"""The machines of members, each with a token of its own; only the digest of that is kept."""

from __future__ import annotations

from recairn.store.postgres.schema.m001_initial import TEAM, secured
from recairn.store.postgres.schema.m005_checksums import with_checksums

_TABLES = """
create table devices (
    team integer not null default {team},
    id integer not null default next_devices(),
    member integer not null,
    name text not null,
    token text not null,
    projects text not null default '',
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    seen_at bigint,
    primary key (team, id),
    unique (team, token),
    foreign key (team, member) references members(team, id)
);
create index devices_by_member on devices(team, member);
"""
# What this adds to the tables that add up.
SUMMED = ("devices",)

POSTGRES = secured(_TABLES, SUMMED).replace("{team}", TEAM) + with_checksums(SUMMED)
