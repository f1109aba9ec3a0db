"""Profiles: named sets of weights over signals. Data, never an `if`.

And what ranking assumes of an embedding model: the numbers that differ between models, in one
table. Measured with the shipped models (docs/ranking.md, decisions 0026 and 0027); `""` is words
alone. `tools/fit_chance.py` prints lines and odds: after a change of a model or of ranking, again.
"""

from __future__ import annotations

from recairn.core.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class Odds:
    """What each part counts in the log odds that a hit answers (`ranking/chance.py`).

    The score; how far it is behind the best; how far the best is ahead of the second; the share of
    the question that it holds; ln(1 + its keyword score), which tells the less the more memories
    there are; how far its cosine stands out among the candidates, in their spread; each tenfold of
    memories, and each below a hundred of them.
    """

    start: float
    score: float
    behind: float
    lead: float
    coverage: float
    keyword: float
    keyword_by_size: float
    outstanding: float
    size: float
    few: float


@record
class Line:
    """What a best hit must reach to be an answer: its parts together not less than 0.

    The cosine, which tells the less the more memories there are; the share of the question that
    the hit holds; ln(1 + its keyword score); how far its cosine stands out among the candidates,
    for among strangers one stands out sooner than where all are about the question; ln of how many
    words were asked for; each tenfold of memories, each tenfold below a hundred of them, where an
    answer has little to be mistaken for, and each above ten thousand, where what chance reaches
    grows more slowly; what a reranker said of it.
    """

    start: float
    cosine: float
    cosine_by_size: float
    coverage: float
    keyword: float
    outstanding: float
    asked: float
    size: float
    few: float
    many: float = 0.0
    reranker: float = 0.0


@record
class Assumptions:
    """`share` is the weight of meaning beside words. `floor` is the cosine from which on a memory
    without a word of the question may be an answer, `line` what a clear answer reaches, `read` what
    one reaches that our reranker has read.

    `by_chance` times ln n is what the nearest of n pieces is nearer. `odds` make a chance of a
    score. None: never measured.
    """

    share: float
    floor: float | None
    by_chance: float
    line: Line | None = None
    odds: Odds | None = None
    read: Line | None = None


# The revision of the reranker that the lines `read` were measured with. What another one says is on
# another scale: then the plain line holds.
READER = "bd790aec0a1a"

# Stores of 100,000 were measured with static alone; what is eased there holds for minilm too.
MODELS = {
    "static": Assumptions(
        0.5,
        0.42,
        0.03,
        Line(-3.46, 28.9, -2.28, 4.77, 1.74, -1.53, -0.665, -1.94, -0.8, 1.0),
        Odds(-3.76, 2.91, -8.01, 1.91, 0.571, 1.43, -0.167, 0.228, -0.444, 0.464),
        Line(1.37, 25.6, -2.7, 3.69, 1.65, -1.39, -0.89, -1.67, -1.1, 0.6, 0.577),
    ),
    "minilm": Assumptions(
        0.55,
        0.40,
        0.1,
        Line(-1.21, 29.7, -1.27, 3.26, 2.04, -1.75, -0.556, -2.56, -2.1, 1.0),
        Odds(-4.2, 4.16, -8.52, 0.825, 0.149, 1.66, -0.25, 0.155, -0.273, 0.434),
        Line(1.19, 28.3, -1.93, 3.07, 1.87, -1.72, -0.608, -2.3, -1.4, 0.6, 0.435),
    ),
    # Among a handful every word is frequent: there any of them is enough.
    "": Assumptions(
        0.0,
        None,
        0.1,
        Line(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -0.07, 0.07),
        Odds(-7.04, 3.32, -4.82, 0.945, 1.32, 2.65, -0.423, 0.0, -0.0104, 0.783),
    ),
}
# What is not known of another model is taken from the sentence encoder, but for its cosines: where
# those of strangers lie nobody has measured.
USUAL = Assumptions(0.5, None, 0.1)


def assumed(model: str | None) -> Assumptions:
    """What holds for a model; None: words alone."""
    return MODELS.get(model or "", USUAL)


@record
class Weight:
    """How much a signal counts, and how it enters (see `Term`)."""

    weight: float
    effect: str = "add"


