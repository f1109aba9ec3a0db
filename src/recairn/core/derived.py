"""What follows from the words of a memory: sector, concepts, index columns, look-alike keys.

Made once at the write door, and again by the store whenever the words change. Pure.
"""

from __future__ import annotations

from _blake2 import blake2b  # where hashlib has it from, which loads a library of ciphers
from itertools import pairwise
from zlib import crc32

from recairn.core.kinds import KINDS, fields_text, reach_tokens
from recairn.core.lazy import compiled
from recairn.core.memory_text import joined_text
from recairn.core.scopes import is_file_name
from recairn.core.times import date_words
from recairn.core.words import STOP_WORDS, indexed, normalised, one_kind_of_space, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


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
# Letters; where enough words are longer, the others need no sorting. Of many words enough are.
_LONG, _VERY_LONG, _MANY_WORDS = 6, 9, 150

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
    letters = _VERY_LONG if len(found_words) > _MANY_WORDS else _LONG
    long = {word for word in found_words if len(word) > letters} - _LITTLE
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
    shared = len(one & other)
    union = len(one) + len(other) - shared
    return shared / union if union else 1.0


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
    amounts = [counted or version for counted, version in compiled(_AMOUNT).findall(text.lower())]
    return [number.replace(",", "").rstrip(".") for number in amounts]


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


# Words that speak for a sector. Ties go to the earlier sector, as in ccmemory.
_SECTOR_WORDS = {
    "emotional": "prefer prefers preferred preference like likes love loves hate hates enjoy "
    "annoyed annoying frustrated frustrating happy favourite favorite dislike dislikes wants",
    "reflective": "decided decision because learned realised realized lesson insight turns should "
    "tradeoff rationale conclusion better instead chose chosen reason therefore mistake",
    "episodic": "today yesterday tomorrow ago session meeting happened happen morning week "
    "deployed fixed shipped merged released broke failed crashed started finished completed",
    "procedural": "run use always never install deploy build first then step steps command create "
    "configure how execute call set restart migrate ensure make before after avoid",
}
_SECTOR_OF = {word: sector for sector, line in _SECTOR_WORDS.items() for word in line.split()}
_ORDER = tuple(_SECTOR_WORDS)

_BACKTICKED = r"`([^`\n]{2,80})`"
_PATH = r"(?<![\w:/.])~?\.{0,2}/?(?:[\w.@+-]+/)+[\w.@+-]+|\b[\w-]+\.[a-z]{1,4}\b"
_CAMEL = r"\b(?:[A-Z][a-z0-9]+){2,}\b|\b[a-z]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Z]{2,}[a-z]+\w*"
_SNAKE = r"\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b"
# A longer piece without a space is data, not a path; and a listing of paths is not about them all.
_LONGEST_PATH = 200
_MANY_PATHS = 100

MAX_CONCEPTS = 20  # ccmemory's figure; what a text names first names it best


def guess_sector(found_words: Iterable[str]) -> str:
    """The sector whose words occur most often; semantic when none do."""
    speaking = [_SECTOR_OF[word] for word in found_words if word in _SECTOR_OF]
    if not speaking:
        return "semantic"
    return max(_ORDER, key=speaking.count)


def concepts(text: str, mixed: str) -> tuple[str, ...]:
    """The things a text names: `backticked` code, paths, CamelCase and snake_case names.

    `mixed` is `words.mixed_case(text)`, where alone a name in code can be.
    """
    noticed: dict[str, None] = {}
    if "`" in text:
        noticed.update(
            dict.fromkeys(match.strip() for match in compiled(_BACKTICKED).findall(text))
        )
    if "/" in text or _has_inner_dot(text):
        paths = compiled(_PATH).findall(" ".join(_like_paths(text)[:_MANY_PATHS]))
        noticed.update(dict.fromkeys(filter(_is_path, paths)))
    if mixed:
        if "_" in mixed:
            noticed.update(dict.fromkeys(compiled(_SNAKE).findall(mixed)))
        noticed.update(dict.fromkeys(compiled(_CAMEL).findall(mixed)))
    noticed.pop("", None)
    return tuple(noticed)[:MAX_CONCEPTS]


