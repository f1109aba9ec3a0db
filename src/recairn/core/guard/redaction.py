"""Finds secrets by shape and by context, and replaces their values.

Finding is two questions asked in one pass. What a token looks like answers alone
(`shapes`); what stands before a value answers for the rest (`contexts`). Where both
answer, the shape wins, because it keeps the telling prefix.
"""

from __future__ import annotations

import re

from recairn.core.guard.contexts import find_in_context
from recairn.core.guard.encodings import find_base64, find_cut, find_escaped, plain_width
from recairn.core.guard.seed_phrases import find_seed_phrases
from recairn.core.guard.shapes import (
    DISCORD_ID_LENGTHS,
    DISCORD_KIND,
    DISCORD_TOKEN,
    HASHES,
    LDAP_HASH,
    PRIVATE_KEY_BODY,
    PRIVATE_KEY_HEADER,
    PRIVATE_KEY_KIND,
    SHAPES,
    VENDOR_PREFIXES,
)
from recairn.core.guard.values import MARK, compiled, is_made_up, is_monotonous, looks_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recairn.core.guard.shapes import Shape
    from recairn.core.guard.values import Span

# Every shape has this many token characters in a row; ordinary prose hardly ever does.
_RUN_LENGTH = 20
_RUN = b"a" * _RUN_LENGTH
_TOKEN_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-~"
_RUN_MAP = bytes(ord("a") if code in _TOKEN_BYTES else ord(" ") for code in range(256))
_DIGITS = b"0123456789"
_HEXADECIMAL = b"0123456789abcdef-"
# How far before a run its announcing literal may begin: Airtable's 17 characters and a full stop.
_LEAD = 18
# A PEM block of a 16384-bit RSA key has about 13,000 characters.
_LONGEST_KEY = 20_000

_SHAPE_OF: dict[str, Shape] = {trigger: row for row in SHAPES for trigger in row[1]}
# Announcing literals under their first signs: one look at a window rules out nearly all of them.
_HEAD = 3
_HEADS: dict[str, list[str]] = {}
for _trigger in _SHAPE_OF:
    _HEADS.setdefault(_trigger[:_HEAD], []).append(_trigger)
_BRIEF = tuple(trigger for trigger in _SHAPE_OF if len(trigger) < _HEAD)
# Long base64 begins with these; a slash among the first signs hides it from the look for runs.
_LONG = ("IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "ABSK", "bedrock-api-key-")
# The secret that belongs to an access key has 40 signs of base64 and stands near it.
_NEAR = 300
_AWS_SECRET = r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])"
_HEAD_SET = frozenset(_HEADS)
# Before a run of hexadecimal digits these may part it from what announces it.
_PARTS = (".", ":", "/", "$")
_HASH_OF: dict[str, Shape] = {trigger: row for row in HASHES for trigger in row[1]}

# Keys printed in vendors' manuals and tutorials; written in pieces so that no scanner takes this
# file for a leak. The word EXAMPLE in a value is enough by itself (see _is_allowed).
_DOCUMENTED = frozenset(
    {
        # the emulator of Azure storage
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsu"
        + "Fq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        # the introduction to JSON web tokens
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
        + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ."
        + "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        # Stripe's quick start
        "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_" + "BQokikJOvBiI2HlWgH4olfQ2",
    }
)


