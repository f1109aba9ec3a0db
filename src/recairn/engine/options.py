"""Keyword arguments, as every surface gives them, turned into the values the layers below take."""

from __future__ import annotations

from recairn.core.errors import BadInput, BadOption
from recairn.core.kinds import SECTORS, SOURCE_TYPES, TIERS, TRUSTS, kind_named, nearest, one_of
from recairn.core.model import Draft, Filter
from recairn.core.times import DAY, check, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.ranking.profiles import Profile
    from recairn.recall.search import Request
    from recairn.work.belonging import Home

# The setting that lets every search look into all projects; the own one ranks higher.
ALL_PROJECTS = "retrieval.all_projects"
# Settings of ccmemory's profile: what a sector multiplies a score by.
SECTOR_BOOST = "retrieval.sector_boost."
# The setting that says for how many days a handoff is handed out; after two weeks where a session
# stopped is history.
_HANDOFF_DAYS = "handoff.days", 14
# The setting that names the reranker, what it says where there is none, and how long that one may
# take for a search that does not ask for it, in milliseconds.
RERANKER, NO_RERANKER, RERANKER_MS = "retrieval.reranker", "off", "retrieval.reranker_ms"
DEFAULT_RERANKER = NO_RERANKER
_RERANKER_MS = 300
# Seconds that somebody who asked for a second look waits for it at most, and an agent's prompt.
_DEEP_S, _UNASKED_S = 20.0, 0.15
MODES = ("hybrid", "semantic", "keyword")
ORDERS = ("newest", "oldest", "used", "salient", "changed", "id")

_DRAFT = tuple(Draft.__slots__)  # type: ignore[attr-defined]
# What narrows a search or a listing, named as on the command line.
FILTERS = (
    "project",
    "all_projects",
    "session",
    "in_session",
    "kind",
    "sector",
    "tier",
    "category",
    "source_type",
    "source_ref",
    "trust",
    "branch",
    "author",
    "candidates",
    "min_salience",
    "since",
    "before",
    "as_of",
    "include_superseded",
    "include_deleted",
    "docs",
    "transcripts",
)
# Project and session say where a call acts; what else narrows a search may be typed.
TYPED_FILTERS = tuple([name for name in FILTERS if name not in ("project", "session")])
_RANKING = (
    "mode",
    "profile",
    "limit",
    "min_score",
    "weights",
    "all",
    "graph_depth",
    "deep",
    "track",
    "tool",
)
_LISTING = ("limit", "offset", "order")
# Memories in one answer.
MAX_LIMIT = 1000
# Memories; more than a database ever holds.
MAX_OFFSET = 1_000_000_000
# What sums of shares may be above one.
_ROUNDING = 1e-6
_TIMES = frozenset(("created_at", "valid_from", "valid_until", "expires_at"))
DOOR = ("force", "supersede", "merge")
_REMEMBER = frozenset((*_DRAFT, *DOOR))


