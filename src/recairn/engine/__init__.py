"""The public Python API: opens things, owns their lifetimes, and calls the layers below.

with recairn.open() as memory:
    memory.remember("Always run migrations in a transaction", kind="rule")
    for hit in memory.search("migrations").hits:
        print(hit.id, hit.score, hit.memory.content)
"""

from __future__ import annotations

import os

from recairn.core.errors import NotFound, StoreReadOnly
from recairn.core.lazy import assemble
from recairn.core.times import now_ms
from recairn.engine.base import BOOKKEEPING_PATIENCE_S
from recairn.engine.recall import Reading
from recairn.host.project import database_path, detect, existing_database
from recairn.store.sqlite import SqliteStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from recairn.engine.aging import Tending
    from recairn.engine.context import Contexts
    from recairn.engine.documents import Documents
    from recairn.engine.graph import Linking
    from recairn.engine.imports import Importing
    from recairn.engine.learning import Learning
    from recairn.engine.models import Models
    from recairn.engine.queries import Queries
    from recairn.engine.review import Reviewing
    from recairn.engine.session_notes import Noting
    from recairn.engine.sessions import Sessions

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
        Noting,
    ):
        """Everything a memory can do, for type checkers."""

else:
    _Parts = Reading

# What is loaded when it is first called, each part with its methods.
_LATER = {
    "recairn.engine.changes:Changing": (
        "edit forget restore supersede feedback evidence reinforce deemphasize undo"
    ),
    "recairn.engine.context:Contexts": (
        "context _meant _ask _recorded _at_work inject expanded ledger handed_out"
    ),
    "recairn.engine.documents:Documents": (
        "add_documents add_text refresh_documents documents find_documents"
        " document_chunks remove_documents _keeper _root _roots _keep_roots"
    ),
    "recairn.engine.imports:Importing": ("import_from _import_one _take_export"),
    "recairn.engine.learning:Learning": (
        "tune undo_tuning _ask_again observe observe_reverts _failed compact _compacted"
    ),
    "recairn.engine.graph:Linking": ("link unlink related path graph _around consolidate"),
    "recairn.engine.models:Models": (
        "semantic_search embed batch_embed _lacking batch_left _wanted_id models"
        " _vectors_of _installed use_model pull_model remove_model"
    ),
    "recairn.engine.session_notes:Noting": (
        "notes note given forget_given learned_something snapshot _is_live"
    ),
    "recairn.engine.queries:Queries": ("query_stats cleanup_queries record_miss misses"),
    "recairn.engine.review:Reviewing": (
        "capture candidates accept accept_edited drop _all_resolved"
    ),
    "recairn.engine.sessions:Sessions": (
        "start_session join_session end_session session_info sessions session_uses"
        " session_context timeline handoff resume"
    ),
    "recairn.engine.tasks:Tasks": (
        "add_task task tasks ready_tasks _tasks start_task finish_task _archive"
        " block_task edit_task add_dependency remove_dependency task_events current_task"
        " _work_places"
    ),
    "recairn.engine.aging:Tending": (
        "correct chain as_of hidden promote expire pin pin_into unpin_from refresh_pins"
        " _pins archive _faded stale check_stale"
    ),
    "recairn.engine.exchange:Transfer": (
        "export_records every_memory take_records mirrors start_mirror stop_mirror"
        " pull_mirror rebuild_from_mirror _pull _let_go _write _folders _keep_folders _folder"
    ),
    "recairn.engine.remember:Writing": ("remember remember_many _all_prepared _prepared"),
}

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

    `path` defaults to RECAIRN_DB, then the project's own `.recairn/memory.db`, then the user's one.
    `project` defaults to the git checkout of the working directory. `model` names the embedding
    model for new vectors ("none" for no vectors); it defaults to the configured one.
    """
    folder = os.getcwd()
    chosen = database_path(None if path is None else os.fsdecode(path), folder)
    store = SqliteStore(chosen, read_only=read_only, patience_s=_PATIENCE_S)
    return Recairn(
        store,
        project=detect(folder) if project is None else project,
        session=session or os.environ.get("RECAIRN_SESSION") or None,
        model=model or os.environ.get("RECAIRN_MODEL") or None,
        clock=clock,
    )


def open_as_allowed(
    path: str | None = None, *, project: str | None = None, session: str | None = None
) -> Recairn:
    """A memory for reading and writing, or where it may not be written for reading alone.

    A write then says why it is refused.
    """
    try:
        return open_memory(path, project=project, session=session)
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


assemble(Recairn, _LATER)


def open_existing(*, session: str | None = None) -> Recairn | None:
    """The memory of the working directory, for who must not wait: None where there is none yet.

    It is never created, and no lock is waited for longer than a moment.
    """
    folder = os.getcwd()
    path = existing_database(folder)
    if path is None:
        return None
    store = SqliteStore(path, patience_s=BOOKKEEPING_PATIENCE_S)
    model = os.environ.get("RECAIRN_MODEL") or None
    return Recairn(store, project=detect(folder), session=session, model=model)
