"""The systems, each as its own documentation sets it up, with the tools that do the same work.

A system is a package in an environment of its own, a server that is started in a home of its own,
and three calls. `add` gives what `delete` takes; `search` gives the keys of what was found, best
first. Vectors come from the one server of `vectors.py`, except where a system has none.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from .server import Failed, Server
from .vectors import MODEL

# Asked of every search; long texts may be kept in parts, so that a key comes twice.
DEPTH = 20
_HERE = Path(__file__).resolve().parent


class System:
    """`notes` says how it is set up; `package` is what is installed, by exact version."""

    name = ""
    package = ""
    distribution = ""
    # What its Python must be able to do.
    needs = "pass"
    notes = ""
    has_tools = True
    # Of the store that is timed; less where filling it takes too long to wait for.
    most_memories = 1_000_000

    def __init__(self, environment: Path, vectors: str, models: Path) -> None:
        self.environment, self.vectors, self.models = environment, vectors, models

    @classmethod
    def environment_name(cls) -> str:
        """Systems of the same package share an environment."""
        return re.sub(r"[^a-z0-9]+", "-", cls.package.lower()).strip("-")

    def program(self, name: str) -> str:
        return str(self.environment / "bin" / name)

    def command(self, home: Path) -> list[str]:
        raise NotImplementedError

    def prepare(self, environment: dict[str, str]) -> None:
        """What has to be typed once in a new home."""

    def settings(self, home: Path) -> dict[str, str]:
        return {}

    def add(self, server: Server, key: str, text: str) -> str:
        raise NotImplementedError

    def add_many(self, server: Server, texts: dict[str, str]) -> None:
        for key, text in texts.items():
            self.add(server, key, text)

    def search(self, server: Server, question: str) -> list[str]:
        raise NotImplementedError

    def delete(self, server: Server, handle: str) -> None:
        raise NotImplementedError


class Recairn(System):
    name = "recairn static"
    package = distribution = "recairn"
    notes = "the model that ships with it; embedding is part of its figures"
    model = "static"

    def __init__(self, environment: Path, vectors: str, models: Path) -> None:
        super().__init__(environment, vectors, models)
        self.keys: dict[str, dict[int, str]] = {}

    def command(self, home: Path) -> list[str]:
        self._own = self.keys.setdefault(str(home), {})
        return [self.program("recairn"), "mcp"]

    def settings(self, home: Path) -> dict[str, str]:
        return {
            "RECAIRN_DB": str(home / "memory.db"),
            "RECAIRN_PROJECT": "bench",
            "RECAIRN_MODEL": self.model,
            "RECAIRN_MODELS": str(self.models),
        }

    def add(self, server: Server, key: str, text: str) -> str:
        said = server.call("recairn_add", content=text, force=True)
        self._own[said["id"]] = key
        return str(said["id"])

    def search(self, server: Server, question: str) -> list[str]:
        said = server.call("recairn_search", query=question, limit=DEPTH)
        return [self._own.get(hit["id"], "") for hit in said["hits"]]

    def delete(self, server: Server, handle: str) -> None:
        server.call("recairn_update", id=handle, action="forget")


class RecairnMiniLM(Recairn):
    name = "recairn minilm"
    package = "recairn[minilm]"
    notes = "the same MiniLM as the others, run inside its own process: its figures include it"
    model = "minilm"


class RecairnServed(Recairn):
    name = "recairn served"
    notes = "MiniLM from the vectors' server, as the others have it: the model is not counted"
    model = "external"

    def prepare(self, environment: dict[str, str]) -> None:
        for setting, value in (("url", self.vectors), ("model", MODEL)):
            words = ["config", "set", f"embedding.external.{setting}", value]
            command = [self.program("recairn"), *words]
            subprocess.run(command, env=environment, check=True, capture_output=True)


class MemPalace(System):
    name = "MemPalace"
    package = "mempalace==3.11.0"
    distribution = "mempalace"
    notes = "backend sqlite_exact, embedding_model openai-compat, search as it is by default"
    strategy = "vector"

    def command(self, home: Path) -> list[str]:
        return [self.program("mempalace-mcp")]

    def settings(self, home: Path) -> dict[str, str]:
        return {
            "MEMPALACE_PALACE_PATH": str(home / "palace"),
            "MEMPALACE_BACKEND": "sqlite_exact",
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": self.vectors,
            "MEMPALACE_EMBEDDING_API_MODEL": MODEL,
        }

    def add(self, server: Server, key: str, text: str) -> str:
        said = server.call(
            "mempalace_add_drawer", wing="bench", room="notes", content=text, source_file=key
        )
        if not said.get("success"):
            raise Failed(str(said)[:300])
        return str(said["drawer_id"])

    def search(self, server: Server, question: str) -> list[str]:
        said = server.call(
            "mempalace_search", query=question, limit=DEPTH, candidate_strategy=self.strategy
        )
        if "error" in said:
            raise Failed(str(said)[:300])
        return [hit["source_file"] for hit in said["results"]]

    def delete(self, server: Server, handle: str) -> None:
        server.call("mempalace_delete_drawer", drawer_id=handle)


class MemPalaceUnion(MemPalace):
    name = "MemPalace union"
    notes = "the same with candidate_strategy union, its hybrid search"
    strategy = "union"


class MemoryService(System):
    name = "mcp-memory-service"
    package = "mcp-memory-service==12.2.0"
    distribution = "mcp-memory-service"
    needs = "import sqlite3; sqlite3.Connection.enable_load_extension"
    notes = "backend sqlite_vec, MCP_EXTERNAL_EMBEDDING_URL, mode semantic, its default"

    def command(self, home: Path) -> list[str]:
        return [self.program("memory"), "server"]

    def settings(self, home: Path) -> dict[str, str]:
        return {
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_MEMORY_SQLITE_PATH": str(home / "memory.db"),
            "MCP_MEMORY_BACKUPS_PATH": str(home / "backups"),
            "MCP_EXTERNAL_EMBEDDING_URL": f"{self.vectors}/embeddings",
            "MCP_EXTERNAL_EMBEDDING_MODEL": MODEL,
        }

    def add(self, server: Server, key: str, text: str) -> str:
        said = server.call(
            "memory_store", content=text, conversation_id="bench", metadata={"tags": f"key-{key}"}
        )
        return key if "tored" in str(said) else _fail(said)

    def search(self, server: Server, question: str) -> list[str]:
        said = server.call("memory_search", query=question, limit=DEPTH)
        return re.findall(r"\bkey-(\w+)", str(said))

    def delete(self, server: Server, handle: str) -> None:
        server.call("memory_delete", tags=[f"key-{handle}"])


class Mem0(System):
    name = "mem0"
    package = "mem0ai==2.2.1"
    distribution = "mem0ai"
    notes = "library, local qdrant, infer=False (no language model decides); a server of 70 lines"
    has_tools = False

    def command(self, home: Path) -> list[str]:
        return [self.program("python"), str(_HERE / "mem0_server.py"), str(home), self.vectors]

    def settings(self, home: Path) -> dict[str, str]:
        return {"MEM0_DIR": str(home / "mem0"), "MEM0_TELEMETRY": "False"}

    def add(self, server: Server, key: str, text: str) -> str:
        said = server.call("add", key=key, text=text)
        return str(said["results"][0]["id"])

    def search(self, server: Server, question: str) -> list[str]:
        said = server.call("search", query=question, limit=DEPTH)
        return [hit["metadata"]["key"] for hit in said["results"]]

    def delete(self, server: Server, handle: str) -> None:
        server.call("delete", memory_id=handle)


class BasicMemory(System):
    name = "basic-memory"
    # The newest that the index resolved on the day of the page.
    package = "basic-memory==0.20.3"
    distribution = "basic-memory"
    needs = "import sys; assert sys.version_info >= (3, 12)"
    notes = "notes as Markdown files, full-text search; its store for times has 200 notes"
    most_memories = 200

    def command(self, home: Path) -> list[str]:
        return [self.program("basic-memory"), "mcp"]

    def settings(self, home: Path) -> dict[str, str]:
        return {
            "BASIC_MEMORY_HOME": str(home / "notes"),
            # Search by meaning needs a Python whose sqlite3 loads extensions, which few have.
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        }

    def add(self, server: Server, key: str, text: str) -> str:
        said = server.call("write_note", title=key, content=text, directory="bench")
        return f"main/bench/{key}" if "reated note" in str(said) else _fail(said)

    def search(self, server: Server, question: str) -> list[str]:
        said = server.call("search_notes", query=question, page_size=DEPTH)["result"]
        if said.startswith("# Search Failed"):
            _fail(said)
        return re.findall(r"^### (\w+)$", said, re.MULTILINE)

    def delete(self, server: Server, handle: str) -> None:
        server.call("delete_note", identifier=handle)


class ServerMemory(System):
    name = "server-memory"
    package = "@modelcontextprotocol/server-memory@2026.8.31"
    distribution = "@modelcontextprotocol/server-memory"
    notes = "the reference server: a graph in one JSONL file, substring search, no vectors"

    def command(self, home: Path) -> list[str]:
        return [
            "node",
            str(self.environment / "node_modules" / self.distribution / "dist/index.js"),
        ]

    def settings(self, home: Path) -> dict[str, str]:
        return {"MEMORY_FILE_PATH": str(home / "memory.jsonl")}

    def add(self, server: Server, key: str, text: str) -> str:
        self.add_many(server, {key: text})
        return key

    def add_many(self, server: Server, texts: dict[str, str]) -> None:
        entities = [
            {"name": key, "entityType": "note", "observations": [text]}
            for key, text in texts.items()
        ]
        for start in range(0, len(entities), 100):
            server.call("create_entities", entities=entities[start : start + 100])

    def search(self, server: Server, question: str) -> list[str]:
        said = server.call("search_nodes", query=question)
        return [entity["name"] for entity in said["entities"]]

    def delete(self, server: Server, handle: str) -> None:
        server.call("delete_entities", entityNames=[handle])


def _fail(said: Any) -> str:
    raise Failed(str(said)[:300])


SYSTEMS: tuple[type[System], ...] = (
    Recairn,
    RecairnMiniLM,
    RecairnServed,
    MemPalace,
    MemPalaceUnion,
    MemoryService,
    Mem0,
    BasicMemory,
    ServerMemory,
)


def is_ours(name: str) -> bool:
    return name.startswith("recairn")
