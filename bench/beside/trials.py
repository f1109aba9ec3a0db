"""The same work for each system: quality, cost, and what it does when things go wrong.

Times are processor time of the server and what it starts, in milliseconds: they say the same on a
busy machine as on a quiet one, to about a third.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

from corpus import memories, questions

from recairn.surfaces.bench.metrics import ndcg

from .server import Failed, Server
from .sets import Sample
from .systems import Recairn, System

STARTS = 3
SEARCHES = 40
ADDS = 20
KILLS = 5
ADDS_BEFORE_KILL = 10

# Nothing that a question set of a developer's memory holds is about these.
OFF_TOPIC = (
    "Which wine goes with grilled octopus?",
    "When does the ferry to Helsinki leave on Sundays?",
    "What is the best pizza topping for a rainy evening?",
    "How many moons does Saturn have?",
    "Who won the tennis final in Melbourne?",
    "How do I prune an olive tree in winter?",
    "Which vaccine does a kitten need first?",
    "What should I wear to a wedding in Kyoto?",
    "How long do I boil a soft egg?",
    "Where can I hire a sailing boat in Split?",
)
# What people and programs send without thinking of search syntax.
ODD = (
    "",
    " ",
    "'",
    '"unbalanced',
    "a AND (b OR",
    "NEAR(x, 5",
    "col:value*",
    "* ",
    "100% _sure_",
    "'; drop table memories; --",
    "\u0000",
    "\u202eright to left",
    "🦉" * 50,
    "x" * 20_000,
    "C++ && #include <a.h>",
)
# The shape of a token, made up, put together here so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "A7fK2mQ9xW4pR8sT1vB6nC3dE5gH0jL2yZ4u"
DOOMED = "The zebrawood ledger of Wexcombe is kept under the third flagstone"


class Home:
    """A fresh home of one system, in which servers are started one after the other."""

    def __init__(self, system: System, folder: Path) -> None:
        self.system, self.folder = system, folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        system.prepare(self.environment)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
            # Nothing is asked of a hub or an analyst: the vectors come from this machine.
            "HF_HUB_OFFLINE": "1",
            "ANONYMIZED_TELEMETRY": "False",
            "DO_NOT_TRACK": "1",
            **self.system.settings(self.folder),
        }

    def start(self) -> Server:
        command = self.system.command(self.folder)
        server = Server(command, self.environment, self.folder.with_suffix(".log"))
        server.hello()
        return server

    @contextlib.contextmanager
    def server(self):
        running = self.start()
        try:
            yield running
        finally:
            running.end()

    def bytes(self) -> int:
        """On disk, after the server has ended."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files)

    def holds(self, text: str) -> bool:
        """Whether any file has the text in clear."""
        return any(
            text.encode() in path.read_bytes() for path in self.folder.rglob("*") if path.is_file()
        )


def quality(home: Home, sample: Sample) -> dict[str, Any]:
    """nDCG@10 of each question; a question that is refused counts as one without an answer.

    `quiet` is how often nothing is said to questions that nothing in the store is about.
    """
    system = home.system
    gains, silent, refused, quiet = [], 0, 0, 0
    with home.server() as server:
        refusals = 0
        for key, text in sample.documents.items():
            try:
                system.add(server, key, text)
            except Failed:
                refusals += 1
                # A text or two may be too long for it; a store that takes nothing is no store.
                if refusals > len(sample.documents) / 10:
                    raise
        for question, judged in sample.questions:
            try:
                ranking = list(dict.fromkeys(system.search(server, question)))
            except Failed:
                ranking, refused = [], refused + 1
            silent += not ranking
            gains.append(ndcg(ranking, judged))
        for question in OFF_TOPIC:
            with contextlib.suppress(Failed):
                quiet += not system.search(server, question)
    return {"ndcg": gains, "silent": silent, "refused": refused, "quiet": quiet}


