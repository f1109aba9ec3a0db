"""Ways out of trouble as an agent can take them: the layers below speak of the command line."""

from __future__ import annotations

import re

# What the command line calls a way out → the call that does it.
_CALLS = (
    (r"recairn recent\b( lists the newest)?", "recairn_timeline lists the newest"),
    (r"recairn show #?(\w+)", r"recairn_get id=\1"),
    (r"recairn history #?(\w+)", r"recairn_get id=\1 show=history"),
    (r"recairn graph related #?(\w+)", r"recairn_get id=\1 show=links"),
    (r"recairn (restore|forget|promote) #?(\d+)", r"recairn_update action=\1 id=\2"),
    (r"recairn forget\b", "recairn_update action=forget"),
    (r"recairn unlink #?(\w+) #?(\w+)", r"recairn_update action=unlink id=\1 target=\2"),
    (r"recairn correct #?(\w+) \.\.\.", r"recairn_update action=supersede id=\1 content=..."),
    (r"recairn (add|search|context)\b", r"recairn_\1"),
)
# What only a person may do, or can do elsewhere alone.
_WORDS = (
    (r"name it with --session ID", "there is none here: choose another tier, or name a session"),
    (r"add --force if you really mean it", "only the user can change it, in a terminal"),
    (r"(?<![\w-])--(supersede|merge|project|tier)\b", r"\1"),
)
_COMMAND_LINE = re.compile(r"\brecairn [a-z]|(?<![\w-])--[a-z]")


def in_calls(hint: str, *, default_set: bool) -> str:
    """The hint with calls in place of commands; what has none is for the user to type."""
    for pattern, words in (*(_CALLS if default_set else ()), *_WORDS):
        hint = re.sub(pattern, words, hint)
    return f"the user can type: {hint}" if _COMMAND_LINE.search(hint) else hint
