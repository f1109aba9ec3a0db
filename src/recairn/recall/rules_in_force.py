"""The rules in force: what every session is told, what it costs, and what does not fit."""

from __future__ import annotations

from recairn.core.record import record
from recairn.core.token_estimate import MARGIN, estimate
from recairn.ranking.packing import Room, pack_in_order
from recairn.recall.context import rank_of_rule
from recairn.recall.context_block import candidates, frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store

# More rules than any budget has room for.
_MANY = 10_000
_TITLE = "Rules:"


@record
class RuleInForce:
    """A rule, the tokens it costs each time, and why it does not fit; "" where it does.

    `times` is how often it was handed out, `last_at` when last.
    """

    memory: Memory
    tokens: int
    fits: bool
    why: str
    times: int
    last_at: int | None


@record
class RulesInForce:
    """The rules of a project in the order in which they get room, all scopes together.

    `tokens` is what those that fit cost, `characters` the room there is; of an `agent`, where one
    is named, how often each was handed out is told alone.
    """

    project: str
    agent: str
    characters: int
    tokens: int
    rules: tuple[RuleInForce, ...]


def with_costs(
    store: Store, rules: Sequence[Memory], *, tokens: int, characters: int, agent: str, now: int
) -> tuple[RuleInForce, ...]:
    """The rules with what each costs, whether there is room for it, and how often it was said."""
    ordered = sorted(rules, key=rank_of_rule)  # of equals the newest stays first
    of_rules = candidates([(rule, 1.0, ()) for rule in ordered], now)
    most = max([rule.id for rule in ordered], default=0)
    room = Room(tokens / MARGIN, characters, _MANY).less([frame(None, [_TITLE], most)])
    packing = pack_in_order(of_rules, room)
    counted = {row.name: row for row in store.times_handed_out([r.id for r in ordered], agent)}
    costed = []
    for rule, candidate in zip(ordered, of_rules, strict=True):
        chosen = packing.chosen.get(rule.id)
        form = candidate.forms[0 if chosen is None else chosen]
        row = counted.get(rule.id)
        costed.append(
            RuleInForce(
                rule,
                estimate("\n".join(form.lines)),
                chosen is not None,
                packing.left_out.get(rule.id, ""),
                0 if row is None else row.times,
                None if row is None else row.last_at,
            )
        )
    return tuple(costed)
