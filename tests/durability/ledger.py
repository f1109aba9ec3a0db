"""What writers promised: every acknowledged change, and every change that was under way.

A line is written before a change (`try`) and after it returned (`ack`). A change that was tried and
not acknowledged may or may not have happened, but never by half. The lines survive the death of the
process that wrote them: they are in the kernel's hands once os.write returned.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.corpus import keys_of

WORDS = (
    *("anchor", "basin", "cedar", "delta", "ember", "fjord", "glacier", "harbor", "island"),
    *("jungle", "kelp", "lagoon", "meadow", "nectar", "orchard", "prairie", "quarry", "ravine"),
    *("saddle", "tundra", "upland", "valley", "willow", "xylem", "yonder", "zephyr"),
)


def connection_of(memory) -> Any:
    """The connection below a memory, for faults and settings no surface offers."""
    return memory.store._c


class Pen:
    """One writer's hand in the ledger."""

    def __init__(self, path, name):
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._name = name
        self._count = 0
        self.own = acknowledged_ids(path, name.partition(".")[0] + ".")

    def tries(self, **change):
        self._count += 1
        self._line({"try": f"{self._name}/{self._count}", **change})
        return f"{self._name}/{self._count}"

    def acknowledges(self, change, **result):
        self._line({"ack": change, **result})
        self.own += result.get("ids", ())

    def _line(self, entry):
        os.write(self._file, (json.dumps(entry) + "\n").encode())


def acknowledged_ids(path, writer):
    """Memories that this writer added in its earlier lives; only these may it change."""
    entries = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return [
        number
        for entry in entries
        if entry.get("ack", "").startswith(writer)
        for number in entry.get("ids", ())
    ]


def text_for(name, number, rng):
    """A content no other writer makes, of one to forty words."""
    chosen = " ".join(rng.choices(WORDS, k=rng.randint(1, 40)))
    return f"{name} number {number} said {chosen} in src/{rng.choice(WORDS)}/{number}.py"


def write_something(memory, pen, name, number, rng):
    """One random change through the public door, written into the ledger."""
    if pen.own and rng.random() < 0.35:
        known = memory.get(rng.choice(pen.own[-20:]))
        if known is not None:
            change_one(memory, pen, known, text_for(name, number, rng), rng)
            return
    many = rng.randint(2, 6) if rng.random() < 0.15 else 1
    contents = [text_for(name, f"{number}-{each}", rng) for each in range(many)]
    change = pen.tries(add=contents)
    if many == 1:
        results = [memory.remember(contents[0], force=True)]
    else:
        drafts = [{"content": each} for each in contents]
        results = memory.remember_many(drafts, on_similar="add")
    pen.acknowledges(change, ids=[each.id for each in results])


def change_one(memory, pen, known, text, rng):
    what = rng.choice(("edit", "edit", "forget", "supersede", "erase"))
    if what == "edit":
        change = pen.tries(edit=known.id, content=text)
        memory.edit(known.id, content=text)
    elif what == "forget":
        change = pen.tries(forget=known.id)
        memory.forget(known.id)
    elif what == "erase":
        change = pen.tries(erase=known.id)
        memory.forget(known.id, hard=True)
    else:
        change = pen.tries(supersede=known.id, add=[text])
        memory.supersede(known.id, text)
    pen.acknowledges(change)


class Promise:
    """What may be true of one memory."""

    def __init__(self, content):
        self.contents = {content}
        self.forgotten = {False}
        self.exists = {True}


def promises(path):
    """(id → what may be true of it, contents that may exist unacknowledged, all-or-none groups)"""
    tried: dict[str, dict] = {}
    known: dict[int, Promise] = {}
    loose: list[list[str]] = []
    for line in Path(path).read_text().splitlines():
        entry = json.loads(line)
        if "try" in entry:
            tried[entry["try"]] = entry
            may_happen(known, entry, loose)
        else:
            happened(known, tried[entry["ack"]], entry.get("ids"), loose)
    return known, loose


def may_happen(known, entry, loose):
    if "add" in entry:
        loose.append(entry["add"])
    if "edit" in entry:
        known.setdefault(entry["edit"], Promise(None)).contents.add(entry["content"])
    if "forget" in entry:
        known.setdefault(entry["forget"], Promise(None)).forgotten.add(True)
    if "erase" in entry:
        known.setdefault(entry["erase"], Promise(None)).exists.add(False)


def happened(known, entry, ids, loose):
    for memory, content in zip(ids or (), entry.get("add", ()), strict=False):
        known[memory] = Promise(content)
    if ids:
        loose.remove(entry["add"])
    if "edit" in entry:
        known[entry["edit"]].contents = {entry["content"]}
    if "forget" in entry:
        known[entry["forget"]].forgotten = {True}
    if "erase" in entry:
        known[entry["erase"]].exists = {False}


def broken_promises(memory, path):
    """One line for each way in which the database differs from what was promised."""
    known, loose = promises(path)
    everything = all_memories(memory)
    wrong = [
        line
        for number, promise in known.items()
        for line in compare(number, promise, everything.get(number))
    ]
    wrong += unexpected(everything, known, loose)
    wrong += [f"verify: {each.check}: {each.detail}" for each in memory.verify().problems]
    return [*wrong, *half_written(memory, everything)]


def all_memories(memory):
    found: dict = {}
    while True:
        batch = memory.listing(
            limit=100,
            offset=len(found),
            order="id",
            include_deleted=True,
            include_superseded=True,
            all_projects=True,
        )
        found.update((each.id, each) for each in batch)
        if len(batch) < 100:
            return found


def compare(number, promise, found):
    if found is None:
        if False not in promise.exists and promise.contents != {None}:
            yield f"#{number} is lost: {promise.contents}"
        return
    if True not in promise.exists:
        yield f"#{number} was erased and is back"
    if found.content not in promise.contents and None not in promise.contents:
        yield f"#{number} says {found.content!r}, promised was {promise.contents}"
    if (found.deleted_at is not None) not in promise.forgotten:
        yield f"#{number} is forgotten: {found.deleted_at}, promised was {promise.forgotten}"


def unexpected(everything, known, loose):
    """Memories nobody wrote, and bulk writes of which only a part arrived."""
    extra = {each.content for number, each in everything.items() if number not in known}
    edited = {content for promise in known.values() for content in promise.contents}
    for group in loose:
        arrived = [content for content in group if content in extra]
        if len(group) > 1 and arrived and len(arrived) < len(group):
            missing = [content for content in group if content not in extra | edited]
            if missing:
                yield f"half of a bulk write: {len(arrived)} of {len(group)}"
    allowed = {content for group in loose for content in group} | edited
    for content in extra - allowed:
        yield f"nobody wrote {content!r}"


def half_written(memory, everything):
    """Rows whose indexes or history did not come with them (verify compares the full text)."""
    connection = connection_of(memory)
    stored = set(connection.rows("select key, memory from look_alikes"))
    recorded = {row[0] for row in connection.rows("select distinct memory from history")}
    for number, each in everything.items():
        try:
            wanted = {(key, number) for key in keys_of(each)}
        except (KeyError, ValueError):
            said = f"its kind is {each.kind!r}, its hash {each.content_hash!r}"
            yield f"#{number} is damaged: {said}"
            continue
        if not wanted <= stored:
            yield f"#{number} has not all its look-alike keys"
        if number not in recorded:
            yield f"#{number} has no history"