@record
class Profile:
    """`shares` is the weight of meaning by model, `floors` the cosine at which what shares no word
    with the question may still be an answer: the lower, the less is asked of a clear one.

    `sectors` says where a sector lies on the tilt of the signal `sector`, if not where it usually
    does. `verbatim` keeps age and sector from hiding what says the question word for word: a
    formula that weighs them as much as relevance would. `strong_signal` skips meaning when words
    alone are sure (tx). `fold` leaves out hits this near to a better one, `per_source` caps hits of
    one source, `diversity` is MMR's λ; None: not used.
    """

    name: str
    about: str
    weights: Mapping[str, Weight]
    shares: Mapping[str, float] | None = None
    floors: Mapping[str, float] | None = None
    sectors: Mapping[str, float] | None = None
    verbatim: bool = False
    strong_signal: bool = False
    fold: float | None = None
    per_source: int | None = None
    diversity: float | None = None


# The signal of what a second look said; no profile has it by itself.
RERANKER = "reranker"
# How much of the relevance the nearest neighbours of a candidate decide (+.002 nDCG@10).
_AGREEMENT = 0.1

# Time, use and outcome tilt a score by at most half their weight: they order equals and never bury
# a relevant old memory.
DEFAULT = Profile(
    "default",
    "what measured best: words and meaning on one scale, everything else a bounded tilt",
    {
        "keyword": Weight(0.45),
        "semantic": Weight(0.45),
        "agreement": Weight(_AGREEMENT),
        "recency": Weight(0.06, "tilt"),
        "freshness": Weight(0.04, "tilt"),
        "frequency": Weight(0.04, "tilt"),
        "salience": Weight(0.04, "tilt"),
        "importance": Weight(0.08, "tilt"),
        "confidence": Weight(0.04, "tilt"),
        "outcome": Weight(0.2, "tilt"),
        "project": Weight(0.2, "gate"),
        "current": Weight(0.5, "gate"),
        "standing": Weight(0.15, "gate"),
    },
    shares={name: MODELS[name].share for name in ("minilm", "static")},
    floors={name: MODELS[name].floor or 0.0 for name in ("minilm", "static")},
)

TX = Profile(
    "tx",
    "PRD-010: 0.4 words, 0.4 meaning, 0.2 recency, outcome and frequency",
    {
        "matched": Weight(0.4),
        "cosine": Weight(0.4),
        "month": Weight(0.2),
        "outcome": Weight(0.1),
        "frequency": Weight(0.05),
    },
    # In place of its minScore 0.3, which hides what is older than a month: 83 % of off-topic
    # questions meet silence instead of none, at .000 to .001 of nDCG@10 (four sets).
    floors=DEFAULT.floors,
    verbatim=True,
)

TX_RRF = Profile(
    "tx-rrf",
    "DD-010: reciprocal rank fusion 2:1 with place bonuses, scaled to 0..1, and multipliers",
    {
        "fused_rank": Weight(0.75),
        "top_place": Weight(0.05),
        "month": Weight(0.2),
        "outcome": Weight(0.4, "tilt"),
        "frequency": Weight(0.15, "boost"),
    },
    floors=DEFAULT.floors,
    verbatim=True,
    strong_signal=True,
)

# What a score is multiplied by for its sector.
SECTOR_BOOSTS = {
    "reflective": 1.2,
    "semantic": 1.1,
    "procedural": 1.0,
    "emotional": 0.9,
    "episodic": 0.8,
}

CCMEMORY = Profile(
    "ccmemory",
    "0.4 meaning, 0.25 words, 0.2 salience, 0.15 recency, sector boosts, superseded × 0.5",
    {
        "cosine": Weight(0.4),
        "matched": Weight(0.25),
        "salience": Weight(0.2),
        "fading": Weight(0.15),
        "sector": Weight(0.4, "tilt"),
        "current": Weight(0.5, "gate"),
    },
    verbatim=True,
)

# Lower than ours: Lore's plan wants "retry logic" found by "error handling" in some sixty records.
# Silent on 73 % and 68 % of off-topic questions. Without any, each search would count a use of
# whatever was nearest, and use is what these two rank by.
_LOW_FLOORS = {"minilm": 0.30, "static": 0.34}