def _like_paths(text: str) -> list[str]:
    """The pieces of a text that hold a slash, or a full stop elsewhere than at their end."""
    pieces: dict[int, str] = {}
    spaced = one_kind_of_space(text)
    for sign in "/.":
        at = text.find(sign)
        while at >= 0:
            end = at + 1
            if sign == "/" or spaced[end : end + 1].strip():
                start, end = spaced.rfind(b" ", 0, at) + 1, spaced.find(b" ", at)
                end = end if end >= 0 else len(text)
                if end - start <= _LONGEST_PATH:
                    pieces[start] = text[start:end]
            at = text.find(sign, end)
    return [pieces[start] for start in sorted(pieces)]


def _has_inner_dot(text: str) -> bool:
    """Whether a full stop stands elsewhere than at the end of a sentence or a line."""
    dots = text.count(".") - text.endswith(".")
    return dots > 0 and dots > text.count(". ") + text.count(".\n")


def _is_path(candidate: str) -> bool:
    return "/" in candidate or is_file_name(candidate)


# The spelled-out date is part of every memory's text: day, month, year, weekday.
_DATE_WORDS = 4

# A document may say one thing twice, and a memory may quote it: its chunks resemble nothing.
ALONE = "chunk"


def derived(text: str, text_words: Sequence[str]) -> dict[str, Any]:
    """What is read out of a memory's whole text, which comes with its words."""
    in_code, idents, length = indexed(text, text_words)
    return {
        "concepts": concepts(text, in_code),
        "idents": idents,
        "words": length + _DATE_WORDS,
        "content_hash": content_hash(text),
    }


def text_columns(title: str, content: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from a memory's text."""
    details = fields_text(fields) if fields else ""
    text = joined_text(title, content, details)
    return {"details": details, **derived(text, words(text))}


def following(row: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that change with those of a row: what its words, readers and date lead to."""
    changed = changes.keys()
    columns: dict[str, Any] = {}
    if not changed.isdisjoint(("title", "content", "fields")):
        columns.update(text_columns(row["title"], row["content"], row["fields"]))
    if not changed.isdisjoint(("tier", "project", "session_id")):
        columns["reach"] = reach_tokens(row["tier"], row["project"], row["session_id"])
    if "created_at" in changed:
        columns["dates"] = date_words(row["created_at"])
    return columns


def keys_of_row(row: Mapping[str, Any]) -> list[int]:
    """The look-alike keys of a row: of its words, its name and its readers."""
    if row["kind"] == ALONE:
        return []
    return text_keys(words(joined_text(row["title"], row["content"], row["details"])), row)


def text_keys(text_words: Sequence[str], row: Mapping[str, Any]) -> list[int]:
    """The same where the words of the text are at hand; the last is that of the very same text.

    What goes by a name has a key of it, the same as that of a text which says nothing else. The
    salt keeps memories with different readers apart.
    """
    salt = crc32(row["reach"].encode())
    keys = look_alike_keys(text_words, salt)
    if KINDS[row["kind"]].named:
        alone = not (row["title"] or row["details"])  # then the name is all that the text says
        name = name_of(row["title"], row["content"])
        keys.append(_hash_key(row["content_hash"] if alone else content_hash(name), salt))
    keys.append(_hash_key(row["content_hash"], salt))
    return keys


def _hash_key(hashed: str, salt: int) -> int:
    return int(hashed[:15], 16) ^ salt


def name_of(title: str, content: str) -> str:
    """What a memory of a named kind goes by."""
    return title or content


def content_hash(text: str) -> str:
    """Equal for texts that differ only in case and white space."""
    return blake2b(normalised(text).encode(), digest_size=16).hexdigest()
