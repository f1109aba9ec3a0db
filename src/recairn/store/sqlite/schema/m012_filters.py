"""What filters ask for lies beside a project's memories in the order of creation.

So a count or a narrow search in one project reads none of the others' rows, and no texts.
"""

SQLITE = """
-- Tallies count by now what it was for.
drop index memories_counted;
drop index memories_by_project;
create index memories_by_project on memories(
    project, created_at, id, category, kind, tier, deleted_at, valid_until, expires_at,
    sector, source_type, trust, branch
);
drop index memories_for_all;
create index memories_for_all on memories(
    created_at, id, category, kind, tier, deleted_at, valid_until, expires_at,
    sector, source_type, trust, branch
) where tier = 'global';
"""
