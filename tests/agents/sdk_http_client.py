"""A client made with the official SDK over HTTP; run by a Python that has it.

    python sdk_http_client.py MODE ADDRESS TOKEN

It makes the calls that standard input lists as [[tool, arguments], ...].
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client  # type: ignore[import-not-found]
from mcp.client.streamable_http import streamable_http_client  # type: ignore[import-not-found]


async def look(mode: str, address: str, token: str, calls: list[Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        seen: dict[str, Any] = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "calls": [],
        }
        for tool, arguments in calls:
            result = await client.call_tool(tool, arguments)
            seen["calls"].append([result.is_error, result.structured_content])
        return seen


if __name__ == "__main__":
    mode, address, token = sys.argv[1:]
    found = asyncio.run(look(mode, address, token, json.load(sys.stdin)))
    sys.stdout.write(json.dumps(found))
