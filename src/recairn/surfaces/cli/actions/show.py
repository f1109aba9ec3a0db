"""Handlers of the commands that show one memory, or count all of them."""

from __future__ import annotations

from recairn.core.author import PERSON
from recairn.core.times import now_ms
from recairn.engine.options import TYPED_FILTERS
from recairn.surfaces.render.events import event_json, event_text
from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.text import headline, indented, memory_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call


def show(call: Call) -> None:
    with call.open() as memory:
        records = [_memory_at(memory, reference, call) for reference in call.arguments["id"]]
        if memory.author != PERSON:  # what a person looks at says nothing of an agent's work
            memory.expanded(*(record.id for record in records))
        if call.json:
            documents = [_whole_json(memory, record, call) for record in records]
            call.screen.documents(documents)
            return
        call.screen.write("\n".join(_whole_text(memory, record, call) for record in records))


def _record(memory: Recairn, reference: str) -> Memory:
    record = memory.get(memory.resolve(reference))
    assert record is not None
    return record


def _memory_at(memory: Recairn, reference: str, call: Call) -> Memory:
    """The memory, as it is or as it was at --as-of."""
    if "as_of" not in call.arguments:
        return _record(memory, reference)
    past = memory.as_of(reference, call.arguments["as_of"])
    if past is None:
        from recairn.core.errors import NotFound

        raise NotFound(f"{reference} was not there yet", f"recairn history {reference}")
    return past


def _whole_json(memory: Recairn, record: Memory, call: Call) -> dict[str, Any]:
    from recairn.surfaces.render.feedback import evidence_json
    from recairn.surfaces.render.sessions import context_json

    whole = memory_json(record)
    whole["session_context"] = context_json(memory.session_context(record.id))
    whole["evidence"] = [evidence_json(piece) for piece in memory.evidence(record.id)]
    whole["chain"] = [
        [version.id for version in generation] for generation in memory.chain(record.id)
    ]
    whole["version"] = memory.version(record.id)
    if "history" in call.arguments:
        whole["history"] = [event_json(event) for event in memory.history(record.id)]
    return whole


def _whole_text(memory: Recairn, record: Memory, call: Call) -> str:
    if "markdown" in call.arguments:
        from recairn.surfaces.render.markdown import memory_markdown

        return memory_markdown(record, now=now_ms())
    text = (
        memory_text(record, now=now_ms())
        + _connections(memory, record)
        + _evidence_lines(memory, record)
    )
    if "history" in call.arguments:
        events = "".join(event_text(event) for event in memory.history(record.id))
        text += "  History:\n" + indented(events.rstrip("\n"), "    ") + "\n"
    return text


def _connections(memory: Recairn, record: Memory) -> str:
    """The lines about what the memory replaced or was replaced by, and who used it last."""
    from recairn.surfaces.render.sessions import chain_line, context_line

    chain, context = memory.chain(record.id), memory.session_context(record.id)
    text = f"  Chain: {chain_line(chain)}\n" if len(chain) > 1 else ""
    return text + (f"  Last Use: {context_line(context, now_ms())}\n" if context else "")


def _evidence_lines(memory: Recairn, record: Memory) -> str:
    """The lines about what people, tasks and tests said of the memory."""
    evidence = memory.evidence(record.id)
    if not evidence:
        return ""
    from recairn.surfaces.render.feedback import evidence_text

    return evidence_text(evidence, record)


def history(call: Call) -> None:
    with call.open() as memory:
        record = _record(memory, call.arguments["id"])
        events = memory.history(record.id)
    if call.json:
        changes = [event_json(event) for event in events]
        call.screen.document({"id": record.id, "uid": record.uid, "events": changes})
        return
    call.say(f"#{record.id} {headline(record)}\n")
    call.screen.write("".join(event_text(event) for event in events))


def growth(call: Call) -> None:
    from recairn.core.times import iso
    from recairn.surfaces.render.listings import histogram_json

    with call.open() as memory:
        histogram = memory.histogram(**call.chosen("by", *TYPED_FILTERS))
    if call.json:
        call.screen.document(histogram_json(histogram))
        return
    if not histogram.bins:
        call.say('nothing was made yet\n  recairn add "..." remembers something')
        return
    most = max(bar.count for bar in histogram.bins)
    for bar in histogram.bins:
        day = str(iso(bar.start))[:10]
        call.say(f"{day}  {bar.count:>6,}  {'#' * max(1, round(_BAR * bar.count / most))}")


# Characters of the longest bar.
_BAR = 40


def stats(call: Call) -> None:
    with call.open() as memory:
        counted = memory.stats()
        path = memory.database
        troubles = memory.mirror_troubles()
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
    for what, remedy in troubles:
        call.screen.note(f"note: {what}; {remedy}")
