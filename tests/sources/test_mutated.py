"""Whatever becomes of the bytes of a source, an import tells what it could not read and ends."""

import json
import random
import re

import pytest

from tests.sources import test_beads, test_lore, test_small_formats, test_tx

VALUE = re.compile(rb'"[^"\n]*"|\d+(?:\.\d+)?|null|\[[^\[\]\n]*\]')
ODD = [b"null", b"1e999", b"-1", b"[]", b"{}", b'"\\ud800"', b"true", b'""', b"\xff", b"\n",
       b"9" * 40, b'"2026-13-45T00:00:00Z"', b'"0001-01-01T00:00:00+23:59"']  # fmt: skip


def lines(*records):
    return "".join(json.dumps(each) + "\n" for each in records)


def lore():
    one = test_lore.decision("dec-1", "Keep cod", lesson_learned="salt", valid_at=test_lore.TS)
    two = test_lore.decision("dec-2", "Keep eel", superseded_by="dec-1")
    return {
        "journal/data/decisions.jsonl": lines(one, two),
        "patterns/data/patterns.yaml": test_lore.PATTERNS,
        "transfer/data/sessions/session-1.json": json.dumps(test_lore.SESSION),
        "graph/data/graph.json": json.dumps(test_lore.GRAPH),
        "access_log.jsonl": lines({"record_id": "dec-1", "accessed_at": test_lore.TS}),
    }


def tx():
    edge = {"edgeType": "SIMILAR_TO", "sourceType": "learning", "sourceId": "1",
            "targetType": "learning", "targetId": "2", "weight": 0.5}  # fmt: skip
    task = {"title": "Mend", "status": "ready", "score": 1, "parentId": "tx-d", "metadata": {}}
    log = lines(
        test_tx.learned(1, "Seals"),
        test_tx.learned(2, "Terns"),
        test_tx.told("edge_upsert", 3, data=edge),
        test_tx.told("upsert", "tx-c", data=task),
        test_tx.told("upsert", "tx-d", data={**task, "parentId": None}),
        {"op": "dep_add", "ts": test_tx.TS, "blockerId": "tx-c", "blockedId": "tx-d"},
        *test_tx.WORK_LOG,
    )
    return {".tx/learnings.jsonl": log}


def adr():
    return {"adr/0003-a.md": test_small_formats.FIRST, "adr/0005-b.md": test_small_formats.SECOND}


def beads():
    two = test_beads.issue("bd-2", "Caulk", dependencies=[test_beads.on("bd-1")], labels=["deck"])
    return {".beads/issues.jsonl": lines(two, test_beads.issue("bd-1", "Buy"))}


def mutated(raw, dice):
    raw = bytearray(raw)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(raw) + 1)
        values = [found.span() for found in VALUE.finditer(bytes(raw))]
        how = dice.random()
        if how < 0.3:
            raw[at : at + dice.randint(0, 6)] = bytes([dice.randrange(256)])
        elif how < 0.85 and values:
            begin, end = dice.choice(values)
            raw[begin:end] = dice.choice(ODD)
        else:
            raw[at : at + dice.randint(0, 200)] = b""
    return bytes(raw)


@pytest.mark.parametrize("source", [lore, tx, adr, beads])
def test_an_import_ends_with_a_sound_database_whatever_it_reads(memory, tmp_path, source):
    dice = random.Random(source.__name__)
    for number in range(10):
        folder = tmp_path / f"w{number}"
        for name, text in source().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(mutated(text.encode(), dice))
        for _ in range(2):
            memory.import_from(folder, source.__name__)
    assert memory.verify().problems == ()
