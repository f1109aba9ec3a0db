"""Where memories are kept: one contract (`contract`), one package for each engine that keeps it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.contract.base import Store
    from recairn.store.contract.maintenance import Maintenance


def open(
    address: str, *, read_only: bool = False, absent: bool = False, patience_s: float = 30.0
) -> Store:
    """Opens the store at an address, which is made where there is none; BadInput for a strange one.

    One that is known to be `absent` is not made: what stands for it is empty, and refuses to be
    written. `patience_s` is how long a write waits for others.
    """
    if is_on_server(address):
        from recairn.store.postgres import PostgresStore

        return PostgresStore(address, read_only=read_only, patience_s=patience_s)
    if absent:
        from recairn.store.sqlite.absent import AbsentStore

        return AbsentStore(address)
    from recairn.store.sqlite import SqliteStore

    return SqliteStore(address, read_only=read_only, patience_s=patience_s)


def maintenance(address: str) -> Maintenance:
    """What looks after the store at an address, also where that will not open."""
    if is_on_server(address):
        from recairn.store.postgres.maintenance import PostgresMaintenance

        return PostgresMaintenance(address)
    from recairn.store.sqlite.maintenance import SqliteMaintenance

    return SqliteMaintenance(address)


def shown(address: str) -> str:
    """An address as a person may see it: without a password."""
    if not is_on_server(address):
        return address
    from recairn.store.postgres.address import Address

    return Address(address).shown


def engine_version() -> str:
    """The version of SQLite that is at work in this process."""
    from recairn.store.sqlite.connection import engine_version as numbers

    return ".".join(map(str, numbers()))


def is_on_server(address: str) -> bool:
    """Whether an address names a server and not a file; BadInput for a strange one."""
    if "://" not in address:
        return False
    from recairn.core.address import scheme_of
    from recairn.core.errors import BadInput

    scheme = scheme_of(address)
    if scheme not in ("postgresql", "postgres"):
        if not scheme:
            return False
        raise BadInput(  # the rest of it may hold a password
            f"this recairn keeps no memories at {scheme}://…",
            "name a file or postgresql://… with --db or RECAIRN_DB",
        )
    from importlib.util import find_spec

    if find_spec("psycopg2") is None:
        raise BadInput("a store on a server needs psycopg2", "pip install 'recairn[postgres]'")
    return True
