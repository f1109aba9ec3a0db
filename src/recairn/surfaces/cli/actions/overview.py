"""Handlers of `rules` and `health`."""

from __future__ import annotations

from recairn.core.times import now_ms
from recairn.surfaces.render import overview as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.call import Call


def rules(call: Call) -> None:
    with call.open() as memory:
        in_force = memory.rules_in_force(**call.chosen("agent", "max_chars"))
    if call.json:
        call.screen.document(render.rules_json(in_force))
    elif in_force.rules:
        call.screen.write(render.rules_text(in_force, now_ms()))
    else:
        call.say('no rules are in force here\n  recairn add "..." -k rule makes one')


def health(call: Call) -> int:
    with call.open() as memory:
        state = memory.health(thorough="thorough" in call.arguments)
    if call.json:
        call.screen.document(render.health_json(state))
    else:
        call.screen.write(render.health_text(state, now_ms()))
    return 1 if any(finding.level == "problem" for finding in state.findings) else 0
