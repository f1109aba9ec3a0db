"""What of a long text a reranker reads: how it begins, and where most of the question stands.

The window of our own has room for some ninety tokens beside a question. Of a long text the
beginning says what it is about, and seldom the answer.
"""

from __future__ import annotations

import re

from recairn.core.words import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Characters up to which a text is read from its beginning: an abstract, a report. What the
# reranker learnt from was seldom longer, and there a passage gains nothing.
_SHORT = 1_000
# Characters that are looked through for a passage.
_MOST = 20_000
# Characters of English text for each token, on the safe side.
_CHARACTERS_PER_TOKEN = 4.2
# The share of the room that the beginning takes at most.
_BEGINNING = 0.35
# What a word such as "my" or "did" counts beside another.
_STOP_WORD = 0.25
# Letters by which forms of a word are the same: retry, retries, retrying.
_STEM = 6
_SENTENCE_END = r"(?<=[.!?:;])\s+|(?<=[\u3002\uff01\uff1f])|\n+"
# Characters of a sentence: what goes on longer is cut, as a log or a list without a full stop is.
_SENTENCE = 240


def passages(question: str, texts: Sequence[str], room: int) -> list[str]:
    """What is to be read of each text in so many tokens."""
    longest = int(room * _CHARACTERS_PER_TOKEN)
    short = max(_SHORT, longest)
    if all(len(text) <= short for text in texts):
        return list(texts)
    asked = {word[:_STEM]: _STOP_WORD if word in STOP_WORDS else 1.0 for word in words(question)}
    return [text if len(text) <= short else _passage(text, asked, longest) for text in texts]


def _passage(text: str, asked: Mapping[str, float], longest: int) -> str:
    """The beginning, and the text from the sentence on after which most of the question comes."""
    sentences = _sentences(text[:_MOST])
    held = [{word[:_STEM] for word in words(sentence)} & asked.keys() for sentence in sentences]
    beginning = sentences[0][: int(longest * _BEGINNING)] if sentences else ""
    best, start = 0.0, 0
    for number, own in enumerate(held):
        if number and not own:
            continue
        left = longest - (len(beginning) if number else 0)
        read = set(held[0])
        for at in range(number, len(sentences)):
            left -= len(sentences[at])
            if left < 0 and at > number:
                break
            read |= held[at]
        worth = sum(asked[stem] for stem in read)
        if worth > best:
            best, start = worth, number
    return "\n".join([beginning, *sentences[start:]]) if start else text


def _sentences(text: str) -> list[str]:
    pieces = [piece for piece in re.split(_SENTENCE_END, text) if not piece.isspace()]
    return [
        piece[begin : begin + _SENTENCE]
        for piece in pieces
        for begin in range(0, len(piece), _SENTENCE)
    ]
