"""Handlers of the commands that remember and change."""

from __future__ import annotations

from recairn.core.ids import row_number
from recairn.core.times import now_ms
from recairn.core.words import one_line
from recairn.surfaces.cli.text_input import edited_text, piped_text, text_from
from recairn.surfaces.cli.types import Usage
from recairn.surfaces.render.json_objects import memory_json, remembered_json
from recairn.surfaces.render.text import headline, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recairn.core.model import Memory, Remembered
    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call

_SHOWN_SIMILAR = 80


def add(call: Call) -> int:
    from recairn.surfaces.cli.fields import checked, draft_options, fields_given, kind_from

    given = call.given
    fields = fields_given(given)
    kind = kind_from(given, fields)
    own = checked(kind, fields)
    if sum(name in given for name in ("force", "supersede", "merge")) > 1:
        raise Usage("--force, --supersede and --merge exclude each other", "use one of them")
    options: dict[str, Any] = {
        "kind": kind,
        **draft_options(given),
        **call.chosen("source_type", "source_ref", "session", "external_id", "created_at"),
        **call.chosen("force", "supersede", "merge"),
    }
    if own:
        options["fields"] = own
    text = text_from(given["text"], "something to remember", call)
    with call.open() as memory:
        outcome = memory.remember(text, **options)
        known = None if outcome.id is None else memory.get(outcome.id)
        notice = memory.embedding_notice
    if call.json:
        call.screen.document(remembered_json(outcome))
    else:
        _tell(call, outcome, known)
    if notice:
        call.screen.note(f"note: {notice}")
    if known is not None:
        _note_hidden(call, known)
    return 1 if outcome.status == "needs_decision" else 0


def _note_hidden(call: Call, known: Memory) -> None:
    """Says why somebody will not find what was just stored."""
    if known.expires_at is not None and known.expires_at <= now_ms():
        call.screen.note("note: it has expired already; recairn list --expired shows it")
    if known.trust == "unverified":
        call.screen.note(
            f"note: it is unverified; agents are given it after recairn review accept {known.id}"
        )


def _tell(call: Call, outcome: Remembered, known: Memory | None) -> None:
    for warning in outcome.warnings:
        call.screen.note(f"warning: {warning}")
    if known is None:
        for each in outcome.similar:
            said = one_line(each.title or each.content, _SHOWN_SIMILAR)
            call.screen.note(f"recairn: similar to #{each.id} ({each.similarity:.2f}): {said}")
        first = outcome.similar[0].id
        call.screen.note(f"  use --force, --supersede {first} or --merge {first}")
        return
    name = f"{kind_name(known)} #{known.id}"
    category = f" (category: {one_line(known.category, 80)})" if known.category else ""
    if outcome.status == "added":
        call.say(f"Added {name}{category}")
    elif outcome.status == "superseded":
        call.say(f"Added {name}{category} in place of #{call.given['supersede'].lstrip('#')}")
    elif outcome.status == "merged":
        call.say(f"Merged into {name}")
    else:
        call.say(f"Known already: reinforced {name}")


def edit(call: Call) -> None:
    from recairn.surfaces.cli.fields import checked, draft_options, fields_given

    given = call.given
    changes = {**draft_options(given), **call.chosen("kind", "project")}
    changes |= {name: False for name, off in _SWITCHED_OFF if off in given}
    fields = fields_given(given)
    with call.open() as memory:
        known = _known(memory, given["id"])
        text = _new_text(call, known)
        if text is not None:
            changes["content"] = text
        if fields:
            from recairn.core.kinds import kind_named

            changes["fields"] = checked(kind_named(changes.get("kind", known.kind)), fields)
        if not changes and "editor" in given:
            call.screen.note("left as it was")
            return
        if not changes:
            raise Usage(
                "edit needs something to change", f"for example: {call.command.examples[0]}"
            )
        after = memory.edit(known.id, force="force" in given, **changes)
    if call.json:
        call.screen.document(memory_json(after))
        return
    what = ", ".join(name.removesuffix("_at") for name in changes)
    call.say(f"Edited {kind_name(after)} #{after.id} ({what})")


_SWITCHED_OFF = (("pinned", "no_pin"), ("immutable", "no_immutable"))


