"""One run of one command: what was typed, where answers go, and the memory it acts on."""

from __future__ import annotations

from recairn.core.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.store.contract.maintenance import Maintenance
    from recairn.surfaces.cli.command import Command
    from recairn.surfaces.cli.screen import Screen


class Call:
    """What a handler gets. `arguments` holds only what was typed."""

    def __init__(self, command: Command, arguments: dict[str, Any], screen: Screen) -> None:
        self.command = command
        self.arguments = arguments
        self.screen = screen
        self.json = bool(arguments.get("json"))
        self._memory: Recairn | None = None

    def open(self) -> Recairn:
        """The memory this call acts on, in the session that was started here, if there is one."""
        from recairn.engine import open_as_allowed
        from recairn.host.project import session_here

        memory = self._memory = open_as_allowed(
            self.arguments.get("db"),
            project=self.arguments.get("act_in"),
            session=self.arguments.get("session"),
            create=self.command.creates and "dry_run" not in self.arguments,
        )
        if memory.passed_over and self.screen.err.isatty():
            self._tell_of_one_passed_over(memory.passed_over)
        if memory.absent and (self.arguments.get("db") or self.screen.err.isatty()):
            # Whoever looks for something in a database that is not there may mean another one.
            self.screen.note(f"note: there is no database at {memory.database}")
        if memory.home_notice:
            self.screen.note(f"note: {memory.home_notice}")
        memory.join_session(session_here())
        memory.everywhere = bool(self.arguments.get("all_projects"))
        self.screen.crossed, self.screen.damaged = memory.crossed, memory.damaged
        return memory

    def _tell_of_one_passed_over(self, path: str) -> None:
        from recairn.engine.trust import doubt_of, trust_file

        trust = trust_file().remembered(path)
        why = "" if trust is None else f": {doubt_of(trust)}"
        self.screen.note(
            "note: .recairn/memory.db of this checkout is not used"
            f"{why}; recairn trust says what it holds and uses it"
        )

    def tell_of_mirrors(self) -> None:
        """Says what kept mirrors from following what this call wrote."""
        if self._memory is not None and self._memory.mirror_notice:
            self.screen.note(f"note: {self._memory.mirror_notice}")

    def follow_pins(self, memory: Recairn, *changed: Memory) -> None:
        """Brings the blocks of standing memories in files up to date, where one of these is one.

        With --project the files are somewhere else: they follow with the next change there.
        """
        if "act_in" in self.arguments:
            return
        if not any(record.pinned or record.kind == "rule" for record in changed):
            return
        from recairn.core.errors import RecairnError

        try:
            blocks = memory.refresh_pins()
        except (RecairnError, OSError) as error:
            self.screen.note(f"note: the pinned memories in files stay as they were: {error}")
            return
        for block in blocks:
            if block.state == "written":
                self.screen.note(f"note: {block.path} is brought up to date")

    def database(self) -> str:
        """The path of that memory's database, for commands that do not open it."""
        import os

        from recairn.host.project import database_path

        return database_path(self.arguments.get("db"), os.getcwd())

    def maintenance(self) -> Maintenance:
        """What looks after that database, also where it will not open."""
        from recairn.store import maintenance

        return maintenance(self.database())

    def chosen(self, *names: str) -> dict[str, Any]:
        """Those of the named options that were typed."""
        return {name: self.arguments[name] for name in names if name in self.arguments}

    def say(self, text: str) -> None:
        """Prints one line of result."""
        self.screen.write(text + "\n")

    def confirm(self, what: str) -> bool:
        """Whether the person agrees; Refused where nobody can be asked and --yes is missing."""
        if self.arguments.get("yes"):
            return True
        answer = self.screen.confirmed(f"{what}. Go on?")
        if answer is None:
            raise Refused(what, "add --yes to go on")
        if not answer:
            self.screen.note("left as it was")
        return answer
