"""Tallies where no trigger fires: of many memories at once, anew, and compared with the rows."""

from __future__ import annotations

from recairn.store.statements import tallies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from recairn.store.sqlite.connection import Connection

_INSERT = f"insert into tallies({tallies.key()}, memories)"
_ADDED = f" on conflict ({tallies.key()}) do update set memories = memories + excluded.memories"
_SOME = "carray(?1) asked cross join memories m on m.id = asked.value where true"


def count_in(c: Connection, ids: array[int]) -> None:
    """Counts memories that came in while no trigger fired."""
    import apsw

    counted = tallies.counted(_SOME)
    c.run(f"{_INSERT} select * from ({counted}) counted where true{_ADDED}", (apsw.carray(ids),))


def recount(c: Connection) -> None:
    """Makes all tallies anew."""
    c.run("delete from tallies")
    c.run(f"{_INSERT} {tallies.counted('memories m where true')}")


def miscounted(c: Connection) -> int:
    """How many tallies differ from what the memories add up to."""
    return len({row[:-1] for row in c.rows(tallies.miscounted())})