def _new_text(call: Call, known: Memory) -> str | None:
    """The text to put in; None when only fields change."""
    given = call.given
    if "editor" in given:
        text = edited_text(known.content)
        return None if text.strip() == known.content else text
    if "content" in given:
        return str(given["content"])
    words = given["text"]
    if words == ["-"]:
        return piped_text()
    return " ".join(words) if words else None


def _known(memory: Recairn, reference: str) -> Memory:
    found = memory.get(memory.resolve(reference))
    assert found is not None
    return found


def supersede(call: Call) -> None:
    given = call.given
    words = given["new"]
    text = piped_text() if words == ["-"] else " ".join(words)
    with call.open() as memory:
        # A bare number is always a reference: a typing mistake must not become a memory.
        new: int | str = memory.resolve(text) if row_number(text) is not None else text
        old = memory.supersede(given["old"], new, force="force" in given)
        successor = None if old.superseded_by is None else memory.get(old.superseded_by)
    if call.json:
        call.screen.document(memory_json(old))
        return
    said = "" if successor is None else headline(successor, _SHOWN_SIMILAR)
    call.say(f"#{old.id} is superseded by #{old.superseded_by}: {said}")


def each_memory(call: Call, change: Callable[[Recairn, str], Memory], said: str) -> None:
    """Applies a change to every memory named; `said` may use {name}, {memory} and {ids}."""
    with call.open() as memory:
        for reference in call.given["id"]:
            memory.resolve(reference)  # all of them exist, or none is changed
        changed = [change(memory, reference) for reference in call.given["id"]]
    if call.json:
        documents = [memory_json(each) for each in changed]
        call.screen.document(documents[0] if len(documents) == 1 else documents)
        return
    for each in changed:
        name = f"{kind_name(each)} #{each.id}"
        call.say(said.format(name=name, memory=each))


def helpful(call: Call) -> None:
    score = call.given.get("score", 1.0)
    said = f"Updated {{name}} outcome score to {score:g}"
    about = call.chosen("query", "note")
    each_memory(call, lambda memory, reference: memory.feedback(reference, score, **about), said)


def unhelpful(call: Call) -> None:
    said = "Updated {name} outcome score to 0"
    about = call.chosen("query", "note")
    each_memory(call, lambda memory, reference: memory.feedback(reference, 0.0, **about), said)


def reinforce(call: Call) -> None:
    amount = call.chosen("amount")
    said = "Reinforced {name}: salience {memory.salience:.2f}"
    each_memory(call, lambda memory, reference: memory.reinforce(reference, **amount), said)


def deemphasize(call: Call) -> None:
    amount = call.chosen("amount")
    said = "Deemphasized {name}: salience {memory.salience:.2f}"
    each_memory(call, lambda memory, reference: memory.deemphasize(reference, **amount), said)


def forget(call: Call) -> None:
    given = call.given
    hard = "hard" in given
    many = len(given["id"])
    whom = f"memory {given['id'][0]}" if many == 1 else f"{many} memories"
    if hard and not call.confirm(f"this destroys {whom} for good"):
        return
    said = "Erased {name} for good"
    if not hard:
        said = "Forgot {name} (recairn restore {memory.id} brings it back)"
    reason, force = given.get("reason", ""), "force" in given
    each_memory(
        call,
        lambda memory, each: memory.forget(each, hard=hard, reason=reason, force=force),
        said,
    )


def restore(call: Call) -> None:
    each_memory(call, lambda memory, reference: memory.restore(reference), "Restored {name}")


def undo(call: Call) -> None:
    given = call.given
    what = call.chosen("source", "session", "since")
    if len(what) + (given["id"] is not None) != 1:
        raise Usage(
            "undo needs one of ID, --source, --session, --since",
            f"for example: {call.command.examples[0]}",
        )
    with call.open() as memory:
        changes = memory.undo(given["id"], **what, dry_run=True)
        taken_back = "dry_run" not in given
        if taken_back and changes:
            if len(changes) > 1 and not call.confirm(f"this takes back {len(changes)} changes"):
                return
            changes = memory.undo(given["id"], **what)
    if call.json:
        listed = [
            {"event": each.event, "memory": each.memory, "what": each.what} for each in changes
        ]
        call.screen.document({"undone": listed, "dry_run": not taken_back})
        return
    if not changes:
        call.say("nothing to take back")
    for each in changes:
        verb = "Took back" if taken_back else "Would take back"
        call.say(f"{verb}: #{each.memory} {each.what}")
