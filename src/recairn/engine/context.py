"""The engine's contexts: what is handed to an agent, and the ledger of it."""

from __future__ import annotations

import os

from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypedDict, Unpack

    from recairn.engine.recall import Reading
    from recairn.engine.tasks import Tasks
    from recairn.recall.context import Ask, ContextResult
    from recairn.recall.search import Request
    from recairn.work.tasks import Task

    class ContextOptions(TypedDict, total=False):
        """Keyword arguments of `context`, named as on the command line."""

        prompt: str | None
        files: Sequence[str]
        max_tokens: int | None
        max_chars: int | None
        limit: int | None
        recent: int | None
        surface: str
        exclude: Sequence[int | str]
        again: Sequence[int]
        relevant: bool
        include_unverified: bool
        record: bool

    class _Parts(Tasks, Reading):
        """What a context is made with, for type checkers."""

else:
    _Parts = object

_OPTIONS = (
    "prompt",
    "files",
    "max_tokens",
    "max_chars",
    "limit",
    "recent",
    "surface",
    "exclude",
    "again",
    "relevant",
    "include_unverified",
    "record",
)
MAX_TOKENS = 2000  # PRD-010's figure
_MOST_TOKENS = 1_000_000
_HITS = 10
# Newest memories beside those that are relevant; who wants more wants `recent`.
_MOST_RECENT = 50
# Everything an agent may be reminded of: rules are given by scope, pieces of documents on request.
_NOT_SEARCHED = ("rule", "chunk")
# Seconds git may take to list changed files; a context is waited for.
_GIT_S = 0.5
LEDGER_GROUPS = ("task", "memory")


