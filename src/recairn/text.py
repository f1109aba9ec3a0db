"""Words: tokenising, identifier splitting, and what a question asks the full-text index.

Pure functions over text. The full-text index splits on everything that is neither letter nor digit
and stems (porter unicode61); the functions here agree with it on where a word ends.
"""

from __future__ import annotations

import re

from recairn.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_WORD = re.compile(r"[^\W_]+")
# parseHTTPHeader → parse, HTTP, Header; utf8 → utf, 8
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_QUOTED = re.compile(r'"([^"]{2,200})"')

# Private-use characters mark a matched word until the surface has escaped the text around it.
MARK_ON, MARK_OFF = "\ue000", "\ue001"
SNIPPET_WORDS = 28

# ASCII text goes through tables of 256 bytes, three times as fast as a regular expression.
_WORD_BYTES = bytes(
    ord(chr(byte).lower()) if chr(byte).isascii() and chr(byte).isalnum() else 32
    for byte in range(256)
)
_SHAPE_BYTES = bytes(
    ord("A" if 65 <= byte <= 90 else "a" if 97 <= byte <= 122 or byte >= 128 else " ")
    for byte in range(256)
)

# A question longer than this is cut for matching: what follows adds cost, not meaning.
MAX_QUERY_CHARACTERS = 4000
MAX_QUERY_WORDS = 48
_SHORT_QUESTION = 3  # words

