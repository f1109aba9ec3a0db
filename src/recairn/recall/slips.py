"""A question in the spelling of what is remembered: asked where nothing answers as it was typed."""

from __future__ import annotations

from recairn.core.words import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Shorter words are near too many others.
_LONG = 5  # letters


def respelled(question: str, texts: Iterable[str]) -> str:
    """The question with what no text holds as the texts have it; "" where nothing is like it.

    That is a name which they write in one (`pg bouncer`, `V.A.T.`) or in two (`pgbouncer`), or the
    one word which a single slip makes of another: a letter too many, too few, wrong, or two in each
    other's place."""
    vocabulary: dict[str, int] = {}
    lines = []
    for text in texts:
        found = words(text)
        lines.append(" ".join(found))
        for word in found:
            vocabulary[word] = vocabulary.get(word, 0) + 1
    asked = question.split()
    pieces = _in_one(asked, vocabulary)
    told = f" {'  '.join(lines)} "  # no word of one text follows the last one of another
    odd = [word for word in words(" ".join(pieces)) if word not in vocabulary]
    meant = {word: _in_two(word, told, vocabulary) for word in odd if word.isalpha()}
    for word in odd:
        if not meant.get(word) and _is_odd(word, vocabulary):
            meant[word] = _meant(word, vocabulary)
    pieces = [_in_place(piece, meant) for piece in pieces]
    return " ".join(pieces) if pieces != asked else ""


def _in_one(pieces: list[str], vocabulary: Mapping[str, int]) -> list[str]:
    """The pieces, with those together that the texts write as one word."""
    together: list[str] = []
    for piece in pieces:
        if len(words(piece)) > 1 and _one_word(piece, vocabulary):
            piece = _bare(piece)
        before = together[-1] if together else ""
        if len(words(before)) == len(words(piece)) == 1 and not STOP_WORDS.issuperset(
            (*words(before), *words(piece))
        ):
            joined = _bare(before + piece)
            if len(joined) >= _LONG and _one_word(joined, vocabulary):
                together[-1] = joined
                continue
        together.append(piece)
    return together


def _one_word(piece: str, vocabulary: Mapping[str, int]) -> bool:
    joined = _bare(piece).lower()
    return joined in vocabulary and not joined.isdigit() and joined not in STOP_WORDS


def _bare(piece: str) -> str:
    return "".join([sign for sign in piece if sign.isalnum()])


def _in_two(word: str, told: str, vocabulary: Mapping[str, int]) -> str:
    """The word in the two words, or as the single letters, that stand for it in the texts."""
    letters = " ".join(word)
    if 1 < len(word) <= _LONG and f" {letters} " in told:
        return ".".join(word)
    if len(word) < _LONG:
        return ""
    for end in range(2, len(word) - 1):
        one, two = word[:end], word[end:]
        if one in vocabulary and two in vocabulary and f" {one} {two} " in told:
            return f"{one} {two}"
    return ""


def _is_odd(word: str, vocabulary: dict[str, int]) -> bool:
    if len(word) < _LONG or not word.isalpha() or word in STOP_WORDS:
        return False
    bare = word if word.endswith("ss") else word.removesuffix("s")
    forms = word, f"{word}s", bare, word.removesuffix("es")
    return not any(form in vocabulary for form in forms)


def _meant(word: str, vocabulary: dict[str, int]) -> str:
    """The most frequent word that one slip makes of this; people seldom miss the first letter."""
    near = [
        known
        for known in vocabulary
        if known[0] == word[0]
        and (_one_slip(word, known) or (known[-1] == "s" and _one_slip(word, known[:-1])))
    ]
    return max(near, key=lambda known: (vocabulary[known], known), default="")


def _one_slip(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, others = one[start:], other[start:]
    if rest[1:] == others or rest == others[1:] or rest[1:] == others[1:]:
        return True
    return len(rest) > 1 and rest[1::-1] + rest[2:] == others


def _in_place(piece: str, found: dict[str, str]) -> str:
    """A piece of the question with its word in the other spelling."""
    for word, meant in found.items():
        at = piece.lower().find(word)
        if meant and at >= 0:
            return piece[:at] + meant + piece[at + len(word) :]
    return piece
