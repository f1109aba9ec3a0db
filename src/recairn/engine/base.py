"""What every part of the engine shares: the store, who is asking, lifetimes, book-keeping."""

from __future__ import annotations

import os

from recairn.core.errors import Ambiguous, NotFound, Refused
from recairn.core.guard import plain_name
from recairn.core.model import Act
from recairn.core.times import DAY, now_ms
from recairn.engine.options import filter_from
from recairn.host.project import models_folder, place_of, root_of
from recairn.work.belonging import Home, known_home, named_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from recairn.core.author import Writer
    from recairn.core.model import Filter, SearchResult
    from recairn.embed.index import Meaning
    from recairn.recall.search import Request
    from recairn.store.contract.base import Store

# How long book-keeping may wait for another process (seconds).
BOOKKEEPING_PATIENCE_S = 0.1
# A memory put to use within a week of being handed out was of use for that.
_REMEMBERED_MS = 7 * DAY
# The setting that lists what the user declared not to be a secret.
ALLOWED = "redaction.allow"
# The setting that names the folders kept in step with the database.
MIRRORS = "mirror.folders"
# The setting that says for how many days the turns of sessions are kept.
TURNS_KEPT = "turns.keep_days"
# The setting by which what agents write counts as the person's own word.
TRUSTED = "agents.trusted"


def home_of(store: Store, folder: str, name: str | None, clock: Callable[[], int]) -> Home:
    """The project to work in: the one named, that of RECAIRN_PROJECT, or the folder's."""
    if name is None:
        name = os.environ.get("RECAIRN_PROJECT")
    return folders_home(store, folder, clock) if name is None else named_home(store, name)


def folders_home(store: Store, folder: str, clock: Callable[[], int]) -> Home:
    """The project of a folder, whatever the environment says."""
    place = place_of(folder)
    home = known_home(store, place)
    if home is None:
        from recairn.work.first_meeting import meet

        return meet(store, place, clock())
    if home.pending is not None:
        from recairn.work.first_meeting import catch_up

        catch_up(store, place, home.pending, clock())
    return home


def place(agent: str = "", here: str = "") -> str:
    """A user in a checkout, or an agent there: who runs a command means what they started."""
    here = here or f"{user()} {root_of(os.getcwd()) or os.getcwd()}"
    return f"{agent} {here}" if agent else here


def user() -> str:
    return os.environ.get("USER") or str(os.getuid())


def allowed_in(settings: Mapping[str, str]) -> Sequence[str]:
    """What the settings declare not to be a secret."""
    return tuple(line for line in settings.get(ALLOWED, "").splitlines() if line)


class _FirstUse:
    """Vectors and models of a memory, made when they are first asked for: many a hook never does.

    From then on they are an attribute like others.
    """

    def __get__(self, memory: Base | None, kind: type[Base]) -> Meaning:
        if memory is None:  # asked of the class
            return self  # type: ignore[return-value]
        from recairn.embed.index import Meaning

        folder, wanted = models_folder(), memory._wanted_model
        made = Meaning(memory.store, models_dir=folder, wanted=wanted)
        memory.__dict__["meaning"] = made
        return made


def branch_here() -> str:
    """The branch that is checked out in the working directory; "" outside git."""
    from recairn.host.git import branch_of

    root = root_of(os.getcwd())
    return "" if root is None else branch_of(root)


