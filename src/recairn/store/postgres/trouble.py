"""What the server's errors mean for who called, and the way out. Loaded when something fails."""

from __future__ import annotations

import psycopg2
from psycopg2 import errors

from recairn.core.errors import (
    BadInput,
    RecairnError,
    Refused,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

# Characters of a wrong value that an error repeats.
_SHOWN = 40
_AGAIN = "try again in a moment"
# Class 40: the server undid the transaction for the sake of another; doing it again may succeed.
_UNDONE = ("40001", "40P01")

_TRANSLATIONS: tuple[tuple[type[Exception], type[StoreError], str, str], ...] = (
    (errors.LockNotAvailable, StoreBusy, "another client is writing", _AGAIN),
    (errors.QueryCanceled, StoreBusy, "the server ended the statement", _AGAIN),
    (errors.TooManyConnections, StoreBusy, "the server takes no more clients", _AGAIN),
    (errors.DiskFull, StoreFull, "no space left on the server", "nothing was half-written"),
    (
        errors.ReadOnlySqlTransaction,
        StoreReadOnly,
        "it cannot be written",
        "name the server that takes writes, or open it for reading",
    ),
    (
        errors.InsufficientPrivilege,
        StoreReadOnly,
        "this role may not do that",
        "recairn store status --db ADDRESS says what is missing",
    ),
    (errors.DataCorrupted, StoreDamaged, "the server found damage", "restore the server's backup"),
    (errors.IndexCorrupted, StoreDamaged, "the server found damage", "REINDEX on the server"),
)


def is_undone(error: BaseException) -> bool:
    """Whether the server undid the transaction so that another could go on."""
    return isinstance(error, psycopg2.Error) and error.pgcode in _UNDONE


def our_error(place: str, error: BaseException) -> RecairnError | None:
    """The error to raise in place of this one; None where it is not about the database."""
    if isinstance(error, UnicodeEncodeError):
        shown = ascii(error.object[:_SHOWN])
        return BadInput(f"{shown} is no text: it holds bytes that are not UTF-8", "type it anew")
    if isinstance(error, ValueError) and "NUL" in str(error):
        return BadInput("a text holds the character NUL, which no server keeps", "leave it out")
    if isinstance(error, errors.NumericValueOutOfRange):
        return BadInput("a number is larger than a database can hold", "give a smaller one")
    if not isinstance(error, psycopg2.Error):
        return None
    if isinstance(error, errors.UniqueViolation) and "_uid_" in (error.diag.constraint_name or ""):
        return Refused(
            f"{place}: a memory that arrives is there already, and private to another member",
            "let them share it, or leave it out",
        )
    if is_undone(error):
        return StoreBusy(f"{place}: another client was in the way, so all was undone", _AGAIN)
    for kind, ours, what, hint in _TRANSLATIONS:
        if isinstance(error, kind):
            return ours(f"{place}: {what} ({_words(error)})", hint)
    if isinstance(error, (psycopg2.OperationalError, psycopg2.InterfaceError)):
        return StoreError(f"{place}: {_words(error)}", "check that the server can be reached")
    return StoreError(f"{place}: {_words(error)}", "recairn doctor")


def unreachable(place: str, error: psycopg2.Error) -> StoreError:
    """A connection that could not be made. The driver's words never repeat a password."""
    return StoreError(
        f"{place}: no connection ({_words(error)})",
        "check address, user and password, and that the server runs",
    )


def outcome_unknown(place: str) -> StoreError:
    """The connection ended while a commit was under way."""
    return StoreError(
        f"{place}: the connection ended before the server said whether the change was kept",
        "look whether it is there before you try again",
    )


def _words(error: BaseException) -> str:
    """The server's own first line."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
