"""Handlers of the commands about sessions and handoffs."""

from __future__ import annotations

from recairn.core.times import iso, now_ms
from recairn.surfaces.cli.call import text_from
from recairn.surfaces.render import sessions as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.call import Call


def start(call: Call) -> None:
    with call.open() as memory:
        session = memory.start_session(call.arguments["id"], **call.chosen("summary", "agent"))
    if call.json:
        call.screen.document(render.session_json(session))
        return
    verb = "Began" if session.memories == 0 else "Took up"
    call.say(f"{verb} session {session.id}")


def end(call: Call) -> None:
    with call.open() as memory:
        ended = memory.end_session(call.arguments["id"], **call.chosen("summary"))
        memory.sync_later()
    if call.json:
        moved = {"promoted": list(ended.promoted), "expired": list(ended.expired)}
        call.screen.document({**render.session_json(ended.session), **moved})
        return
    call.say(f"Ended session {ended.session.id}")
    for verb, ids in (("Promoted", ended.promoted), ("Expired", ended.expired)):
        if ids:
            call.say(f"{verb} {', '.join(f'#{id}' for id in ids)}")


def listing(call: Call) -> None:
    with call.open() as memory:
        sessions = memory.sessions(**call.chosen("limit", "all_projects"))
    if call.json:
        call.screen.document({"sessions": [render.session_json(session) for session in sessions]})
        return
    for session in sessions:
        call.say(render.session_line(session, now_ms()))
    if not sessions:
        call.say("no sessions yet\n  recairn session start begins one")


def show(call: Call) -> None:
    from recairn.surfaces.render.json_objects import memory_json
    from recairn.surfaces.render.text import headline
    from recairn.surfaces.render.turns import turn_json, turn_text

    with call.open() as memory:
        session = memory.session_info(call.arguments["id"])
        uses = memory.session_uses(session.id)
        turns = memory.turns(session.id)
    if call.json:
        listed = [
            {"usage": usage, "at": iso(at), "memory": memory_json(record)}
            for record, usage, at in uses
        ]
        documents = [turn_json(turn) for turn in turns]
        call.screen.document({**render.session_json(session), "used": listed, "turns": documents})
        return
    call.screen.write(render.session_text(session))
    for record, usage, _ in uses:
        call.say(f"  {usage:<10} #{record.id} {headline(record, 100)}")
    if turns:
        call.say("  Turns:")
        call.screen.write("".join(map(turn_text, turns)))


def current(call: Call) -> None:
    with call.open() as memory:
        session = memory.session_info() if memory.join_session() else None
    if call.json:
        call.screen.document(None if session is None else render.session_json(session))
    elif session is None:
        call.say("no session is open here\n  recairn session start begins one")
    else:
        call.say(render.session_line(session, now_ms()))


def handoff(call: Call) -> None:
    from recairn.surfaces.cli.fields import FIELD_OF
    from recairn.surfaces.render.json_objects import remembered_json
    from recairn.surfaces.render.text import whereabouts

    arguments = call.arguments
    text = text_from(arguments["text"], "where you stopped", call)
    fields = {
        FIELD_OF[name]: arguments[name]
        for name in ("next", "blocker", "question", "goal")
        if name in arguments
    }
    with call.open() as memory:
        outcome = memory.handoff(text, fields=fields, git="no_git" not in arguments)
    call.screen.warn(outcome.warnings)
    if call.json:
        call.screen.document(remembered_json(outcome))
    else:
        call.say(f"Added handoff #{outcome.id} {whereabouts(outcome)} (recairn resume shows it)")


def resume(call: Call) -> None:
    arguments = call.arguments
    with call.open() as memory:
        resumed = memory.resume(
            new="new" in arguments, all="all" in arguments, **call.chosen("reader")
        )
    if call.json:
        call.screen.document(render.resumed_json(resumed))
        return
    if not resumed.handoffs:
        call.say(
            "nothing new\n  recairn resume shows the last handoff"
            if "new" in arguments
            else 'no handoffs yet\n  recairn handoff "..." leaves one'
        )
    text = render.resumed_text(resumed, now_ms())
    call.screen.write(text if text.strip() else "")
    if "new" not in arguments and resumed.unread > 1:
        call.screen.note(
            f"{resumed.unread} handoffs are new to you; recairn resume --new shows them"
        )


def timeline(call: Call) -> None:
    with call.open() as memory:
        around = memory.timeline(call.arguments["id"], **call.chosen("before", "after"))
    if call.json:
        call.screen.document(render.timeline_json(around))
    else:
        call.screen.write(render.timeline_text(around, now_ms()))
