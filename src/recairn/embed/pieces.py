"""Splitting long text into overlapping pieces that a model can see whole.

Pure: text in, pieces out. A cut is made at the best place within reach: before a heading, between
blocks (a fenced code block is one), between the lines of a fence or the sentences of a paragraph,
between words, and inside a word only when it alone is too long. Every character of the text is in
some piece.
"""

from __future__ import annotations

import re

from recairn.core.record import record
from recairn.core.token_estimate import PIECE_CHARACTERS, word_pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recairn.embed.protocol import Embedder

    Span = tuple[int, int]

# How much of a piece repeats the end of the piece before it, so that a thought cut in two is whole
# in at least one of them.
OVERLAP = 0.1

# A piece may end early at a heading or between blocks once it is this full.
FULL_ENOUGH_FOR_HEADING = 0.5
FULL_ENOUGH_FOR_BLOCK = 0.7

# About so many pieces of one text where no window asks for more: a question looks at each.
MOST_PIECES = 64

# A model's window also holds a token for either end of the text.
END_TOKENS = 2

_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+|[。！？]+\s*|\n\s*")  # noqa: RUF001
_WORD = re.compile(r"\S+\s*|\s+")
_WORD_START = re.compile(r"\s+|(?<=[\u3040-\u9fff])")  # kana and ideographs need no space between

# The kinds of place where a piece may begin, from the best.
_HEADING_START, _BLOCK_START, _INNER_START = 0, 1, 2


@record
class Piece:
    """text[start:end] of the source; offsets count characters from 0."""

    text: str
    start: int
    end: int


@record
class _Part:
    """A stretch that is not cut any more, and what kind of place its start is."""

    start: int
    end: int
    tokens: int
    rank: int
    is_lone_heading: bool = False


def split_for(embedder: Embedder, text: str) -> list[Piece]:
    """Pieces the embedder sees whole, or that one vector does justice to: the text when it fits."""
    if embedder.window_tokens is None:
        longest, tokens = getattr(embedder, "in_pieces", (len(text), 0))
        if len(text) <= longest:
            return [Piece(text, 0, len(text))]
        return split(text, max_tokens=max(tokens, word_pieces(text) // MOST_PIECES))
    count = getattr(embedder, "count_tokens", word_pieces)
    return split(text, max_tokens=embedder.window_tokens - END_TOKENS, count=count)


def split(
    text: str,
    *,
    max_tokens: int,
    overlap: float = OVERLAP,
    count: Callable[[str], int] | None = None,
) -> list[Piece]:
    """Pieces of at most `max_tokens` in the order of the text, at least one.

    Each begins where the one before ended, or up to `overlap` of `max_tokens` earlier; one that
    begins at a heading, or with a block that leaves no room, repeats nothing. `count` must add up
    over texts joined at white space.
    """
    count = count or word_pieces
    if count(text) <= max_tokens:
        return [Piece(text, 0, len(text))]
    repeated = int(max_tokens * overlap)
    parts = list(_parts(text, max_tokens, count))
    pieces: list[Piece] = []
    first = 0
    while first < len(parts):
        begins = parts[first]
        start, room = begins.start, max_tokens - repeated
        if not pieces or begins.rank == _HEADING_START or begins.tokens > room:
            room = max_tokens
        else:
            start = _overlap_start(text, pieces[-1], repeated, count)
        after = _best_break(parts, first, room)
        end = parts[after - 1].end
        pieces.append(Piece(text[start:end], start, end))
        first = after
    return pieces


def _best_break(parts: list[_Part], first: int, room: int) -> int:
    """The index after the last part of a piece that starts with part `first`."""
    held = parts[first].tokens
    preferred = 0
    for after in range(first + 1, len(parts)):
        part = parts[after]
        parts_heading_from_text = parts[after - 1].is_lone_heading
        if held + part.tokens > room:
            if preferred:
                return preferred
            return after - 1 if parts_heading_from_text and after - 1 > first else after
        full_enough = (FULL_ENOUGH_FOR_HEADING, FULL_ENOUGH_FOR_BLOCK, 1.0)[part.rank] * room
        if (
            held >= full_enough
            and not parts_heading_from_text
            and (not preferred or part.rank <= parts[preferred].rank)
        ):
            preferred = after
        held += part.tokens
    return len(parts)


def _overlap_start(text: str, previous: Piece, tokens: int, count: Callable[[str], int]) -> int:
    """Where the next piece begins so that it repeats at most `tokens` of the previous one.

    The longest run of whole sentences or lines that fits, and of whole words when that would be
    less than half of it.
    """
    tail = max(previous.start + 1, previous.end - tokens * 2 * PIECE_CHARACTERS)
    for pattern, least in ((_SENTENCE_END, tokens // 2), (_WORD_START, 0)):
        for match in pattern.finditer(text, tail, previous.end):
            start = match.end()
            if start < previous.end and least < count(text[start : previous.end]) <= tokens:
                return start
    return previous.end


def _parts(text: str, most: int, count: Callable[[str], int]) -> Iterator[_Part]:
    """Stretches of at most `most` tokens that together are the text."""
    for start, end, rank in _blocks(text):
        tokens = count(text[start:end])
        if tokens <= most:
            lone = rank == _HEADING_START and "\n" not in text[start:end].strip()
            yield _Part(start, end, tokens, rank, lone)
            continue
        for low, high in _cut(text, (start, end), most, count):
            yield _Part(low, high, count(text[low:high]), rank if low == start else _INNER_START)


def _cut(text: str, span: Span, most: int, count: Callable[[str], int]) -> Iterator[Span]:
    """The span in stretches that fit: lines or sentences, else words, else characters."""
    whole_lines = _FENCE.match(text, *span) is not None
    coarse = re.compile(r"\n") if whole_lines else _SENTENCE_END
    for sentence in _after_each(coarse, text, span):
        if count(text[sentence[0] : sentence[1]]) <= most:
            yield sentence
            continue
        for match in _WORD.finditer(text, *sentence):
            yield from _halved(text, match.span(), most, count)


def _after_each(pattern: re.Pattern[str], text: str, span: Span) -> Iterator[Span]:
    start, end = span
    for match in pattern.finditer(text, start, end):
        yield start, match.end()
        start = match.end()
    if start < end:
        yield start, end


def _halved(text: str, span: Span, most: int, count: Callable[[str], int]) -> Iterator[Span]:
    """The span, halved until each part fits or is a single character."""
    start, end = span
    if end - start <= 1 or count(text[start:end]) <= most:
        yield span
        return
    middle = (start + end) // 2
    yield from _halved(text, (start, middle), most, count)
    yield from _halved(text, (middle, end), most, count)


def _blocks(text: str) -> Iterator[tuple[int, int, int]]:
    """Headings, fenced blocks and paragraphs, each with the blank lines after it."""
    start, rank = 0, _BLOCK_START
    fence = ""
    blank_before = False
    for low, line in _lines(text):
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                blank_before = True  # whatever follows a closed fence is a block of its own
            continue
        if not line.strip():
            blank_before = True
            continue
        opened = _FENCE.match(line)
        heading = _HEADING.match(line)
        if (opened or heading or blank_before) and low > start:
            yield start, low, rank
            start = low
        if start == low:
            rank = _HEADING_START if heading else _BLOCK_START
        fence = opened.group(1) if opened else ""
        blank_before = False
    if start < len(text):
        yield start, len(text), rank


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield start, text[start:end]
        start = end
