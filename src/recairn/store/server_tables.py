"""Looking after the tables on a server, for who owns them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recairn.store.upkeep_rows import Finding


class Server:
    """The tables that an address names."""

    APP_ROLE = "recairn_app"

    def __init__(self, address: str) -> None:
        from recairn.store.postgres.address import Address

        self._address = Address(address)
        self._typed = address
        self.shown = self._address.shown
        self.team = self._address.team

    def statements(self, role: str) -> Iterator[str]:
        """What `migrate` would run on what is there now."""
        from recairn.store.postgres import setup

        yield f"-- where there is no such role: create role {setup.quoted(role)} login password '…'"
        yield "begin"
        yield from setup.script(self._address, role, present=setup.tables_version(self._address))
        yield "commit"

    def migrate(self, role: str) -> list[int]:
        """Makes the tables and the team, or brings them up to date; the versions gone through."""
        from recairn.store.postgres import setup

        return setup.migrate(self._address, role)

    def create_team(self, name: str) -> bool:
        """Makes a team, unless there is one of that name; whether it is new."""
        from recairn.store.postgres import setup

        return setup.create_team(self._address, name)

    def status(self) -> tuple[Finding, ...]:
        """How tables, role and team stand, seen with the role of the address."""
        from recairn.store.postgres.status import status

        return status(self._typed)


def server(address: str) -> Server:
    """What looks after the server of an address; BadInput for an address of another kind."""
    from recairn.store import is_on_server

    is_on_server(address)
    return Server(address)
