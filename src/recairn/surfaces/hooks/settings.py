"""What a person may switch off, and how much they want to see."""

from __future__ import annotations

import os

from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Characters handed out on a prompt and at the start of a session. Hosts cut at 10,000 or less.
PROMPT_CHARS = 1500
START_CHARS = 4000
MOST_CHARS = 9000
_FEWEST_CHARS = 500
# A file of this name in a checkout's `.recairn/` switches hooks off for everyone who works there.
OFF_FILE = os.path.join(".recairn", "hooks-off")


def switched_off(value: str | None) -> bool:
    return value is not None and value.strip().lower() in ("off", "0", "no", "false")


def forbidden_here() -> bool:
    """Whether the checkout says that it wants no hooks."""
    root = root_of(os.getcwd())
    return root is not None and os.path.exists(os.path.join(root, OFF_FILE))


def setting(config: Mapping[str, str], project: str, name: str) -> str | None:
    """The project's own setting, else everyone's."""
    return config.get(f"{project}/{name}", config.get(name))


def is_on(config: Mapping[str, str], project: str, name: str, *, usually: bool = True) -> bool:
    value = setting(config, project, name)
    return usually if value is None else not switched_off(value)


def characters(config: Mapping[str, str], project: str, name: str, usual: int) -> int:
    """A number of characters between what makes sense and what hosts take."""
    try:
        chosen = int(float(setting(config, project, name) or usual))
    except ValueError:
        chosen = usual
    return min(MOST_CHARS, max(_FEWEST_CHARS, chosen))
