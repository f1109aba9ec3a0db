"""Which branch a memory belongs to; empty for what holds on all of them."""

POSTGRES = """
alter table memories add column branch text not null default '';
create index memories_by_branch on memories(team, project, branch) where branch <> '';
"""
