"""The first message of a client: whose memories, which tables, and whether its role will do."""

from __future__ import annotations

import psycopg2
from psycopg2 import errors

from recairn.core.errors import NotFound, Refused, StoreError, StoreReadOnly
from recairn.store.postgres import schema
from recairn.store.postgres.connection import Connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.postgres.address import Address

# bit_count on bit strings is PostgreSQL 14's, `on delete set null (column)` is 15's.
_OLDEST = 150_000
_ABSENT = (errors.UndefinedTable, errors.InvalidSchemaName)
# A role that owns the tables, may bypass row-level security or is all-powerful is not held back by
# it: one mistake of ours would show a team's memories to another.
_WHO = """
select set_config('search_path', %s, true), set_config('recairn.name', %s, true);
select coalesce((select max(version) from migrations), 0),
    (select team from teams where name = %s),
    r.rolsuper or r.rolbypassrls,
    pg_has_role(r.oid, (select relowner from pg_class where oid = 'teams'::regclass), 'member'),
    r.rolname
from pg_roles r where r.rolname = current_user
"""


def opened(address: Address, *, read_only: bool, patience_s: float) -> Connection:
    """A connection that asks for the team the address names; or why there is none."""
    connection = Connection(address, read_only=read_only, patience_s=patience_s)
    try:
        connection.join(_checked(connection, address))
    except BaseException:
        connection.close()
        raise
    return connection


def _checked(connection: Connection, address: Address) -> int:
    """The number of the team."""
    place = address.shown
    server = connection.server_version()
    if server < _OLDEST:
        raise StoreError(
            f"{place}: the server is PostgreSQL {server // 10_000}", "recairn needs 15 or newer"
        )
    try:
        found, team, bypasses, owns, role = connection.first(
            _WHO, (_quoted(address.schema), address.team, address.team)
        )
    except _ABSENT:
        raise NotFound(
            f"there are no tables of recairn in schema {address.schema} at {place}",
            "the owner of the database makes them: recairn store init --db ADDRESS",
        ) from None
    except psycopg2.Error as error:
        from recairn.store.postgres.trouble import our_error

        raise our_error(place, error) or error from error
    if bypasses or owns:
        why = "may bypass row-level security" if bypasses else "owns the tables"
        raise Refused(
            f"{place}: the role {role} {why}, so nothing would keep teams apart",
            "connect as the role that recairn store init granted rights to (recairn_app)",
        )
    _check_version(found, address)
    if team is None:
        raise NotFound(
            f"there is no team {address.team} at {place}",
            "the owner of the database makes it: recairn store init --db ADDRESS?team=NAME",
        )
    return int(team)


def _check_version(found: int, address: Address) -> None:
    if found > schema.LATEST:
        from recairn.store.postgres.setup import too_new

        raise too_new(address, found)
    if found < schema.LATEST:
        raise StoreReadOnly(
            f"{address.shown} needs a migration from schema {found} to {schema.LATEST}",
            "the owner of the database runs: recairn store migrate --db ADDRESS",
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
