"""What a moment of the work brings to mind: memories that name the file, the symbol, the failure.

There is no ranking and no model here: a name is in a text or it is not. So this is quick enough for
every file that is opened and every test that fails.
"""

from __future__ import annotations

from recairn.core.naming import names_file, names_symbol, phrases_of
from recairn.core.record import record
from recairn.core.scopes import applies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from recairn.core.model import Filter, Memory
    from recairn.store.contract.base import Store
    from recairn.store.rows import Named

# Memories looked at that may name one of the things; of names that more texts hold, the newest.
_LOOKED_AT = 40
# Tokens are bounded by the characters, four of which are one at least.
_NO_BOUND = 1_000_000
# What went wrong before comes first where something goes wrong.
_FAILURE = "failure"


@record
class Subject:
    """What the moment is about: `files` as seen from the root of the checkout, `paths` whole.

    `symbols` are names of code, `messages` words that stand together. `failed`: a test did.
    """

    files: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    failed: bool = False


@record
class Reminder:
    """What is injected at a moment; `costs` are the tokens of each memory, in the block's order."""

    text: str
    tokens: int
    costs: dict[int, int]
    left_out: tuple[tuple[int, str], ...] = ()


def subjects_of(subject: Subject, filter: Filter, store: Store) -> list[int]:
    """The memories that name it, best first: by how many of its names, failures first, then new."""
    phrases = [*phrases_of(subject.files, subject.symbols), *subject.messages]
    worth: dict[int, tuple[int, int, int]] = {}
    for named in store.naming(phrases, filter, _LOOKED_AT):
        names = _names(named, subject)
        if names:
            first = subject.failed and named.kind == _FAILURE
            worth[named.memory] = (-int(first), -names, -named.memory)
    return sorted(worth, key=worth.__getitem__)


def _names(named: Named, subject: Subject) -> int:
    """How many of the names a memory has; for a rule, whether its scope fits."""
    if not named.text:
        return int(applies(named.scope, subject.files, frozenset()))
    if named.scope and not applies(named.scope, subject.files, frozenset()):
        return 0
    low = named.text.lower()
    return (
        sum(names_file(named.text, path) for path in subject.paths)
        + sum(names_symbol(named.text, symbol) for symbol in subject.symbols)
        + sum(message.lower() in low for message in subject.messages)
    )


def reminder(
    memories: Sequence[Memory], title: str, characters: int, most: int, now: int
) -> Reminder:
    """The memories as one block of so many characters."""
    from recairn.core.token_estimate import MARGIN, estimate
    from recairn.ranking.packing import Room, pack_in_order
    from recairn.recall.context_block import block_text, candidates, frame

    entries = candidates([(memory, 1.0, ()) for memory in memories], now)
    top = max([memory.id for memory in memories], default=0)
    room = Room(_NO_BOUND / MARGIN, characters, most).less([frame(None, [title], top)])
    packing = pack_in_order(entries, Room(room.weight, room.characters, most))
    by_id = {entry.id: entry for entry in entries}
    forms = {memory: by_id[memory].forms[form] for memory, form in packing.chosen.items()}
    text = block_text(None, {title: forms})
    costs = {memory: estimate("\n".join(form.lines)) for memory, form in forms.items()}
    return Reminder(text, estimate(text) if text else 0, costs, tuple(packing.left_out.items()))


def worth_reminding(memories: Collection[Memory]) -> list[Memory]:
    """Those that an agent may be reminded of: rules only where a person stands behind them."""
    return [memory for memory in memories if memory.kind != "rule" or memory.trust == "verified"]
