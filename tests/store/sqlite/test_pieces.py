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
