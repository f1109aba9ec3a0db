"""What the engine's errors mean for who called, and the way out. Loaded when something fails."""

from __future__ import annotations

import apsw

from recairn.core.errors import (
    BadInput,
    RecairnError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

# Characters of a wrong value that an error repeats.
_SHOWN = 40


def our_error(path: str, error: BaseException) -> RecairnError | None:
    """The error to raise in place of this one; None where it is not about the database."""
    if isinstance(error, UnicodeDecodeError):
        return StoreDamaged(f"{path}: a text in it is no longer valid UTF-8", "recairn doctor")
    if isinstance(error, UnicodeEncodeError):
        shown = ascii(error.object[:_SHOWN])
        return BadInput(f"{shown} is no text: it holds bytes that are not UTF-8", "type it anew")
    if isinstance(error, OverflowError):
        return BadInput("a number is larger than a database can hold", "give a smaller one")
    if not isinstance(error, apsw.Error):
        return None
    for engine_error, ours, what, hint in _TRANSLATIONS:
        if isinstance(error, engine_error):
            return ours(f"{path}: {what}{_detail(error)}", hint)
    return StoreError(f"{path}: {error}", "recairn doctor")


def _detail(error: apsw.Error) -> str:
    """The engine's own words, where it has any that say more."""
    if isinstance(error, _PLAIN) or str(error) in ("", "not an error"):
        return ""
    return f" ({error})"


# Mistakes of the calling program: the engine's words would only repeat ours.
_PLAIN = (apsw.ConnectionClosedError, apsw.ThreadingViolationError)

_TRANSLATIONS: tuple[tuple[type[apsw.Error], type[StoreError], str, str], ...] = (
    (apsw.BusyError, StoreBusy, "another process holds the write lock", "try again in a moment"),
    (apsw.LockedError, StoreBusy, "another process holds the write lock", "try again in a moment"),
    (apsw.ProtocolError, StoreBusy, "too many processes at once", "try again in a moment"),
    (apsw.FullError, StoreFull, "no space left", "free some space; nothing was half-written"),
    (apsw.ReadOnlyError, StoreReadOnly, "it cannot be written", "check the file's permissions"),
    (apsw.PermissionsError, StoreReadOnly, "access denied", "check the file's permissions"),
    (apsw.CantOpenError, StoreReadOnly, "it cannot be opened", "check that the folder is writable"),
    (apsw.CorruptError, StoreDamaged, "the file is damaged", "recairn doctor"),
    (apsw.NotADBError, StoreDamaged, "this is not a database", "recairn doctor"),
    (apsw.IOError, StoreError, "reading or writing failed", "check the disk, then recairn doctor"),
    (apsw.ConnectionClosedError, StoreError, "this memory was closed", "recairn.open() opens one"),
    (
        apsw.ThreadingViolationError,
        StoreError,
        "another thread is using this memory",
        "open one for each thread",
    ),
)
