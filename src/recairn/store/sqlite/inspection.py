"""A look into a database that may be somebody else's: nothing in it runs, nothing is changed."""

from __future__ import annotations

import apsw

from recairn.core.errors import SchemaTooNew, StoreDamaged
from recairn.store.sqlite import schema
from recairn.store.sqlite.connection import APPLICATION_ID, translated
from recairn.store.sqlite.files import open_read_only
from recairn.store.statements.inspection import inspected
from recairn.store.upkeep_rows import Inspection


def inspect(path: str) -> Inspection:
    """What it holds; StoreDamaged for a file that is no database of recairn."""
    with translated(path):
        db = open_read_only(path)
        try:
            db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
            db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
            version = _version(db, path)
            strangers = tuple(sorted(_parts(db) - _made(version)))
            if strangers:
                # What they are named after may not be what it seems: nothing more is read.
                return Inspection({}, (), {}, strangers)
            return inspected(db.execute)
        finally:
            db.close(True)


def _version(db: apsw.Connection, path: str) -> int:
    version = int(db.pragma("user_version"))
    if db.pragma("application_id") != APPLICATION_ID or version < 1:
        raise StoreDamaged(f"{path} is not a database of recairn", "remove it, or name another")
    if version > schema.LATEST:
        raise SchemaTooNew(
            f"{path} has schema {version}, newer than this recairn knows ({schema.LATEST})",
            "pip install -U recairn",
        )
    return version


def _parts(db: apsw.Connection) -> set[str]:
    """Its tables, indexes, triggers and views, each with how it is made."""
    listed = db.execute("select type, name, coalesce(sql, '') from sqlite_schema")
    return {f"{kind} {name}: {' '.join(sql.split())}" for kind, name, sql in listed}


def _made(version: int) -> set[str]:
    """The same of a new database."""
    fresh = apsw.Connection(":memory:")
    try:
        for number in range(1, version + 1):
            fresh.execute(schema.statements(number))
        return _parts(fresh)
    finally:
        fresh.close(True)
