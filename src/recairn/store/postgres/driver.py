"""Connections of the driver, with values as recairn has them: whole numbers, floats and bytes."""

from __future__ import annotations

import sys


def _load() -> None:
    """Imports the driver without `ssl`, which it loads for the sake of OpenSSL before 1.1 alone.

    That is a third of what importing it costs, and more than an empty Python. Only where no other
    thread can want the module meanwhile.
    """
    if "ssl" in sys.modules or "threading" in sys.modules:
        return
    hidden: dict[str, Any] = {"ssl": None}
    sys.modules.update(hidden)
    try:
        import psycopg2  # noqa: F401
    finally:
        del sys.modules["ssl"]


_load()
import psycopg2  # noqa: E402
from psycopg2 import errors, extensions  # noqa: E402

__all__ = ["connected", "errors", "extensions", "psycopg2"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Seconds for a connection to be made.
_CONNECT_S = 10


def _number(text: str | None, _: object) -> int | float | None:
    """Sums and averages come as decimal numbers; recairn's are whole or of double precision."""
    if text is None:
        return None
    return float(text) if "." in text or "e" in text.lower() or text == "NaN" else int(text)


def _octets(text: str | None, cursor: Any) -> bytes | None:
    view = psycopg2.BINARY(text, cursor)
    return None if view is None else bytes(view)


_NUMERIC = extensions.new_type((1700,), "NUMBER", _number)
_BYTEA = extensions.new_type((17,), "OCTETS", _octets)


def connected(conninfo: str, place: str) -> Any:
    """A new connection of the driver; StoreError where none can be made."""
    try:
        connection = psycopg2.connect(
            conninfo, connect_timeout=_CONNECT_S, client_encoding="utf8", application_name="recairn"
        )
    except psycopg2.Error as error:
        from recairn.store.postgres.trouble import unreachable

        raise unreachable(place, error) from None
    connection.autocommit = True
    extensions.register_type(_NUMERIC, connection)
    extensions.register_type(_BYTEA, connection)
    return connection
