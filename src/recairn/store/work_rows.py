"""The rows of sessions, tasks, injections, evidence, documents and logs."""

from __future__ import annotations

from recairn.core.record import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Session(Row):
    """One run of an agent. `state` is open, ended, or idle (nobody ended it, it just stopped).

    A store knows open and ended: who looks knows the time, and so what is idle. `uses` counts its
    memories by what it did with them.
    """

    id: str
    project: str
    agent: str
    directory: str
    branch: str
    summary: str
    started_at: int
    last_seen_at: int
    ended_at: int | None
    state: str
    memories: int
    uses: Mapping[str, int]


class LogText(Row):
    """What an entry of a log says."""

    log: str
    key: Any
    text: str


class SeenSession(Row):
    """A session nobody ended, and when it was last seen."""

    id: str
    last_seen_at: int


class Use(Row):
    """What a session did with a memory."""

    memory: int
    usage: str
    at: int


class SessionUse(Row):
    """The same with the session."""

    memory: int
    session: str
    usage: str
    at: int


class Task(Row):
    """A piece of work. `waits_for` are those of its dependencies that are not done."""

    id: str
    title: str
    description: str
    category: str
    project: str
    status: str
    score: float
    parent: str | None
    depends_on: tuple[str, ...]
    waits_for: tuple[str, ...]
    outcome: str | None
    outcome_note: str
    source_type: str
    source_ref: str
    session_id: str | None
    metadata: Mapping[str, Any]
    created_at: int
    updated_at: int
    started_at: int | None
    completed_at: int | None

    @property
    def ready(self) -> bool:
        """Whether somebody could begin with it now."""
        return self.status == "open" and not self.waits_for


class TaskEvent(Row):
    """What was done to a task, with the values before it."""

    at: int
    event: str
    reason: str
    before: Mapping[str, Any]
    session_id: str | None
    author: str


class InjectedMemory(Row):
    """A memory as part of an injection; `used` is None, expanded, cited or helpful."""

    memory: int
    position: int
    tokens: int
    score: float | None
    used: str | None
    used_at: int | None


class InjectionRow(Row):
    """What was handed to an agent, what it cost, and what became of it."""

    id: int
    at: int
    surface: str
    task_id: str | None
    session_id: str | None
    project: str
    query: str
    budget_tokens: int | None
    tokens: int
    characters: int
    outcome: str | None
    outcome_at: int | None
    memories: Sequence[InjectedMemory]


class LedgerRow(Row):
    """Injections added up under one name: a task, a memory, a day, an agent or a session."""

    name: str | int
    times: int
    memories: int
    tokens: int
    cited: int
    expanded: int
    helpful: int
    success: int
    partial: int
    failure: int
    last_at: int


class TurnRow(Row):
    """One moment of an agent's work: what was said, and what was handed out or why nothing was.

    `left_out` is (memory, reason) of what was found and stayed away; `terms` holds, for each memory
    of the injection in its order, (signal, value, weight, effect) of what its score is made of.
    """

    id: int
    at: int
    session_id: str
    project: str
    agent: str
    event: str
    prompt: str
    silence: str
    injection: int | None
    left_out: Sequence[tuple[int, str]]
    terms: Sequence[Sequence[tuple[str, float, float, str]] | None]


class LastHook(Row):
    """When an agent's program last reported an event, and how often since turns are kept."""

    agent: str
    event: str
    at: int
    times: int


class HandOutRow(Row):
    """One time that a memory was handed out: to whom, for what, and what became of it."""

    injection: int
    at: int
    surface: str
    session: str | None
    agent: str
    project: str
    task: str | None
    query: str
    position: int
    tokens: int
    score: float | None
    used: str | None
    used_at: int | None
    outcome: str | None


class InjectionTotal(Row):
    """How often something was handed out, and for how many tokens."""

    times: int
    tokens: int


class QueryCount(Row):
    """Logged queries added up under one name: a question, a tool or a day."""

    name: str
    searches: int
    empty: int
    mean_results: float
    mean_ms: float
    p95_ms: float
    last_at: int


class SearchRow(Row):
    """A logged search, and the memories it found, best first."""

    id: int
    at: int
    query: str
    tool: str
    results: Sequence[int]


class Miss(Row):
    """A search that did not find what was wanted, and the model that answered then."""

    id: int
    at: int
    query: str
    project: str | None
    wanted: int | None
    model: str | None
    note: str


class Evidence(Row):
    """One piece of evidence about one memory; `undone` ones no longer count."""

    id: int
    memory: int
    at: int
    score: float
    weight: float
    source: str
    query: str
    task: str | None
    session: str | None
    note: str
    event: int | None
    undone: bool


class CompactionRow(Row):
    """What finished tasks became."""

    id: int
    at: int
    task_ids: Sequence[str]
    memories: Sequence[int]
    summary: str
    exported_to: str


class Document(Row):
    """A document that is kept; `path` is told from the project's folder on where it lies inside.

    `url` is empty for files, else where the text came from. `missing_since` is when a refresh first
    did not find the file.
    """

    id: int
    uid: str
    path: str
    url: str
    title: str
    project: str
    format: str
    content_hash: str
    size: int
    modified_at: int | None
    missing_since: int | None
    created_at: int
    updated_at: int
    deleted_at: int | None

    @property
    def is_file(self) -> bool:
        return not self.url
