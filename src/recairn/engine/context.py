"""The engine's contexts: what is injected into an agent's work, and the ledger of it."""

from __future__ import annotations

import os

from recairn.engine.base import branch_here
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypedDict, Unpack

    from recairn.core.model import Memory
    from recairn.engine.recall import Reading
    from recairn.engine.tasks import Tasks
    from recairn.host.instruction_files import InstructionFiles
    from recairn.recall.context import ContextRequest, ContextResult
    from recairn.recall.search import Request
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import HandOutRow, InjectedMemory, LedgerRow, Task

    class ContextOptions(TypedDict, total=False):
        """Keyword arguments of `context`, named as on the command line."""

        prompt: str | None
        files: Sequence[str]
        max_tokens: int | None
        max_chars: int | None
        limit: int | None
        recent: int | None
        new_since: int | None
        surface: str
        exclude: Sequence[int | str]
        again: Sequence[int]
        relevant: bool
        unasked: bool
        agent: str
        handoff: bool
        include_unverified: bool
        record: bool
        moment: str
        said: str

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
    "new_since",
    "surface",
    "exclude",
    "again",
    "relevant",
    "unasked",
    "agent",
    "handoff",
    "include_unverified",
    "record",
    "moment",
    "said",
)
MAX_TOKENS = 2000  # PRD-010's figure
_MOST_TOKENS = 1_000_000
_HITS = 10
# Newest memories beside those that are relevant; who wants more wants `recent`.
_MOST_RECENT = 50
# Seconds git may take to list changed files; a context is waited for.
_GIT_S = 0.5
LEDGER_GROUPS = ("task", "memory", "moment", "day", "agent", "session")


