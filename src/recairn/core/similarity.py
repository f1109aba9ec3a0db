"""Look-alikes: finding near-duplicates and contradictions without comparing everything.

Each memory gets a few integer keys made from its subject words. Two texts that share most words
share at least one key, so an index on the keys yields the candidates; word overlap decides.
"""

from __future__ import annotations

from itertools import pairwise
from zlib import crc32

from recairn.core.regex import compiled
from recairn.core.words import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# At or above this share of common words two texts are near-duplicates (Lore's figure).
NEAR_DUPLICATE = 0.8
# Opposed statements share a subject, not a wording.
SAME_SUBJECT = 0.6

# Keys are pairs of neighbours among the longest words: long words are rare, so few strangers share
# a pair, and hardly any two of them. Two texts of overlap .8 share fewer than two of the nine pairs
# of ten words in .3 % of cases.
_SKETCH = 10
_LEAST = 2
_MANY_KEYS = 5  # with fewer keys, one in common must do
_LONG = 6  # letters; where enough words are longer, the others need no sorting

_NEGATIONS = frozenset(
    "not no never don doesn didn isn aren wasn won shouldn mustn cannot without avoid".split()
)
_OPPOSITES = (
    ("always", "never"),
    ("use", "avoid"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("allow", "deny"),
    ("allowed", "forbidden"),
    ("on", "off"),
    ("true", "false"),
    ("required", "optional"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("before", "after"),
    ("with", "without"),
    ("include", "exclude"),
    ("accept", "reject"),
    ("keep", "remove"),
    ("add", "remove"),
    ("should", "shouldn"),
    ("must", "mustn"),
)
_POLAR = frozenset(word for pair in _OPPOSITES for word in pair) | _NEGATIONS
_LITTLE = STOP_WORDS | _POLAR

# A number that states a value ("timeout is 30 s", "port 5432"), not one that counts items.
_VALUE = (
    r"(?:\b(?:is|are|to|at|port|version|timeout|limit|max|min|maximum|minimum|default)|[=:])"
    r"\s*v?(\d[\d.]*)"
)
# Wherever it stands: a share, an amount of something measured, a version.
_AMOUNT = (
    r"(?<![\w.-])v?(\d[\d.,]*)(?=\s*%|\s?(?:percent|ms|s|sec|seconds?|minutes?|hours?|days?|weeks?|"
    r"months?|years?|bytes?|[kmgt]i?b|times|retries|attempts|threads|workers|replicas|lines|"
    r"characters|tokens|columns)\b)|(?<![\w.-])v?(\d+\.\d[\d.]*)(?![\w-])"
)
# Of words that two sentences share which differ in nothing but such a number.
_SAME_BUT_FOR_A_NUMBER = 0.75
_MOST_VALUES = 3


def subject_words(found_words: set[str]) -> set[str]:
    """The words that say what a text is about: no stop words, negations, or bare numbers."""
    return {word for word in found_words - _LITTLE if not word.isdigit()}


def look_alike_keys(found_words: Sequence[str], salt: int) -> list[int]:
    """Index keys under which near-duplicates of a text are found; `salt` keeps projects apart."""
    long = {word for word in found_words if len(word) > _LONG} - _LITTLE
    if len(long) < _SKETCH:
        unique = set(found_words)
        long = unique - _LITTLE or unique
    longest = sorted(long)
    longest.sort(key=len, reverse=True)
    del longest[_SKETCH:]
    pairs = pairwise(longest) if len(longest) != 1 else [(longest[0], "")]
    return [crc32(f"{first} {second}".encode(), salt) for first, second in pairs]


def least_shared(keys: int) -> int:
    """How many common keys two texts have at least that may be look-alikes, if one has so many."""
    return _LEAST if keys >= _MANY_KEYS else 1


def overlap(one: set[str], other: set[str]) -> float:
    """Jaccard similarity: shared words over all words."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def near_duplicate(one: str, other: str) -> float:
    """Their word overlap when one says what the other says; 0 when they differ in what matters.

    Texts that differ in a number ("timeout 30", "timeout 60") or a denial are different statements.
    """
    return alikeness(set(words(one)), set(words(other)))


def alikeness(first: set[str], second: set[str]) -> float:
    """The same, of texts whose words are at hand."""
    if any(not word.isalpha() for word in first ^ second) or _opposed(first, second):
        return 0.0
    return overlap(first, second)


def contradiction(one: str, other: str) -> str:
    """Why two texts seem to oppose each other, or nothing."""
    return opposition((one, set(words(one))), (other, set(words(other))))


def opposition(said: tuple[str, set[str]], stored: tuple[str, set[str]]) -> str:
    """The same, of texts whose words are at hand."""
    (one, first), (other, second) = said, stored
    shared = overlap(subject_words(first), subject_words(second))
    if shared < SAME_SUBJECT:
        return ""
    opposed = _opposed(first, second)
    if opposed:
        return opposed
    if not (any(map(str.isdigit, one)) and any(map(str.isdigit, other))):
        return ""  # nothing to compare, and nothing to load for it
    values = compiled(_VALUE)
    here_values, there_values = values.findall(one.lower()), values.findall(other.lower())
    if len(here_values) == len(there_values) == 1 and here_values != there_values:
        return f"{here_values[0]} against {there_values[0]}"
    if shared < _SAME_BUT_FOR_A_NUMBER:
        return ""
    here_values, there_values = _amounts(one), _amounts(other)
    if 0 < len(here_values) == len(there_values) <= _MOST_VALUES:
        pairs = zip(here_values, there_values, strict=True)
        return next((f"{here} against {there}" for here, there in pairs if here != there), "")
    return ""


def _amounts(text: str) -> list[str]:
    """The numbers in it that measure something, without the signs around them."""
    found = [counted or version for counted, version in compiled(_AMOUNT).findall(text.lower())]
    return [number.replace(",", "").rstrip(".") for number in found]


def _opposed(first: set[str], second: set[str]) -> str:
    """In which words one text takes the opposite side of the other, or nothing."""
    only_first, only_second = first - second, second - first
    for positive, negative in _OPPOSITES:
        for here, there in ((positive, negative), (negative, positive)):
            if here in only_first and there in only_second:
                return f"{here!r} against {there!r}"
    if bool(only_first & _NEGATIONS) != bool(only_second & _NEGATIONS):
        return "one of them denies it"
    return ""