LORE = Profile(
    "lore",
    "words and meaning × decay × frequency × importance × last access × project, superseded × 0.5",
    {
        # Its plan leaves the blend open: .7/.3 is +.031 nDCG@10 over words alone (four sets).
        "matched": Weight(0.7),
        "cosine": Weight(0.3),
        "decay": Weight(1.0, "gate"),
        "frequency": Weight(0.15, "boost"),
        "importance": Weight(0.2, "boost"),
        "last_access": Weight(0.1, "boost"),
        # The same project counts 1.5 times as much as another one.
        "project": Weight(1.0 / 3.0, "gate"),
        "current": Weight(0.5, "gate"),
    },
    floors=_LOW_FLOORS,
    verbatim=True,
)

BRAIN = Profile(
    "brain",
    "0.4 vector, 0.3 full text, 0.2 recency, 0.1 importance",
    {
        "cosine": Weight(0.4),
        "matched": Weight(0.3),
        "vividness": Weight(0.2),
        "importance": Weight(0.1),
    },
    floors=_LOW_FLOORS,
    verbatim=True,
)

PROFILES = {profile.name: profile for profile in (DEFAULT, TX, TX_RRF, CCMEMORY, LORE, BRAIN)}

# Names people may use for weights, beside the signals' own, and the signals they mean.
ALIASES = {
    "vector": ("semantic", "cosine"),
    "semantic": ("semantic", "cosine"),
    "fts": ("keyword", "matched", "fused_rank"),
    "bm25": ("keyword", "matched", "fused_rank"),
    "keyword": ("keyword", "matched", "fused_rank"),
    "recency": ("recency", "month", "fading", "decay", "vividness"),
}


# By the share of meaning: what words and meaning weigh.
_ARMS: dict[float, dict[str, Weight]] = {}


def for_model(profile: Profile, model: str | None) -> Profile:
    """The profile with words and meaning weighed as measured for the model; None: words alone."""
    return (
        profile if profile.shares is None else replace(profile, weights=weights_for(profile, model))
    )


def weights_for(profile: Profile, model: str | None) -> Mapping[str, Weight]:
    """The weights of that profile."""
    if profile.shares is None:
        return profile.weights
    share = profile.shares.get(model or "", assumed(model).share)
    if share not in _ARMS:
        words, meaning = (1.0 - _AGREEMENT) * (1.0 - share), (1.0 - _AGREEMENT) * share
        _ARMS[share] = {"keyword": Weight(words), "semantic": Weight(meaning)}
    return {**profile.weights, **_ARMS[share]}


def share_of(profile: Profile) -> float:
    """The weight of meaning relative to words and meaning together."""
    keyword, semantic = (profile.weights.get(name) for name in ("keyword", "semantic"))
    if keyword is None or semantic is None or keyword.weight + semantic.weight == 0.0:
        return USUAL.share
    return semantic.weight / (keyword.weight + semantic.weight)


# What these signals say follows from the places of a candidate in the lists of both arms.
OF_PLACES = frozenset(("fused_rank", "top_place"))


def asked_of_arms(profile: Profile) -> tuple[float, bool]:
    """The share of meaning, and whether anybody asks for places in the lists of the arms."""
    return share_of(profile), not OF_PLACES.isdisjoint(profile.weights)


def reweighted(profile: Profile, changes: Mapping[str, float]) -> Profile:
    """The profile with some weights changed; an alias changes the signal this profile uses."""
    if not changes:
        return profile
    weights = dict(profile.weights)
    for name, value in changes.items():
        signal = signal_named(profile, name)
        if signal is not None:
            weights[signal] = Weight(value, weights[signal].effect)
    return replace(profile, weights=weights)


def sectors_boosted(profile: Profile, boosts: Mapping[str, float]) -> Profile:
    """The profile with boosts of one's own for some sectors, as factors around 1 (ccmemory).

    The tilt gets as wide as the largest of them asks for.
    """
    factors = {**SECTOR_BOOSTS, **boosts}
    width = 2.0 * max(abs(factor - 1.0) for factor in factors.values())
    places = {name: 0.5 + (factor - 1.0) / (width or 1.0) for name, factor in factors.items()}
    weights = {**profile.weights, "sector": Weight(width, "tilt")}
    return replace(profile, weights=weights, sectors=places)


def signal_named(profile: Profile, name: str) -> str | None:
    """The signal of the profile that a weight's name means, if it has one."""
    if name in profile.weights:
        return name
    return next((signal for signal in ALIASES.get(name, ()) if signal in profile.weights), None)
