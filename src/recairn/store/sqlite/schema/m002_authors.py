"""Who wrote each memory, and who made each change; empty for what is older than this."""

SQLITE = """
alter table memories add column author text not null default '';
alter table history add column author text;
"""
