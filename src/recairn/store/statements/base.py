"""What all statements share: the connection of whichever engine runs them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.statements.connection import SqlConnection


class Statements:
    """A part of a store; the engine's class that is made of such parts has the connection."""

    if TYPE_CHECKING:

        @property
        def _c(self) -> SqlConnection: ...
