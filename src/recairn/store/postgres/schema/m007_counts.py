"""What was forgotten, in the order of creation; counts are the server's own affair."""

POSTGRES = """
create index memories_forgotten on memories(team, created_at, id) where deleted_at is not null;
"""
