"""The errors recairn raises, each with the way out.

RecairnError
├── BadInput           what was given cannot be stored or understood
├── NotFound           no such memory, session, task, backup ...
├── Ambiguous          a reference fits more than one memory
├── Refused            allowed in principle, not like this (pinned record, missing confirmation)
├── StoreError         the database cannot do what was asked
│   ├── StoreBusy      another process kept the write lock too long
│   ├── StoreFull      no space left on the device
│   ├── StoreReadOnly  file or folder cannot be written
│   ├── StoreDamaged   the file is not a healthy database
│   ├── SchemaTooNew   written by a newer recairn
│   └── EngineTooOld   the SQLite library has the WAL-reset bug
├── ModelMissing       an embedding model is not installed
└── ModelFailed        an embedding model did not answer
"""


class RecairnError(Exception):
    """Says what went wrong in `message` and what to do about it in `hint`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class BadInput(RecairnError):
    pass


class NotFound(RecairnError):
    pass


class Ambiguous(RecairnError):
    pass


class Refused(RecairnError):
    pass


class StoreError(RecairnError):
    pass


class StoreBusy(StoreError):
    pass


class StoreFull(StoreError):
    pass


class StoreReadOnly(StoreError):
    pass


class StoreDamaged(StoreError):
    pass


class SchemaTooNew(StoreError):
    pass


class EngineTooOld(StoreError):
    pass


class ModelMissing(RecairnError):
    pass


class ModelFailed(RecairnError):
    pass
