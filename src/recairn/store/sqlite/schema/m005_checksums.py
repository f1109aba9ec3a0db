"""What the rows of each table add up to, so that `verify` sees changes that recairn never made.

The sums themselves are made after every migration (`checksums.remake`). And who did what to a task.
"""

SQLITE = """
alter table task_events add column author text;
create table checksums (
    name text primary key,
    value integer not null
) without rowid;
"""
