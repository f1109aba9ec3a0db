"""Search, lists, counts and the histogram: what is known, and why in this order."""

from __future__ import annotations

from recairn.core.kinds import KINDS
from recairn.core.times import iso
from recairn.surfaces.render.json_objects import search_json
from recairn.surfaces.render.listings import histogram_json
from recairn.surfaces.render.tables import chance_line, formula
from recairn.surfaces.render.why import reasons
from recairn.surfaces.web.answers.brief import brief_json, clipped, shortened
from recairn.surfaces.web.parameters import Parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.engine import Recairn
    from recairn.store.work_rows import Session

_PAGE, _MOST_PAGE = 25, 50
_HITS, _MOST_HITS = 10, 15
# The newest memories of the first sight.
_FIRST = 10
# Parameters of an address that are filters of the engine, as they are.
_TEXTS = ("sector", "tier", "category", "source_ref", "in_session", "author", "trust")
_TIMES = ("since", "before", "as_of")


def filters(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The filters of the engine that an address names."""
    chosen: dict[str, Any] = {name: parameters.text(name) for name in (*_TEXTS, *_TIMES)}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if parameters.words("kind"):
        chosen["kind"] = parameters.words("kind")
    if parameters.words("source"):
        chosen["source_type"] = parameters.words("source")
    if parameters.flag("replaced"):
        chosen["include_superseded"] = True
    if parameters.flag("forgotten"):
        chosen["include_deleted"] = True
    if parameters.flag("docs"):
        chosen["docs"] = True
    if memory.everywhere:
        chosen["all_projects"] = True
    return chosen


def search(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The hits with bars, spans and a line of why. Looking is no use: nothing is counted."""
    chosen = filters(memory, parameters)
    result = memory.search(
        parameters.text("q") or "",
        **chosen,
        track=False,
        limit=parameters.number("limit", _HITS, _MOST_HITS),
        profile=parameters.text("profile") or "",
        all=parameters.flag("all"),
        deep=parameters.flag("deep") or None,
        tool="page",
    )
    document = search_json(result)
    lines = reasons(result.hits)
    document["hits"] = [
        {**_hit(shown, why), "sum": formula(hit.terms), "sure": chance_line(hit)}
        for shown, why, hit in zip(document["hits"], lines, result.hits, strict=True)
    ]
    if "as_of" in chosen:
        for hit in document["hits"]:
            hit["since"] = _since(memory, hit["id"])
    return document


def _since(memory: Recairn, number: int) -> dict[str, Any]:
    """What became of a memory that an earlier day is looked at with."""
    now = memory.get(number)
    later = None if now is None or now.superseded_by is None else memory.get(now.superseded_by)
    return {
        "replaced_by": None if later is None else later.id,
        "replaced_at": None if later is None else iso(later.created_at),
        "forgotten_at": None if now is None else iso(now.deleted_at),
    }


def _hit(document: dict[str, Any], why: str) -> dict[str, Any]:
    document["fields"] = {name: clipped(value, 160) for name, value in document["fields"].items()}
    # The page has no use for HTML, and the line `sure` says what the odds are made of.
    del document["snippet"], document["odds"]
    return {**shortened(document), "why": why}


def listing(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """One page of memories by filter, and where the next begins."""
    chosen = filters(memory, parameters)
    hidden = parameters.text("hidden") or ""
    page = memory.page(
        after=parameters.text("after"),
        order=parameters.text("order") or "newest",
        limit=parameters.number("limit", _PAGE, _MOST_PAGE),
        hidden=hidden,
        **chosen,
    )
    total = None
    if parameters.text("after") is None:
        total = memory.hidden(hidden, limit=1, **chosen)[1] if hidden else memory.count(**chosen)
    return {
        "memories": [brief_json(stored) for stored in page.memories],
        "meta": {"returned": len(page.memories), "total": total, "next": page.next},
    }


def histogram(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """How many memories were made when, for the slider."""
    chosen = {**filters(memory, parameters)}
    for name in _TIMES:
        chosen.pop(name, None)
    return histogram_json(memory.histogram(**chosen))


def overview(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """What the frame around every place shows: projects and counts."""
    from recairn import __version__
    from recairn.core.kinds import SECTORS, TIERS
    from recairn.ranking.profiles import PROFILES

    everywhere = {"all_projects": True} if memory.everywhere else {}
    tasks = memory.tasks(all_projects=memory.everywhere, limit=100)
    sessions = memory.sessions(limit=50, all_projects=memory.everywhere)
    return {
        "version": __version__,
        "project": memory.project or None,
        "everywhere": memory.everywhere,
        "projects": [
            {"name": project.name, "memories": project.memories}
            for project in memory.projects()
            if project.name and (project.memories or project.tasks or project.documents)
        ],
        "counts": {
            "memories": memory.count(**everywhere),
            "review": memory.count(trust="unverified", **everywhere),
            "rules": memory.count(kind="rule", trust="verified", **everywhere),
            "sessions": sum(1 for session in sessions if session.state == "open"),
            "tasks": len(tasks),
        },
        "database": memory.database,
        "absent": memory.absent,
        "read_only": memory.read_only,
        "author": memory.author,
        "last_seen": _last_seen(sessions),
        "kinds": list(KINDS),
        "profiles": list(PROFILES),
        "sectors": list(SECTORS),
        "tiers": list(TIERS),
        "notices": [notice for notice in (memory.home_notice, memory.mirror_notice) if notice],
    }


def first(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """What the page shows first, in one answer: the frame, the newest memories, the histogram."""
    newest = Parameters(query={**parameters.query, "limit": str(_FIRST)})
    return {
        "overview": overview(memory, parameters),
        "histogram": histogram(memory, parameters),
        "memories": listing(memory, newest),
    }


def _last_seen(sessions: Sequence[Session]) -> dict[str, Any] | None:
    """Which agent was heard of last, and when."""
    if not sessions:
        return None
    last = max(sessions, key=lambda session: session.last_seen_at)
    return {"agent": clipped(last.agent, 40), "at": iso(last.last_seen_at)}


def missed(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """Notes that a search did not find what was wanted."""
    wanted = parameters.value("wanted", (int, str))
    made = memory.record_miss(
        parameters.value("query", str, needed=True), wanted, parameters.value("note", str) or ""
    )
    return {
        "misses": made.count,
        "advice": list(made.advice),
        "warnings": list(made.warnings),
        "back": {"miss": made.miss.id},
    }
