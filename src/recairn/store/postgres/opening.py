"""The first message of a client: whose memories, which tables, and whether its role will do."""

from __future__ import annotations

from recairn.core.errors import NotFound, Refused, StoreError, StoreReadOnly
from recairn.core.members import READER
from recairn.store.postgres import schema
from recairn.store.postgres.basics import BASICS_SQL, Basics
from recairn.store.postgres.connection import Connection
from recairn.store.postgres.driver import errors, psycopg2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.postgres.address import Address

# bit_count on bit strings is PostgreSQL 14's, `on delete set null (column)` is 15's.
_OLDEST = 150_000
_ABSENT = (errors.UndefinedTable, errors.InvalidSchemaName)
# A role that owns the tables, may bypass row-level security or is all-powerful is not held back by
# it: one mistake of ours would show a team's memories to another.
_WHO = (
    """
select set_config('search_path', %s, true), set_config('recairn.name', %s, true);
select set_config('recairn.team',
    coalesce((select team::text from teams where name = %s), ''), true);
select coalesce((select max(version) from migrations), 0),
    (select team from teams where name = %s),
    r.rolsuper or r.rolbypassrls,
    pg_has_role(r.oid, (select relowner from pg_class where oid = 'teams'::regclass), 'member'),
    r.rolname, (select member.id from members member where member.name = %s),
    (select member.role from members member where member.name = %s and member.revoked_at is null),
    pg_backend_pid(), not pg_is_in_recovery() and has_function_privilege(
        (select oid from pg_proc where proname = 'pg_logical_emit_message' limit 1), 'execute'),
    basics.*
from pg_roles r cross join ("""
    + BASICS_SQL
    + """) basics where r.rolname = current_user
"""
)


class Opened:
    """A connection, what everything begins with, and the role of the member it asks for."""

    __slots__ = ("basics", "connection", "role")

    def __init__(self, connection: Connection, basics: Basics, role: str) -> None:
        self.connection = connection
        self.basics = basics
        self.role = role


def opened(address: Address, *, read_only: bool, patience_s: float) -> Opened:
    """A connection that asks for the team and member of an address, its settings and models.

    Or why not. All of it costs one round trip.
    """
    connection = Connection(address, read_only=read_only, patience_s=patience_s)
    try:
        return _joined(connection, address)
    except BaseException:
        connection.close()
        raise


def _joined(connection: Connection, address: Address) -> Opened:
    place = address.shown
    server = connection.server_version()
    if server < _OLDEST:
        raise StoreError(
            f"{place}: the server is PostgreSQL {server // 10_000}", "recairn needs 15 or newer"
        )
    try:
        asked = (_quoted(address.schema), *[address.team] * 3, *[address.member] * 2)
        version, team, bypasses, owns, login, member, role, *known = connection.first(_WHO, asked)
        backend, flushes, *basics = known
    except _ABSENT:
        _check_version(_version(connection, address), address)
        raise
    except psycopg2.Error as error:
        from recairn.store.postgres.trouble import our_error

        raise our_error(place, error) or error from error
    if bypasses or owns:
        why = "may bypass row-level security" if bypasses else "owns the tables"
        raise Refused(
            f"{place}: the role {login} {why}, so nothing would keep teams apart",
            "connect as the role that recairn store init granted rights to (recairn_app)",
        )
    _check_version(version, address)
    if team is None:
        raise NotFound(
            f"there is no team {address.team} at {place}",
            "the owner of the database makes it: recairn store init --db ADDRESS?team=NAME",
        )
    if address.member and role is None:
        raise _no_member(address, is_known=member is not None)
    connection.plans.allowed = backend == connection.backend()
    connection.flushes = bool(flushes)
    connection.join(int(team), int(member or 0), reads_only=role == READER)
    return Opened(connection, Basics(*basics), role or "")


def _no_member(address: Address, *, is_known: bool) -> Exception:
    if is_known:
        return Refused(
            f"{address.member} is no longer a member of team {address.team}",
            f"an admin of the team takes them back: recairn member add {address.member}",
        )
    return NotFound(
        f"team {address.team} has no member {address.member}",
        f"an admin of the team adds them: recairn member add {address.member}",
    )


def _version(connection: Connection, address: Address) -> int:
    """How far the tables were migrated, asked alone: the newest of them may not be there yet."""
    try:
        (version,) = connection.first(
            f"select max(version) from {_quoted(address.schema)}.migrations", ()
        )
    except _ABSENT:
        raise NotFound(
            f"there are no tables of recairn in schema {address.schema} at {address.shown}",
            "the owner of the database makes them: recairn store init --db ADDRESS",
        ) from None
    except psycopg2.Error as error:
        from recairn.store.postgres.trouble import our_error

        raise our_error(address.shown, error) or error from error
    return int(version)


def _check_version(version: int, address: Address) -> None:
    if version > schema.LATEST:
        from recairn.store.postgres.setup import too_new

        raise too_new(address, version)
    if version < schema.LATEST:
        raise StoreReadOnly(
            f"{address.shown} needs a migration from schema {version} to {schema.LATEST}",
            "the owner of the database runs: recairn store migrate --db ADDRESS",
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