def redact_secrets(text: str, allow: Iterable[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The text with secret values replaced, and the kinds found in order of appearance."""
    spans = _find(text)
    if not spans:
        return text, ()
    literals, patterns = _read_allow_list(allow)
    kinds: dict[str, None] = {}
    # A replaced value leaves brackets behind, which may end a neighbour's token: look again until
    # nothing is left. Each round replaces characters that are not the mark, so it comes to an end.
    while spans:
        wanted = [
            span
            for span in spans
            if text[span[0] : span[1]] != MARK and not _is_allowed(text, span, literals, patterns)
        ]
        for span in wanted:
            kinds.setdefault(span[2])
        if not wanted:
            break
        text = _replace(text, wanted)
        spans = _find(text)
    return text, tuple(kinds)


def _find(text: str) -> list[Span]:
    """All secrets, also those in another spelling."""
    if not text.isascii():
        text = plain_width(text)
    spans = _find_plain(text)
    runs = text.encode("ascii", "replace").translate(_RUN_MAP)
    other: list[Span] = []
    if "%" in text:
        other.extend(find_escaped(text, _find_plain))
    if _RUN in runs:
        other.extend(find_base64(text, _find_plain))
        if "\n" in text:
            other.extend(find_cut(text, _find_shaped))
    other.extend(find_seed_phrases(text))
    return sorted(spans + _apart_from(_join(other), spans)) if other else spans


def _find_shaped(text: str) -> list[Span]:
    raw = text.encode("ascii", "replace")
    return list(_find_shapes(text, raw, raw.translate(_RUN_MAP)))


def _find_plain(text: str) -> list[Span]:
    raw = text.encode("ascii", "replace")
    shaped: list[Span] = []
    runs = raw.translate(_RUN_MAP)
    if _RUN in runs:
        shaped.extend(_find_shapes(text, raw, runs))
    if "$" in text:
        for trigger, row in _HASH_OF.items():
            if trigger in text:
                shaped.extend(_matches(text, trigger, row))
    if "SHA}" in text:
        shaped.extend(_matches(text, "SHA}", LDAP_HASH))
    for trigger in _LONG:
        if trigger in text:
            shaped.extend(_matches(text, trigger, _SHAPE_OF[trigger]))
    shaped.extend(_beside_access_keys(text, shaped))
    if "PRIVATE KEY" in text:
        shaped.extend(_find_private_keys(text))
    contextual = find_in_context(text, raw.lower().decode())
    if not shaped:
        return _join(contextual) if contextual else shaped
    shaped = _join(shaped)
    return sorted(shaped + _apart_from(_join(contextual), shaped))


def _find_shapes(text: str, raw: bytes, runs: bytes) -> Iterator[Span]:
    end = 0
    while (start := runs.find(_RUN, end)) >= 0:
        end = runs.find(b" ", start)
        end = len(runs) if end < 0 else end
        if _may_be_token(raw[start:end]) or text[start - 1 : start] in _PARTS:
            yield from _shapes_near(text, max(0, start - _LEAD), end)
            if text[end : end + 1] == ".":
                yield from _discord_token(text, end)


def _shapes_near(text: str, start: int, end: int) -> Iterator[Span]:
    window = text[start : end + 1]
    heads = [window[at : at + _HEAD] for at in range(len(window))]
    done = 0
    for at, head in enumerate(heads) if not _HEAD_SET.isdisjoint(heads) else ():
        for trigger in _HEADS.get(head, ()) if start + at >= done else ():
            if text.startswith(trigger, start + at):
                for span in _match_at(text, start + at, _SHAPE_OF[trigger]):
                    done = span[1]
                    if _is_token(text, span, trigger):
                        yield span
    for trigger in _BRIEF:
        at = window.find(trigger)
        while at >= 0:
            for span in _match_at(text, start + at, _SHAPE_OF[trigger]):
                if _is_token(text, span, trigger):
                    yield span
                at = max(at, span[1] - start - 1)
            at = window.find(trigger, at + 1)


def _is_token(text: str, span: Span, trigger: str) -> bool:
    body = text[span[0] : span[1]]
    return is_made_up(body) if trigger in VENDOR_PREFIXES else not is_monotonous(body)


def _may_be_token(word: bytes) -> bool:
    """No for snake_case and CONSTANT_CASE without digits, and for bare hashes and UUIDs."""
    if not word.translate(None, _HEXADECIMAL):
        return word.count(b"-") not in (0, 4)
    if len(word.translate(None, _DIGITS)) < len(word):
        return True
    return word.lower() != word and (word.upper() != word or b"_" not in word)


def _beside_access_keys(text: str, shaped: list[Span]) -> list[Span]:
    """The second halves of AWS's pairs of keys, which have no mark of their own."""
    found: list[Span] = []
    for start, end, kind, _ in shaped:
        if kind == "aws-access-key":
            near = compiled(_AWS_SECRET).finditer(text, max(0, start - _NEAR), end + _NEAR)
            for each in near:
                if looks_random(each[0]) and not compiled("[0-9a-f]+").fullmatch(each[0]):
                    found.append((each.start(), each.end(), "aws-secret", each[0]))
    return found


def _discord_token(text: str, stop: int) -> Iterator[Span]:
    for length in DISCORD_ID_LENGTHS:
        found = compiled(DISCORD_TOKEN).match(text, max(0, stop - length))
        if found:
            yield found.start(1), found.end(1), DISCORD_KIND, found[0]
            return


def _matches(text: str, trigger: str, row: Shape) -> Iterator[Span]:
    at = text.find(trigger)
    while at >= 0:
        resume = at + len(trigger)
        for span in _match_at(text, at, row):
            if not is_monotonous(text[span[0] : span[1]]):
                yield span
            resume = max(resume, span[1])
        at = text.find(trigger, resume)


def _match_at(text: str, at: int, row: Shape) -> Iterator[Span]:
    """The match of a shape whose announcing literal stands at a place."""
    kind, _, (fewest, most), source = row
    pattern = compiled(source)
    for start in range(max(0, at - most), at - fewest + 1):
        found = pattern.match(text, start)
        if found:
            yield found.start(1), found.end(1), kind, found[0]
            return


def _find_private_keys(text: str) -> Iterator[Span]:
    body = compiled(PRIVATE_KEY_BODY)
    for header in compiled(PRIVATE_KEY_HEADER).finditer(text):
        start = header.end()
        end = text.find("-----END ", start, start + _LONGEST_KEY)
        if end >= 0 and "-----BEGIN " not in text[start:end]:
            if compiled(r"[A-Za-z0-9+/=]{16}").search(text, start, end):
                yield start, end, PRIVATE_KEY_KIND, text[start:end].strip()
        elif found := body.match(text, start):
            yield start, found.end(), PRIVATE_KEY_KIND, found[0].strip()


def _join(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, overlapping ones made into one under the name of the first."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span[0] < joined[-1][1]:
            start, end, kind, whole = joined[-1]
            joined[-1] = (start, max(end, span[1]), kind, whole)
        else:
            joined.append(span)
    return joined


def _apart_from(spans: list[Span], taken: list[Span]) -> list[Span]:
    """The spans that touch none of the taken ones; both lists are in order."""
    apart: list[Span] = []
    upcoming = 0
    for span in spans:
        while upcoming < len(taken) and taken[upcoming][1] <= span[0]:
            upcoming += 1
        if upcoming == len(taken) or taken[upcoming][0] >= span[1]:
            apart.append(span)
    return apart


def _replace(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, _, _ in spans:
        pieces += (text[done:start], MARK)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _read_allow_list(allow: Iterable[str]) -> tuple[set[str], list[re.Pattern[str]]]:
    literals: set[str] = set()
    patterns: list[re.Pattern[str]] = []
    for entry in allow:
        if entry.startswith("re:"):
            patterns.append(_allow_pattern(entry[3:]))
        else:
            literals.add(entry)
    return literals, patterns


def _allow_pattern(source: str) -> re.Pattern[str]:
    try:
        return re.compile(source)
    except re.error as error:
        from recairn.core.errors import BadInput

        raise BadInput(
            f"the allow-list entry re:{source} is not a pattern: {error}",
            hint="correct the entry, or drop re: to allow that exact text",
        ) from error


def _is_allowed(text: str, span: Span, literals: set[str], patterns: list[re.Pattern[str]]) -> bool:
    start, end, kind, whole = span
    value = text[start:end]
    if "EXAMPLE" in value and kind != PRIVATE_KEY_KIND:
        return True
    for candidate in (value, whole):
        if candidate in _DOCUMENTED or candidate in literals:
            return True
        if any(pattern.fullmatch(candidate) for pattern in patterns):
            return True
    return False
