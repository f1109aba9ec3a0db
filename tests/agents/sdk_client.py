"""A client made with the official SDK; run by a Python that has it, not by the tests' own.

    python sdk_client.py MODE COMMAND...

MODE is auto or legacy. It connects, looks at everything, makes the calls that standard input lists
as [[tool, arguments], ...], and writes what it saw to standard output. The SDK checks every
message against the protocol's schema, and every result against its tool's output schema.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from mcp import Client, StdioServerParameters  # type: ignore[import-not-found]


async def look(mode: str, command: list[str], calls: list[Any]) -> dict[str, Any]:
    started = StdioServerParameters(command=command[0], args=command[1:], env={**os.environ})
    progress: list[float] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append(done)

    async with Client(started, mode=mode) as client:
        seen: dict[str, Any] = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "resources": [str(each.uri) for each in (await client.list_resources()).resources],
            "templates": [
                each.uri_template
                for each in (await client.list_resource_templates()).resource_templates
            ],
            "prompts": [each.name for each in (await client.list_prompts()).prompts],
            "calls": [],
        }
        for tool, arguments in calls:
            result = await client.call_tool(tool, arguments, progress_callback=note)
            text = result.content[0].text
            seen["calls"].append([tool, result.is_error, result.structured_content, text])
        overview = await client.read_resource("recairn://project")
        recalled = await client.get_prompt("recall", {"topic": "gulls"})
        seen["overview"] = json.loads(overview.contents[0].text)
        seen["recalled"] = recalled.messages[0].content.text
        seen["progress"] = progress
        return seen


if __name__ == "__main__":
    found = asyncio.run(look(sys.argv[1], sys.argv[2:], json.load(sys.stdin)))
    sys.stdout.write(json.dumps(found))
