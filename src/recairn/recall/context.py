"""The context of a piece of work: rules, memories and the last handoff, within a budget.

Read `context` top to bottom, it is all. Standing rules whose scope fits come first; then what
search finds for the task or prompt; then where the last session stopped. What does not fit whole
is shortened at a sentence end, or left out with the reason (`left_out`).
"""

from __future__ import annotations

from recairn.core.model import Hit
from recairn.core.record import record, replace
from recairn.core.token_estimate import MARGIN, estimate
from recairn.ranking.packing import Room, pack, pack_in_order
from recairn.recall.context_block import (
    block_text,
    candidates,
    entries_of,
    excerpt,
    frame,
    frame_line,
)
from recairn.recall.search import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter, Memory
    from recairn.embed.index import Meaning
    from recairn.ranking.packing import Candidate, Form, Packing
    from recairn.recall.search import Request
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Task

# Rules looked at; beyond this nobody can follow them anyway.
_MANY_RULES = 1000
# Rules, suggestions, handoffs looked at; of these each agent leaves one in each checkout.
_MANY = _MANY_RULES, _MANY_RULES, 20
# A hit this much weaker than the best one is noise that an agent would have to read: of ten hits
# for questions about one-line facts 13 % go, and with them 2 % of what was relevant.
_RELATIVE_FLOOR = 0.5
# Of the budget, where there are hits: rules take at most this much, the handoff this much.
_RULES_SHARE = 0.7
_HANDOFF_SHARE = 0.2
# Candidates for each hit wanted: a choice needs something to choose from.
_CANDIDATES = 2
_MOST_CANDIDATES = 24
# More memories than any budget of tokens has room for.
_MOST_MEMORIES = 10_000
_RULES, _MEMORIES, _RECENT, _HANDOFF = "Rules:", "Memories:", "Newest:", "Last handoff:"
_NEWS = "New since you were last here:"
_SUGGESTIONS = "Suggested rules, not confirmed by the user:"
# Why nothing is injected, and why a single memory is not.
IRRELEVANT = "nothing relevant"
HAS_ALL = "the agent has all of it already"
_HAS_IT = "the agent has it already"
_READS = "the agent reads"
# Of the characters allowed, what rules take before some may find no room, and the reader is told.
_CROWDED = 0.35
_HEADER = 40  # characters of the line above a rule
_MORE_RULES = (
    "{} more rules are in force: recairn list -k rule, over MCP recairn_search with kind rule"
)
# Suggestions in one context; whoever wants them settled reviews them.
_MOST_SUGGESTIONS = 3


@record
class ContextRequest:
    """What a context is wanted for, and how much of it.

    `search` asks what the work is about, `files` are those it concerns. `again` names memories to
    inject instead of searching, best first. `recent` of the newest are wanted too, whatever they
    are about, of those made since `new_since`. `changed_files` lists what the checkout has changed;
    it is called only when a rule depends on it. `folder` is where the reader works. `holding` names
    the file by which the reader has a memory anyway, or nothing.
    """

    search: Request
    files: tuple[str, ...]
    task: Task | None
    tokens: int
    characters: int
    exclude: frozenset[int]
    again: tuple[int, ...]
    recent: int
    new_since: int | None
    rules: Filter
    suggestions: Filter
    handoffs: Filter
    folder: str
    changed_files: Callable[[], Sequence[str]]
    # The branch that is checked out; asked for only where a memory belongs to one.
    branch: Callable[[], str]
    holding: Callable[[Memory], str] | None = None