class Contexts(_Parts):
    """What is injected for a task or a prompt."""

    def context(self, task: str | None = None, **options: Unpack[ContextOptions]) -> ContextResult:
        """Rules, memories and the last handoff for a task, a `prompt`, or the current task.

        `text` holds them as one marked block of at most `max_tokens`. A task that is not known here
        is no error: `notices` says so, and rules and handoff come all the same. `again` injects
        the memories it names, best first, instead of searching. `recent` adds so many of the newest
        where there is room, with `new_since` of those made since then. With `unasked`, memories
        are injected that bear on the prompt enough to be read by whoever did not ask; `relevant`
        asks that, too, and without any, or something about the task, nothing is injected at all
        (`silence` says why not). Without `handoff`, not where the last session stopped.
        `agent` is who reads it, and has what stands in the instruction files that its program reads
        by itself. In a session it is noted as a turn: `moment` says of which sort, `said` what the
        person said.
        """
        from recairn.core.record import replace
        from recairn.engine.options import refuse_unknown
        from recairn.recall.context import context, is_relevant, without_content

        choices: dict[str, Any] = dict(options)
        refuse_unknown("context", choices, _OPTIONS)
        if task is not None and len(task.split()) > 1 and not choices.get("prompt"):
            task, choices["prompt"] = None, task  # no id has a blank in it: so these are words
        now = self._clock()
        work, notices = self._work(task, choices)
        request = self._context_request(work, choices, now)
        result = context(request, self.store, self.meaning, now=now)
        if notices:
            result = replace(result, notices=(*notices, *result.notices))
        if choices.get("relevant") and not is_relevant(result):
            result = without_content(result)
        if not choices.get("record", True) or self.store.read_only:
            return result
        turn = self._turn(choices.get("moment", "context"), choices.get("said", ""), now)
        return self._recorded(
            result, request.search, choices.get("surface", "python"), turn, now=now
        )

    def _work(
        self, task: str | None, choices: Mapping[str, Any]
    ) -> tuple[Task | None, tuple[str, ...]]:
        """The task a context is for, if any, and a notice about one that is not known here."""
        from recairn.core.errors import NotFound

        if task is None:
            return (None if choices.get("prompt") else self.current_task()), ()
        try:
            return self.task(task), ()
        except NotFound as error:
            return None, (f"{error.message}; recairn task add ... --id {task} adds it",)

    def _unasked(self, search: Request, config: Mapping[str, str]) -> Request:
        """The search of a prompt: nobody asked for it, so a cold process has no second look."""
        from recairn.core.record import replace
        from recairn.engine.options import looked_twice

        search = replace(search, unasked=True)
        if not self.stays:
            return search
        return looked_twice(search, None, config, self.meaning.models_dir)

    def _context_request(
        self, task: Task | None, choices: Mapping[str, Any], now: int
    ) -> ContextRequest:
        from recairn.core.record import replace
        from recairn.core.token_estimate import MOST_CHARACTERS
        from recairn.engine.options import handoff_ms, limit_from, request_from
        from recairn.recall.context import ContextRequest, question

        config = self.store.config()
        parent = None if task is None or task.parent is None else self.task(task.parent)
        files = tuple(choices.get("files", ()))
        query = question(task, parent, choices.get("prompt") or "", files)
        # A task is worked on with what its own project knows, wherever one asks from.
        place = {"project": task.project} if task is not None and task.project else {}
        visible = self._filter({"candidates": _unverified(choices, config), **place}, now)
        limit = {"limit": limit_from(choices, _HITS), "deep": False}
        tokens = _budget("max_tokens", choices, config, MAX_TOKENS)
        unasked = bool(choices.get("relevant") or choices.get("unasked")) and task is None
        kinds = _searched_kinds(unasked=unasked)
        search = request_from(query, limit, replace(visible, kinds=kinds), config)
        return ContextRequest(
            search=self._unasked(search, config) if unasked else search,
            files=files,
            task=task,
            tokens=tokens,
            characters=_budget("max_chars", choices, config, MOST_CHARACTERS * tokens),
            exclude=frozenset([_number(memory) for memory in choices.get("exclude", ())]),
            again=tuple(choices.get("again", ())),
            recent=min(_MOST_RECENT, _budget("recent", choices, config, 0, _MOST_RECENT)),
            new_since=choices.get("new_since"),
            rules=replace(visible, kinds=("rule",), trust="verified"),
            suggestions=replace(visible, kinds=("rule",), trust="unverified"),
            handoffs=replace(
                visible,
                kinds=("handoff",),
                # None is as new as now.
                since=now - handoff_ms(config) if choices.get("handoff", True) else now + 1,
            ),
            folder=self.folder,
            changed_files=lambda: _changed_files(self.folder),
            branch=branch_here,
            holding=_holding(choices["agent"], self.project, config, lambda: self._opened(choices))
            if "agent" in choices
            else None,
        )

    def _opened(self, choices: Mapping[str, Any]) -> Sequence[str]:
        """The files that the agent of a prompt has edited; who begins anew has forgotten them."""
        if self.session is None or choices.get("moment") != "prompt":
            return ()
        files: Sequence[str] = self.store.session_notes(self.session).get("files", ())
        return files

    def _recorded(
        self,
        result: ContextResult,
        request: Request,
        surface: str,
        turn: Mapping[str, Any] | None,
        *,
        now: int,
    ) -> ContextResult:
        """The result with its entry in the ledger, which is written after the answer is out.

        The number is made here, from time and chance, so that nobody waits for the database.
        """
        from recairn.core.model import SearchMeta, SearchResult
        from recairn.core.record import replace

        number = (now << 10) | int.from_bytes(os.urandom(2), "big") & 1023
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
        if result.text or turn is not None:
            self._afterwards.append(lambda store: self._log_context(store, result, entry, turn))
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

    def _log_context(
        self,
        store: Store,
        result: ContextResult,
        entry: Mapping[str, Any],
        turn: Mapping[str, Any] | None,
    ) -> None:
        """Writes what was injected to the ledger, and the turn of the session that it was for."""
        from recairn.recall.ledger import log_injection, log_turn

        injection = None
        if result.text:
            scores = {hit.id: hit.score for hit in result.hits}
            costs = (result.costs or {}).items()
            memories = [(memory, cost, scores.get(memory)) for memory, cost in costs]
            whole = {**entry, "task_id": self._task_served(result)}
            injection = log_injection(store, whole, memories)
        if turn is not None:
            log_turn(store, turn, result, injection)

    def _task_served(self, result: ContextResult) -> str | None:
        """The task an injection serves; with a prompt that is the current one, until it is done."""
        if result.task is not None:
            return result.task.id
        here = self._task_here()
        return None if here is None or self.task(here).status == "done" else here

    def inject(self, result: ContextResult) -> str:
        """Writes a context to `.recairn/context.md` of the checkout, and archives it; the path.

        Refused where a part of the path is a symbolic link.
        """
        from recairn.recall.context_files import write_context

        return write_context(self._work_root(), result)

    def expanded(self, *memories: int) -> None:
        """Notes that memories were looked at whole, which counts as use of what was injected."""
        self._used(memories, "expanded")

    def ledger(
        self,
        *,
        by: str = "task",
        since: int | str | None = None,
        all_projects: bool = False,
        unused: int | None = None,
    ) -> dict[str, Any]:
        """What was injected, and what became of it: `totals`, `grouped_by` and `data`.

        By task, memory, moment of a session, agent or session, most tokens first, or by day; `data`
        adds up to the totals. By memory, the last row, without a name, is what stands around them.
        With `unused`, only what was injected at least so often and never seen used.
        """
        from recairn.core.kinds import one_of
        from recairn.engine.options import moment
        from recairn.store.work_rows import LedgerRow as Row

        one_of("grouping", by, LEDGER_GROUPS)
        self.settle()
        start = moment(since, self._clock()) or 0
        project = None if all_projects else self.project
        times, tokens = self.store.handed_out(start, project)
        rows = self.store.ledger(by, start, project)
        if unused is not None:
            rows = [
                row
                for row in rows
                if row.times >= unused and not (row.cited or row.expanded or row.helpful)
            ]
        data = [row._asdict() for row in rows]
        around = tokens - sum(row.tokens for row in rows)
        if by == "memory" and around and unused is None:
            nothing = dict.fromkeys(data[0] if data else Row._fields, 0)
            last = max([row.last_at for row in rows], default=start)
            data.append({**nothing, "name": "", "times": times, "tokens": around, "last_at": last})
        used = {how: sum(row[how] for row in data) for how in ("cited", "expanded", "helpful")}
        totals = {"contexts": times, "tokens": tokens, **used}
        return {"totals": totals, "grouped_by": by, "data": data}

    def injections_of(self, reference: int | str, *, limit: int = 50) -> list[HandOutRow]:
        """Every time a memory was injected, newest first: to whom, for what, what became of it."""
        from recairn.engine.options import limit_from

        self.settle()
        shown = limit_from({"limit": limit}, limit)
        return self.store.injections_of(self.resolve(reference), shown)

    def times_handed_out(self, reference: int | str) -> LedgerRow | None:
        """How often a memory was handed out and what became of it, added up; None for never."""
        return next(iter(self.store.times_handed_out([self.resolve(reference)], "")), None)

    def handed_out(self, task: str) -> list[dict[str, Any]]:
        """Every injection for a task, oldest first, by any surface.

        Each holds `memories` in the order of the block: `memory` as it was at that time, its
        `tokens`, its `score` (None for rules and handoffs), and how it was `used` (None: not).
        """
        from recairn.memory.lifecycle import as_of

        self.settle()
        injections = self.store.injections(task=self.task(task).id)
        ids = {entry.memory for injection in injections for entry in injection.memories}
        memories = self.store.get_many(sorted(ids))
        history = {memory: self.store.history(memory) for memory in memories}

        def shown(entry: InjectedMemory, at: int) -> dict[str, Any]:
            memory = memories[entry.memory]
            return {**entry._asdict(), "memory": as_of(memory, history[memory.id], at) or memory}

        return [
            {
                **injection._asdict(),
                "memories": [
                    shown(entry, injection.at)
                    for entry in injection.memories
                    if entry.memory in memories
                ],
            }
            for injection in injections
        ]


