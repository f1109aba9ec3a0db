"""Who types here: a person, or an agent through the shell that it was given."""

from __future__ import annotations

import os

from recairn.core.author import PERSON, agent_named
from recairn.host.project import AGENT_SESSIONS

# What agents set for the commands they run; what only configures one is not among them.
_SIGNS = {
    "CLAUDECODE": "claude-code",
    "CODEX_THREAD_ID": "codex",
    "CODEX_CI": "codex",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "GEMINI_CLI": "gemini",
    "OPENCODE": "opencode",
    "CURSOR_AGENT": "cursor",
    "COPILOT_CLI": "copilot",
    "COPILOT_AGENT": "copilot",
    "GOOSE_TERMINAL": "goose",
    "AMP_CURRENT_THREAD_ID": "amp",
}
# Those whose value is the agent's name: ours, and the one that several agents share.
_NAMING = ("RECAIRN_AGENT", "AI_AGENT")
VARIABLES = (*_NAMING, *_SIGNS, *AGENT_SESSIONS)


def author_here() -> str:
    """The author of what is typed in this environment. No variable says that it is a person."""
    for variable in _NAMING:
        name = os.environ.get(variable)
        if name:
            return agent_named(name)
    for variable, name in _SIGNS.items():
        if os.environ.get(variable):
            return agent_named(name)
    return PERSON