class Contexts(_Parts):
    """What is handed out for a task or a prompt."""

    def context(self, task: str | None = None, **options: Unpack[ContextOptions]) -> ContextResult:
        """Rules, memories and the last handoff for a task, a `prompt`, or the current task.

        `text` holds them as one marked block of at most `max_tokens`. A task that is not known here
        is no error: `notices` says so, and rules and handoff come all the same. `again` hands out
        the memories it names, best first, instead of searching. `recent` adds so many of the newest
        where there is room. With `relevant`, nothing is handed out unless something is about the
        task or the prompt.
        """
        from recairn.core.record import replace
        from recairn.engine.options import known
        from recairn.recall.context import context, is_relevant, withheld

        given: dict[str, Any] = dict(options)
        known("context", given, _OPTIONS)
        now = self._clock()
        meant, notices = self._meant(task, given)
        ask = self._ask(meant, given, now)
        result = context(ask, self.store, self.meaning, now=now)
        result = replace(result, notices=(*notices, *result.notices))
        if given.get("relevant") and not is_relevant(result):
            result = withheld(result)
        if not given.get("record", True) or self.store.read_only:
            return result
        return self._recorded(result, ask.request, given.get("surface", "python"), now)

    def _meant(
        self, task: str | None, given: Mapping[str, Any]
    ) -> tuple[Task | None, tuple[str, ...]]:
        from recairn.core.errors import NotFound

        if task is None:
            return (None if given.get("prompt") else self.current_task()), ()
        try:
            return self.task(task), ()
        except NotFound as error:
            return None, (f"{error.message}; recairn task add ... --id {task} adds it",)

    def _ask(self, task: Task | None, given: Mapping[str, Any], now: int) -> Ask:
        from recairn.core.kinds import KINDS
        from recairn.core.token_estimate import MOST_CHARACTERS
        from recairn.engine.options import limit_from, request_from
        from recairn.recall.context import Ask, subject_of

        config = self.store.config()
        unverified = given.get("include_unverified")
        if unverified is None:
            unverified = config.get("context.include_unverified") == "yes"
        seen: dict[str, Any] = {} if unverified else {"trust": "verified"}
        # Outside any project all of them can be searched, but their rules hold there alone.
        unasked = {} if self.project else {"tier": "global"}
        parent = None if task is None or task.parent is None else self.task(task.parent)
        subject = subject_of(task, parent, given.get("prompt") or "", tuple(given.get("files", ())))
        kinds = tuple(kind for kind in KINDS if kind not in _NOT_SEARCHED)
        asked = {"limit": limit_from(given, _HITS)}
        tokens = _budget("max_tokens", given, config, MAX_TOKENS)
        return Ask(
            subject=subject,
            request=request_from(
                subject.query, asked, self._filter({**seen, "kind": kinds}, now), config
            ),
            task=task,
            tokens=tokens,
            characters=_budget("max_chars", given, config, MOST_CHARACTERS * tokens),
            exclude=frozenset(_number(each) for each in given.get("exclude", ())),
            again=tuple(given.get("again", ())),
            recent=min(_MOST_RECENT, _budget("recent", given, config, 0, _MOST_RECENT)),
            rules=self._filter({**seen, **unasked, "kind": "rule"}, now),
            handoffs=self._filter({**seen, **unasked, "kind": "handoff"}, now),
            changed=_changed,
        )

    def _recorded(
        self, result: ContextResult, request: Request, surface: str, now: int
    ) -> ContextResult:
        """The result with its entry in the ledger, which is written after the answer is out.

        The number is made here, from time and chance, so that nobody waits for the database.
        """
        from recairn.core.model import SearchMeta, SearchResult
        from recairn.core.record import replace
        from recairn.recall.usage_log import log_injection

        number = (now << 10) | int.from_bytes(os.urandom(2), "big") & 1023
        costs, scores = result.costs or {}, {hit.id: hit.score for hit in result.hits}
        entry = {
            "id": number,
            "at": now,
            "surface": surface,
            "session_id": self.session,
            "project": self.project,
            "query": result.query,
            "budget_tokens": result.budget,
            "tokens": result.tokens,
            "characters": len(result.text),
        }
        memories = [(each, cost, scores.get(each)) for each, cost in costs.items()]
        if result.text:
            self._afterwards.append(
                lambda store: log_injection(
                    store, {**entry, "task_id": self._at_work(result)}, memories
                )
            )
        if result.query:
            meta = SearchMeta(
                query=result.query,
                profile=request.profile.name,
                mode=request.mode,
                project=request.filter.project,
                candidates=0,
                returned=len(result.hits),
                duration_ms=result.duration_ms,
                model=None,
                weights={},
            )
            self._pending.append((SearchResult(result.hits, meta), request, surface, now))
        return replace(result, injection=number if result.text else None)

    def _at_work(self, result: ContextResult) -> str | None:
        """The task a context was given for: what a prompt is given serves the current task."""
        task = self.current_task() if result.task is None else result.task
        return None if task is None else task.id

    def inject(self, result: ContextResult) -> str:
        """Writes a context to `.recairn/context.md` of the checkout, and archives it; the path.

        Refused outside a project, and where a part of the path is a symbolic link.
        """
        from recairn.core.errors import Refused
        from recairn.recall.context_files import write_context

        root = root_of(os.getcwd()) or (os.getcwd() if self.project else None)
        if root is None:
            raise Refused(
                "this folder belongs to no project",
                "go into a checkout, or name it: --project NAME",
            )
        return write_context(root, result)

    def expanded(self, *memories: int) -> None:
        """Notes that memories were looked at whole, which counts as use of what was handed out."""
        self._used(memories, "expanded")

    def ledger(
        self, *, by: str = "task", since: int | str | None = None, all_projects: bool = False
    ) -> dict[str, Any]:
        """What was handed out, and what became of it: `totals`, `grouped_by` and `data`.

        By "task" or by "memory", most tokens first.
        """
        from recairn.core.kinds import one_of
        from recairn.engine.options import moment

        one_of("grouping", by, LEDGER_GROUPS)
        self.settle()
        start = moment(since, self._clock()) or 0
        project = None if all_projects or not self.project else self.project
        times, tokens = self.store.handed_out(start, project)
        rows = self.store.ledger(by, start, project)
        used = {how: sum(row[how] for row in rows) for how in ("cited", "expanded", "helpful")}
        totals = {"contexts": times, "tokens": tokens, **used}
        return {"totals": totals, "grouped_by": by, "data": rows}

    def handed_out(self, task: str) -> list[dict[str, Any]]:
        """Every context that a task was given, oldest first, by any surface.

        Each holds `memories` in the order they were given: `memory` as it was at that time, its
        `tokens`, its `score` (None for rules and handoffs), and how it was `used` (None: not).
        """
        from recairn.memory.lifecycle import as_of

        self.settle()
        contexts = self.store.injections(task=self.task(task).id)
        ids = {given["memory"] for each in contexts for given in each["memories"]}
        known = self.store.get_many(sorted(ids))
        past = {memory: self.store.history(memory) for memory in known}
        for each in contexts:
            each["memories"] = [
                {**given, "memory": as_of(known[number], past[number], each["at"]) or known[number]}
                for given in each["memories"]
                if (number := given["memory"]) in known
            ]
        return contexts


def _changed() -> Sequence[str]:
    """The files the checkout around the working directory has changed."""
    from recairn.host.git import changed_files

    root = root_of(os.getcwd())
    return () if root is None else changed_files(root, timeout_s=_GIT_S)


def _number(reference: int | str) -> int:
    from recairn.core.errors import BadInput
    from recairn.core.ids import row_number

    number = row_number(str(reference).strip())
    if number is None:
        raise BadInput(f"{reference!r} is not the number of a memory", "for example: 42 or #42")
    return number


def _budget(
    name: str,
    given: Mapping[str, Any],
    config: Mapping[str, str],
    usual: int,
    most: int = _MOST_TOKENS,
) -> int:
    """A limit as given, as configured, or the usual one."""
    from recairn.core.errors import BadInput

    value = given.get(name)
    if value is None:
        try:
            return max(0, int(float(config.get(f"context.{name}", usual))))
        except (ValueError, OverflowError):
            return usual
    wrong = isinstance(value, bool) or not isinstance(value, int)
    if wrong or not 0 <= value <= most:
        raise BadInput(f"{name} must be between 0 and {most:,}, got {value!r}")
    return int(value)