def _unverified(choices: Mapping[str, Any], config: Mapping[str, str]) -> bool:
    """Whether memories that nobody has confirmed may be injected."""
    wanted = choices.get("include_unverified")
    return config.get("context.include_unverified") == "yes" if wanted is None else bool(wanted)


def _searched_kinds(*, unasked: bool) -> tuple[str, ...]:
    """Everything an agent may be reminded of: rules come by scope, chunks on request.

    Unasked, rules are found like all others: a prompt may be about one whose scope does not show in
    it. A handoff repeats prompts, and so bears on each of them; it comes when a session begins.
    """
    from recairn.core.kinds import KINDS

    others = ("handoff", "chunk") if unasked else ("rule", "chunk")
    return tuple([kind for kind in KINDS if kind not in others])


def _holding(
    agent: str, project: str, config: Mapping[str, str], opened: Callable[[], Sequence[str]]
) -> Callable[[Memory], str]:
    """What names the file by which an agent has a memory anyway: the one it came from, or one that
    `recairn pin` wrote it into."""
    folder = os.getcwd()
    made: list[InstructionFiles] = []
    blocks = config.get(f"pin.files.{project}", "").split("\n")

    def files() -> InstructionFiles:
        """Made for the first memory that may stand in one: most come from nowhere."""
        if not made:
            from recairn.host.instruction_files import InstructionFiles

            made.append(InstructionFiles(agent, folder, root_of(folder) or folder, opened()))
        return made[0]

    def holding(memory: Memory) -> str:
        name = files().holding(memory.source_ref, memory.content) if memory.source_ref else ""
        if name or not blocks[0] or not (memory.pinned or memory.kind == "rule"):
            return name
        return next((block for block in blocks if files().says(block, f"#{memory.id})")), "")

    return holding


def _changed_files(folder: str) -> Sequence[str]:
    """The files the checkout around a folder has changed."""
    from recairn.host.git import changed_files

    root = root_of(folder) if folder else None
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
    choices: Mapping[str, Any],
    config: Mapping[str, str],
    usual: int,
    most: int = _MOST_TOKENS,
) -> int:
    """A limit of the call, of the settings, or the usual one."""
    from recairn.core.errors import BadOption

    value = choices.get(name)
    if value is None:
        try:
            return max(0, int(float(config.get(f"context.{name}", usual))))
        except (ValueError, OverflowError):
            return usual
    wrong = isinstance(value, bool) or not isinstance(value, int)
    if wrong or not 0 <= value <= most:
        raise BadOption(f"{name} must be between 0 and {most:,}, got {value!r}")
    return int(value)
