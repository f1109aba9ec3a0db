"""The nouns of recairn. Frozen values that every layer shares; no behaviour beyond arithmetic.

Times are integer milliseconds UTC; importance, confidence, salience and score lie in 0..1.
"""

from __future__ import annotations

from math import exp, log1p

from recairn.core.record import Row, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


@record
class Memory:
    """One remembered thing, as stored."""

    id: int
    uid: str
    kind: str
    title: str
    content: str
    fields: Mapping[str, Any]
    project: str
    tier: str
    sector: str
    category: str
    keywords: tuple[str, ...]
    concepts: tuple[str, ...]
    scope: str
    importance: float
    confidence: float
    salience: float
    helpful: float
    harmful: float
    outcome_score: float | None
    usage_count: int
    last_used_at: int | None
    created_at: int
    updated_at: int
    decayed_at: int
    valid_from: int
    valid_until: int | None
    superseded_by: int | None
    expires_at: int | None
    deleted_at: int | None
    pinned: bool
    immutable: bool
    source_type: str
    source_ref: str
    author: str
    session_id: str | None
    trust: str
    external_id: str | None
    content_hash: str
    branch: str = ""
    # What the last look at the repository found gone or rewritten of the things it names.
    stale: str = ""


@record
class Draft:
    """What someone wants remembered; None means: let recairn decide. `private`: from the team."""

    content: str
    kind: str = "learning"
    title: str = ""
    fields: Mapping[str, Any] | None = None
    project: str | None = None
    tier: str | None = None
    sector: str | None = None
    category: str = ""
    keywords: Sequence[str] = ()
    scope: str = ""
    branch: str = ""
    importance: float | None = None
    confidence: float | None = None
    pinned: bool = False
    immutable: bool = False
    source_type: str = "manual"
    source_ref: str = ""
    session: str | None = None
    trust: str | None = None
    external_id: str | None = None
    created_at: int | None = None
    valid_from: int | None = None
    valid_until: int | None = None
    expires_at: int | None = None
    private: bool | None = None


@record
class Similar:
    """A stored memory that a draft resembles in its words (overlap in 0..1), or in its name."""

    id: int
    uid: str
    title: str
    content: str
    similarity: float
    same_name: bool = False


class Remembered(Row):
    """The answer of the write door: what became of a draft.

    `status` is added, reinforced (it was known already), superseded or merged (as asked), or
    needs_decision (nothing was written; `similar` says what it resembles). `conflicts` are what it
    may contradict: linked until somebody decides. `project` and `tier` say where it went.
    """

    id: int | None
    uid: str | None
    status: str
    similar: tuple[Similar, ...] = ()
    warnings: tuple[str, ...] = ()
    conflicts: tuple[int, ...] = ()
    project: str = ""
    tier: str = ""


class Said(Row):
    """What a word of a question ("": all that tells nothing) adds to its vector: the direction as
    `codes`, how far it pulls (such vectors add up to length one), its share of the question."""

    word: str
    codes: bytes
    length: float
    size: float


class Facts(Row):
    """The plain values about one candidate that ranking computes with.

    `words` is the text's length without stop words, `stale` how much of what it names has changed
    in the repository (0..1). `keyword` is the keyword score (0: no word of
    the question), `coverage` the share of the question's weight that occurs, `cosine` a similarity
    in -1..1, None without a vector; `unsaid` is the same for what its words have not said.
    """

    id: int
    kind: str
    project: str
    tier: str
    sector: str
    created_at: int
    last_used_at: int | None
    usage_count: int
    salience: float
    decayed_at: int
    importance: float
    confidence: float
    helpful: float
    harmful: float
    outcome_score: float | None
    valid_until: int | None
    source_ref: str
    words: int
    stale: float = 0.0
    keyword: float = 0.0
    coverage: float = 0.0
    cosine: float | None = None
    unsaid: float | None = None


class Vectors(Row):
    """The vectors of one memory, as int8 codes, one for each piece of its text."""

    memory: int
    reach: str
    source_hash: str
    pieces: Sequence[bytes]


