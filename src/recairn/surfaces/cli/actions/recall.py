"""Handlers of the commands that find: by question, by time, by filter."""

from __future__ import annotations

from recairn.core.times import now_ms
from recairn.core.words import counted, is_signs_alone
from recairn.engine.options import TYPED_FILTERS as _FILTERS
from recairn.surfaces.render.text import hit_text, hits_text, listing_text, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Hit, Memory, SearchResult
    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call

_RANKING = ("mode", "profile", "limit", "min_score", "graph_depth", "deep", "all")
# What cannot be the reason that nothing was found.
_HARMLESS = (
    *("limit", "project", "all_projects", "mode", "profile"),
    *("graph_depth", "deep", "all", "weights"),
)
_RECENT = 10


def search(call: Call) -> None:
    from recairn.surfaces.cli.call import text_from

    arguments = call.arguments
    query = text_from(_as_typed(arguments["query"]), "what to look for", call)
    if "team" in arguments:
        from recairn.surfaces.cli.actions.team_rounds import search_team

        search_team(call, query)
        return
    options = call.chosen(*_FILTERS, *_RANKING)
    if "act_in" in arguments and "all_projects" not in arguments:
        options["project"] = arguments["act_in"]
    if "weight" in arguments:
        options["weights"] = dict(arguments["weight"])
    with call.open() as memory:
        result = memory.search(query, **options, track="no_track" not in arguments, tool="cli")
        if call.json:
            from recairn.surfaces.render.json_objects import search_json

            call.screen.document(search_json(result))
        elif "markdown" in arguments:
            from recairn.surfaces.render.markdown import listing_markdown

            call.screen.write(listing_markdown([hit.memory for hit in result.hits], now=now_ms()))
        elif result.hits:
            _show_hits(call, result)
        else:
            replaced = memory.superseded(query, **options)
            meant = "" if replaced else memory.meant(query, **options)
            call.screen.write(_nothing(result, options, replaced, meant))
        for notice in () if call.json else result.meta.notices:
            call.screen.note(f"note: {notice}")
        # The answer is out before the book-keeping of `close` begins.
        call.screen.flush()


def _as_typed(words: list[str]) -> list[str]:
    """The words with the quotes that the shell took from one of them: retries "full jitter"."""
    together = [word for word in words if " " in word.strip()]
    if len(words) < 2 or len(together) != 1 or '"' in together[0]:
        return words
    return [f'"{word}"' if word is together[0] else word for word in words]


def _show_hits(call: Call, result: SearchResult) -> None:
    now = now_ms()
    full = "full" in call.arguments
    if "explain" not in call.arguments:
        call.screen.write(hits_text(result, now=now, full=full))
        return
    from recairn.surfaces.render.tables import chance_line, formula, term_rows

    call.say(f"{counted(len(result.hits), 'hit')} (profile {result.meta.profile}):")
    for hit in result.hits:
        text = hit_text(hit, now=now, project=result.meta.project, full=full)
        call.screen.write(f"\n{text}\n")
        head = ("signal", "value", "weight", "effect", "contribution")
        call.screen.table(head, term_rows(hit.terms))
        call.say(formula(hit.terms))
        call.say(chance_line(hit))


def _nothing(
    result: SearchResult, options: dict[str, Any], replaced: Sequence[Hit], meant: str
) -> str:
    """What was searched, and the one step most likely to help."""
    meta = result.meta
    if not meta.query.strip():
        return 'nothing was asked\n  recairn search "..." finds, recairn recent shows the newest\n'
    where = f"project {meta.project}" if meta.project else "all projects"
    count = meta.searched or 0
    text = f"nothing relevant among {memories(count)} of {where}"
    if meta.candidates and "all" not in options and "min_score" not in options:
        text += " (--all shows the nearest)"
    narrowing = [name for name in options if name not in _HARMLESS]
    if replaced:
        ids = ", ".join(f"#{hit.id}" for hit in replaced[:3])
        step = f"{ids} {'was' if len(replaced) == 1 else 'were'} superseded: --include-superseded"
    elif meant:
        from shlex import quote

        step = f"recairn search {quote(meant)} finds something"
    elif is_signs_alone(meta.query):
        step = "signs alone stand in no index: ask for a word; recairn recent shows what is there"
    elif narrowing:
        step = f"try without --{narrowing[0].replace('_', '-')}"
    elif count == 0:
        step = 'recairn add "..." remembers something'
        step += "; try --all-projects" if meta.project else ""
    elif meta.project:
        step = "try --all-projects"
    else:
        step = "try other words; recairn recent shows what is there"
    return f"{text}\n  {step}\n"


def recent(call: Call) -> None:
    _list(call, order="newest", limit=_RECENT)


def listing(call: Call) -> None:
    _list(call, order="newest", limit=50)


def _list(call: Call, *, order: str, limit: int) -> None:
    filters = call.chosen(*_FILTERS)
    extent: dict[str, Any] = {"order": order, "limit": limit}
    extent |= call.chosen("order", "limit", "offset")
    with call.open() as memory:
        page, total, next = _listed(call, memory, filters, extent)
        project = memory.project
    if call.json:
        from recairn.surfaces.render.json_objects import memory_json

        meta = {"returned": len(page), "total": total, "project": project or None}
        listed = [memory_json(record) for record in page]
        call.screen.document({"memories": listed, "meta": {**meta, **extent, "next": next}})
    elif "markdown" in call.arguments:
        from recairn.surfaces.render.markdown import listing_markdown

        call.screen.write(listing_markdown(page, now=now_ms()))
    elif page:
        _show_list(call, page, total, project)
    else:
        where = f"project {project}" if project else "any project"
        step = "try fewer filters" if filters else 'recairn add "..." remembers something'
        call.say(f"no memories of {where} fit\n  {step}")


def _listed(
    call: Call, memory: Recairn, filters: dict[str, Any], extent: dict[str, Any]
) -> tuple[Sequence[Memory], int | None, str | None]:
    """A part of the list, how long the whole is, and where the next part begins.

    Whoever goes on where a page ended does not wait for a count.
    """
    hidden = [name for name in ("deleted", "expired") if name in call.arguments]
    after = call.arguments.get("after")
    if after is not None or (extent["order"] in ("newest", "oldest") and not extent.get("offset")):
        what = {"hidden": hidden[0]} if hidden else {}
        page = memory.page(after=after, **what, **filters, **extent)
        if after is not None:
            return page.memories, None, page.next
        if hidden:
            return page.memories, memory.hidden(hidden[0], **filters, limit=1)[1], page.next
        return page.memories, memory.count(**filters), page.next
    if hidden:
        return *memory.hidden(hidden[0], **filters, **extent), None
    return memory.listing(**filters, **extent), memory.count(**filters), None


def _show_list(call: Call, page: Sequence[Memory], total: int | None, project: str) -> None:
    full = "full" in call.arguments
    call.screen.write(listing_text(page, now=now_ms(), project=project or None, full=full))
    if total is not None and len(page) < total:
        call.screen.note(f"{len(page)} of {total}; -n shows more")
