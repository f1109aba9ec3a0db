"""Making and migrating the tables on a server: what only the owner of the schema may do.

Clients run as a role that owns nothing (`recairn_app`): they cannot make tables, and row-level
security holds for them. One advisory lock lets migrations of many clients take turns.
"""

from __future__ import annotations

from recairn.core.errors import Refused, SchemaTooNew, StoreError
from recairn.store.postgres import schema
from recairn.store.postgres.address import Address, check_name
from recairn.store.postgres.driver import connected, errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

APP_ROLE = "recairn_app"
# "rcrn": the number of the lock that migrations take.
_LOCK = 0x7263726E


def quoted(name: str) -> str:
    """A name as SQL spells it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL spells it."""
    return "'" + text.replace("'", "''") + "'"


def script(
    address: Address, app_role: str = APP_ROLE, *, present: int = 0, there: bool = False
) -> Iterator[str]:
    """The statements that lead a database to the newest tables, for an owner to read or to run.

    A schema that is there already may be theirs without the right to make one.
    """
    place, role = quoted(address.schema), quoted(app_role)
    if not (present or there):
        yield f"create schema if not exists {place}"
    yield f"set local search_path to {place}"
    for version in range(present + 1, schema.LATEST + 1):
        yield schema.statements(version).strip().rstrip(";")
        yield f"insert into migrations(version) values ({version})"
    yield from grants(place, role)
    yield from team_statements(address.team)


def grants(place: str, role: str) -> Iterator[str]:
    """The rights of the role that clients run as: rows, and nothing else."""
    yield f"grant usage on schema {place} to {role}"
    yield f"grant select, insert, update, delete on all tables in schema {place} to {role}"
    yield f"revoke insert, update, delete on {place}.migrations from {role}"
    yield f"revoke insert, update, delete on {place}.teams from {role}"
    yield f"revoke delete on {place}.members from {role}"
    # Whoever locks a row must be allowed to change something in it.
    yield f"grant update (name) on {place}.teams to {role}"
    yield f"grant execute on all functions in schema {place} to {role}"


def team_statements(name: str) -> Iterator[str]:
    """Makes a team, unless there is one of that name."""
    yield f"select set_config('recairn.name', {literal(name)}, true)"
    yield f"insert into teams(name) values ({literal(name)}) on conflict do nothing"


def create_team(address: Address, name: str) -> bool:
    """Makes a team, as the owner of the tables; whether there was none of that name."""
    check_name("team", name)
    db = connected(address.conninfo, address.shown)
    try:
        with db.cursor() as cursor, _our_errors(address):
            if _version(cursor, address) != schema.LATEST:
                raise Refused(
                    f"the tables at {address.shown} are not those of this recairn",
                    "recairn store migrate --db ADDRESS",
                )
            cursor.execute("begin")
            cursor.execute(f"set local search_path to {quoted(address.schema)}")
            for statement in team_statements(name):
                cursor.execute(statement)
            is_new = bool(cursor.rowcount)
            cursor.execute("commit")
            return is_new
    finally:
        db.close()


def tables_version(address: Address) -> int:
    """The version of the tables that are there; 0 for none."""
    db = connected(address.conninfo, address.shown)
    try:
        with db.cursor() as cursor, _our_errors(address):
            return _version(cursor, address)
    finally:
        db.close()


def migrate(address: Address, app_role: str = APP_ROLE) -> list[int]:
    """Brings the tables up to date, making them where there are none; the versions it went through.

    Runs as the owner, in one transaction: nothing is half-migrated. The role that clients run as is
    made where this one may make roles.
    """
    db = connected(address.conninfo, address.shown)
    try:
        with db.cursor() as cursor, _our_errors(address):
            cursor.execute("begin")
            cursor.execute(f"select pg_advisory_xact_lock({_LOCK})")
            version = _version(cursor, address)
            if version > schema.LATEST:
                raise too_new(address, version)
            _make_role(cursor, app_role)
            cursor.execute(f"select to_regnamespace({literal(quoted(address.schema))}) is not null")
            there = cursor.fetchone()[0]
            for statement in script(address, app_role, present=version, there=there):
                cursor.execute(statement)
            cursor.execute("commit")
            return list(range(version + 1, schema.LATEST + 1))
    finally:
        db.close()


def _version(cursor: Any, address: Address) -> int:
    cursor.execute(f"select to_regclass({literal(quoted(address.schema) + '.migrations')})")
    if cursor.fetchone()[0] is None:
        return 0
    cursor.execute(f"select coalesce(max(version), 0) from {quoted(address.schema)}.migrations")
    return int(cursor.fetchone()[0])


def _make_role(cursor: Any, app_role: str) -> None:
    cursor.execute(f"select 1 from pg_roles where rolname = {literal(app_role)}")
    if cursor.fetchone() is not None:
        return
    cursor.execute("select rolsuper or rolcreaterole from pg_roles where rolname = current_user")
    if not cursor.fetchone()[0]:
        raise Refused(
            f"there is no role {app_role} on the server, and this one may not make it",
            f"have an administrator run: create role {quoted(app_role)} login password '…'",
        )
    cursor.execute(f"create role {quoted(app_role)} login")


def too_new(address: Address, version: int) -> SchemaTooNew:
    return SchemaTooNew(
        f"{address.shown} has schema {version}, newer than this recairn knows ({schema.LATEST})",
        "pip install -U recairn",
    )


class _our_errors:
    """The server's errors in our words."""

    def __init__(self, address: Address) -> None:
        self._place = address.shown

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, StoreError):
            return
        if isinstance(error, errors.InsufficientPrivilege):
            raise Refused(
                f"{self._place}: who owns the tables makes them and teams, and this role does not",
                "name the owner in the address: postgresql://OWNER@…",
            ) from error
        from recairn.store.postgres.trouble import our_error

        ours = our_error(self._place, error)
        if ours is not None:
            raise ours from error
