"""The contract every store keeps. Backends promise behaviour, not SQL; they never fuse or weigh.

Only type checkers import this module; the promises are tested by one suite that names no backend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from recairn.store.contract.documents import Documents
from recairn.store.contract.exchange import Exchange
from recairn.store.contract.imports import Imports

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from recairn.core.model import Act, Edge, Event, Filter, Memory, Report, TaskFilter, Vectors
    from recairn.core.words import Plan
    from recairn.ranking.lexical import Matches


class Store(Documents, Exchange, Imports, Protocol):
    path: str
    read_only: bool
    # Whether anything but book-keeping was begun to be written; whoever keeps copies resets it.
    wrote: bool

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, visible to others only at the end, durable once it returned."""

    def put(self, memories: Sequence[tuple[Mapping[str, Any], Sequence[int]]]) -> list[int]:
        """Stores new memories with their indexes, session links and `created` events; their ids."""

    def change(self, memory: int, changes: Mapping[str, Any], event: Event) -> None:
        """Changes fields, all that follows from them, and appends the event with before and after.

        NotFound for an unknown memory. Indexes and look-alike keys follow by themselves.
        """

    def erase(self, memory: int, event: Event) -> None:
        """Destroys a memory; no index, log or history keeps its text."""

    def get(self, memory: int) -> Memory | None:
        """The memory of that id, deleted or not."""

    def get_many(self, ids: Sequence[int]) -> dict[int, Memory]:
        """The memories of those ids that exist."""

    def find(self, reference: str) -> list[int]:
        """Ids a person may mean by `#42`, a uid prefix or a foreign id.

        Of several memories with one foreign id, those that hold.
        """

    def listing(self, filter: Filter, *, order: str, limit: int, offset: int = 0) -> list[Memory]:
        """Memories the filter lets through, in a stable order."""

    def count(self, filter: Filter) -> int:
        """How many memories the filter lets through."""

    def taken_keys(self, keys: Sequence[int]) -> set[int]:
        """Those of the look-alike keys under which some memory is known."""

    def look_alikes(self, keys: Sequence[int], limit: int, *, now: int) -> list[tuple[Any, ...]]:
        """(id, uid, title, content, details, content_hash) of live memories, most alike first."""

    def dropped_keys(self, keys: Sequence[int]) -> set[int]:
        """Those of the keys under which a memory was forgotten before anyone verified it."""

    def predecessors(self, memory: int) -> list[int]:
        """Ids of the memories this one replaced."""

    def from_source(self, source: str) -> list[int]:
        """Ids of the memories that came from a source (reference or type)."""

    def history(self, memory: int) -> list[Event]:
        """Every event of a memory, oldest first."""

    def events(self, *, since: int | None, session: str | None) -> list[Event]:
        """Events since a time, or of a session, oldest first."""

    def undone(self) -> set[int]:
        """Ids of the events that were taken back."""

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[tuple[int, float]]:
        """(id, positive score), best first, ties by id; any plan is answered, never an error.

        Where no memory has a word of a short plan, those that hold all of them inside others count.
        """

    def scope_size(self, filter: Filter) -> int:
        """How many memories the filter's project sees; cheap."""

    def places(self, plan: Plan, filter: Filter, ids: Sequence[int]) -> Matches:
        """Where the question's terms stand in those memories, and how common they are."""

    def snippets(self, plan: Plan, texts: Mapping[int, str]) -> dict[int, str]:
        """The piece of each text around the words asked for, those marked."""

    def facts(self, ids: Sequence[int]) -> list[tuple[Any, ...]]:
        """The first fields of `Facts`, up to `stale`, of each memory, ordered by id."""

    def around(self, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Session, successor and number of links of each memory."""

    def models(self) -> list[dict[str, object]]:
        """Every model known here: id, fingerprint, name, revision, dim, state."""

    def active_model(self) -> tuple[int, str, str] | None:
        """(id, name, fingerprint) of the model whose vectors answer searches."""

    def add_model(self, model: Mapping[str, object], *, at: int) -> int:
        """Registers a model; the first one becomes active, later ones wait to be complete."""

    def activate_model(self, model: int) -> None:
        """Lets a model answer; the vectors of the one before are dropped."""

    def remove_model(self, model: int) -> None:
        """Drops a model and its vectors."""

    def put_vectors(self, model: int, vectors: Sequence[Vectors]) -> None:
        """Stores the vectors of memories, replacing what they had of that model."""

    def drop_vectors(self, memories: Sequence[int], model: int | None = None) -> None:
        """Removes the vectors of memories."""

    def match_vector(
        self, model: int, codes: bytes, filter: Filter, limit: int
    ) -> list[tuple[int, float]]:
        """(id, cosine), nearest first, ties by id; the filter is applied before the cut."""

    def cosines(self, model: int, codes: bytes, ids: Iterable[int]) -> dict[int, float]:
        """The cosine of each memory that has vectors of that model: its nearest piece's."""

    def codes(self, model: int, ids: Sequence[int]) -> dict[int, list[bytes]]:
        """The int8 codes of each memory's pieces, of those that have vectors of that model."""

    def without_vectors(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of memories whose vector is missing or of an older text."""

    def living(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of all memories a model should have vectors of."""

    def vector_counts(self, model: int) -> tuple[int, int]:
        """(memories with an up-to-date vector, live memories)."""

    def record_use(self, ids: Sequence[int], *, at: int, source: str, session: str | None) -> None:
        """Counts and logs a use."""

    def link_session(self, session: str, memory: int, usage: str, at: int) -> None:
        """Notes what a session did with a memory; an unknown or ended session begins anew."""

    def open_session(self, session: str, told: Mapping[str, str], at: int) -> None:
        """Begins a session, or takes it up again; empty values leave what was told before."""

    def end_session(self, session: str, summary: str, at: int) -> None:
        """Ends a session; no place is in it any more."""

    def sessions(
        self, *, project: str | None = None, ids: Sequence[str] | None = None, limit: int = -1
    ) -> list[dict[str, Any]]:
        """Sessions as their columns, `uses` (usage → count) and `memories`, newest first."""

    def session_notes(self, session: str) -> dict[str, Any]:
        """What was noted in a session; empty when nothing was, or there is no such session."""

    def set_session_notes(self, session: str, notes: Mapping[str, Any]) -> None:
        """Keeps the notes of a session in place of those before."""

    def find_sessions(self, beginning: str) -> list[str]:
        """Ids of the session of that id, or else of those whose id begins so."""

    def open_since(self, before: int) -> list[tuple[str, int]]:
        """(id, last seen) of the sessions nobody ended, last seen at or before a time."""

    def used_in(self, session: str) -> list[tuple[int, str, int]]:
        """(memory, usage, time) of everything a session did, oldest first."""

    def session_uses(self, memories: Sequence[int]) -> list[tuple[int, str, str, int]]:
        """(memory, session, usage, time) of what sessions did with memories, newest first."""

    def of_session_tier(self, session: str, now: int) -> list[int]:
        """Ids of the live memories that only this session sees."""

    def neighbours(self, memory: int, seen: Filter, *, count: int) -> list[int]:
        """Ids made in one's project just before (count < 0) or after it; `seen`: session, trust."""

    def current_session(self, place: str) -> tuple[str, int] | None:
        """(id, last seen) of the session a place is in, unless it was ended."""

    def set_current_session(self, place: str, session: str) -> None:
        """Puts a place into a session."""

    def read_position(self, reader: str, stream: str) -> int:
        """How far a reader has read a stream; 0 when never."""

    def move_reader(self, reader: str, stream: str, position: int, at: int) -> None:
        """Notes that a reader has read so far; never backwards."""

    def put_task(self, task: Mapping[str, Any], act: Act) -> None:
        """Stores a new task and a `created` event; its id must be free."""

    def change_task(self, task: str, changes: Mapping[str, Any], event: str, act: Act) -> None:
        """Changes columns of a task and notes the event with the values before."""

    def tasks(self, filter: TaskFilter) -> list[dict[str, Any]]:
        """Tasks as their columns, `depends_on` and `waits_for` (those not done).

        Active ones first, then open, blocked, done; within these by score, then oldest first.
        """

    def find_tasks(self, reference: str) -> list[str]:
        """Ids of the task of that id, else of those whose id, or what follows its dash, begins so.

        Case does not count; an exact id wins over one that only differs in case.
        """

    def add_dependency(self, task: str, on: str, act: Act) -> bool:
        """Lets a task wait for another and notes it; whether that was new."""

    def remove_dependency(self, task: str, on: str, act: Act) -> bool:
        """Ends a dependency and notes it; whether there was one."""

    def dependents(self, task: str) -> list[str]:
        """Ids of the tasks that depend on this one."""

    def task_events(self, task: str) -> list[dict[str, Any]]:
        """`at`, `event`, `reason`, `before`, `session_id` of what was done to a task, in order."""

    def current_task(self, place: str) -> str | None:
        """The task a place is at work on."""

    def set_current_task(self, place: str, task: str) -> None:
        """Puts a place to work on a task."""

    def leave_task(self, task: str) -> None:
        """No place is at work on the task any more."""

    def put_injection(
        self, entry: Mapping[str, Any], memories: Sequence[tuple[int, int, float | None]]
    ) -> int:
        """Records what was handed out, with (memory, tokens, score) in order; its id."""

    def injections(
        self, *, task: str | None = None, session: str | None = None, since: int = 0
    ) -> list[dict[str, Any]]:
        """What was handed out as its columns and `memories`, oldest first.

        Each memory has `memory`, `position`, `tokens`, `score`, `used` (None, expanded, cited or
        helpful) and `used_at`.
        """

    def note_outcome(self, task: str, outcome: str, at: int) -> int:
        """Writes the outcome of a task to all that was handed out for it; how many those were."""

    def note_used(
        self, memories: Sequence[int], how: str, *, session: str | None, since: int, at: int
    ) -> int:
        """Marks memories as used where each was handed out last, in this session if it was.

        Only what was handed out since a time counts, a stronger mark stays; how many were marked.
        """

    def ledger(self, by: str, since: int, project: str | None) -> list[dict[str, Any]]:
        """What was handed out by "task" or "memory", most tokens first.

        Each has `name`, `times`, `memories`, `tokens`, `cited`, `expanded`, `helpful`, the outcomes
        `success`, `partial` and `failure`, and `last_at`.
        """

    def handed_out(self, since: int, project: str | None) -> tuple[int, int]:
        """(times, tokens) of everything handed out since a time."""

    def put_staleness(self, rows: Iterable[tuple[int, int, str, float, str]]) -> None:
        """Keeps (memory, checked at, state, value in 0..1, detail) of a look at the repository."""

    def staleness(
        self, memories: Sequence[int] | None = None
    ) -> dict[int, tuple[int, str, float, str]]:
        """Memory → (checked at, state, value, detail), of those ever checked."""

    def log_query(self, entry: Mapping[str, Any]) -> None:
        """Appends to the query log."""

    def query_stats(self, by: str, since: int, limit: int) -> list[dict[str, Any]]:
        """Queries since a time by query, tool or day, or "" for all in one: most asked first.

        Each has `name`, `count`, `empty`, `mean_results`, `mean_ms`, `p95_ms` and `last_at`; days
        come newest first.
        """

    def queries_before(self, at: int) -> int:
        """How many logged queries are older."""

    def drop_queries(self, before: int) -> int:
        """Removes older queries from the log; how many there were."""

    def add_failure(self, failure_type: str, entry: Mapping[str, Any]) -> int:
        """Records a search that failed its asker; its id."""

    def failures(self, failure_type: str, limit: int) -> list[dict[str, Any]]:
        """The failed searches of a type, newest first."""

    def count_failures(self, failure_type: str) -> int:
        """How many failed searches of a type there are."""

    def add_feedback(self, memory: int, entry: Mapping[str, Any]) -> None:
        """Appends a piece of evidence, which the memory's newest event has counted."""

    def feedback(
        self, *, memory: int | None = None, task: str | None = None
    ) -> list[dict[str, Any]]:
        """Evidence about a memory, because of a task, or all of it, oldest first.

        Each has `id`, `memory`, `at`, `score`, `weight`, `source`, `query`, `task`, `session`,
        `note`, `event`, and `undone` when that event was taken back.
        """

    def add_compaction(self, entry: Mapping[str, Any]) -> None:
        """Logs what tasks became: `at`, `task_ids`, `memories`, `summary`."""

    def compactions(self) -> list[dict[str, Any]]:
        """`id`, `at`, `task_ids`, `memories`, `summary`, `exported_to` of each, oldest first."""

    def note_exported(self, memories: Sequence[int], path: str) -> None:
        """Notes into which file learnings of compactions were written."""

    def question_for(self, memory: int, *, session: str | None, since: int) -> str:
        """The last logged question that found a memory, of this session if one did; "" for none."""

    def remove_edge(self, source: int, target: int, relation: str) -> int:
        """Removes an edge without a trace, as only one that makes itself may be; how many."""

    def edges_between(self, source: int, target: int, *, ended: bool = False) -> list[Edge]:
        """The edges from one memory to another, by relation; `ended` includes past ones."""

    def put_edges(self, edges: Iterable[Edge], *, replace: bool) -> None:
        """Writes edges as they are; those known, ended ones too, are replaced or left alone."""

    def note(self, event: Event) -> None:
        """Appends an event that changed no column of its memory."""

    def linked(
        self, ids: Sequence[int], filter: Filter, per_memory: int
    ) -> list[tuple[int, int, str, float, int]]:
        """(here, there, relation, weight, forward) of links to memories the filter lets through.

        Both directions; of each memory and direction at most so many, after the filter.
        """

    def passing(self, ids: Sequence[int], filter: Filter) -> set[int]:
        """Those of the memories that the filter lets through."""

    def visible_edges(self, filter: Filter) -> list[Edge]:
        """The edges both of whose ends the filter lets through."""

    def visible_ids(self, filter: Filter) -> list[int]:
        """Ids of the memories the filter lets through, in order."""

    def labels(self, ids: Sequence[int]) -> dict[int, tuple[str, str, int | None]]:
        """(kind, title or the beginning of the content, successor) of memories."""

    def entities(self) -> list[tuple[int, str, str, str, str, list[str]]]:
        """(id, project, tier, title, beginning of the content, aliases) of every live entity."""

    def texts_with(self, phrase: str, reach: str | None, limit: int) -> list[tuple[int, str]]:
        """(id, text) of the newest live memories that may hold the phrase."""

    def mentions(self, memory: int) -> list[tuple[int, int, str]]:
        """(source, target, the source's text) of edges that were made because of a mention."""

    def alike_groups(self, filter: Filter) -> list[list[int]]:
        """Ids of visible memories that share a look-alike key, group by group."""

    def config(self) -> dict[str, str]:
        """All settings."""

    def set_config(self, key: str, value: str | None, at: int) -> None:
        """Stores a setting; None removes it."""

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of everything."""

    def verify(self) -> Report:
        """Checks every invariant; problems name their remedy."""

    def rebuild_indexes(self) -> None:
        """Makes everything derived from the rows anew."""

    def backup_to(self, path: str) -> None:
        """A consistent copy, while others write."""

    def bookkeeping(self, patience_s: float) -> AbstractContextManager[None]:
        """Inside, writes wait only so long for others, and may be lost with the power."""

    def checkpoint(self) -> None:
        """Moves logged writes into the main file."""

    def close(self) -> None:
        """Ends the store's lifetime."""
