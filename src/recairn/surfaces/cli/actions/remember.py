"""Handlers of the commands that remember and change."""

from __future__ import annotations

from recairn.core.ids import row_number
from recairn.core.memory_text import kind_name
from recairn.core.times import now_ms
from recairn.core.words import counted, one_line
from recairn.surfaces.cli.call import edited_text, piped_text, text_from
from recairn.surfaces.cli.parse import Usage
from recairn.surfaces.render.json_objects import memory_json, remembered_json
from recairn.surfaces.render.text import headline, whereabouts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recairn.core.model import Memory, Remembered
    from recairn.engine import Recairn
    from recairn.memory.undo import Undone
    from recairn.surfaces.cli.call import Call

_SHOWN_SIMILAR = 80


def add(call: Call) -> int:
    from recairn.surfaces.cli.fields import drafted

    arguments = call.arguments
    options = drafted(arguments)
    if sum(name in arguments for name in ("force", "supersede", "merge")) > 1:
        raise Usage("--force, --supersede and --merge exclude each other", "use one of them")
    text = text_from(arguments["text"], "something to remember", call)
    with call.open() as memory:
        outcome = memory.remember(text, **options)
        record = None if outcome.id is None else memory.get(outcome.id)
        if record is not None:
            call.follow_pins(memory, record)
        notice = memory.embedding_notice
    if call.json:
        call.screen.document(remembered_json(outcome))
    else:
        _tell(call, outcome, record)
    if notice:
        call.screen.note(f"note: {notice}")
    if record is not None:
        _note_hidden(call, record)
    return 1 if outcome.status == "needs_decision" else 0


def _note_hidden(call: Call, record: Memory) -> None:
    """Says why somebody will not find what was just stored."""
    if record.expires_at is not None and record.expires_at <= now_ms():
        call.screen.note("note: it has expired already; recairn list --expired shows it")
    if record.trust == "unverified" and not _is_suggestion(record):
        call.screen.note(
            f"note: it is unverified; agents are given it after recairn review accept {record.id}"
        )


def _is_suggestion(record: Memory) -> bool:
    """Whether it is a rule of an agent: then the write door has said that it waits."""
    return record.kind == "rule" and record.author.startswith("agent")


def _tell(call: Call, outcome: Remembered, record: Memory | None) -> None:
    call.screen.warn(outcome.warnings)
    for other in outcome.conflicts:
        call.screen.note(
            f"  recairn supersede {other} {outcome.id} if the new one holds, recairn forget"
            f" {outcome.id} if the old one does, recairn unlink {outcome.id} {other} if both do;"
            " until then recairn graph conflicts lists them"
        )
    if record is None:
        for similar in outcome.similar:
            beginning = one_line(similar.title or similar.content, _SHOWN_SIMILAR)
            like = f"similar to #{similar.id} ({similar.similarity:.2f})"
            if similar.same_name:
                like = f"#{similar.id} has the same name"
            call.screen.note(f"recairn: {like}: {beginning}")
        first = outcome.similar[0].id
        call.screen.note(f"  use --force, --supersede {first} or --merge {first}")
        return
    name = f"{kind_name(record)} #{record.id}"
    where = whereabouts(record)
    category = f" (category: {one_line(record.category, 80)})" if record.category else ""
    if record.branch:
        where += f", on branch {one_line(record.branch, 80)}"
    if outcome.status == "added":
        call.say(f"Added {name} {where}{category}")
    elif outcome.status == "superseded":
        replaced = call.arguments["supersede"].lstrip("#")
        call.say(f"Added {name} {where}{category} in place of #{replaced}")
    elif outcome.status == "merged":
        call.say(f"Merged into {name}")
    else:
        call.say(f"Known already: reinforced {name}")


def edit(call: Call) -> None:
    from recairn.surfaces.cli.fields import checked, draft_options, field_values

    arguments = call.arguments
    changes = {**draft_options(arguments), **call.chosen("kind")}
    if "move_to" in arguments:
        changes["project"] = arguments["move_to"]
    changes |= {name: False for name, off in _SWITCHED_OFF if off in arguments}
    fields = field_values(arguments)
    with call.open() as memory:
        before = _changeable(memory, arguments["id"])
        text = _new_text(call, before)
        if text is not None:
            changes["content"] = text
        if fields:
            from recairn.core.kinds import kind_named

            changes["fields"] = checked(kind_named(changes.get("kind", before.kind)), fields)
        if not changes and "editor" in arguments:
            call.screen.note("left as it was")
            return
        if not changes:
            example = f"for example: {call.command.examples[0]}"
            if "act_in" in arguments:
                example = f"recairn edit {before.id} --move-to {arguments['act_in']} moves it there"
            raise Usage("edit needs something to change", example)
        expected = call.chosen("expect")
        after = memory.edit(before.id, force="force" in arguments, **expected, **changes)
        call.follow_pins(memory, before, after)
    if call.json:
        call.screen.document(memory_json(after))
        return
    what = ", ".join(name.removesuffix("_at") for name in changes)
    call.say(f"Edited {kind_name(after)} #{after.id} ({what})")


_SWITCHED_OFF = (("pinned", "no_pin"), ("immutable", "no_immutable"))


def _new_text(call: Call, before: Memory) -> str | None:
    """The text to put in; None when only fields change."""
    arguments = call.arguments
    if "editor" in arguments:
        text = edited_text(before.content)
        return None if text.strip() == before.content else text
    if "content" in arguments:
        return str(arguments["content"])
    words = arguments["text"]
    if words == ["-"]:
        return piped_text()
    return " ".join(words) if words else None


