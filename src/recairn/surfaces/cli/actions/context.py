"""Handlers of `context` and `ledger`."""

from __future__ import annotations

from recairn.core.words import counted
from recairn.surfaces.render import context as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.recall.context import ContextResult
    from recairn.surfaces.cli.call import Call

_OPTIONS = ("prompt", "max_tokens", "max_chars", "limit", "recent")


def context(call: Call) -> None:
    arguments = call.arguments
    options: dict[str, Any] = call.chosen(*_OPTIONS)
    if arguments.get("prompt") == "-":
        from recairn.surfaces.cli.call import piped_text

        options["prompt"] = piped_text()
    options["files"] = arguments.get("file", ())
    options["exclude"] = arguments.get("exclude", ())
    if "include_unverified" in arguments:
        options["include_unverified"] = True
    with call.open() as memory:
        if "inject" in arguments and arguments["task"] is not None:
            memory.task(arguments["task"])  # no file is replaced for a typing error
        result = memory.context(
            arguments["task"], **options, surface="cli", record="no_track" not in arguments
        )
        path = memory.inject(result) if "inject" in arguments else ""
        _show(call, result, path)
        for notice in () if call.json else result.notices:
            call.screen.note(f"note: {notice}")
        # The answer is out before the book-keeping of `close` begins.
        call.screen.flush()


def _show(call: Call, result: ContextResult, path: str) -> None:
    if call.json:
        document = render.context_json(result)
        call.screen.document({**document, "file": path} if path else document)
    elif path:
        entries = len(result.rules) + len(result.hits) + len(result.recent)
        count = entries + (result.handoff is not None)
        from recairn.surfaces.render.text import memories

        call.say(f"Injected {memories(count)} to {path} (estimated {result.tokens:,} tokens)")
    elif "text" in call.arguments:
        call.screen.write(result.text)
    else:
        call.screen.write(render.context_text(result))
        if "explain" in call.arguments:
            _explain(call, result)


def _explain(call: Call, result: ContextResult) -> None:
    from recairn.surfaces.render.tables import chance_line, formula, term_rows

    for hit in result.hits:
        call.say(f"\n#{hit.id}, {(result.costs or {})[hit.id]} tokens")
        head = ("signal", "value", "weight", "effect", "contribution")
        call.screen.table(head, term_rows(hit.terms))
        call.say(formula(hit.terms))
        call.say(chance_line(hit))
    left = render.left_out_text(result)
    call.screen.write(f"\n{left}" if left else "")


def ledger(call: Call) -> None:
    options = call.chosen("by", "since", "all_projects", "unused")
    if "memory" in call.arguments:
        _injections_of(call)
        return
    if call.arguments["task"] is not None:
        _handed_out(call, options)
        return
    with call.open() as memory:
        table = memory.ledger(**options)
    if call.json:
        call.screen.document(render.ledger_json(table))
        return
    totals = table["totals"]
    if not totals["contexts"]:
        call.say("nothing was handed out yet\n  recairn context TASK hands out what helps")
        return
    used = ", ".join(f"{totals[how]} {how}" for how in ("cited", "expanded", "helpful"))
    contexts = counted(totals["contexts"], "context")
    call.say(f"{contexts}, {totals['tokens']:,} tokens; of the memories {used}\n")
    call.screen.table(*render.ledger_rows(table))


def _injections_of(call: Call) -> None:
    """Every time a memory was handed out."""
    from recairn.core.times import now_ms

    with call.open() as memory:
        number = memory.resolve(call.arguments["memory"])
        injections = memory.injections_of(number)
    if call.json:
        listed = [render.hand_out_json(row) for row in injections]
        call.screen.document({"memory": number, "injections": listed})
        return
    for row in injections:
        call.screen.write(render.hand_out_text(row, now=now_ms()))
    if not injections:
        call.say(f"#{number} was never handed out")


def _handed_out(call: Call, options: dict[str, Any]) -> None:
    """The contexts of one task."""
    from recairn.core.times import now_ms
    from recairn.surfaces.cli.parse import Usage

    if options:
        name = f"--{next(iter(options)).replace('_', '-')}"
        raise Usage(
            f"{name} is for the ledger of many tasks", "leave it out, or leave out the task"
        )
    with call.open() as memory:
        task = memory.task(call.arguments["task"])
        contexts = memory.handed_out(task.id)
    if call.json:
        call.screen.document(render.handed_out_json(task, contexts))
        return
    call.screen.write(render.handed_out_text(task, contexts, now=now_ms()))
    if not contexts:
        call.say("nothing was handed out for it")
