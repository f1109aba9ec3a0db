"""The memories of a category are found without a walk past all others of the project."""

SQLITE = """
create index memories_by_category on memories(
    project, category, kind, tier, deleted_at, valid_until, expires_at,
    sector, source_type, trust, branch, created_at
) where category is not null;
"""