class Term(Row):
    """One part of a score: a signal's value in 0..1, its weight, and how it enters.

    add: + weight·value. gate: × (1 − weight·(1 − value)). boost: × (1 + weight·value).
    tilt: × (1 + weight·(value − ½)), which moves a score by at most ± weight/2.
    """

    value: float
    weight: float
    effect: str = "add"


@record
class Hit:
    """A found memory with the terms its score was computed from.

    `below_floor` is one that was shown only because all were asked for: no answer, no use. `odds`
    are the parts of its log odds, all added; none where no chance is known.
    """

    memory: Memory
    terms: Mapping[str, Term]
    match: str
    snippet: str = ""
    source_session: Mapping[str, Any] | None = None
    superseded_by: Mapping[str, Any] | None = None
    related_count: int = 0
    path: str = ""
    flags: tuple[str, ...] = ()
    below_floor: bool = False
    odds: Mapping[str, Term] | None = None

    @property
    def id(self) -> int:
        return self.memory.id

    @property
    def score(self) -> float:
        return total(self.terms)

    @property
    def chance(self) -> float | None:
        """How likely it answers the question, 0..1; None on a scale that nobody has measured."""
        if self.odds is None:
            return None
        from math import exp

        # Beyond e^700 there is no number, and nothing to tell apart.
        return 1.0 / (1.0 + exp(min(700.0, -total(self.odds))))

    @property
    def shown(self) -> float:
        """What a percentage says of it: its chance, or its score where no chance is known."""
        return self.score if self.chance is None else self.chance


def total(terms: Mapping[str, Term]) -> float:
    """The score: the sum of the added terms times the product of the others."""
    return combined([(term.value, term.weight, term.effect) for term in terms.values()])


def combined(parts: Sequence[tuple[float, float, str]]) -> float:
    """The same of parts: (value, weight, effect) as in `Term`."""
    return added(parts) * factor(parts)


def added(parts: Sequence[tuple[float, float, str]]) -> float:
    """The sum of what is added."""
    sum = 0.0
    for value, weight, effect in parts:
        if effect == "add":
            sum += weight * value
    return sum


def factor(parts: Sequence[tuple[float, float, str]]) -> float:
    """The product of what is not added."""
    product = 1.0
    for value, weight, effect in parts:
        if effect == "tilt":
            product *= 1.0 + weight * (value - 0.5)
        elif effect == "gate":
            product *= 1.0 - weight * (1.0 - value)
        elif effect == "boost":
            product *= 1.0 + weight * value
    return product


