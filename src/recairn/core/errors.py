"""The errors recairn raises, each with the way out; all are public (`except recairn.NotFound`).

RecairnError
├── BadInput           what was given cannot be stored or understood
│   └── BadOption      a value that an option cannot take
├── NotFound           no such memory, session, task, backup ...
├── Ambiguous          a reference fits more than one memory
├── Refused            allowed in principle, not like this (pinned record, missing confirmation)
│   ├── OtherProject   a memory of another project, which was not named with it
│   └── Conflict       a memory says something else by now than was expected
├── StoreError         the database cannot do what was asked
│   ├── StoreBusy      another process kept the write lock too long
│   ├── StoreFull      no space left on the device
│   ├── StoreReadOnly  file or folder cannot be written
│   ├── StoreAbsent    there is none yet, and it was opened so that none is made
│   ├── StoreDamaged   the file is not a healthy database
│   ├── SchemaTooNew   written by a newer recairn
│   └── EngineTooOld   the SQLite library has the WAL-reset bug
├── ModelMissing       an embedding model is not installed
└── ModelFailed        an embedding model did not answer
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Memory


class RecairnError(Exception):
    """Says what went wrong in `message` and what to do about it in `hint`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class BadInput(RecairnError):
    """What was given cannot be stored or understood."""


class BadOption(BadInput):
    """A value that an option, or a keyword argument, cannot take."""


class NotFound(RecairnError):
    """There is no such memory, session, task, backup ..."""


class Ambiguous(RecairnError):
    """A reference fits more than one memory."""


class Refused(RecairnError):
    """Allowed in principle, not like this: a pinned record, a missing confirmation."""


class OtherProject(Refused):
    """A memory belongs to another project, which was not named with it."""

    def __init__(self, memory: int, project: str) -> None:
        super().__init__(
            f"#{memory} belongs to the project {project}",
            f"name it with its project if you mean it: {project}/{memory}",
        )
        self.project = project


class Conflict(Refused):
    """A memory says something else by now than whoever changes it expected.

    `theirs` is the memory as it is, `version` what to expect of it next, `yours` what was to be
    written, `base` the memory as it was expected; None where its history does not know that.
    """

    def __init__(
        self, theirs: Memory, yours: Mapping[str, Any], version: str, base: Memory | None
    ) -> None:
        by = f" by {theirs.author}" if theirs.author else ""
        wanted = yours.get("content")
        super().__init__(
            f"#{theirs.id} was changed meanwhile; it says now{by}: {theirs.content}"
            + (f"\n  and was to say: {wanted}" if wanted else ""),
            f"read it again, then expect {version}",
        )
        self.theirs = theirs
        self.yours = yours
        self.version = version
        self.base = base


class StoreError(RecairnError):
    """The database cannot do what was asked."""


class StoreBusy(StoreError):
    """Another process kept the write lock too long."""


class StoreFull(StoreError):
    """No space is left on the device."""


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""


class StoreAbsent(StoreError):
    """There is no database yet, and it was opened so that none is made."""


class StoreDamaged(StoreError):
    """The file is not a healthy database."""


class SchemaTooNew(StoreError):
    """The database was written by a newer recairn."""


class EngineTooOld(StoreError):
    """The SQLite library has the WAL-reset bug."""


class ModelMissing(RecairnError):
    """An embedding model is not installed."""


class ModelFailed(RecairnError):
    """An embedding model did not answer."""
