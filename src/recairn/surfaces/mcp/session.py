"""The memory behind a server: opened at the first call, and opened anew when trouble has passed.

A server lives for hours. Meanwhile the database may be locked, replaced by a backup, or deleted,
and agent sessions begin and end. One thread uses a desk.
"""

from __future__ import annotations

import os

from recairn.core.guard.log_text import plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.engine import Recairn


class Desk:
    """Opens the memory that calls act on."""

    def __init__(self, path: str | None = None, project: str | None = None) -> None:
        # What the program that calls is named; it is the author of what it writes.
        self.client = ""
        self._path = path
        self._project = project
        self._memory: Recairn | None = None
        self._file: tuple[str, int, int] | None = None
        self._session: str | None = None

    def memory(self, caller: str | None = None, *, create: bool = False) -> Recairn:
        """The open memory, in the session of the caller, or else the one that is open here now.

        Where there is no database, none is made unless `create` says so.

        The caller's is the one its message names, or the environment it has started this server in
        (after Claude Code's /clear that is the one before, which its hook has ended).
        """
        if self._memory is not None and (self._memory.read_only or self._file != self._file_now()):
            self.close()  # what could not be written may be writable again
        if self._memory is None:
            from recairn.engine import open_as_allowed

            self._memory = open_as_allowed(self._path, project=self._project, create=create)
            self._file = self._file_now()
            self._session = self._memory.session
            self._memory.keeps_apart = True
        self._memory.name_no_other()
        self._memory.author = self._author()
        # The agent's hooks begin a session after this server has started, and end it before.
        self._memory.session = plain_name(caller) if caller else self._session
        from recairn.host.project import session_here

        author = self._memory.author
        self._memory.join_session(session_here(), of=author if ":" in author else "")
        return self._memory

    def _author(self) -> str:
        """The agent that calls, whatever its environment says: no tool is called by a person."""
        from recairn.core.author import PERSON, agent_named

        if self.client:
            return agent_named(self.client)
        from recairn.host.agent import author_here

        here = author_here()
        return agent_named("") if here == PERSON else here

    def _file_now(self) -> tuple[str, int, int] | None:
        """Which file is the database at this moment; None when there is none."""
        from recairn.host.project import database_path

        path = database_path(self._path, os.getcwd())
        try:
            status = os.stat(path)
        except OSError:
            return None
        return path, status.st_dev, status.st_ino

    def settle(self) -> None:
        """Does the book-keeping that no answer waits for; trouble with it is no trouble."""
        if self._memory is not None:
            try:
                self._memory.settle()
            except Exception:
                self.close()

    def close(self) -> None:
        """Closes the memory; the next call opens it again."""
        memory, self._memory = self._memory, None
        if memory is not None:
            try:
                memory.close()
            except Exception:
                return  # the database is out of reach, and so is what close would have written
