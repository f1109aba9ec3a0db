"""What nearly every call asks first: settings and models, read together and kept for a moment.

They change rarely, and each would cost a round trip of its own. What this client changes counts at
once; what others change, within two seconds.
"""

from __future__ import annotations

from time import monotonic

from recairn.store.rows import ModelRow
from recairn.store.statements.settings import SettingStatements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.store.postgres.connection import Connection

# Seconds for which settings and models count as current.
_FRESH_S = 2.0
# Both in one row, as JSON; also part of a client's first message.
BASICS_SQL = (
    "select (select json_object_agg(key, value order by key) from config)::text,"
    " (select json_agg(json_build_array("
    + ", ".join(ModelRow._fields)
    + ") order by id) from models)::text"
)


class Basics:
    """Settings and models as they were read last."""

    __slots__ = ("models", "read_at", "settings", "undone")

    def __init__(self, settings: str | None, models: str | None, undone: int = 0) -> None:
        """`undone` is how many transactions of the connection had been undone by then."""
        from recairn.core.fastjson import loads

        self.read_at = monotonic()
        self.undone = undone
        self.settings: dict[str, str] = loads(settings) if settings else {}
        rows: list[Any] = loads(models) if models else []
        self.models = list(map(ModelRow._make, rows))


class BasicStatements(SettingStatements):
    """The part of the store that answers from what it read a moment ago."""

    _c: Connection
    _basics: Basics | None = None

    def basics(self) -> Basics:
        """Settings and models, read anew where they were read too long ago."""
        basics_read = self._basics
        if (
            basics_read is None
            or basics_read.undone != self._c.undone
            or monotonic() - basics_read.read_at > _FRESH_S
        ):
            row = self._c.row(BASICS_SQL)
            assert row is not None
            basics_read = self._basics = Basics(row[0], row[1], self._c.undone)
        return basics_read

    def forget_basics(self) -> None:
        """What was read is no longer true."""
        self._basics = None

    def config(self) -> dict[str, str]:
        """All settings."""
        kept = dict(self.basics().settings)
        return kept if self.personal is None else self.personal.over(kept)

    def set_config(self, key: str, value: str | None, at: int) -> None:
        """Stores a setting; None removes it."""
        super().set_config(key, value, at)
        self.forget_basics()

    def models(self) -> list[ModelRow]:
        """Every model that has or had vectors here."""
        return list(self.basics().models)

    def active_model(self) -> ModelRow | None:
        """The model that answers searches."""
        return next((row for row in self.basics().models if row.state == "active"), None)

    def add_model(self, model: Mapping[str, object], *, at: int) -> int:
        """Registers a model (fingerprint, name, revision, dim); the first one answers at once."""
        for row in self.models():
            if row.fingerprint == model["fingerprint"]:
                return row.id
        with self._c.transaction():
            self.forget_basics()  # now it is this writer's turn: what it reads stays true
            models = self.models()
            for row in models:
                if row.fingerprint == model["fingerprint"]:
                    return row.id
            state = "building" if any(row.state == "active" for row in models) else "active"
            self.forget_basics()
            return self._c.insert(
                "insert into models(fingerprint, name, revision, dim, normalisation, state,"
                " created_at) values (?, ?, ?, ?, 'l2', ?, ?)",
                (model["fingerprint"], model["name"], model["revision"], model["dim"], state, at),
            )

    def activate_model(self, model: int) -> None:
        """Lets a complete model answer from now on, and drops the vectors of the one before."""
        with self._c.transaction():
            self._c.post("delete from models where state = 'active' and id <> ?", (model,))
            self._c.post("update models set state = 'active' where id = ?", (model,))
        self.forget_basics()

    def remove_model(self, model: int) -> None:
        """Drops a model and its vectors."""
        self._c.post("delete from models where id = ?", (model,))
        self.forget_basics()

    def dimension(self, model: int) -> int | None:
        """The dimensions of a model's vectors."""
        return next((row.dim for row in self.basics().models if row.id == model), None)
