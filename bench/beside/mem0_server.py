"""mem0 behind the same door as the others: its package is a library and has no server of its own.

Run by mem0's Python with a folder and the address of the vectors. It answers line by line as an MCP
server would, and does nothing else than call mem0 with plain texts (`infer=False`: no language
model decides what is kept).
"""

from __future__ import annotations

import json
import sys


def memory(folder, address):
    from mem0 import Memory  # type: ignore[import-not-found, unused-ignore]

    key = {"api_key": "none", "openai_base_url": address}
    return Memory.from_config(
        {
            "embedder": {
                "provider": "openai",
                "config": {**key, "model": "all-MiniLM-L6-v2", "embedding_dims": 384},
            },
            "llm": {"provider": "openai", "config": {**key, "model": "none"}},
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": f"{folder}/qdrant",
                    "on_disk": True,
                    "embedding_model_dims": 384,
                },
            },
            "history_db_path": f"{folder}/history.db",
        }
    )


def main():
    folder, address = sys.argv[1:]
    store = memory(folder, address)

    def add(key, text):
        return store.add(text, user_id="bench", metadata={"key": key}, infer=False)

    def search(query, limit):
        return store.search(query, top_k=limit, filters={"user_id": "bench"})

    tools = {"add": add, "search": search, "delete": store.delete}
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result: dict = {"tools": []}
        if message["method"] == "tools/call":
            params = message["params"]
            try:
                said = tools[params["name"]](**params["arguments"])
                result = {"content": [{"type": "text", "text": json.dumps(said, default=str)}]}
            except Exception as error:
                result = {"content": [{"type": "text", "text": repr(error)}], "isError": True}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