def speed(home: Home, count: int) -> dict[str, float]:
    """Start, search, add and their cost in memory, over a store of `count` made-up texts."""
    system = home.system
    count = min(count, system.most_memories)
    texts = {f"m{place}": draft["content"] for place, draft in enumerate(memories(count))}
    figures: dict[str, float] = {}
    with home.server() as server:
        before = server.cpu()
        system.add_many(server, texts)
        figures["bulk_s"] = (server.cpu() - before) / 1000
    figures["bytes"] = home.bytes() / count
    asked = iter(questions(STARTS + SEARCHES + 1, words_each=4))
    cold, initialize, first = [], [], []
    for _ in range(STARTS):
        with home.server() as server:
            initialize.append(server.cpu())
            first.append(server.resident())
            system.search(server, next(asked))
            cold.append(server.cpu())
    figures |= {
        "start_ms": statistics.median(initialize),
        "cold_ms": statistics.median(cold),
        "mb_start": statistics.median(first),
    }
    more = [draft["content"] for draft in memories(ADDS + 1, seed=9)]
    with home.server() as server:
        system.search(server, next(asked))
        system.add(server, "warm", more[ADDS])
        before = server.cpu()
        for _ in range(SEARCHES):
            system.search(server, next(asked))
        figures["search_ms"] = (server.cpu() - before) / SEARCHES
        before = server.cpu()
        for place in range(ADDS):
            system.add(server, f"n{place}", more[place])
        figures["add_ms"] = (server.cpu() - before) / ADDS
        figures["mb_used"] = server.resident()
    return figures


def schemas(home: Home, tokens) -> dict[str, int]:
    """How many tools an agent is told of, and the tokens of it."""
    if not home.system.has_tools:
        return {}
    with home.server() as server:
        tools = server.tools()
    return {"tools": len(tools), "schema_tokens": tokens(json.dumps(tools, ensure_ascii=False))}


def kills(home: Home) -> dict[str, int]:
    """What was acknowledged before each kill and is not found after it."""
    system = home.system
    acknowledged: list[str] = []
    for turn in range(KILLS):
        server = home.start()
        try:
            for place in range(ADDS_BEFORE_KILL):
                word = f"killmark{turn}x{place}"
                system.add(
                    server, f"k{turn}x{place}", f"The mark {word} was written before the power went"
                )
                acknowledged.append(word)
        finally:
            server.kill()
    with home.server() as server:
        found = [word for word in acknowledged if f"k{word[8:]}" in system.search(server, word)]
    return {"acknowledged": len(acknowledged), "lost": len(acknowledged) - len(found)}


def odd_queries(home: Home) -> dict[str, int]:
    """How many of the odd questions end in an error, and whether the server lives on."""
    system = home.system
    errors = 0
    server = home.start()
    try:
        system.add(server, "odd", "The owl sits on the lighthouse")
        for question in ODD:
            try:
                system.search(server, question)
            except Failed:
                errors += 1
                if server.child.poll() is not None:
                    server = home.start()
    finally:
        server.end()
    return {"odd": len(ODD), "odd_errors": errors}


def secrets(home: Home) -> dict[str, bool]:
    """Whether a token that a text holds lies on disk in clear."""
    with home.server() as server:
        home.system.add(server, "secret", f"The deploy job pushes with {TOKEN} to the registry")
    return {"secret_on_disk": home.holds(TOKEN)}


def deletion(home: Home) -> dict[str, bool]:
    """Whether the words of a deleted memory lie on disk after the server has ended."""
    system = home.system
    with home.server() as server:
        for place in range(20):
            system.add(
                server, f"f{place}", f"Filler number {place} about the harbour and its lamps"
            )
        handle = system.add(server, "doomed", DOOMED)
        system.delete(server, handle)
        found = "doomed" in system.search(server, DOOMED)
    result = {"deleted_is_found": found, "deleted_on_disk": home.holds("zebrawood")}
    if isinstance(system, Recairn):
        command = [system.program("recairn"), "forget", handle, "--hard", "--yes"]
        done = subprocess.run(command, env=home.environment, cwd=home.folder, capture_output=True)
        result["erased_on_disk"] = bool(done.returncode) or home.holds("zebrawood")
    return result
