"""The public Python API: opens things, owns their lifetimes, and calls the layers below.

with recairn.open() as memory:
    memory.remember("Always run migrations in a transaction", kind="rule")
    for hit in memory.search("migrations").hits:
        print(hit.id, hit.score, hit.memory.content)
"""

from __future__ import annotations

import os

from recairn import store as stores
from recairn.core.errors import NotFound, StoreReadOnly
from recairn.core.guard import plain_name
from recairn.core.lazy import assemble
from recairn.core.times import now_ms
from recairn.engine.base import BOOKKEEPING_PATIENCE_S, Base, home_of, place
from recairn.engine.parts import PARTS
from recairn.host.project import (
    chosen_database,
    existing_database,
    is_project_database,
    is_there,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    from recairn.engine.aging import Tending
    from recairn.engine.branches import Branching
    from recairn.engine.context import Contexts
    from recairn.engine.documents import Documents
    from recairn.engine.erasing import Erasing
    from recairn.engine.graph import Linking
    from recairn.engine.handoffs import HandingOver
    from recairn.engine.imports import Importing
    from recairn.engine.journal import Journaling
    from recairn.engine.learning import Learning
    from recairn.engine.listings import Listing
    from recairn.engine.models import Models
    from recairn.engine.moments import Moments
    from recairn.engine.outcomes import Outcomes
    from recairn.engine.overview import Overview
    from recairn.engine.projects import Projects
    from recairn.engine.queries import Queries
    from recairn.engine.review import Reviewing
    from recairn.engine.session_notes import Noting
    from recairn.engine.sessions import Sessions
    from recairn.engine.sharing import Teaming
    from recairn.engine.team_sync import TeamSync
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import SeenSession

    class _Parts(
        Learning,
        Linking,
        Tending,
        Sessions,
        Contexts,
        Models,
        Queries,
        Importing,
        Documents,
        Reviewing,
        Erasing,
        Moments,
        Outcomes,
        Noting,
        HandingOver,
        Teaming,
        TeamSync,
        Branching,
        Projects,
        Listing,
        Journaling,
        Overview,
    ):
        """Everything a memory can do, for type checkers."""

else:
    _Parts = Base

# How long a write waits for another process (seconds).
_PATIENCE_S = 30.0


def open_memory(
    path: str | bytes | os.PathLike[str] | None = None,
    *,
    project: str | None = None,
    session: str | None = None,
    model: str | None = None,
    read_only: bool = False,
    clock: Callable[[], int] = now_ms,
) -> Recairn:
    """Opens (and on first use creates) a memory.

    `path` defaults to RECAIRN_DB, then the project's own `.recairn/memory.db` where the user trusts
    it (`recairn trust`), then the user's one.
    `project` defaults to that of the working directory. `model` names the embedding
    model for new vectors ("none" for no vectors); it defaults to the configured one.

    With `read_only`, nothing is made where there is none: NotFound.
    """
    return _open(
        path,
        read_only=read_only,
        create=True,
        project=project,
        session=session,
        model=model,
        clock=clock,
    )


def _open(
    path: str | bytes | os.PathLike[str] | None,
    *,
    read_only: bool,
    create: bool,
    project: str | None,
    clock: Callable[[], int] = now_ms,
    **asking: Any,
) -> Recairn:
    """Without `create`, an empty memory answers where there is none, and nothing is made on disk.

    `asking` is the session, the model, and how many seconds a write waits for others.
    """
    patience_s = asking.get("patience_s", _PATIENCE_S)
    folder = os.getcwd()
    choice = chosen_database(None if path is None else os.fsdecode(path), folder)
    is_new = create and is_project_database(choice.path) and not os.path.exists(choice.path)
    store = _store_at(choice.path, patience_s, read_only=read_only, create=create)
    if choice.trust is not None:
        from recairn.engine.trust import as_trusted, instead

        if not as_trusted(store, choice.trust):
            choice = instead(choice, typed=bool(path or os.environ.get("RECAIRN_DB")))
            store = _store_at(choice.path, patience_s, read_only=read_only, create=create)
    elif is_new:
        from recairn.engine.trust import trust_new

        trust_new(store, choice.path, clock())
    memory = Recairn(
        store,
        home=home_of(store, folder, project, clock),
        session=asking.get("session") or os.environ.get("RECAIRN_SESSION") or None,
        model=asking.get("model") or os.environ.get("RECAIRN_MODEL") or None,
        clock=clock,
    )
    memory.passed_over = choice.passed_over
    return memory


def _store_at(path: str, patience_s: float, *, read_only: bool, create: bool) -> Store:
    try:
        absent = not create and not is_there(path)
    except OSError:
        absent = False  # the engine says best what is wrong with it
    return stores.open(path, read_only=read_only, absent=absent, patience_s=patience_s)


def open_as_allowed(
    path: str | None = None,
    *,
    project: str | None = None,
    session: str | None = None,
    create: bool = True,
    patience_s: float = _PATIENCE_S,
) -> Recairn:
    """A memory for reading and writing, or where it may not be written for reading alone.

    A write then says why it is refused. It waits `patience_s` for other processes.
    """
    asking: dict[str, Any] = {"project": project, "session": session, "patience_s": patience_s}
    try:
        return _open(path, read_only=False, create=create, **asking)
    except StoreReadOnly as trouble:
        try:
            return open_memory(path, project=project, session=session, read_only=True)
        except NotFound:
            raise trouble from None


class Recairn(_Parts):
    """One open memory. Not for use by several threads at once; open one per thread."""

    def __enter__(self) -> Recairn:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def join_session(self, named: str | None = None, *, of: str = "") -> str | None:
        """Joins a session, unless this memory is in one already.

        The one that is `named`, if it was not ended; else the one that was started here last, by
        the same agent or by a person: what a person says does not belong to the session of an
        agent. Where it is known to be another agent's than `of`, the last one of this.
        """
        if self.session is None and named is not None:
            named = plain_name(named)
            self.session = None if self._was_ended(named) else named
        current = None if self.session is not None else self._started_here(of)
        if current is not None and of:
            current = self._of_agent(of, current)
        if current is not None:
            from recairn.work.sessions import idle_ms

            session, last_seen = current
            if last_seen + idle_ms(self.store) > self._clock():
                self.session = session
        return self.session

    def _started_here(self, of: str) -> SeenSession | None:
        """The session that this agent, or else a person, has started here last."""
        agent = of.partition(":")[2] or self._agent()
        here = place()
        own = self.store.current_session(place(agent, here)) if agent else None
        return own or self.store.current_session(here)

    def _agent(self) -> str:
        """The agent that writes here, without its subagent; empty for a person."""
        from recairn.core.author import AGENT, HOOK

        role, _, name = self.store.writer().partition(":")
        return name.partition("/")[0] if role in (AGENT, HOOK) else ""

    def _was_ended(self, session: str) -> bool:
        return any(row.ended_at is not None for row in self.store.sessions(ids=[session]))


assemble(Recairn, PARTS)


def open_existing(*, session: str | None = None) -> Recairn | None:
    """The memory of the working directory, for who must not wait: None where there is none yet.

    It is never created, and no lock is waited for longer than a moment.
    """
    folder = os.getcwd()
    choice = existing_database(folder)
    if choice is None:
        return None
    store = stores.open(choice.path, patience_s=BOOKKEEPING_PATIENCE_S)
    if choice.trust is not None:
        from recairn.engine.trust import as_trusted, instead

        if not as_trusted(store, choice.trust):
            choice = instead(choice, typed=bool(os.environ.get("RECAIRN_DB")))
            if not os.path.exists(choice.path):
                return None
            store = stores.open(choice.path, patience_s=BOOKKEEPING_PATIENCE_S)
    model = os.environ.get("RECAIRN_MODEL") or None
    home = home_of(store, folder, None, now_ms)
    return Recairn(store, home=home, session=session, model=model)
