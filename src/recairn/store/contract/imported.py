"""The row a store keeps of one imported record."""

from __future__ import annotations

from recairn.core.record import Row

# What is left to do for a record: nothing; its links, and putting it away where its source had;
# or only the links to records that its source did not have.
SETTLED, OWED, WAITING = "settled", "owed", "waiting"


class ImportedRow(Row):
    """What an import made of a record.

    `key` names the record in its source, `hash` is of what it said. `memory` is None once that was
    destroyed; `own` says that the import made the memory and did not merely meet it there. `live`
    (neither forgotten nor superseded) and `forgotten` tell of the memory as it is when the row is
    read; they are not kept.
    """

    key: str
    hash: str
    memory: int | None
    own: bool
    position: int
    state: str = SETTLED
    live: bool = True
    forgotten: bool = False
