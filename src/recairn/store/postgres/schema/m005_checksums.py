"""A checksum in each row that the server computes itself, and who did what to a task.

Where a table gets a column later, `with_checksums` is run for it once more.
"""

from __future__ import annotations

from recairn.store.statements.memory_table import COUNTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# All that an export carries, and what was done to projects.
SUMMED = (
    *("access_log", "compactions", "config", "current_sessions", "current_tasks", "documents"),
    *("edges", "feedback", "history", "imports", "injection_memories", "injections", "memories"),
    *("meta", "project_aliases", "project_changes", "project_marks", "projects", "query_log"),
    *("read_cursors", "search_failures", "session_memories", "sessions", "staleness"),
    *("task_deps", "task_events", "tasks", "turns"),
)
# Of a memory only what its row hash leaves out.
_OF_MEMORIES = ("id", "row_hash", *COUNTERS, "owner", "member", "stamps")


def with_checksums(tables: Iterable[str]) -> str:
    """The statement that gives tables their checksum over all the columns they have by now."""
    return f"""
do $do$
declare summed record;
begin
    for summed in
        select c.table_name as name, string_agg(
            format('coalesce(cast(%I as text), chr(2))', c.column_name), ' || chr(1) || '
            order by c.ordinal_position) as content
        from information_schema.columns c
        where c.table_schema = current_schema() and c.table_name in ({_spelled(tables)})
            and c.column_name <> 'checksum'
            and (c.table_name <> 'memories' or c.column_name in ({_spelled(_OF_MEMORIES)}))
        group by c.table_name
    loop
        execute format('alter table %I drop column if exists checksum', summed.name);
        execute format('alter table %I add column checksum bigint'
            ' generated always as (hashtextextended(%s, 0)) stored', summed.name, summed.content);
    end loop;
end
$do$;
"""


def _spelled(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


POSTGRES = "alter table task_events add column author text;" + with_checksums(SUMMED)
