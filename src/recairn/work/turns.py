"""The turns of a session: what an agent was told and when, what stayed away, and why.

Hooks note every moment. What was handed out or searched for by other doors, and what is older than
the notes, is read from the ledger and the log of questions.
"""

from __future__ import annotations

from recairn.core.model import Term
from recairn.core.record import record
from recairn.memory.lifecycle import as_of
from recairn.store.work_rows import InjectionRow, SearchRow, TurnRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store

# Where the notes of hooks are not the source of a turn.
_CONTEXT, _SEARCH = "context", "search"
# A term as it is kept: signal, value, weight, effect.
_TERM = 4
# Milliseconds; later than anything.
_NO_END = 2**62


@record
class HandedOut:
    """A memory as it was handed out: in the words of that time, with what became of it.

    `score` is None for what needs no search, rules and handoffs. `terms` are those that moved it;
    none where they were not kept. `used` is None, expanded, cited or helpful.
    """

    memory: Memory
    position: int
    tokens: int
    score: float | None
    terms: Mapping[str, Term]
    used: str | None
    used_at: int | None


@record
class LeftOut:
    """A memory that was found and not handed out."""

    memory: int
    kind: str
    label: str
    why: str


@record
class Turn:
    """One moment of a session: what was said, what was handed out, and what was not.

    `event` is start, prompt, read, edit, test, subagent, stop, compact, end, context or search.
    `prompt` is what was said, asked, read, edited or run, without secrets and cut short. `silence`
    is why nothing was handed out, where something could have been. `id` is 0 for what only ledger
    or question log know.
    """

    id: int
    at: int
    event: str
    agent: str
    prompt: str
    silence: str
    injection: int | None
    tokens: int
    budget: int | None
    task: str | None
    outcome: str | None
    handed_out: tuple[HandedOut, ...]
    left_out: tuple[LeftOut, ...]


def turns(store: Store, session: str, *, offset: int = 0, limit: int | None = None) -> list[Turn]:
    """The turns of a session, oldest first: those of one part of it, where one is asked for."""
    (row,) = store.sessions(ids=[session])
    noted = store.turns(session)
    injections = {entry.id: entry for entry in store.injections(session=session)}
    ended = _NO_END if row.ended_at is None else row.ended_at
    searches = store.searches_in(session, row.started_at, ended)
    known = {turn.injection for turn in noted}
    others = [entry for entry in injections.values() if entry.id not in known]
    # A context is logged as a question, too, at the same moment.
    times = {turn.at for turn in noted} | {entry.at for entry in others}
    asked = [search for search in searches if search.at not in times]
    moments: list[TurnRow | InjectionRow | SearchRow] = [*noted, *others, *asked]
    moments.sort(key=lambda entry: entry.at)
    part = moments[offset:] if limit is None else moments[offset : offset + limit]
    words = _Words(store, part, injections)
    return [_turn(moment, injections, row.agent, words) for moment in part]


def _turn(
    moment: TurnRow | InjectionRow | SearchRow,
    injections: Mapping[int, InjectionRow],
    agent: str,
    words: _Words,
) -> Turn:
    if isinstance(moment, TurnRow):
        return _noted(moment, injections, words)
    if isinstance(moment, InjectionRow):
        return _injected(moment, agent, words)
    return _searched(moment, agent, words)


class _Words:
    """What memories said at a time; each is read once, its history only where it was changed."""

    def __init__(
        self,
        store: Store,
        moments: Iterable[TurnRow | InjectionRow | SearchRow],
        injections: Mapping[int, InjectionRow],
    ) -> None:
        shown: set[int] = set()
        absent: set[int] = set()
        for moment in moments:
            if isinstance(moment, SearchRow):
                shown.update(moment.results)
                continue
            entry: InjectionRow | None = None
            if isinstance(moment, InjectionRow):
                entry = moment
            else:
                absent.update(memory for memory, _ in moment.left_out)
                entry = None if moment.injection is None else injections.get(moment.injection)
            shown.update(() if entry is None else [part.memory for part in entry.memories])
        self._store = store
        self._memories = store.get_many(sorted(shown))
        self._labels = store.labels(sorted(absent))

    def at(self, memory: int, at: int) -> Memory | None:
        now = self._memories.get(memory)
        if now is None or now.updated_at <= at:
            return now
        return as_of(now, self._store.history(memory), at) or now

    def left_out(self, memory: int, why: str) -> LeftOut:
        label = self._labels.get(memory)
        kind, text = ("", "") if label is None else (label.kind, label.text)
        return LeftOut(memory, kind, text, why)


def _noted(turn: TurnRow, injections: Mapping[int, InjectionRow], words: _Words) -> Turn:
    entry = None if turn.injection is None else injections.get(turn.injection)
    # Who asks for a context by another door than a hook asks in words of their own.
    asked = entry.query if entry is not None and turn.event == _CONTEXT else ""
    return Turn(
        turn.id,
        turn.at,
        turn.event,
        turn.agent,
        turn.prompt or asked,
        turn.silence,
        turn.injection,
        *_cost(entry),
        handed_out=_handed_out(entry, turn.terms, words),
        left_out=tuple(words.left_out(*pair) for pair in turn.left_out),
    )


def _injected(entry: InjectionRow, agent: str, words: _Words) -> Turn:
    return Turn(
        0,
        entry.at,
        _CONTEXT,
        agent,
        entry.query,
        "",
        entry.id,
        *_cost(entry),
        handed_out=_handed_out(entry, (), words),
        left_out=(),
    )


def _searched(search: SearchRow, agent: str, words: _Words) -> Turn:
    rows = [(memory, words.at(memory, search.at)) for memory in search.results]
    entries = [
        HandedOut(memory, place, 0, None, {}, None, None)
        for place, (_, memory) in enumerate(rows, start=1)
        if memory is not None
    ]
    silence = "" if entries else "nothing relevant"
    start = 0, search.at, _SEARCH, agent, search.query, silence
    return Turn(*start, None, 0, None, None, None, handed_out=tuple(entries), left_out=())


def _cost(entry: InjectionRow | None) -> tuple[int, int | None, str | None, str | None]:
    if entry is None:
        return 0, None, None, None
    return entry.tokens, entry.budget_tokens, entry.task_id, entry.outcome


def _handed_out(
    entry: InjectionRow | None,
    terms: Sequence[Sequence[tuple[str, float, float, str]] | None],
    words: _Words,
) -> tuple[HandedOut, ...]:
    if entry is None:
        return ()
    shown = []
    for part in entry.memories:
        memory = words.at(part.memory, entry.at)
        if memory is None:
            continue
        made_of = terms[part.position - 1] if part.position <= len(terms) else None
        shown.append(
            HandedOut(
                memory,
                part.position,
                part.tokens,
                part.score,
                {term[0]: Term(*term[1:]) for term in made_of or () if len(term) == _TERM},
                part.used,
                part.used_at,
            )
        )
    return tuple(shown)