# Words that say nothing about the subject of a question, question words included. They leave the
# query, never the index: removing them there too lost .05 nDCG@10 on dialogue.
STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren as at be because been before
    being below between both but by can cannot could couldn d did didn do does doesn doing don down
    during each else ever few for from further get got had hadn has hasn have haven having he her
    here hers herself him himself his how i if in into is isn it its itself just let ll m ma me
    might more most much must mustn my myself need no nor not now o of off on once one only or other
    our ours ourselves out over own please re s same shall shan she should shouldn so some such t
    tell than that the their theirs them themselves then there these they this those through to too
    under until up us very was wasn we were weren what when where which while who whom whose why
    will with won would wouldn you your yours yourself yourselves
    """.split()
)


@record
class Plan:
    """What a question asks for: its telling words in order, whole phrases, and a possible prefix.

    A word asked twice stays twice: dropping repetitions cost .04 nDCG@10 on long questions.
    """

    text: str
    words: tuple[str, ...]
    phrases: tuple[str, ...]
    prefix: str


def words(text: str) -> list[str]:
    """The lower-case words of a text, in order."""
    if text.isascii():
        return text.encode().translate(_WORD_BYTES).decode().split()
    return _WORD.findall(text.lower())


def split_identifier(name: str) -> list[str]:
    """The lower-case parts of a camel-case or digit-bearing name: `parseHTTPHeader` gives three."""
    return [part.lower() for part in _HUMP.findall(name)]


def is_camel(word: str) -> bool:
    return _CAMEL.search(word) is not None


def mixed_case(text: str) -> str:
    """The pieces of a text with capitals inside, not only in front: few, worth a closer look."""
    shape = text.encode("utf-8", "replace").translate(_SHAPE_BYTES)
    if shape.count(b"A") == shape.count(b" A") + shape.startswith(b"A"):
        return ""
    return " ".join([piece for piece in text.split() if not (piece.islower() or piece.istitle())])


def identifier_words(text: str) -> str:
    """The parts of all camel-case names in a text, for the column that makes them findable."""
    if _CAMEL.search(text) is None:
        return ""
    parts: dict[str, None] = {}
    for word in _WORD.findall(text):
        if _CAMEL.search(word) is not None:
            parts.update(dict.fromkeys(split_identifier(word)))
    return " ".join(parts)


def understand(query: str) -> Plan:
    """The plan of a question; any string has one, and an empty plan matches nothing."""
    text = query[:MAX_QUERY_CHARACTERS]
    found = _WORD.findall(text)
    kept: list[str] = []
    for word in found:
        lower = word.lower()
        if lower not in STOP_WORDS:
            kept.append(lower)
            if is_camel(word):
                kept.extend(part for part in split_identifier(word) if len(part) > 1)
    if not kept:
        kept = [word.lower() for word in found]
    phrases = tuple(" ".join(_WORD.findall(quoted.lower())) for quoted in _QUOTED.findall(text))
    return Plan(
        text=query,
        words=tuple(kept)[:MAX_QUERY_WORDS],
        phrases=tuple(phrase for phrase in phrases if " " in phrase),
        prefix=_prefix(text, found),
    )


def _prefix(text: str, found: Sequence[str]) -> str:
    """The last word of a short question when it may be unfinished: nothing typed after it.

    In longer questions a prefix brings strangers (-.005 nDCG@10) and the word is finished anyway.
    """
    if not 0 < len(found) <= _SHORT_QUESTION or not text.endswith(found[-1]):
        return ""
    last = found[-1].lower()
    return last if len(last) >= 3 and last not in STOP_WORDS else ""


def quote(word: str) -> str:
    """A string the full-text engine takes as text, never as syntax."""
    return '"' + word.replace('"', '""') + '"'


def match_expression(plan: Plan, chosen: Sequence[str]) -> str:
    """The three tiers as one full-text expression: phrase, nearness, any of the chosen words.

    A row that holds the phrase matches all three tiers and so scores highest under BM25.
    """
    tiers = [quote(phrase) for phrase in plan.phrases]
    if 2 <= len(chosen) <= 6:
        together = " ".join(quote(word) for word in chosen)
        tiers.append(quote(" ".join(chosen)))
        tiers.append(f"NEAR({together}, 10)")
    tiers.extend(quote(word) for word in chosen)
    if plan.prefix and plan.prefix in chosen:
        tiers.append(quote(plan.prefix) + "*")
    return " OR ".join(tiers)


def snippet(
    text: str, terms: Sequence[tuple[int, int, str]], wanted: Collection[str], prefix: str
) -> str:
    """The window of a text that holds most of the wanted terms, these marked.

    `terms` are the index terms of the text with their byte offsets; without a wanted one the
    snippet is the beginning of the text.
    """
    found = [
        index
        for index, (_, _, term) in enumerate(terms)
        if term in wanted or (prefix and term.startswith(prefix))
    ]
    first = _best_window(found, terms)
    last = min(len(terms), first + SNIPPET_WORDS)
    data = text.encode()
    begin = terms[first][0] if first else 0
    end = terms[last][0] if last < len(terms) else len(data)
    pieces: list[str] = []
    at = begin
    for index in found:
        if first <= index < last:
            start, stop, _ = terms[index]
            pieces += (data[at:start].decode(), MARK_ON, data[start:stop].decode(), MARK_OFF)
            at = stop
    pieces.append(data[at:end].decode())
    joined = " ".join("".join(pieces).split())
    return ("…" if begin else "") + joined + ("…" if end < len(data) else "")


def _best_window(found: Sequence[int], terms: Sequence[tuple[int, int, str]]) -> int:
    """The first word of the window that holds most different wanted terms, with a little before."""
    best, start = 0, 0
    for index in found:
        inside = {terms[each][2] for each in found if index <= each < index + SNIPPET_WORDS - 2}
        if len(inside) > best:
            best, start = len(inside), index
    if len(terms) <= SNIPPET_WORDS:
        return 0
    return max(0, min(start - 2, len(terms) - SNIPPET_WORDS))


def one_line(text: str, length: int) -> str:
    """The text on one line, cut at a word end and marked with … when longer than `length`."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    cut = flat.rfind(" ", length // 2, length - 1)
    return flat[: cut if cut > 0 else length - 1].rstrip(" ,;:.") + "…"


def normalised(text: str) -> str:
    """What decides whether two memories say the same: case and white space do not count."""
    return " ".join(text.lower().split())
