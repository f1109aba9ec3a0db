"""What is counted lies together: no count and no histogram reads the texts."""

SQLITE = """
-- In the order in which `stats` groups, so that nothing is sorted. What listings ask for comes
-- late: they are to go by the indexes of creation.
create index memories_counted on memories(
    source_type, sector, trust, tier, kind, project,
    created_at, deleted_at, valid_until, expires_at, session_id
);
create index memories_forgotten on memories(created_at) where deleted_at is not null;
"""
