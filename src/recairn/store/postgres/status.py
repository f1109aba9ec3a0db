"""How a server stands for one of its clients, in words."""

from __future__ import annotations

from recairn.core.errors import RecairnError
from recairn.core.words import counted
from recairn.store.postgres import PostgresStore, schema
from recairn.store.upkeep_rows import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.postgres.connection import Connection

# What keeps teams apart: every table must have it, for its owner too.
_OPEN_TABLES = """
select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = ? and c.relkind = 'r' and not (c.relrowsecurity and c.relforcerowsecurity)
order by 1
"""
_RIGHTS = """
select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = ? and c.relkind = 'r' and not has_table_privilege(c.oid, 'select') order by 1
"""


def status(address: str) -> tuple[Finding, ...]:
    """What was looked at: connection, tables, rights, row-level security, team."""
    try:
        store = PostgresStore(address, read_only=True)
    except RecairnError as error:
        return (Finding("problem", error.message, error.hint),)
    try:
        findings = [
            Finding("ok", f"PostgreSQL {store.server()} answers at {store.address}"),
            Finding("ok", f"the tables have schema {store.schema()} of {schema.LATEST}"),
        ]
        findings += _checked(store.connection)
        count = store.stats(0)["memories"]
        findings.append(Finding("ok", f"{counted(count, 'memory')} of this team"))
        return tuple(findings)
    finally:
        store.close()


def _checked(c: Connection) -> list[Finding]:
    findings = []
    for asked, good, bad, remedy in (
        (
            _OPEN_TABLES,
            "row-level security holds for every table",
            "row-level security does not hold for",
            "recairn store migrate as the owner; ask who changed it",
        ),
        (
            _RIGHTS,
            "this role may read every table, and owns none",
            "this role may not read",
            "recairn store migrate as the owner grants it",
        ),
    ):
        tables = [row[0] for row in c.rows(asked, (c.address.schema,))]
        if tables:
            findings.append(Finding("problem", f"{bad} {', '.join(tables)}", remedy))
        else:
            findings.append(Finding("ok", good))
    return findings