def refuse_unknown(what: str, options: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """BadInput, with the nearest spelling, for an option that does not exist."""
    for name in options:
        if name not in names:
            hint = f"{nearest(name, names)}known: {', '.join(names)}"
            raise BadInput(f"{what} has no option {name!r}", hint)


def draft_from(options: Mapping[str, Any], now: int) -> Draft:
    """The draft that keyword arguments describe; times may be spelled as text."""
    if not hasattr(options, "keys"):
        kind = "a text" if isinstance(options, str) else type(options).__name__
        raise BadInput(f"{kind} is no draft", 'give {"content": "..."} or a recairn.Draft')
    if not _REMEMBER.issuperset(options):
        refuse_unknown("remember", options, (*_DRAFT, *DOOR))
    if "content" not in options:
        raise BadInput("a draft needs content")
    if _TIMES.isdisjoint(options):
        return Draft(**options)
    spelled = [name for name in _TIMES if isinstance(options.get(name), str)]
    return Draft(**{**options, **{name: moment(options[name], now) for name in spelled}})


def moment(value: int | str | None, now: int) -> int | None:
    """A time given in milliseconds or spelled as text."""
    if value is None:
        return None
    try:
        return parse(value, now) if isinstance(value, str) else check(value)
    except BadInput as error:
        raise BadOption(error.message, error.hint) from None


def _session_name(name: str | None) -> str | None:
    """A session as it is kept: a search is logged under it, and no name holds a secret."""
    if not name:
        return None
    from recairn.core.guard import plain_name

    return plain_name(name)


def filter_from(
    options: Mapping[str, Any], *, home: Home, own: str, session: str | None, now: int
) -> Filter:
    """The filter that keyword arguments describe; `home` is the project that is looked into, `own`
    the asker's."""
    everywhere = options.get("project") is None and options.get("all_projects")

    def choice(name: str, names: tuple[str, ...]) -> str | None:
        value = options.get(name)
        return None if value is None else one_of(name, value, names)

    if options.get("transcripts"):
        options = {**options, "kind": "chunk", "source_type": "transcript"}
    return Filter(
        project=None if everywhere else home.name,
        session=_session_name(options.get("session")) or session,
        kinds=tuple(kind_named(kind) for kind in _names("kind", options)),
        sector=choice("sector", SECTORS),
        tier=choice("tier", TIERS),
        category=options.get("category"),
        source_types=tuple(
            one_of("source type", source, SOURCE_TYPES) for source in _names("source_type", options)
        ),
        source_ref=options.get("source_ref"),
        in_session=_session_name(options.get("in_session")),
        trust=choice("trust", TRUSTS),
        branch=options.get("branch"),
        author=options.get("author"),
        candidates=options.get("candidates") is not False,
        min_salience=_share("min_salience", options.get("min_salience")),
        since=moment(options.get("since"), now),
        before=moment(options.get("before"), now),
        as_of=moment(options.get("as_of"), now),
        include_superseded=bool(options.get("include_superseded")),
        include_deleted=bool(options.get("include_deleted")),
        include_documents=bool(options.get("docs")),
        home=own or None,
        now=now,
        parent=None if everywhere else home.parent,
    )


def _names(what: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The names given for an option that takes one or several."""
    value = options.get(what) or ()
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple | set) or not all(isinstance(n, str) for n in names):
        raise BadInput(f"{what} must be a name or several, got {value!r}")
    return tuple(names)


def reaching(options: Mapping[str, Any], config: Mapping[str, str]) -> Mapping[str, Any]:
    """What a search was given, and every project where the settings say so and the call nothing."""
    is_named = options.get("project") is not None or options.get("all_projects") is not None
    if is_named or config.get(ALL_PROJECTS) != "on":
        return options
    return {**options, "all_projects": True}


def request_from(
    query: str, options: Mapping[str, Any], filter: Filter, config: Mapping[str, str]
) -> Request:
    """The search request that keyword arguments and settings describe: call > config > profile."""
    from recairn.ranking.profiles import PROFILES
    from recairn.recall.search import Request

    refuse_unknown("search", options, (*FILTERS, *_RANKING))
    if not isinstance(query, str):
        raise BadInput(f"a query is text, got {type(query).__name__}")
    named = options.get("profile") or config.get("retrieval.profile") or "default"
    profile = _with_sectors(PROFILES[one_of("profile", named, tuple(PROFILES))], config)
    return Request(
        query=query,
        filter=filter,
        profile=profile,
        weights={
            **_brought(config, profile),
            **_configured(config),
            **_checked_weights(options.get("weights"), profile),
        },
        mode=one_of("mode", options.get("mode", "hybrid"), MODES),
        limit=limit_from(options, 10),
        min_score=number("min_score", options.get("min_score"), 0.0),
        below_floor=bool(options.get("all")),
        replies=bool(options.get("transcripts")),
        graph_depth=_depth(options.get("graph_depth")),
        reranker=_reranker(options.get("deep"), profile, config),
        settings=config,
    )


def _reranker(
    deep: bool | None, profile: Profile, config: Mapping[str, str]
) -> tuple[str, float] | None:
    """Which reranker has a second look, and for how many seconds; none where `deep` is False.

    Who asks for it waits. Otherwise the one chosen reads what it can within its setting's time,
    and the formulas of other systems stay what they are.
    """
    name = config.get(RERANKER, DEFAULT_RERANKER)
    if deep:
        return (name if name != NO_RERANKER else "", _DEEP_S)
    if name == NO_RERANKER or deep is not None or profile.name != "default":
        return None
    try:
        patience = float(config.get(RERANKER_MS, _RERANKER_MS)) / 1000.0
    except ValueError:
        patience = _RERANKER_MS / 1000.0
    return (name, patience) if patience > 0.0 else None


def looked_twice(
    request: Request, deep: bool | None, config: Mapping[str, str], models_dir: str
) -> Request:
    """The request as a process that stays makes it: our own reranker has a second look where no
    setting speaks of one and it is installed. Nobody asked for it, so its failing is not told."""
    from recairn.embed.models import OWN, reranker_is_ready

    # What our own says of a prompt that nobody searched with is known; of others it is not.
    spoken_of = config.get(RERANKER, OWN) != OWN if request.unasked else RERANKER in config
    if spoken_of or deep is not None or request.mode != "hybrid":
        return request
    own = _reranker(None, request.profile, {**config, RERANKER: OWN})
    if own is None or not reranker_is_ready(models_dir):
        return request
    from recairn.core.record import replace

    name, patience = own
    most = _UNASKED_S if request.unasked else patience
    return replace(request, reranker=(name, min(patience, most)), quiet=True)


def _with_sectors(profile: Profile, config: Mapping[str, str]) -> Profile:
    """The profile with the boosts of sectors among the settings, where it knows any."""
    if "sector" not in profile.weights:
        return profile
    boosts = {}
    for key, value in config.items():
        if key.startswith(SECTOR_BOOST):
            try:
                boosts[key.removeprefix(SECTOR_BOOST)] = float(value)
            except ValueError:
                raise BadInput(
                    f"the setting {key} is {value!r}, not a number", f"recairn config unset {key}"
                ) from None
    if not boosts:
        return profile
    from recairn.ranking.profiles import sectors_boosted

    return sectors_boosted(profile, boosts)


def _depth(depth: Any) -> int:
    if not depth:
        return 0
    from recairn.recall.graph_search import depth_of

    return depth_of(depth)


def _brought(config: Mapping[str, str], profile: Profile) -> dict[str, float]:
    """The weights an import brought from the system that the profile computes as."""
    weights = {}
    for key, value in config.items():
        whose, _, setting = key.partition(".")
        name = weight_named(setting) if whose == profile.name else None
        if name is not None:
            try:
                # Project Brain keeps JSON, in which a number may be a string.
                weights[name] = _share(key, float(value.strip("\"' ")))
            except (ValueError, BadInput):
                continue  # it was valid there; here the profile's own holds
    return weights


def _configured(config: Mapping[str, str]) -> dict[str, float]:
    """The weights among the settings."""
    weights = {}
    for key, value in config.items():
        name = weight_named(key)
        if name is not None:
            try:
                weights[name] = _share(f"the setting {key}", float(value))
            except (ValueError, BadInput):
                raise BadInput(
                    f"the setting {key} is {value!r}, not a number between 0 and 1",
                    f"recairn config unset {key}",
                ) from None
    return weights


def weight_named(setting: str) -> str | None:
    """What `retrieval.NAME_weight`, or tx's bare `NAME_weight`, weighs; None for other settings."""
    bare = setting.removeprefix("retrieval.")
    if not bare.endswith("_weight"):
        return None
    from recairn.ranking.profiles import ALIASES, PROFILES

    name = bare.removesuffix("_weight")
    known_name = name in ALIASES or any(name in profile.weights for profile in PROFILES.values())
    return name if known_name else None


def _share(what: str, value: Any) -> float:
    """A number in 0..1; of weights because beyond it gates and tilts would turn scores negative."""
    share = number(what, value, 0.0)
    if not 0.0 <= share <= 1.0 + _ROUNDING:
        raise BadOption(f"{what} must lie between 0 and 1, got {value!r}")
    return share


def _checked_weights(weights: Mapping[str, float] | None, profile: Profile) -> dict[str, float]:
    """Weights of one call; unlike a setting, one that the profile does not have is an error."""
    from recairn.ranking.profiles import ALIASES, signal_named

    checked = {}
    for name, value in (weights or {}).items():
        if signal_named(profile, name) is None:
            names = tuple(dict.fromkeys((*profile.weights, *ALIASES)))
            raise BadOption(
                f"the profile {profile.name} has no weight {name!r}",
                f"{nearest(name, names)}it has: {', '.join(profile.weights)}",
            )
        checked[name] = _share(f"the weight {name}", value)
    return checked


def number(what: str, value: Any, usual: float) -> float:
    """A finite number, the usual one when none was given."""
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise BadOption(f"{what} must be a number, got {value!r}")
    return float(value)


def listing_from(options: Mapping[str, Any]) -> dict[str, Any]:
    """Order and extent of a listing."""
    refuse_unknown("list", options, (*FILTERS, *_LISTING))
    offset = options.get("offset", 0)
    if not isinstance(offset, int) or not 0 <= offset <= MAX_OFFSET:
        raise BadOption(f"offset must be between 0 and {MAX_OFFSET:,}, got {offset!r}")
    return {
        "order": one_of("order", options.get("order", "newest"), ORDERS),
        "limit": limit_from(options, 50),
        "offset": offset,
    }


def limit_from(options: Mapping[str, Any], usual: int) -> int:
    limit = options.get("limit")
    limit = usual if limit is None else limit
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT:
        raise BadOption(f"limit must be between 1 and {MAX_LIMIT}, got {limit!r}")
    return limit


def handoff_ms(settings: Mapping[str, str]) -> int:
    """How long a handoff is handed out, by the settings."""
    name, usual = _HANDOFF_DAYS
    try:
        return int(float(settings.get(name, usual)) * DAY)
    except (ValueError, OverflowError):
        return usual * DAY
