"""What imports brought: which record of which source became which memory."""

from __future__ import annotations

from recairn.store.contract.imported import OWED, SETTLED, WAITING, ImportedRow
from recairn.store.statements.base import Statements, batches, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_SELECT = """
select i.key, i.hash, i.memory, i.own, i.position,
    m.id is not null and m.deleted_at is null and m.superseded_by is null,
    m.id is not null and m.deleted_at is not null
from imports i left join memories m on m.id = i.memory
where i.source = ? and i.origin = ?
"""
_COLUMNS = ("source", "origin", "key", "hash", "memory", "own", "position")
# A row's state stands before its hash, which is of hexadecimal digits.
_MARKS = {SETTLED: "", OWED: "~", WAITING: "?"}
_STATES = {mark: state for state, mark in _MARKS.items() if mark}


class ImportStatements(Statements):
    """The part of a store that remembers where imported memories came from."""

    def imported(
        self, source: str, origin: str, keys: Sequence[str] | None = None
    ) -> list[ImportedRow]:
        """The rows of those keys, or of all records of the origin in order of position."""
        if keys is None:
            rows = self._c.rows(f"{_SELECT} order by i.position, i.key", (source, origin))
            return [_row(row) for row in rows]
        rows = []
        for part in batches(keys):
            rows += self._c.rows(f"{_SELECT} and i.key in ({marks(part)})", (source, origin, *part))
        return [_row(row) for row in rows]

    def import_origins(self, source: str) -> list[str]:
        """The origins of which rows of a source are kept."""
        rows = self._c.rows(
            "select distinct origin from imports where source = ? order by origin", (source,)
        )
        return [row[0] for row in rows]

    def put_imported(self, source: str, origin: str, rows: Iterable[ImportedRow]) -> None:
        """Keeps rows, each in the place of what was kept of its key."""
        anew = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[3:])
        self._c.run_many(
            f"insert into imports({', '.join(_COLUMNS)}) values ({marks(_COLUMNS)})"
            f" on conflict {self._c.unique('source, origin, key')} do update set {anew}",
            [
                (
                    source,
                    origin,
                    row.key,
                    _MARKS[row.state] + row.hash,
                    row.memory,
                    int(row.own),
                    row.position,
                )
                for row in rows
            ],
        )

    def brought_by(self, name: str, project: str | None) -> list[int]:
        """Ids of the memories not forgotten that imports of a format, or of a path, have made.

        An origin is `project:path`, or the project alone where a source has ids of its own.
        """
        values: tuple[str | int, ...]
        if project is None:
            where = "i.source = ? or substr(i.origin, length(i.origin) - ?) = ?"
            values = (name, len(name), f":{name}")
        else:
            where = "i.origin = ? or i.source = ? and (i.origin = ? or substr(i.origin, 1, ?) = ?)"
            values = (f"{project}:{name}", name, project, len(project) + 1, f"{project}:")
        rows = self._c.rows(
            "select distinct m.id from imports i join memories m on m.id = i.memory"
            f" where i.own = 1 and m.deleted_at is null and ({where}) order by m.id",
            values,
        )
        return [row[0] for row in rows]

    def drop_imported(self, source: str, origin: str, keys: Iterable[str]) -> None:
        """Forgets that those keys were imported."""
        self._c.run_many(
            "delete from imports where source = ? and origin = ? and key = ?",
            [(source, origin, key) for key in keys],
        )


def _row(stored: tuple[Any, ...]) -> ImportedRow:
    key, marked, memory, own, position, live, forgotten = stored
    state = _STATES.get(marked[:1], SETTLED)
    digits = marked if state == SETTLED else marked[1:]
    return ImportedRow._make(
        (key, digits, memory, bool(own), position, state, bool(live), bool(forgotten))
    )
