"""How agents are told of a team's server: its address, and where they find the token.

The token itself stands in none of their files, which people share and commit: each program reads
it from the environment, and has its own words for that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Where agents find the token of this machine.
VARIABLE = "RECAIRN_TOKEN"
_ENVIRONMENT = {
    "claude": f"${{{VARIABLE}}}",
    "cursor": f"${{env:{VARIABLE}}}",
    "gemini": f"${VARIABLE}",
    "copilot": f"${{{VARIABLE}}}",
    "opencode": f"{{env:{VARIABLE}}}",
}


def remote_entry(agent: str, url: str) -> dict[str, Any]:
    """What an agent's list of MCP servers holds for a server at an address."""
    if agent == "codex":
        return {"url": url, "bearer_token_env_var": VARIABLE}
    headers = {"Authorization": f"Bearer {_ENVIRONMENT[agent]}"}
    if agent == "gemini":
        return {"httpUrl": url, "headers": headers}
    if agent == "opencode":
        return {"type": "remote", "url": url, "enabled": True, "headers": headers}
    entry: dict[str, Any] = {"url": url, "headers": headers}
    if agent == "cursor":
        return entry
    return {"type": "http", **entry, **({"tools": ["*"]} if agent == "copilot" else {})}


def mcp_address(server: str, project: str, tools: tuple[str, ...]) -> str:
    """Where a server answers agents that work in a project."""
    from urllib.parse import quote, urlsplit

    from recairn.core.errors import BadInput

    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        raise BadInput(f"--server is the address of a team's server, got {server!r}", "https://…")
    if not project:
        raise BadInput(
            "this folder is in no project, and agents are registered for one",
            "run it in a checkout, or name one: RECAIRN_PROJECT=NAME recairn install …",
        )
    sets = f"&tools={','.join(tools)}" if tools else ""
    return f"{parts.scheme}://{parts.netloc}/mcp?project={quote(project, safe='')}{sets}"
