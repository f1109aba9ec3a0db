"""Flipped bits, lost sectors and cut-off files: no crash, seen or harmless, salvageable."""

from __future__ import annotations

import random

import pytest

import recairn
from recairn.core.errors import RecairnError
from recairn.store.sqlite import doctor
from tests.durability.ledger import WORDS, all_memories

FLIPS = 200
MEMORIES = 80
# Every so many damages the repair is tried as well.
REPAIR_EVERY = 4


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    """(the bytes of a database with 80 memories, the memories)"""
    rng = random.Random(80)
    path = tmp_path_factory.mktemp("healthy") / "memory.db"
    with recairn.open(path, project="p") as memory:
        for number in range(MEMORIES):
            words = " ".join(rng.choices(WORDS, k=rng.choice((5, 40, 300, 900))))
            memory.remember(f"memory {number}: {words}", category=rng.choice(WORDS), force=True)
        memory.edit(3, content="edited after all")
        memory.forget(5)
        memory.supersede(7, 9)
        kept = all_memories(memory)
    return path.read_bytes(), kept


def damage(content, rng):
    """A random fault, as disks make them; the name says which."""
    broken = bytearray(content)
    kind = rng.choice(("bit", "bit", "bit", "bits", "sector", "cut", "page"))
    at = rng.randrange(len(broken))
    if kind == "cut":
        return f"cut at {at}", bytes(broken[:at])
    if kind == "sector":
        broken[at - at % 512 : at - at % 512 + 512] = bytes(512)
    elif kind == "page":
        broken[at - at % 4096 : at - at % 4096 + 4096] = rng.randbytes(4096)
    else:
        for _ in range(1 if kind == "bit" else 20):
            broken[rng.randrange(len(broken)) if kind == "bits" else at] ^= 1 << rng.randrange(8)
    return f"{kind} at {at}", bytes(broken)


def authored(memory):
    """What a person wrote; counters may drift, they only order equals."""
    return (
        *(memory.uid, memory.kind, memory.title, memory.content, dict(memory.fields)),
        *(memory.project, memory.category, memory.keywords, memory.deleted_at),
        memory.superseded_by,
    )


def unharmed(path, kept):
    with recairn.open(path, project="p") as memory:
        found = all_memories(memory)
    return {each: authored(found[each]) for each in found} == {
        each: authored(kept[each]) for each in kept
    }


def endure(path, content, kept, rng, *, mend):
    """What went wrong when the file was damaged once: nothing, or one line."""
    what, broken = damage(content, rng)
    path.write_bytes(broken)
    path.chmod(0o600)
    findings = doctor.diagnose(str(path))
    seen = any(each.level == "problem" for each in findings)
    if path.read_bytes() != broken:
        return f"{what}: the diagnosis changed the file"
    if not seen:
        empty = any("is empty" in each.what for each in findings)
        return "" if empty or unharmed(path, kept) else f"{what}: harm was not seen"
    if any("could not be checked" in each.what for each in findings):
        return f"{what}: {findings[-1].what}"
    return salvaged(path, kept, what) if mend else ""


def salvaged(path, kept, what):
    try:
        repaired = doctor.repair(str(path))
    except RecairnError as error:
        hopeless = what.startswith("cut") and "can be read any more" in error.message
        return "" if hopeless and error.hint else f"{what}: {error!r}"
    with recairn.open(path, project="p") as memory:
        problems = memory.verify().problems
        found = all_memories(memory)
    if problems:
        return f"{what}: after the repair {problems[0]}"
    for number in found:
        if number not in repaired.changed and number in kept:
            same = authored(found[number])[:8] == authored(kept[number])[:8]
            if not same:
                return f"{what}: #{number} is not what it was, and nobody said so"
    if repaired.aside and len(found) + len(repaired.lost) < len(kept) and "cut" not in what:
        return f"{what}: {len(found)} saved, {len(repaired.lost)} named as lost of {len(kept)}"
    return ""


def wrongs(folder, healthy, rng, count):
    content, kept = healthy
    for number in range(count):
        place = folder / f"{number}"
        place.mkdir(mode=0o700)
        mend = number % REPAIR_EVERY == 0
        wrong = endure(place / "memory.db", content, kept, rng, mend=mend)
        if wrong:
            yield wrong
        for file in place.iterdir():
            file.unlink()


def test_200_damages_are_seen_or_harmless_and_can_be_repaired(tmp_path, healthy, seed):
    """N = 200 damages (bits, sectors, pages, truncations), every fourth one repaired."""
    assert list(wrongs(tmp_path, healthy, random.Random(seed), FLIPS)) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_5000_damages_are_seen_or_harmless_and_can_be_repaired(tmp_path, healthy, seed, sizes):
    """N = 5,000 by default (RECAIRN_TEST_FLIPS)."""
    assert list(wrongs(tmp_path, healthy, random.Random(seed + 1), sizes["flips"])) == []
