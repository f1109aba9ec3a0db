"""Two texts about one thing as one text: what both say is said once, in the newer words."""

from __future__ import annotations

from recairn.core.derived import near_duplicate
from recairn.core.words import normalised, words

# From this share of common words on two sentences say the same; less than two whole texts need,
# for one other word of nine is enough to stutter.
_SAME = 0.7
_ENDS = (".", "!", "?", ":", ";", "\u3002")


def sentences(text: str) -> list[str]:
    """The sentences of a text; a line ends one too."""
    import re

    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]


def joined_sentences(old: str, new: str) -> str:
    """The old text with what is new in the new one.

    A sentence that says what an old one says takes its place; one whose words all stand in an old
    one adds nothing. Sentences that differ in a number or a denial say different things.
    """
    text, additions = old, []
    for sentence in sentences(new):
        if normalised(sentence) in normalised(text):
            continue
        same = _same(sentence, sentences(old))
        if not same:
            additions.append(sentence)
        elif not set(words(sentence)) <= set(words(same)):
            text = text.replace(same, _ended_like(sentence, same), 1)
    if not additions:
        return text
    if "\n" in old.strip() or "\n" in new.strip():
        return f"{text.rstrip()}\n\n" + "\n".join(additions)
    first = text.rstrip()
    return " ".join([first if first.endswith(_ENDS) else f"{first}.", *additions])


def _same(sentence: str, others: list[str]) -> str:
    """The sentence most like another one, if one says the same."""
    shares = [(near_duplicate(sentence, other), other) for other in others]
    best, other = max(shares, default=(0.0, ""))
    return other if best >= _SAME else ""


def _ended_like(sentence: str, other: str) -> str:
    """The sentence with the full stop that the other one has, or has not."""
    bare = sentence.rstrip(".")
    return f"{bare}." if other.endswith(".") else bare
