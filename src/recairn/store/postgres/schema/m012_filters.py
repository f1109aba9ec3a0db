"""A project's memories in the order in which they are listed."""

POSTGRES = """
drop index memories_by_project;
create index memories_by_project on memories(team, project, created_at, id);
"""
