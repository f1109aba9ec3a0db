"""A question in the spelling of what is remembered: asked where nothing answers as it was typed."""

from __future__ import annotations

from recairn.core.words import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Shorter words are near too many others.
_LONG = 5  # letters


def respelled(question: str, texts: Iterable[str]) -> str:
    """The question with each word that no text holds as the one word of theirs which a single slip
    makes of it: a letter too many, too few, wrong, or two in each other's place. "" without any."""
    vocabulary: dict[str, int] = {}
    for text in texts:
        for word in words(text):
            vocabulary[word] = vocabulary.get(word, 0) + 1
    odd = [word for word in words(question) if _is_odd(word, vocabulary)]
    found = {word: _meant(word, vocabulary) for word in odd}
    if not any(found.values()):
        return ""
    return " ".join(_in_place(piece, found) for piece in question.split())


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
