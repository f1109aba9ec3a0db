"""Destroying, for which an agent needs the user's word."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory
    from recairn.surfaces.mcp.dispatch import Call


def destroy(call: Call, reference: int | str) -> tuple[Memory, str]:
    """The memory and what became of it: the user is asked at once, or else by `recairn review`."""
    from recairn.core.errors import Refused
    from recairn.surfaces.render.text import headline

    memory, reason = call.memory, call.arguments.get("reason", "")
    number = memory.resolve(reference, change=True)
    record = memory.get(number)
    assert record is not None
    # One declared unchangeable is refused below, whatever the user would say.
    question = f"Destroy memory #{number} for good? {headline(record)}"
    answer = None if record.immutable else call.ask(question)
    if answer:
        erased = memory.destroy(number, reason=reason, confirmed=True)
        left = "".join(f"; {line}" for line in erased.left)
        return record, f"destroyed for good, as the user said{left}"
    if answer is False:
        raise Refused(f"the user wants #{number} kept", "leave it as it is")
    asked = memory.request_erasure(number, reason=reason)
    state = "hidden" if asked.deleted_at is not None else "a rule holds until then"
    return asked, f"{state}; only the user destroys it for good: recairn review accept {number}"
