"""Where a memory lies in the text index: beside the others that the same readers see."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# A memory's id takes so many bits of its place, as in the number of a vector; its readers the rest.
_ID_BITS = 35
_READER_BITS = 27
_READERS = (1 << _READER_BITS) - 1
# What of a place is the memory's id.
MEMORY = (1 << _ID_BITS) - 1
LAST = (1 << (_ID_BITS + _READER_BITS)) - 1

# In the order in which ranking numbers them.
INDEXED = ("title", "content", "details", "keywords", "category", "idents", "dates")


def place_sql(row: str) -> str:
    """The place of a memory as an expression of SQL; `row` is what its columns are taken from."""
    return f"(cast(substr({row}.reach, 2) as integer) & {_READERS}) << {_ID_BITS} | {row}.id"


def stretch(reach: str) -> tuple[int, int]:
    """The first and the last place of what readers with this token see."""
    digits = reach[1:]
    first = (int(digits) & _READERS if digits.isdigit() else 0) << _ID_BITS
    return first, first | MEMORY


def in_order(ids: Iterable[int], reaches: Iterable[str]) -> list[int]:
    """Memories in the order of their places.

    The engine writes out what it holds whenever a number falls.
    """
    pairs = list(zip(reaches, ids, strict=True))
    first = {reach: stretch(reach)[0] for reach in {reach for reach, _ in pairs}}
    return [number & MEMORY for number in sorted([first[reach] | each for reach, each in pairs])]


_COLUMNS = ", ".join(INDEXED)
_ADD = (
    f"insert into memories_fts(rowid, {_COLUMNS}) select {place_sql('m')}, "
    + ", ".join(f"m.{name}" for name in INDEXED)
    + " from {listed} cross join memories m on m.id = listed.{id}"
)
# Those of a list that is in order, and all; there numbers are sorted, since the texts of a million
# memories would not fit into memory.
ADD_SOME = _ADD.format(listed="carray(?) listed", id="value")
_SORTED = f"(select s.id, {place_sql('s')} as place from memories s order by place)"
ADD_ALL = _ADD.format(listed=f"{_SORTED} listed", id="id")
REMOVE_ALL = "insert into memories_fts(memories_fts) values ('delete-all')"
# One piece instead of many: a search looks for each of its words in every piece.
JOIN = "insert into memories_fts(memories_fts) values ('optimize')"
PIECES = "select block from memories_fts_data where id = 10"
# The version of the list of pieces that says five numbers more of each.
_SECOND = b"\xff\x00\x00\x01"


def varints(data: bytes) -> list[int]:
    """The numbers of a blob in SQLite's own spelling: seven bits a byte, the highest first."""
    numbers, value = [], 0
    for byte in data:
        value = value << 7 | byte & 127
        if byte < 128:
            numbers.append(value)
            value = 0
    return numbers


def piece_sizes(listed: bytes) -> list[int]:
    """The pages of each piece of the index, from the engine's own list of them."""
    second = listed[4:8] == _SECOND
    levels, _, _, *numbers = varints(listed[8 if second else 4 :])
    sizes, at = [], 0
    for _ in range(levels):
        for _ in range(numbers[at + 1]):
            sizes.append(numbers[at + 4] - numbers[at + 3] + 1)
            at += 8 if second else 3
        at += 2
    return sizes
