"""Packing the blocks of a document into chunks for search. Pure.

A chunk ends where a heading or definition begins once it is full enough, else where the budget
ends. What must stay together (a fence) stays together.
"""

from __future__ import annotations

import re

from recairn.core.record import record
from recairn.core.token_estimate import LINE_END, rounded, weight, weight_of_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Line = tuple[int, str]

# Part of every document's hash: with other rules here or in the readers, the next refresh reads all
# documents anew.
RULES = 1
# Tokens of a chunk: long enough to hold a thought with its reasons, short enough to point at.
BUDGET = 400
# How much of a chunk repeats the end of the one before it, where a text had to be cut.
OVERLAP = 0.1
# Tokens from which on a heading or a definition begins a chunk of its own.
ENOUGH = 100
# Tokens up to which a fence stays whole; a longer one is cut between its lines.
LONGEST_FENCE = 5 * BUDGET

_WORD = re.compile(r"\S+\s*|\s+")


@record
class Block:
    """Lines (number, text) that belong together; `whole` ones are not cut, `opens` begin something.

    A `title` is a heading alone: it is kept with what follows.
    """

    lines: Sequence[Line]
    heading: tuple[str, ...] = ()
    page: int | None = None
    whole: bool = False
    opens: bool = False
    title: bool = False


@record
class Chunk:
    """A piece of a document, and the lines of the source it stands on, counted from 1."""

    text: str
    line: int
    end_line: int
    heading: tuple[str, ...]
    page: int | None


def chunks_of(blocks: Sequence[Block], budget: int = BUDGET) -> list[Chunk]:
    """The blocks as chunks of at most `budget` tokens in their order; together, every line."""
    packed: list[Chunk] = []
    held: list[Block] = []
    cost = 0.0
    for part in _parts(blocks, budget):
        own = _cost(part.lines)
        if held and _ends_before(held, cost, part, own, budget):
            held, rest = _apart(held, part, own, budget)
            packed.append(_chunk(held))
            held = rest or _repeated(held[-1], part, own, budget)
            cost = sum(_cost(piece.lines) for piece in held)
        held.append(part)
        cost += own
    if held:
        packed.append(_chunk(held))
    return packed


def _ends_before(held: Sequence[Block], cost: float, part: Block, own: float, budget: int) -> bool:
    if part.page != held[-1].page or rounded(cost + own) > budget:
        return True
    return part.opens and rounded(cost) >= ENOUGH and not all(piece.title for piece in held)


def _apart(
    held: list[Block], part: Block, own: float, budget: int
) -> tuple[list[Block], list[Block]]:
    """What is held, without the headings at its end; those go with the part they announce."""
    end = len(held)
    while end and held[end - 1].title:
        end -= 1
    rest = held[end:]
    fits = rounded(sum(_cost(piece.lines) for piece in rest) + own) <= budget
    if not end or not rest or not fits or rest[-1].page != part.page:
        return held, []
    return held[:end], rest


def _repeated(last: Block, part: Block, own: float, budget: int) -> list[Block]:
    """The last lines of a cut text, for the beginning of the next chunk."""
    if last.whole or part.opens or part.whole or last.page != part.page:
        return []
    if last.heading != part.heading:
        return []
    kept: list[Line] = []
    cost = 0.0
    for line in reversed(last.lines):
        cost += _cost([line])
        if rounded(cost) > budget * OVERLAP or rounded(cost + own) > budget:
            break
        kept.insert(0, line)
    return [Block(kept, last.heading, last.page)] if kept else []


def _chunk(held: Sequence[Block]) -> Chunk:
    """The chunk, under the heading that has most of its text."""
    lengths: dict[tuple[str, ...], int] = {}
    for piece in held:
        said = sum(len(text) for _, text in piece.lines)
        lengths[piece.heading] = lengths.get(piece.heading, 0) + said
    heading = max(filter(None, lengths), key=lengths.__getitem__, default=())
    lines = [line for piece in held for line in piece.lines]
    return Chunk(_joined(held), lines[0][0], lines[-1][0], heading, held[-1].page)


def _joined(held: Sequence[Block]) -> str:
    """The text, with an empty line where the source had one or more."""
    text: list[str] = []
    before = None
    for block in held:
        for number, line in block.lines:
            if before is not None and number > before + 1:
                text.append("")
            text.append(line)
            before = number
    return "\n".join(text)


def _cost(lines: Sequence[Line]) -> float:
    return weight_of_lines(text for _, text in lines)


def _parts(blocks: Sequence[Block], budget: int) -> Iterator[Block]:
    """The blocks, those that are too long cut between lines, words or letters."""
    for block in blocks:
        cost = rounded(_cost(block.lines))
        if cost <= budget or (block.whole and cost <= LONGEST_FENCE):
            yield block
            continue
        opens = block.opens
        for lines in _groups(block.lines, int(budget * (1 - OVERLAP))):
            yield Block(lines, block.heading, block.page, False, opens)
            opens = False


def _groups(lines: Sequence[Line], room: int) -> Iterator[list[Line]]:
    held: list[Line] = []
    cost = 0.0
    for number, text in lines:
        for piece in _pieces(text, room):
            own = _cost([(number, piece)])
            if held and rounded(cost + own) > room:
                yield held
                held, cost = [], 0.0
            held.append((number, piece))
            cost += own
    if held:
        yield held


def _pieces(text: str, room: int) -> Iterator[str]:
    """A line in pieces that fit, cut between words where that is possible."""
    if rounded(weight(text) + LINE_END) <= room:
        yield text
        return
    held, cost = "", LINE_END
    for match in _WORD.finditer(text):
        for word in _halved(match.group(), room):
            own = weight(word)
            if held and rounded(cost + own) > room:
                yield held.rstrip()
                held, cost = "", LINE_END
            held += word
            cost += own
    if held.strip():
        yield held.rstrip()


def _halved(word: str, room: int) -> Iterator[str]:
    if len(word) <= 1 or rounded(weight(word) + LINE_END) <= room:
        yield word
        return
    middle = len(word) // 2
    yield from _halved(word[:middle], room)
    yield from _halved(word[middle:], room)
