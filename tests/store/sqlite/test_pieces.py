"""The text index of many memories lies in few pieces, since every search looks into each."""

from recairn.store.sqlite.text_index import PIECES, piece_sizes
from tests.corpus import opened

LAST = 90  # pages of what is written at once


def drafts(start):
    letters = [f"{number:x}" for number in range(start, start + 500)]
    words = [" ".join(f"{letter}{at}mast" for at in range(40)) for letter in letters]
    return [{"content": text, "project": f"quay{len(text) % 3}"} for text in words]


def test_writing_many_joins_what_was_scattered(tmp_path):
    with opened(tmp_path / "m.db") as memory:
        for start in range(0, 2000, 500):
            memory.remember_many(drafts(start), on_similar="add")
            sizes = piece_sizes(memory.store._c.value(PIECES))
            assert max(sizes) >= 0.8 * (sum(sizes) - LAST)  # what came last may lie apart
        assert sum(sizes) > 3 * LAST
        assert memory.verify().problems == ()


def test_what_is_written_at_once_is_one_piece_and_single_writes_hold_no_more_than_before(tmp_path):
    with opened(tmp_path / "m.db") as memory:
        memory.remember_many([draft for at in range(4) for draft in drafts(500 * at)])
        assert len(piece_sizes(memory.store._c.value(PIECES))) == 1
        assert memory.store._c.value("select v from memories_fts_config where k = 'hashsize'") == (
            1 << 20
        )


def test_many_with_times_of_their_own_add_up(tmp_path):
    mixed = [
        {
            "content": draft["content"],
            "created_at": 1_700_000_000_000 + at,
            "valid_until": 1_800_000_000_000 + at,
        }
        for at, draft in enumerate(drafts(0))
    ]
    mixed += [{"content": f"entity number {at} of the quay", "kind": "entity"} for at in range(99)]
    with opened(tmp_path / "m.db") as memory:
        added = memory.remember_many(mixed, on_similar="add")
        memory.edit(added[0].id, content="The first mast was painted")
        memory.forget(added[1].id)
        assert memory.verify().problems == ()
