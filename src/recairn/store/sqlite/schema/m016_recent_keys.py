"""Look-alike keys of many new memories wait in a small table before they join the large one.

Keys are as good as random: each ten thousand memories of a million touch every page of theirs.
"""

SQLITE = """
create table recent_keys (
    key integer not null,
    memory integer not null,
    primary key (key, memory)
) without rowid;
create view known_keys as
    select key, memory from look_alikes union all select key, memory from recent_keys;
"""
