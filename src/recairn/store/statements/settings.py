"""Settings, how far readers have read, and what the repository said of memories."""

from __future__ import annotations

from recairn.store.statements.base import SurroundingStatements, batches, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.store.memory_rows import StalenessRow

_SEAL = "seal"
_STALENESS = ("memory", "checked_at", "state", "value", "detail")


class SettingStatements(SurroundingStatements):
    """The part of a store that keeps settings and cursors."""

    def set_config(self, key: str, value: str | None, at: int) -> None:
        """Stores a setting; None removes it."""
        if self.personal is not None and self.personal.put(key, value):
            return
        if value is None:
            self._c.run("delete from config where key = ?", (key,))
            return
        self._c.run(
            "insert into config(key, value, updated_at) values (?, ?, ?)"
            f" on conflict {self._c.unique('key')} do update set"
            " value = excluded.value, updated_at = excluded.updated_at",
            (key, value, at),
        )

    def seal(self) -> str:
        """The text that tells this database from any that is put in its place; "" without one."""
        return self._c.value(f"select value from meta where key = '{_SEAL}'") or ""

    def set_seal(self, seal: str) -> None:
        """Seals the database; it does not travel."""
        self._c.run(
            "insert into meta(key, value) values (?, ?)"
            f" on conflict {self._c.unique('key')} do update set value = excluded.value",
            (_SEAL, seal),
        )

    def read_position(self, reader: str, stream: str) -> int:
        """How far a reader has read a stream; 0 when never."""
        return int(
            self._c.value(
                "select coalesce(max(position), 0) from read_cursors"
                " where reader = ? and stream = ?",
                (reader, stream),
            )
        )

    def move_reader(self, reader: str, stream: str, position: int, at: int) -> None:
        """Notes that a reader has read so far; never backwards."""
        self._c.run(
            "insert into read_cursors(reader, stream, position, updated_at) values (?, ?, ?, ?)"
            f" on conflict {self._c.unique('reader, stream')} do update set position ="
            " case when excluded.position > read_cursors.position then excluded.position"
            " else read_cursors.position end, updated_at = excluded.updated_at",
            (reader, stream, position, at),
        )

    def put_staleness(self, rows: Iterable[StalenessRow]) -> None:
        """Keeps what a look at the repository said, in place of what it said before."""
        anew = ", ".join(f"{name} = excluded.{name}" for name in _STALENESS[1:])
        self._c.run_many(
            f"insert into staleness({', '.join(_STALENESS)}) values (?, ?, ?, ?, ?)"
            f" on conflict {self._c.unique('memory')} do update set {anew}",
            rows,
        )

    def staleness(self, memories: Sequence[int] | None = None) -> dict[int, StalenessRow]:
        """What the last look said, of those ever checked, by memory."""
        from recairn.store.memory_rows import StalenessRow

        select = f"select {', '.join(StalenessRow._fields)} from staleness"
        if memories is None:
            rows = self._c.rows(f"{select} order by memory")
        else:
            rows = [
                row
                for part in batches(memories)
                for row in self._c.rows(
                    f"{select} where memory in ({marks(part)}) order by memory", part
                )
            ]
        return {row[0]: StalenessRow._make(row) for row in rows}
