"""How many tokens a text costs, estimated without any tokeniser. Pure and cheap.

Models count differently, and most vocabularies cannot be had offline. `estimate` is for language
models and errs to the safe side: against four real tokenisers over two dozen kinds of text
(tests/data/token_counts.json) it is never more than 5 % below what they count, and for English and
code 5 to 60 % above. `word_pieces` is for embedding models, whose vocabularies are small.
"""

from __future__ import annotations

import math
from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The shape of a text: what a tokeniser treats alike becomes one letter, and runs are counted.
_LOWER, _UPPER, _DIGIT, _LINE, _TAB, _SPACE, _SIGN, _FOREIGN = "aA0\n\t .x"
_SHAPES = (
    (b" " * 9 + b"\t\n" + b" " * 22)
    + (b"." * 15 + b"0" * 10 + b"." * 7 + b"A" * 26 + b"." * 6 + b"a" * 26 + b"." * 4)
    + b"x" * 129
)
_LETTERS = 6.0  # letters of an ordinary word that share a token
_LONG_WORD = 8  # letters; what follows is rarely in a vocabulary: compounds, random text
_LONG_WORD_LETTERS = 2.5
_CAPITALS = 3.0  # in a row, that share a token
_SHARING = {_UPPER: _CAPITALS, _DIGIT: 2.5, _SIGN: 2.0, _TAB: 1.2}
_LINES, _SPACES = 0.6, 0.5  # tokens for a whole run
# What the end of a line costs, before the margin.
LINE_END = _LINES

# Tokens per character beyond ASCII, by the last code point of a range: letters with accents, Greek
# and Cyrillic, other alphabets, symbols, Chinese and Japanese, Hangul and the rest.
_RANGES = (
    (0x00BF, 1.2),
    (0x024F, 0.8),
    (0x036F, 1.2),
    (0x052F, 0.48),
    (0x1FFF, 0.9),
    (0x2E7F, 1.2),
    (0xA4CF, 0.95),
    (0xF8FF, 1.2),
    (0xFAFF, 0.95),
    (0xFEFF, 1.2),
    (0xFFEF, 0.95),
    (0x10FFFF, 1.2),
)

# Everything above was set to hit the middle; the margin keeps a budget from being exceeded.
MARGIN = 1.15
# How far below a real count the estimate may lie, as a share of it.
STATED_ERROR = 0.05


# JSON with its quotes and keys holds about this many characters in a token, and rarely fewer.
JSON_CHARACTERS = 3
# Characters allowed for each token of a budget, should the estimate ever be wrong: prose has four.
MOST_CHARACTERS = 6

# Of embedding models: ordinary words take one token, longer ones about one for so many characters.
# High rather than low: a piece that is a little short costs less than one whose end is never seen.
PIECE_CHARACTERS = 5
_PIECE_LIKE = r"[a-zA-Z0-9]+|[^\sa-zA-Z0-9]"


class _Costs(dict[str, float]):
    """What each shape between two spaces costs, computed once: prose has a few hundred."""

    def __missing__(self, shape: str) -> float:
        cost = _cost_of_shape(shape)
        if len(self) >= _MOST_SHAPES:
            self.clear()
        self[shape] = cost
        return cost


# Kept shapes; code and tables never stop bringing new ones.
_MOST_SHAPES = 10_000


def _cost_of_shape(shape: str) -> float:
    """The sum over the runs of a shape. Within a name every hump begins a token of its own."""
    cost = 0.0
    capital = 0  # one before lower-case letters belongs to them
    for sign, run in groupby(shape):
        length = len(list(run))
        if capital and sign != _LOWER:
            cost += 1.0
        if sign == _LOWER:
            cost += _cost_of_word(capital + length)
        elif sign == _LINE:
            cost += _LINES
        elif sign != _FOREIGN and (sign != _UPPER or length > 1):
            cost += max(1.0, length / _SHARING[sign])
        capital = int(sign == _UPPER and length == 1)
    return cost + capital


def _cost_of_word(letters: int) -> float:
    beyond = max(0, letters - _LONG_WORD) / _LONG_WORD_LETTERS
    return max(1.0, letters / _LETTERS) + beyond


_costs = _Costs()


def estimate(text: str) -> int:
    """The tokens a text costs, rounded up; 0 for none."""
    return rounded(weight(text))


def rounded(weight: float) -> int:
    """A weight, or a sum of weights, as whole tokens with the margin."""
    return math.ceil(weight * MARGIN)


def weight_of_lines(lines: Iterable[str]) -> float:
    """The unrounded cost of lines, each with the newline that ends it."""
    return sum(weight(line) + LINE_END for line in lines)


def weight(text: str) -> float:
    """The unrounded cost before the margin; a text costs at most the sum of its lines."""
    cost = 0.0
    if not text.isascii():
        for letter in set(text):
            if letter > "\x7f":
                code = ord(letter)
                rate = next(rate for last, rate in _RANGES if code <= last)
                cost += rate * text.count(letter)
    shape = text.encode("utf-8", "replace").translate(_SHAPES).decode("ascii")
    if "  " in shape:
        cost += _SPACES * _wide_gaps(shape)
    return cost + sum(map(_costs.__getitem__, shape.split(_SPACE)))


def _wide_gaps(shape: str) -> int:
    """How often two or more spaces follow one another."""
    return sum(sign == _SPACE and len(list(run)) > 1 for sign, run in groupby(shape))


def word_pieces(text: str) -> int:
    """About how many tokens an embedding model makes of a text, rather too many than too few.

    Adds up over texts joined at white space, which `estimate` does not.
    """
    import re

    return sum(1 + (len(word) - 1) // PIECE_CHARACTERS for word in re.findall(_PIECE_LIKE, text))
