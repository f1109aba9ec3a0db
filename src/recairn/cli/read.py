"""Handlers of the commands that find and show."""

from __future__ import annotations

from recairn import render
from recairn.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.cli.call import Call
    from recairn.engine import Recairn
    from recairn.model import Memory, SearchResult

_FILTERS = (
    "all_projects",
    "in_session",
    "kind",
    "sector",
    "tier",
    "category",
    "source_type",
    "source_ref",
    "trust",
    "min_salience",
    "since",
    "before",
    "as_of",
    "include_superseded",
    "include_deleted",
    "docs",
)
_RECENT = 10


def search(call: Call) -> None:
    from recairn.cli.words import text_from

    given = call.given
    query = text_from(given["query"], "what to look for", call)
    options = call.chosen(*_FILTERS, "mode", "profile", "limit", "min_score")
    with call.open() as memory:
        result = memory.search(query, **options, track="no_track" not in given, tool="cli")
        if call.json:
            call.screen.document(render.search_json(result))
        elif "markdown" in given:
            call.screen.write(render.listing_markdown([hit.memory for hit in result.hits]))
        elif result.hits:
            _show_hits(call, result)
        else:
            call.screen.write(_nothing(result, options))
        for notice in () if call.json else result.meta.notices:
            call.screen.note(f"note: {notice}")
        # The answer is out before the book-keeping of `close` begins.
        call.screen.flush()


def _show_hits(call: Call, result: SearchResult) -> None:
    now = now_ms()
    full = "full" in call.given
    if "explain" not in call.given:
        call.screen.write(render.results_text(result, now=now, full=full))
        return
    count = len(result.hits)
    call.say(f"{count} result{'s' * (count != 1)} (profile {result.meta.profile}):")
    for hit in result.hits:
        text = render.hit_text(hit, now=now, project=result.meta.project, full=full)
        call.screen.write(f"\n{text}\n")
        head = ("signal", "value", "weight", "effect", "contribution")
        call.screen.table(head, render.term_rows(hit.terms))
        call.say(render.formula(hit.terms))


def _nothing(result: SearchResult, options: dict[str, Any]) -> str:
    """What was searched, and the one step most likely to help."""
    meta = result.meta
    where = f"project {meta.project}" if meta.project else "all projects"
    count = meta.searched or 0
    said = f"nothing relevant among {render.memories(count)} of {where}\n"
    narrowing = [
        name for name in options if name not in ("limit", "all_projects", "mode", "profile")
    ]
    if narrowing:
        step = f"try without --{narrowing[0].replace('_', '-')}"
    elif meta.project:
        step = "try --all-projects"
    elif count == 0:
        step = 'recairn add "..." remembers something'
    else:
        step = "try other words; recairn recent shows what is there"
    return f"{said}  {step}\n"


def show(call: Call) -> None:
    with call.open() as memory:
        found = [_known(memory, reference) for reference in call.given["id"]]
        if call.json:
            documents = [_whole_json(memory, each, call) for each in found]
            call.screen.document(documents[0] if len(documents) == 1 else documents)
            return
        call.screen.write("\n".join(_whole_text(memory, each, call) for each in found))


def _known(memory: Recairn, reference: str) -> Memory:
    found = memory.get(memory.resolve(reference))
    assert found is not None
    return found


def _whole_json(memory: Recairn, known: Memory, call: Call) -> dict[str, Any]:
    whole = render.memory_json(known)
    if "history" in call.given:
        whole["history"] = [render.event_json(event) for event in memory.history(known.id)]
    return whole


def _whole_text(memory: Recairn, known: Memory, call: Call) -> str:
    if "markdown" in call.given:
        return render.memory_markdown(known, now=now_ms())
    text = render.memory_text(known, now=now_ms())
    if "history" in call.given:
        events = "".join(render.event_text(event) for event in memory.history(known.id))
        text += "  History:\n" + render.indented(events.rstrip("\n"), "    ") + "\n"
    return text


def recent(call: Call) -> None:
    _list(call, order="newest", limit=_RECENT)


def listing(call: Call) -> None:
    _list(call, order="newest", limit=50)


def _list(call: Call, *, order: str, limit: int) -> None:
    filters = call.chosen(*_FILTERS)
    extent: dict[str, Any] = {"order": order, "limit": limit}
    extent |= call.chosen("order", "limit", "offset")
    with call.open() as memory:
        found = memory.list(**filters, **extent)
        total = memory.count(**filters)
        project = memory.project
    if call.json:
        meta = {"returned": len(found), "total": total, "project": project or None}
        memories = [render.memory_json(each) for each in found]
        call.screen.document({"memories": memories, "meta": {**meta, **extent}})
    elif "markdown" in call.given:
        call.screen.write(render.listing_markdown(found))
    elif found:
        _show_list(call, found, total, project)
    else:
        where = f"project {project}" if project else "any project"
        step = "try fewer filters" if filters else 'recairn add "..." remembers something'
        call.say(f"no memories of {where} fit\n  {step}")


def _show_list(call: Call, found: Sequence[Memory], total: int, project: str) -> None:
    full = "full" in call.given
    call.screen.write(render.listing_text(found, now=now_ms(), project=project or None, full=full))
    if len(found) < total:
        call.screen.note(f"{len(found)} of {total}; -n shows more")


def history(call: Call) -> None:
    with call.open() as memory:
        known = _known(memory, call.given["id"])
        events = memory.history(known.id)
    if call.json:
        changes = [render.event_json(event) for event in events]
        call.screen.document({"id": known.id, "uid": known.uid, "events": changes})
        return
    call.say(f"#{known.id} {render.headline(known)}\n")
    call.screen.write("".join(render.event_text(event) for event in events))


def projects(call: Call) -> None:
    with call.open() as memory:
        counts: dict[str, int] = memory.stats()["by"]["project"]
        current = memory.project
    if call.json:
        listed = [{"name": name, "memories": count} for name, count in counts.items()]
        call.screen.document({"current": current or None, "projects": listed})
        return
    if not counts:
        call.say('no memories yet\n  recairn add "..." remembers something')
        return
    rows = [
        (name or "(none)", f"{count:,}", "here" if name == current else "")
        for name, count in counts.items()
    ]
    call.screen.table(("project", "memories", ""), rows)


def stats(call: Call) -> None:
    with call.open() as memory:
        counted = memory.stats()
        path = memory.store.path
    if call.json:
        call.screen.document({"database": path, **counted})
        return
    grouped = counted.pop("by")
    size = counted.pop("bytes")
    call.say(f"{path} ({size / 1024:,.0f} KiB)\n")
    rows = [(name, f"{count:,}") for name, count in counted.items()]
    call.screen.table(("what", "count"), rows)
    for group, counts in grouped.items():
        shares = ", ".join(f"{name or '(none)'} {count:,}" for name, count in counts.items())
        if shares:
            call.say(f"by {group.replace('_', ' ')}: {shares}")