@record
class SearchMeta:
    """What a search did, beside its hits; `left_out` is (id, reason) of what no hit was made of."""

    query: str
    profile: str
    mode: str
    project: str | None
    candidates: int
    returned: int
    duration_ms: float
    model: str | None
    weights: Mapping[str, float]
    searched: int | None = None
    notices: tuple[str, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()


@record
class SearchResult:
    hits: tuple[Hit, ...]
    meta: SearchMeta


@record
class Filter:
    """Which memories a search or listing may see; applied inside the store, before any cut.

    `project` None looks at all; a name sees that project, its `parent` and the global tier. `home`
    ranks higher among all. `as_of`: as believed then. `author` is a role, or one of it. Without
    `candidates`, of what waits only agents' rules. `hidden`: only deleted, expired
    or superseded ones.
    `standing`: rules and pinned ones. `among`: only these ids; `apart`: not these.
    """

    project: str | None = None
    session: str | None = None
    kinds: tuple[str, ...] = ()
    sector: str | None = None
    tier: str | None = None
    category: str | None = None
    source_types: tuple[str, ...] = ()
    source_ref: str | None = None
    in_session: str | None = None
    trust: str | None = None
    branch: str | None = None
    author: str | None = None
    candidates: bool = True
    min_salience: float = 0.0
    since: int | None = None
    before: int | None = None
    as_of: int | None = None
    include_superseded: bool = False
    include_deleted: bool = False
    include_documents: bool = False
    home: str | None = None
    now: int = 0
    hidden: str = ""
    standing: bool = False
    parent: str | None = None
    among: tuple[int, ...] | None = None
    apart: tuple[int, ...] = ()


@record
class TaskFilter:
    """Which tasks a listing shows; None and empty leave a question open.

    `ready` keeps the open ones whose dependencies are all done.
    """

    project: str | None = None
    statuses: tuple[str, ...] = ()
    category: str | None = None
    parent: str | None = None
    ids: tuple[str, ...] | None = None
    ready: bool = False
    limit: int = -1


@record
class Event:
    """One entry of the append-only history of a memory; a new one may leave its author open."""

    id: int
    memory: int
    at: int
    event: str
    reason: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    session_id: str | None
    undo_of: int | None
    author: str = ""
    member: str = ""  # of the team, who made the change


@record
class Act:
    """When something is changed, in which session, why, and whether by the person's own word."""

    at: int
    session: str | None = None
    reason: str = ""
    is_own: bool = True


@record
class Edge:
    """A typed link between two memories."""

    source: int
    target: int
    relation: str
    weight: float
    confidence: float
    created_by: str
    created_at: int
    valid_from: int
    valid_until: int | None
    changed_at: int | None = None  # when this was said, if not when it began or ended

    @property
    def said_at(self) -> int:
        return self.changed_at or max(self.valid_from, self.valid_until or 0)


_DAY_MS = 86_400_000.0
# Share of salience lost per day, by sector.
DECAY_PER_DAY = {
    "emotional": 0.003,
    "semantic": 0.005,
    "reflective": 0.008,
    "procedural": 0.01,
    "episodic": 0.02,
}
_USUAL_RATE = DECAY_PER_DAY["semantic"]
# Importance ½ decays at the sector's rate, importance 1 at half of it; use slows it further.
_UNHURRIED, _SLOWED_BY_USE = 1.5, 0.2

# Remembering something again, or saying so, moves salience this share of the way to 1.
REINFORCED = 0.1
# Being found does so by this share.
FOUND = 0.02
# Played down, salience loses this much, but never all.
DEEMPHASIZED = 0.2
LOWEST = 0.05


def decayed(facts: Facts | Memory, now: int) -> float:
    """What is left of salience: s·e^(−rate·days·slowing), from the last decay time on."""
    days = max(0.0, (now - facts.decayed_at) / _DAY_MS)
    use = 1.0 + _SLOWED_BY_USE * log1p(max(0, facts.usage_count))
    slowing = (_UNHURRIED - min(1.0, max(0.0, facts.importance))) / use
    rate = DECAY_PER_DAY.get(facts.sector, _USUAL_RATE)
    return min(1.0, max(0.0, facts.salience)) * exp(-rate * days * slowing)


def lifted(salience: float, share: float = REINFORCED) -> float:
    """Moved towards 1 by a share of what is missing."""
    return salience + share * (1.0 - salience)


def lowered(salience: float, amount: float = DEEMPHASIZED) -> float:
    """Lower by an amount, never to nothing."""
    return max(min(salience, LOWEST), salience - amount)


def left_sql(at: int) -> str:
    """What is left at a time of the salience of `memories m`."""
    rates = " ".join(f"when '{sector}' then {rate}" for sector, rate in DECAY_PER_DAY.items())
    rate = f"case m.sector {rates} else {_USUAL_RATE} end"
    since = f"case when m.decayed_at < {int(at)} then {int(at)} - m.decayed_at else 0 end"
    uses = "case when m.usage_count > 0 then m.usage_count else 0 end"
    slowing = f"({_UNHURRIED} - m.importance) / (1 + {_SLOWED_BY_USE} * ln(1 + {uses}))"
    return f"(m.salience * exp(-({rate}) * ({since} / {_DAY_MS}) * {slowing}))"


def lifted_sql(left: str, share: float) -> str:
    """The same as `lifted`, of an expression of SQL."""
    return f"{left} + {share} * (1 - {left})"
