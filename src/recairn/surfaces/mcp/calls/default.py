"""What the default tools do: call the engine, and hand over what matters of its answer."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.words import is_signs_alone
from recairn.surfaces.mcp.protocol import fitted
from recairn.surfaces.render.json_objects import (
    concise,
    concise_hit,
    memory_json,
    remembered_json,
    search_json,
    without_empty,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from recairn.core.model import Memory
    from recairn.surfaces.mcp.dispatch import Call

# Characters of a memory's text that one answer of `get` holds.
_PAGE = 6_000
_LINKS = 20
# Characters of a context; as JSON its line ends and quotes take more.
_BLOCK = 6_500


def search(call: Call) -> dict[str, Any]:
    """Hits as `recairn search --json` gives them; the concise ones without what explains them."""
    arguments = call.arguments
    options = call.chosen("kind", "category", "since", "as_of", "graph_depth", "deep")
    options["limit"] = arguments.get("limit", 5)
    options |= visible(arguments.get("project"), arguments.get("include", ()))
    result = call.memory.search(arguments["query"], **options, tool="recairn_search")
    meta = result.meta
    if arguments.get("detail") == "full":
        answer = search_json(result)
    else:
        about = {"project": meta.project, "searched": meta.searched, "notices": [*meta.notices]}
        answer = {
            "query": meta.query,
            "hits": [concise_hit(hit) for hit in result.hits],
            "meta": without_empty(about),
        }
    if not result.hits:
        hint = _replaced(call, options) or _respelled(call, options)
        answer["meta"]["hint"] = hint or _next_step(meta.query, meta.project, meta.searched)
    return fitted(answer, arguments.get("max_tokens"))


def context(call: Call) -> dict[str, Any]:
    """The block `recairn context` hands out, and the ids in it to ask about or to rate."""
    from recairn.surfaces.render.context import context_json

    arguments = call.arguments
    result = call.memory.context(
        arguments.get("task"),
        **call.chosen("prompt", "files", "max_tokens"),
        max_chars=_BLOCK,
        surface="mcp",
    )
    answer = context_json(result)
    if arguments.get("detail") != "full":
        entries = [*answer["rules"], *answer["hits"], *answer["recent"], *answer["suggestions"]]
        entries += filter(None, [answer["handoff"]])
        answer = {
            "task": None if result.task is None else result.task.id,
            "text": result.text,
            "memories": [entry["id"] for entry in entries],
            "left_out": [entry["id"] for entry in answer["left_out"]],
            "notices": answer["notices"],
        }
        answer = without_empty(answer) | {"text": result.text}
        answer |= {"tokens": result.tokens, "budget": result.budget}
    if not result.text:
        answer["hint"] = "nothing is remembered for this yet; go on without"
    return fitted(answer)


def visible(project: str | None, include: Any) -> dict[str, Any]:
    """Options of a search: whose memories, and nothing unverified unless asked for."""
    options: dict[str, Any] = {}
    if project == "*":
        options["all_projects"] = True
    elif project is not None:
        options["project"] = project
    if "unverified" not in include:
        options["candidates"] = False
    if "superseded" in include:
        options["include_superseded"] = True
    if "documents" in include:
        options["docs"] = True
    if "transcripts" in include:
        options["transcripts"] = True
    return options


def _replaced(call: Call, options: dict[str, Any]) -> str:
    """A word about memories that would have answered, had nothing taken their place."""
    replaced = call.memory.superseded(call.arguments["query"], **options)
    ids = ", ".join(f"#{hit.id}" for hit in replaced[:3])
    return f'only what was superseded fits ({ids}): include=["superseded"] shows it' if ids else ""


def _respelled(call: Call, options: dict[str, Any]) -> str:
    """A word about a spelling that finds something."""
    meant = call.memory.meant(call.arguments["query"], **options)
    return f"nothing is known by this spelling; “{meant}” finds something" if meant else ""


def _next_step(query: str, project: str | None, searched: int | None) -> str:
    if not searched:
        return "nothing is remembered here yet; recairn_add remembers something"
    if is_signs_alone(query):
        return "signs alone stand in no index: ask for a word"
    where = 'with other words or project "*"' if project else "with other words"
    return f"nothing relevant is known; try once more {where}, or go on without"


def add(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    if sum(bool(arguments.get(name)) for name in ("force", "supersede", "merge")) > 1:
        raise BadInput("force, supersede and merge exclude each other", "give one of them")
    outcome = call.memory.remember(**arguments, source_type="agent")
    if outcome.status == "added":
        call.memory.withdraw_candidates()
    answer = remembered_json(outcome)
    if outcome.status == "needs_decision":
        first = outcome.similar[0].id
        answer["hint"] = (
            f"nothing was stored: call again with force=true to keep both, supersede={first} to"
            f" replace it, merge={first} to add to it; or leave it, if it says the same"
        )
    elif outcome.conflicts:
        other = outcome.conflicts[0]
        answer["hint"] = (
            f"it was stored, and may contradict #{other}: decide with recairn_update,"
            f" action=supersede id={other} target={outcome.id} if the new one holds, action=forget"
            f" id={outcome.id} if the old one does, action=unlink id={outcome.id} target={other} if"
            " both do; ask the user when unsure"
        )
    return fitted({name: value for name, value in answer.items() if value is not None})


def get(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    memory = call.memory.get(call.memory.resolve(arguments["id"]))
    assert memory is not None
    show = arguments.get("show", "memory")
    if show == "history":
        from recairn.surfaces.render.events import event_json

        events = [without_empty(event_json(event)) for event in call.memory.history(memory.id)]
        return fitted({"id": memory.id, "history": events[::-1]})
    if show == "links":
        from recairn.surfaces.render.graph import related_json

        around = call.memory.related(memory.id, limit=_LINKS)
        links = [
            related_json(neighbour)
            for neighbour in around
            if neighbour.memory.trust != "unverified"
        ]
        return fitted({"id": memory.id, "links": [concise(link) for link in links]})
    call.memory.expanded(memory.id)
    answer = memory_json(memory)
    if arguments.get("detail") != "full":
        answer = concise(answer)
    return fitted(answer | _page(memory, arguments.get("offset", 0)))


def _page(memory: Memory, offset: int) -> dict[str, Any]:
    """The part of the text that is asked for, and where the next one begins."""
    total = len(memory.content)
    if offset and offset >= total:
        raise BadInput(f"#{memory.id} has {total:,} characters", "give a smaller offset")
    end = offset + _PAGE
    page: dict[str, Any] = {"content": memory.content[offset:end]}
    if end < total:
        page |= {"content_characters": total, "next_offset": end}
    return page


def feedback(call: Call) -> dict[str, Any]:
    memory, score = call.memory, call.arguments.get("score", 1.0)
    ids = [
        memory.resolve(reference, change=True) for reference in call.arguments["ids"]
    ]  # all of them exist, or none is rated
    rated = [memory.feedback(id, score, source="agent") for id in ids]
    return {
        "rated": [
            {"id": record.id, "helpful": record.helpful, "harmful": record.harmful}
            for record in rated
        ]
    }


def update(call: Call) -> dict[str, Any]:
    action = call.arguments["action"]
    memory, summary = _ACTIONS[action](call)
    return fitted({"id": memory.id, "done": summary, "memory": concise(memory_json(memory))})


def _edit(call: Call) -> tuple[Memory, str]:
    changes = call.chosen("content", "title", "category", "importance")
    if not changes:
        raise BadInput("edit changes nothing", "give content, title, category or importance")
    after = call.memory.edit(call.arguments["id"], **changes)
    return after, f"edited {', '.join(changes)}"


def _supersede(call: Call) -> tuple[Memory, str]:
    memory, arguments = call.memory, call.arguments
    if ("content" in arguments) == ("target" in arguments):
        raise BadInput(
            "supersede needs what replaces the memory",
            "give content (a new text) or target (an id)",
        )
    new = (
        memory.resolve(arguments["target"], change=True)
        if "target" in arguments
        else arguments["content"]
    )
    old = memory.supersede(arguments["id"], new)
    successor = memory.get(old.superseded_by) if old.superseded_by else None
    assert successor is not None
    return successor, f"#{old.id} is superseded by #{successor.id}"


def _forget(call: Call) -> tuple[Memory, str]:
    memory = call.memory.forget(call.arguments["id"], **call.chosen("reason"))
    return memory, "forgotten; restore brings it back"


def _destroy(call: Call) -> tuple[Memory, str]:
    from recairn.surfaces.mcp.calls.erasure import destroy

    return destroy(call, call.arguments["id"])


def _restore(call: Call) -> tuple[Memory, str]:
    return call.memory.restore(call.arguments["id"]), "restored"


def _link(call: Call) -> tuple[Memory, str]:
    arguments = _with_target(call)
    edge = call.memory.link(
        arguments["id"], arguments["target"], arguments.get("relation", "relates_to")
    )
    return _record(call, edge.source), f"#{edge.source} {edge.relation} #{edge.target}"


def _unlink(call: Call) -> tuple[Memory, str]:
    arguments = _with_target(call)
    ended = call.memory.unlink(arguments["id"], arguments["target"], arguments.get("relation"))
    edges = ", ".join(f"#{edge.source} {edge.relation} #{edge.target}" for edge in ended)
    return _record(call, arguments["id"]), f"ended: {edges}"


def _with_target(call: Call) -> Mapping[str, Any]:
    if "target" not in call.arguments:
        raise BadInput(f"{call.arguments['action']} needs 'target'", "the id of the other memory")
    return call.arguments


def _record(call: Call, reference: int | str) -> Memory:
    memory = call.memory.get(call.memory.resolve(reference))
    assert memory is not None
    return memory


def _reinforce(call: Call) -> tuple[Memory, str]:
    memory = call.memory.reinforce(call.arguments["id"])
    return memory, f"salience {memory.salience:.2f}"


def _deemphasize(call: Call) -> tuple[Memory, str]:
    memory = call.memory.deemphasize(call.arguments["id"])
    return memory, f"salience {memory.salience:.2f}"


def _promote(call: Call) -> tuple[Memory, str]:
    memory = call.memory.promote(call.arguments["id"])
    return memory, f"now of the tier {memory.tier}"


def _pin(call: Call) -> tuple[Memory, str]:
    return call.memory.pin(call.arguments["id"]), "pinned"


def _unpin(call: Call) -> tuple[Memory, str]:
    return call.memory.pin(call.arguments["id"], pinned=False), "unpinned"


_ACTIONS: dict[str, Callable[[Call], tuple[Memory, str]]] = {
    "edit": _edit,
    "supersede": _supersede,
    "forget": _forget,
    "destroy": _destroy,
    "restore": _restore,
    "link": _link,
    "unlink": _unlink,
    "reinforce": _reinforce,
    "deemphasize": _deemphasize,
    "promote": _promote,
    "pin": _pin,
    "unpin": _unpin,
}


def timeline(call: Call) -> dict[str, Any]:
    """The memories around one, or the newest, oldest first; what is unverified stays out."""
    from recairn.surfaces.render.sessions import timeline_json

    arguments = call.arguments
    if "id" not in arguments:
        listing = call.memory.listing(limit=arguments.get("limit", 10), candidates=False)
        return fitted(
            {"memories": [concise(memory_json(record)) for record in listing], "sessions": {}}
        )
    options = call.chosen("before", "after")
    around = timeline_json(call.memory.timeline(arguments["id"], **options, candidates=False))
    anchor = around["anchor"]
    believed = [*around["before"], anchor, *around["after"]]
    sessions = {
        name: without_empty({key: session[key] for key in ("started_at", "ended_at", "summary")})
        for name, session in around["sessions"].items()
    }
    return fitted(
        {
            "anchor": anchor["id"],
            "memories": [
                without_empty({**concise(entry), "session": entry["session"]}) for entry in believed
            ],
            "sessions": sessions,
        }
    )


def handoff(call: Call) -> dict[str, Any]:
    from recairn.surfaces.render.sessions import resumed_json

    fields = call.chosen("next_steps", "blockers", "questions")
    if "content" in call.arguments:
        outcome = call.memory.handoff(call.arguments["content"], fields=fields)
        return fitted({"handoffs": [], "left": remembered_json(outcome)})
    if fields:
        raise BadInput("a handoff needs 'content'", "say where you stopped; without it, it is read")
    resumed = resumed_json(call.memory.resume(candidates=False))
    resumed["handoffs"] = [concise(entry) for entry in resumed["handoffs"]]
    return fitted(without_empty(resumed) | {"handoffs": resumed["handoffs"]})
