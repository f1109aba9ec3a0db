"""Handlers of the commands for embedding models and vectors."""

from __future__ import annotations

from recairn.core.record import as_dict
from recairn.surfaces.cli.call import Bar
from recairn.surfaces.cli.parse import Usage
from recairn.surfaces.render.text import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.engine import Recairn
    from recairn.engine.models import ModelInfo
    from recairn.surfaces.cli.call import Call

EMBEDDERS = ("static", "minilm", "external", "none", "bge-small", "e5-small", "jina-code")
RERANKERS = ("cross-mini", "ms-marco", "off")
MODELS = (*EMBEDDERS, "ms-marco")
_MEGABYTE = 1_000_000


def listing(call: Call) -> None:
    with call.open() as memory:
        models, rerankers = memory.models(), memory.rerankers()
        wanted = memory.wanted_model
    if call.json:
        call.screen.document(
            {
                "wanted": wanted,
                "models": [as_dict(model) for model in models],
                "rerankers": [as_dict(reranker) for reranker in rerankers],
            }
        )
        return
    rows = [
        (model.name, "yes" if model.installed else "no", _role(model), _share(model), model.about)
        for model in models
    ]
    rows += [
        (
            reranker.name,
            "yes" if reranker.installed else "no",
            "reranks" * reranker.chosen,
            "",
            reranker.about,
        )
        for reranker in rerankers
    ]
    call.screen.table(("model", "installed", "here", "vectors", ""), rows)
    if wanted == "none":
        call.screen.note("No embedding model configured; recairn model use static")


def _role(model: ModelInfo) -> str:
    if model.state == "active":
        return "answers" if model.wanted else "answers until the other is complete"
    return "being built" if model.state else ""


def _share(model: ModelInfo) -> str:
    return f"{model.done:,} of {model.total:,}" if model.state else ""


def pull(call: Call) -> None:
    wanted = call.arguments["model"]
    with call.open() as memory, Bar(call.screen, f"pulling {wanted} (MB)", unit=_MEGABYTE) as bar:
        name, folder = memory.pull_named(wanted, bar)
        reranks = any(reranker.name == name for reranker in memory.rerankers())
    if call.json:
        call.screen.document({"model": name, "folder": folder})
        return
    call.say(f"{name} is installed in {folder}")
    if reranks:
        call.say(f"  recairn model use-reranker {name} lets it have a second look at searches")
    else:
        call.say(f"  recairn model use {name} makes it the model of this database")


def use(call: Call) -> None:
    name = call.arguments["model"]
    with call.open() as memory:
        chosen = memory.use_model(name)
        active = memory.active_model
    if call.json:
        call.screen.document(as_dict(chosen))
    elif name == "none":
        call.say("This database is searched by words alone from now on")
    elif chosen.state == "active":
        call.say(f"{name} is the model of this database")
        if chosen.done < chosen.total:
            call.say(f"  recairn embed makes the {chosen.total - chosen.done:,} vectors it lacks")
    else:
        before = "" if active is None else f"; until then {active} answers"
        left = chosen.total - chosen.done
        call.say(f"{name} becomes the model of this database when recairn embed has run")
        call.say(f"  {memories(left)} to embed{before}")


def use_reranker(call: Call) -> None:
    name = call.arguments["reranker"]
    with call.open() as memory:
        memory.use_reranker(name)
    if call.json:
        call.screen.document({"reranker": name})
    elif name == "off":
        call.say("No reranker has a second look at searches from now on")
    else:
        call.say(f"{name} has a second look at the best of a search from now on")


def remove(call: Call) -> None:
    name = call.arguments["model"]
    with call.open() as memory:
        removed = memory.remove_model(name)
    if call.json:
        call.screen.document({"model": name, "removed": removed})
    else:
        call.say(f"Removed {name}" if removed else f"{name} was not installed")


def embed(call: Call) -> int:
    arguments = call.arguments
    if "status" in arguments and ("all" in arguments or "limit" in arguments):
        raise Usage("--status only looks; --all and --limit embed", "recairn embed --status")
    with call.open() as memory:
        if "status" in arguments or memory.wanted_model == "none":
            _status(call, memory)
            return 0
        try:
            with Bar(call.screen, f"embedding with {memory.wanted_model}") as bar:
                count = memory.embed(
                    limit=arguments.get("limit"), report=bar, again="all" in arguments
                )
        except KeyboardInterrupt:
            return _stopped(call, memory)
        left = memory.batch_left()
        name = memory.wanted_model
    if call.json:
        call.screen.document({"model": name, "embedded": count, "remaining": left})
    elif count or left:
        more = f"; {left:,} are left" if left else ""
        call.say(f"Embedded {memories(count)} with {name}{more}")
    else:
        call.say(f"Every memory has its vector of {name}")
    return 0


def _stopped(call: Call, memory: Recairn) -> int:
    """Says what an interrupted run has left; its status is that of any interrupted program."""
    from recairn.surfaces.cli import INTERRUPTED

    left = memory.batch_left()
    verb = "is" if left == 1 else "are"
    call.screen.note(
        f"recairn: stopped; what was embedded is kept, {memories(left)} {verb} left, and"
        " recairn embed goes on from there"
    )
    return INTERRUPTED


def _status(call: Call, memory: Recairn) -> None:
    wanted = memory.wanted_model
    models = [model for model in memory.models() if model.state]
    if call.json:
        left = 0 if wanted == "none" else memory.batch_left()
        documents = [as_dict(model) for model in models]
        call.screen.document({"model": wanted, "remaining": left, "models": documents})
        return
    if wanted == "none":
        call.say("No embedding model configured")
        call.screen.note("  recairn model use static searches by meaning, too")
        return
    for model in models:
        call.say(f"{model.name}: {_share(model)} memories have a vector ({_role(model)})")
    left = memory.batch_left()
    if left:
        call.say(f"{memories(left)} to embed with {wanted}: recairn embed")
    elif not models:
        call.say(f"no vectors yet; {wanted} makes them as memories are added")