def _changeable(memory: Recairn, reference: str) -> Memory:
    record = memory.get(memory.resolve(reference, change=True))
    assert record is not None
    return record


def supersede(call: Call) -> None:
    arguments = call.arguments
    words = arguments["new"]
    text = piped_text() if words == ["-"] else " ".join(words)
    with call.open() as memory:
        # A bare number is always a reference: a typing mistake must not become a memory.
        new: int | str = memory.resolve(text, change=True) if row_number(text) is not None else text
        old = memory.supersede(arguments["old"], new, force="force" in arguments)
        successor = None if old.superseded_by is None else memory.get(old.superseded_by)
        call.follow_pins(memory, old)
    if call.json:
        call.screen.document(memory_json(old))
        return
    beginning = "" if successor is None else headline(successor, _SHOWN_SIMILAR)
    call.say(f"#{old.id} is superseded by #{old.superseded_by}: {beginning}")


def change_memories(call: Call, change: Callable[[Recairn, str], Memory], template: str) -> None:
    """Applies a change to every memory named; `template` may use {name}, {memory} and {ids}."""
    with call.open() as memory:
        for reference in call.arguments["id"]:
            memory.resolve(reference, change=True)  # all of them exist, or none is changed
        changed = [change(memory, reference) for reference in call.arguments["id"]]
        call.follow_pins(memory, *changed)
    if call.json:
        documents = [memory_json(record) for record in changed]
        call.screen.documents(documents)
        return
    for record in changed:
        name = f"{kind_name(record)} #{record.id}"
        call.say(template.format(name=name, memory=record))


def helpful(call: Call) -> None:
    score = call.arguments.get("score", 1.0)
    template = f"Updated {{name}} outcome score to {score:g}"
    about = call.chosen("query", "note")
    change_memories(
        call, lambda memory, reference: memory.feedback(reference, score, **about), template
    )


def unhelpful(call: Call) -> None:
    template = "Updated {name} outcome score to 0"
    about = call.chosen("query", "note")
    change_memories(
        call, lambda memory, reference: memory.feedback(reference, 0.0, **about), template
    )


def reinforce(call: Call) -> None:
    amount = call.chosen("amount")
    template = "Reinforced {name}: salience {memory.salience:.2f}"
    change_memories(call, lambda memory, reference: memory.reinforce(reference, **amount), template)


def deemphasize(call: Call) -> None:
    amount = call.chosen("amount")
    template = "Deemphasized {name}: salience {memory.salience:.2f}"
    change_memories(
        call, lambda memory, reference: memory.deemphasize(reference, **amount), template
    )


def forget(call: Call) -> None:
    arguments = call.arguments
    if "hard" in arguments:
        from recairn.surfaces.cli.actions.erasure import destroy

        destroy(call)
        return
    template = "Forgot {name} (recairn restore {memory.id} brings it back)"
    reason, force = arguments.get("reason", ""), "force" in arguments
    change_memories(
        call,
        lambda memory, reference: memory.forget(reference, reason=reason, force=force),
        template,
    )


def restore(call: Call) -> None:
    change_memories(call, lambda memory, reference: memory.restore(reference), "Restored {name}")


def undo(call: Call) -> None:
    arguments = call.arguments
    what = call.chosen("source", "session", "since", "change", "event", "task")
    scope = call.chosen("all_projects")
    if len(what) + (arguments["id"] is not None) != 1:
        raise Usage(
            "undo needs one of ID, --source, --session, --since, --event, --change, --task",
            f"for example: {call.command.examples[0]}",
        )
    if "task" in what:
        from recairn.surfaces.cli.actions.tasks import undo as undo_task

        undo_task(call)
        return
    with call.open() as memory:
        changes = memory.undo(arguments["id"], **what, **scope, dry_run=True)
        left = _elsewhere(memory, call, len(changes))
        taken_back = "dry_run" not in arguments
        if taken_back and changes:
            if len(changes) > 1 and not call.confirm(f"this takes back {len(changes)} changes"):
                return
            before = _records(memory, changes)
            changes = memory.undo(arguments["id"], **what, **scope)
            call.follow_pins(memory, *before, *_records(memory, changes))
    if left:
        stay = "stays" if left == 1 else "stay"
        many = counted(left, "change")
        call.screen.note(f"note: {many} in other projects {stay}; --all-projects takes back all")
    if call.json:
        listed = [
            {"event": change.event, "memory": change.memory, "what": change.what}
            for change in changes
        ]
        call.screen.document({"undone": listed, "dry_run": not taken_back})
        return
    if not changes:
        call.say("nothing to take back")
    for change in changes:
        verb = "Took back" if taken_back else "Would take back"
        which = "" if change.memory is None else f"#{change.memory} "
        call.say(f"{verb}: {which}{change.what}")


def _records(memory: Recairn, changes: Sequence[Undone]) -> list[Memory]:
    """The memories that changes are about, as they are now."""
    numbers = {change.memory for change in changes if change.memory is not None}
    records = [memory.get(number) for number in sorted(numbers)]
    return [record for record in records if record is not None]


def _elsewhere(memory: Recairn, call: Call, here: int) -> int:
    """How many changes of the same session, source or time are of other projects' memories."""
    what = call.chosen("source", "session", "since")
    if not what or "all_projects" in call.arguments:
        return 0
    return len(memory.undo(None, **what, dry_run=True, all_projects=True)) - here