@record
class ContextResult:
    """What is injected. `text` is the marked block, empty when there is nothing to inject.

    `tokens` estimates the text and never exceeds `budget`. `costs` gives the tokens of each memory,
    `shortened` those cut short and `excerpts` what is left of them, `left_out` (id, reason) of what
    was found but not injected. `suggestions` are rules of agents that no person has accepted.
    `injection` is the ledger's entry, None where none is kept. `silence` says why there is nothing
    to inject.
    """

    task: Task | None
    query: str
    rules: tuple[Memory, ...]
    hits: tuple[Hit, ...]
    handoff: Memory | None
    text: str
    tokens: int
    budget: int
    injection: int | None = None
    costs: dict[int, int] | None = None
    shortened: tuple[int, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()
    duration_ms: float = 0.0
    notices: tuple[str, ...] = ()
    recent: tuple[Memory, ...] = ()
    excerpts: dict[int, str] | None = None
    suggestions: tuple[Memory, ...] = ()
    silence: str = ""


def question(task: Task | None, parent: Task | None, prompt: str, files: Sequence[str]) -> str:
    """What to look for; the short and telling parts come first, since long questions are cut."""
    parts = [prompt]
    if task is not None:
        parts += [task.title, task.category, "" if parent is None else parent.title]
        parts.append(task.description)
    text = "\n".join([part for part in parts if part])
    return "\n".join([text, *[file for file in files if file not in text]]).strip()


def context(request: ContextRequest, store: Store, meaning: Meaning, *, now: int) -> ContextResult:
    """The rules, memories and handoff for a piece of work, as one block within the budget."""
    wanted = request.rules, request.suggestions, request.handoffs
    newest, suggested, handoffs = store.newest_of(wanted, _MANY)
    held = _withheld(request, [*newest, *suggested])
    open_to_it = [memory for memory in (*newest, *suggested) if memory.id not in held]
    fitting = standing_rules(request, open_to_it)
    rules = [rule for rule in fitting if rule.trust == "verified"]
    if request.search.query and _crowded(rules, request, _RULES_SHARE):
        from recairn.recall.rule_choice import by_fit

        rules = by_fit(rules, request, store, meaning, now=now)
    suggestions = [rule for rule in fitting if rule.trust != "verified"][:_MOST_SUGGESTIONS]
    recall = _recall(request, store, meaning, now)
    handoff, since = _last_handoff(handoffs, request, store)
    elsewhere = {memory.id for memory in (*rules, *suggestions, handoff) if memory is not None}
    hits = [hit for hit in recall.hits if hit.id not in elsewhere]
    recent = _recent(request, store, hits) if request.recent else ()
    block = _pack_block(
        request, _Contents(rules, hits, handoff, since, recent, suggestions), now=now
    )
    forms, left_out = block.forms(), block.left_out()
    unread = store.count(request.rules) - _MANY_RULES if len(newest) == _MANY_RULES else 0
    missing = len([rule for rule in rules if rule.id not in forms]) + unread
    ends = {_RULES: _MORE_RULES.format(missing)} if missing and _crowded(rules, request) else {}
    text = block_text(request.task, block.sections(_recent_title(request)), ends)
    short = {memory: form for memory, form in forms.items() if form.share < 1.0}
    return ContextResult(
        task=request.task,
        query=request.search.query,
        rules=tuple([rule for rule in rules if rule.id in forms]),
        hits=tuple([hit for hit in hits if hit.id in forms]),
        handoff=handoff if handoff is not None and handoff.id in forms else None,
        text=text,
        tokens=estimate(text),
        budget=request.tokens,
        costs={memory: estimate("\n".join(form.lines)) for memory, form in forms.items()},
        shortened=tuple(short),
        left_out=tuple({**dict(recall.left_out), **held, **left_out}.items()),
        duration_ms=recall.duration_ms,
        notices=(*recall.notices, *_unfit(text, left_out, request)),
        recent=tuple([memory for memory in recent if memory.id in forms]),
        excerpts={memory: excerpt(form) for memory, form in short.items()},
        suggestions=tuple([rule for rule in suggestions if rule.id in forms]),
        silence="" if text else _silence(recall, left_out, request),
    )


def _last_handoff(
    handoffs: Sequence[Memory], request: ContextRequest, store: Store
) -> tuple[Memory | None, Sequence[str]]:
    if not handoffs:
        return None, ()
    from recairn.recall.unsearched import last_handoff

    return last_handoff(handoffs, request, store)


def _recent(request: ContextRequest, store: Store, hits: Sequence[Hit]) -> Sequence[Memory]:
    from recairn.recall.unsearched import newest_beside

    recent = newest_beside(request, store, {hit.id for hit in hits})
    return [memory for memory in recent if not _withheld(request, [memory])]


def _silence(recall: _Recall, left_out: Mapping[int, str], request: ContextRequest) -> str:
    """Why there is nothing to inject."""
    if left_out:
        return f"no room in {request.characters:,} characters"
    return _nothing_new(recall.left_out) if request.search.query else "nothing to hand out yet"


def _nothing_new(left_out: Sequence[tuple[int, str]]) -> str:
    has_it = any(why == _HAS_IT or why.startswith(_READS) for _, why in left_out)
    return HAS_ALL if has_it else IRRELEVANT


def is_relevant(result: ContextResult) -> bool:
    """Whether something in it is about the work; rules and handoffs that fit anything are not."""
    if result.task is not None or result.hits:
        return True
    return any(rule.scope for rule in result.rules)


def without_content(result: ContextResult) -> ContextResult:
    """The result with nothing in it to inject."""
    nothing: dict[str, Any] = {
        "rules": (),
        "hits": (),
        "handoff": None,
        "text": "",
        "tokens": 0,
        "costs": {},
        "recent": (),
        "excerpts": {},
        "suggestions": (),
        "silence": result.silence or _nothing_new(result.left_out),
    }
    return replace(result, **nothing)


# What there is to inject


def standing_rules(request: ContextRequest, newest: Sequence[Memory]) -> list[Memory]:
    """The rules whose scope fits: pinned first, then the scoped, the important, the new."""
    rules = [rule for rule in newest if rule.id not in request.exclude]
    if any(rule.scope for rule in rules):
        from recairn.recall.rule_choice import in_scope

        rules = in_scope(rules, request)
    # Stable: of equals the newest stays first.
    return sorted(rules, key=rank_of_rule)


def rank_of_rule(rule: Memory) -> tuple[bool, bool, float, float, int]:
    """Where a rule stands among those that fit: what proved useful before what never did."""
    proof = rule.harmful - rule.helpful
    return not rule.pinned, not rule.scope, -rule.importance, proof, -rule.usage_count


def _crowded(rules: Sequence[Memory], request: ContextRequest, share: float = _CROWDED) -> bool:
    """Whether the rules take about that share of the room, a token being three characters."""
    room = min(request.characters, 3 * request.tokens)
    return sum([len(rule.content) + _HEADER for rule in rules]) > share * room


def _withheld(request: ContextRequest, memories: Sequence[Memory]) -> dict[int, str]:
    """Memory → why not, of those of another branch, or that the reader has anyway by a file."""
    reasons = {}
    for memory in memories:
        if memory.branch and memory.branch != request.branch():
            reasons[memory.id] = f"belongs to the branch {memory.branch}"
        elif request.holding is not None and (name := request.holding(memory)):
            reasons[memory.id] = f"{_READS} {name} itself"
    return reasons


@record
class _Recall:
    """The hits worth reading, and what search said beside them."""

    hits: tuple[Hit, ...]
    left_out: tuple[tuple[int, str], ...] = ()
    duration_ms: float = 0.0
    notices: tuple[str, ...] = ()


def _recall(request: ContextRequest, store: Store, meaning: Meaning, now: int) -> _Recall:
    """What search finds without what is much weaker than the best; nothing without a question."""
    if request.again:
        from recairn.recall.unsearched import injected_before

        before = injected_before(request, store)
        return _Recall(tuple([hit for hit in before if not _withheld(request, [hit.memory])]))
    if not request.search.query:
        return _Recall(())
    limit = request.search.limit
    wanted = max(limit, min(_MOST_CANDIDATES, _CANDIDATES * limit)) + len(request.exclude)
    result = search(replace(request.search, limit=wanted, counted=False), store, meaning, now=now)
    # What the reader has seen sets the mark for the rest: weaker ones do not take its place.
    floor = _RELATIVE_FLOOR * max([hit.score for hit in result.hits], default=0.0)
    held = _withheld(request, [hit.memory for hit in result.hits])
    strong: list[Hit] = []
    left_out: list[tuple[int, str]] = []
    for hit in result.hits:
        if hit.id in request.exclude:
            left_out.append((hit.id, _HAS_IT))
        elif hit.id in held:
            left_out.append((hit.id, held[hit.id]))
        elif request.search.unasked or hit.score >= floor:
            strong.append(hit)
        else:
            left_out.append((hit.id, f"much weaker than #{result.hits[0].id}"))
    meta = result.meta
    return _Recall(tuple(strong), (*left_out, *meta.left_out), meta.duration_ms, meta.notices)


# What of it fits


class _Section:
    """One part of the block: the candidates that are shown, each in a form, and the others."""

    __slots__ = ("forms", "left_out", "shown")

    def __init__(self, candidates: Sequence[Candidate], packing: Packing) -> None:
        by_id = {candidate.id: candidate for candidate in candidates}
        chosen = packing.chosen
        self.shown = [by_id[memory] for memory in chosen]
        self.forms = {memory: by_id[memory].forms[form] for memory, form in chosen.items()}
        self.left_out = packing.left_out


@record
class _Contents:
    """What there is to inject; `since` is what became of that which the handoff tells of."""

    rules: Sequence[Memory]
    hits: Sequence[Hit]
    handoff: Memory | None
    since: Sequence[str]
    recent: Sequence[Memory]
    suggestions: Sequence[Memory]


@record
class _Block:
    """The parts of a block."""

    rules: _Section
    hits: _Section
    handoff: _Section
    recent: _Section
    suggestions: _Section

    def sections(self, recent: str) -> dict[str, dict[int, Form]]:
        """Title → forms, as they are read: the handoff is last, next to the work."""
        return {
            _RULES: self.rules.forms,
            _SUGGESTIONS: self.suggestions.forms,
            _MEMORIES: self.hits.forms,
            recent: self.recent.forms,
            _HANDOFF: self.handoff.forms,
        }

    def forms(self) -> dict[int, Form]:
        """Memory → the form it is shown in, in the order of the ledger."""
        parts = (self.rules, self.hits, self.handoff, self.recent, self.suggestions)
        return {memory: form for part in parts for memory, form in part.forms.items()}

    def left_out(self) -> dict[int, str]:
        """Memory → why it is not shown, in the order in which that was decided."""
        parts = (self.rules, self.handoff, self.hits, self.recent, self.suggestions)
        return {memory: why for part in parts for memory, why in part.left_out.items()}


def _pack_block(request: ContextRequest, contents: _Contents, *, now: int) -> _Block:
    """Rules, then hits, beside the room kept for the handoff, then what is new or suggested."""
    hits, handoff = contents.hits, contents.handoff
    of_rules, of_recent, of_suggestions = (
        candidates([(memory, 1.0, ()) for memory in part], now)
        for part in (contents.rules, contents.recent, contents.suggestions)
    )
    of_handoff = [] if handoff is None else candidates([(handoff, 1.0, contents.since)], now)
    of_hits = candidates(entries_of(hits), now)
    parts = {
        _RULES: of_rules,
        _SUGGESTIONS: of_suggestions,
        _MEMORIES: of_hits,
        _recent_title(request): of_recent,
        _HANDOFF: of_handoff,
    }
    budget = _budget(request, {title: part for title, part in parts.items() if part})
    if _crowded(contents.rules, request):
        budget = budget.less([frame_line(_MORE_RULES.format(len(contents.rules)))])

    room = budget.part(_RULES_SHARE if hits else 1.0)
    rule_section = _Section(of_rules, pack_in_order(of_rules, room))
    budget = budget.less(rule_section.forms.values())

    # Room for the handoff, shortened if need be, before the hits take it all.
    room = budget.part(_HANDOFF_SHARE if hits else 1.0)
    reserve = _Section(of_handoff, pack_in_order(of_handoff, room))
    budget = budget.less(reserve.forms.values())

    already = [*rule_section.shown, *reserve.shown]
    hit_section = _Section(of_hits, pack(of_hits, budget.limited(request.search.limit), already))
    budget = budget.less(hit_section.forms.values())

    # Room that was kept for the hits and that they do not need goes back.
    rule_section, budget = _anew(of_rules, rule_section, budget)
    handoff_section, budget = _anew(of_handoff, reserve, budget)

    already = [*rule_section.shown, *handoff_section.shown, *hit_section.shown]
    recent_section = _Section(of_recent, pack_in_order(of_recent, budget, already))
    budget = budget.less(recent_section.forms.values())
    already += recent_section.shown
    suggested = _Section(of_suggestions, pack_in_order(of_suggestions, budget, already))
    return _Block(rule_section, hit_section, handoff_section, recent_section, suggested)


def _recent_title(request: ContextRequest) -> str:
    return _RECENT if request.new_since is None else _NEWS


def _anew(
    candidates: Sequence[Candidate], section: _Section, budget: Room
) -> tuple[_Section, Room]:
    """A section as whole as the room that is left beside it allows, and what is left then."""
    room = budget.plus(section.forms.values())
    section = _Section(candidates, pack_in_order(candidates, room))
    return section, room.less(section.forms.values())


def _budget(request: ContextRequest, parts: Mapping[str, Sequence[Candidate]]) -> Room:
    """The room for memories, beside the frame around them."""
    most = max([candidate.id for part in parts.values() for candidate in part], default=0)
    # A hair less than the budget: sums of fractions may round upwards.
    weight = (request.tokens - 0.001) / MARGIN
    return Room(weight, request.characters, _MOST_MEMORIES).less(
        [frame(request.task, [*parts], most)]
    )


def _unfit(text: str, left_out: Mapping[int, str], request: ContextRequest) -> list[str]:
    """A word to the reader where something was found, but the budget is too small for any of it."""
    if text or not left_out:
        return []
    room = f"{request.tokens:,} tokens and {request.characters:,} characters"
    return [f"{len(left_out)} found, but {room} have room for none of it"]