class Base:
    """The open memory itself: where it is, its settings, and its end."""

    meaning = _FirstUse()

    def __init__(
        self,
        store: Store,
        *,
        home: Home,
        session: str | None = None,
        model: str | None = None,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.store = store
        self.project = home.name
        # The project that this one is a part of; what is remembered there is seen here, too.
        self.parent = home.parent
        self._visited: str | None = None
        self.home_notice = home.notice
        self._newcomer = home.newcomer
        self.session = plain_name(session) if session else session
        self._wanted_model = model
        self._clock = clock
        self._pending: list[tuple[SearchResult, Request, str, int]] = []
        self._afterwards: list[Callable[[Store], object]] = []
        # What was counted last: what → (state of the database, count).
        self._counts: dict[str, tuple[object, Any]] = {}
        self.mirror_notice = ""
        # Memories and tasks of other projects that were named by their id: id → project.
        self.crossed: dict[int | str, str] = {}
        # Whether those may not even be read, and whether they may all be changed.
        self.keeps_apart = False
        self.everywhere = False
        self._named: set[int] = set()
        # The projects that may be named at all; None where nobody needs one.
        self.grant: frozenset[str] | None = None
        # Whether this process stays: then it is worth loading a reranker unasked.
        self.stays = False
        # A database of the checkout that nobody trusts, and that is not used therefore.
        self.passed_over = ""

    @property
    def folder(self) -> str:
        """The folder worked in: the process's own, or that of the project that was visited."""
        return os.getcwd() if self._visited is None else self._visited

    @folder.setter
    def folder(self, folder: str) -> None:
        self._visited = folder

    def _work_root(self) -> str:
        """The checkout worked in, else the folder; NotFound where a project lies nowhere here."""
        if not self.folder:
            raise NotFound(
                f"the project {self.project} has no folder on this machine",
                "recairn project show lists the folders of a project",
            )
        return root_of(self.folder) or self.folder

    def close(self) -> None:
        """Writes what is left to log, and closes the database."""
        self.settle()
        if "meaning" in self.__dict__:
            self.meaning.reload()
        self.store.close()

    def abandon(self) -> None:
        """Closes the database at once; what was left to log is lost."""
        self.store.close()

    @property
    def database(self) -> str:
        """The path of the database."""
        return self.store.address

    @property
    def read_only(self) -> bool:
        """Whether this memory can be looked at alone."""
        return self.store.read_only

    @property
    def absent(self) -> bool:
        """Whether there is no database yet: this memory is empty, and nothing was made."""
        return self.store.absent

    @property
    def author(self) -> str:
        """Who writes here, by the environment: `person`, or the agent whose shell this is.

        Whoever speaks for somebody else names them: `memory.author = "agent:gardener"`.
        """
        return self.store.writer()

    @author.setter
    def author(self, author: str) -> None:
        self.store.author = author

    @property
    def speaks_for_person(self) -> bool:
        """Whether what is done here counts as a person's word."""
        return self._writer().is_own

    def _writer(self) -> Writer:
        from recairn.core.author import PERSON, Writer

        author = self.store.writer()
        is_own = author == PERSON or self.store.config().get(TRUSTED) == "on"
        return Writer._make((author, is_own))

    @property
    def damaged(self) -> set[int]:
        """Memories that were met, and a part of which cannot be read: `verify` says more."""
        return self.store.damaged

    @property
    def embedding_notice(self) -> str:
        """What kept the embedding model from its last work, and what helps; "" for nothing."""
        return self.meaning.notice

    def bookkeeping(self, patience_s: float) -> AbstractContextManager[None]:
        """Inside, writes wait only so long for others, and may be lost with the power."""
        return self.store.bookkeeping(patience_s)

    def settle(self) -> None:
        """Writes the book-keeping of what was answered; if that fails, it fails quietly.

        Vectors of a slow model, which nobody should wait for under a lock, are made here too.
        """
        if "meaning" in self.__dict__ and self.meaning.late:
            self.meaning.embed_late()
        self.keep_mirrors()
        if not (self._pending or self._afterwards):
            return
        pending, self._pending = self._pending, []
        afterwards, self._afterwards = self._afterwards, []
        try:
            with self.store.bookkeeping(BOOKKEEPING_PATIENCE_S), self.store.transaction():
                if pending:
                    from recairn.recall.search import log_searches

                    log_searches(self.store, pending)
                for note in afterwards:
                    note(self.store)
        except Exception:
            return  # counters are a comfort: an answer already given is worth more

    def _turn(self, moment: str, said: str, at: int) -> dict[str, Any] | None:
        """A moment of this session as it is noted; None outside one, and where none are kept."""
        if self.session is None or self.store.config().get(TURNS_KEPT) == "0":
            return None
        return {
            "at": at,
            "session_id": self.session,
            "project": self.project,
            "agent": self.author.partition(":")[2],
            "event": moment,
            "prompt": said,
        }

    def _used(self, memories: Sequence[int], how: str) -> None:
        """Notes, when there is time, that memories handed out before were put to use."""
        if not memories or self.store.read_only:
            return
        ids, session, at = tuple(memories), self.session, self._clock()
        self._afterwards.append(
            lambda store: store.note_used(
                ids, how, session=session, since=at - _REMEMBERED_MS, at=at
            )
        )

    def keep_mirrors(self) -> bool:
        """Brings every mirror up to date where something was written; whether something was.

        A folder in trouble never fails the write before it: `mirror_notice` says what is wrong.
        """
        if not self.store.wrote:
            return False
        self.store.wrote = False
        folders = self.store.config().get(MIRRORS)
        if folders:
            from recairn.sync.mirror.follow import keep

            self.mirror_notice = keep(self.store, folders)
        return True

    def resolve(self, reference: int | str, *, change: bool = False) -> int:
        """The id a reference points at; NotFound or Ambiguous otherwise.

        A memory of another project is refused to who wants to change it (OtherProject), unless it
        is named with its project: `shop/42`.
        """
        named = str(reference).strip()
        if not named:
            raise NotFound("there is no memory with an empty id", "recairn recent lists the newest")
        ids = self._within_grant(self.store.find(named))
        if not ids and "/" in named:
            ids = self._in_project(*named.rpartition("/")[::2])
        if not ids:
            raise NotFound(f"there is no memory {reference!s}", "recairn recent lists the newest")
        if len(ids) > 1:
            listed = ", ".join(f"#{memory}" for memory in ids)
            raise Ambiguous(f"{reference!s} fits {listed}", "give more letters, or the number")
        if self.project and not self.everywhere and ids[0] not in self._named:
            self._mind_project(ids[0], change=change)
        return ids[0]

    def name_no_other(self) -> None:
        """Forgets which memories of other projects were named: another one asks now."""
        self._named.clear()

    def _in_project(self, project: str, reference: str) -> list[int]:
        """The ids that a reference means in a project that somebody named with it."""
        project = self._home(project).name
        memories = self.store.get_many(self.store.find(reference))
        ids = [memory.id for memory in memories.values() if memory.project == project]
        self._named.update(ids)
        return ids

    def _within_grant(self, ids: list[int]) -> list[int]:
        """Those of the memories that a grant is for; all where nobody needs one."""
        from recairn.memory.lookup import seen_in

        return ids if self.grant is None else seen_in(self.store, ids, self.grant)

    def _mind_project(self, memory: int, *, change: bool) -> None:
        from recairn.core.errors import OtherProject
        from recairn.memory.lookup import known_memory, other_project

        project = other_project(known_memory(self.store, memory), self.project)
        if project == self.parent:
            return
        if project and (change or self.keeps_apart):
            raise OtherProject(memory, project)
        if project:
            self.crossed[memory] = project

    def _branch(self, name: str) -> str:
        """The branch of a name; `.` is the one that is checked out here."""
        if name != ".":
            return name
        from recairn.core.errors import BadInput

        branch = branch_here()
        if not branch:
            raise BadInput("no branch is checked out here", "name one, or go to a checkout")
        return branch

    def _filter(self, options: Mapping[str, Any], now: int) -> Filter:
        if self.grant is not None and options.get("all_projects"):
            raise self._beyond_grant("all projects")
        if options.get("branch"):
            options = {**options, "branch": self._branch(options["branch"])}
        home = self._home(options.get("project"))
        return filter_from(options, home=home, own=self.project, session=self.session, now=now)

    def _home(self, name: str | None) -> Home:
        """The project of a name, or the one this memory works in."""
        home = Home(self.project, self.parent) if name is None else named_home(self.store, name)
        if self.grant is not None and home.name not in self.grant:
            raise self._beyond_grant(home.name)
        return home

    def _guard_tier(self, tier: str | None) -> None:
        """Refused for who has a grant and writes for all projects."""
        if self.grant is not None and tier == "global":
            raise self._beyond_grant("all projects")

    def _beyond_grant(self, what: str) -> Exception:
        names = ", ".join(sorted(self.grant or ()))
        return Refused(f"this token is not for {what}", f"it is for {names}")

    def _move_in(self) -> None:
        """Writes down the place whose project this is, before the first thing that is kept there.

        Several processes may do so at once: the name is settled under the lock.
        """
        if self._newcomer is None:
            return
        from recairn.work.first_meeting import move_in

        with self.store.transaction():
            home = move_in(self.store, self._newcomer, self._clock())
        self.project, self.parent, self._newcomer = home.name, home.parent, None

    def _allowed(self) -> Sequence[str]:
        """What the user declared not to be a secret."""
        return allowed_in(self.store.config())

    def _work_places(self) -> list[str]:
        """Where the current task is looked for: the session knows better than the checkout."""
        return [*([] if self.session is None else [f"session: {self.session}"]), place()]

    def _task_here(self) -> str | None:
        """The id of the task that this session, or else this checkout, is at work on."""
        tasks = (self.store.current_task(here) for here in self._work_places())
        return next((task for task in tasks if task is not None), None)

    def _act(self, reason: str = "") -> Act:
        from recairn.core.draft import MAX_REFERENCE, Cleaner

        if reason:
            reason = Cleaner(self._allowed()).name("reason", reason, MAX_REFERENCE)
        return Act(self._clock(), self.session, reason, self._writer().is_own)

    def _changeable(self, reference: int | str, *, force: bool) -> int:
        from recairn.memory import lifecycle
        from recairn.memory.lookup import known_memory

        self.settle()
        memory = self.resolve(reference, change=True)
        lifecycle.guard_immutable(known_memory(self.store, memory), force=force)
        return memory

    def _refuse_secret(self, key: str, value: str) -> None:
        from recairn.core.guard import redact

        # The list of what is no secret is the one value that looks like it.
        checked = (key,) if key == ALLOWED else (key, value, f"{key}={value}")
        secrets = [kind for text in checked for kind in redact(text, self._allowed())[1]]
        if secrets:
            raise Refused(
                f"{redact(key)[0]} was not set: it looks like a secret ({secrets[0]}), and settings"
                " are kept readable",
                "put it into an environment variable and name that one, as"
                " embedding.external.api_key_env does; what is no secret can be allowed with"
                " recairn config set redaction.allow VALUE",
            )

    # Settings

    def config(self) -> dict[str, str]:
        """All settings that differ from the defaults."""
        return self.store.config()

    def set_config(self, key: str, value: str | None) -> None:
        """Stores a setting; None removes it. A secret is refused: settings are kept as typed."""
        if value is not None:
            self._refuse_secret(key, value)
        if self.store.role:
            from recairn.core.members import ADMIN
            from recairn.memory.sharing import guard_role

            guard_role(self.store, ADMIN, "to change a setting of the team")
        with self.store.transaction():
            self.store.set_config(key, value, self._clock())
        if key.startswith("embedding."):
            self.meaning.reload()
