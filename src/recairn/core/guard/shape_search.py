"""Secrets that give themselves away by their shape: tokens, password hashes, private keys."""

from __future__ import annotations

from recairn.core.guard.shapes import (
    DISCORD_ID_LENGTHS,
    DISCORD_KIND,
    DISCORD_TOKEN,
    HASHES,
    LDAP_HASH,
    PRIVATE_KEY_BODY,
    PRIVATE_KEY_HEADER,
    SHAPES,
    VENDOR_PREFIXES,
)
from recairn.core.guard.values import (
    LONG_BASE64,
    PRIVATE_KEY_KIND,
    is_made_up,
    is_monotonous,
    looks_random,
)
from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recairn.core.guard.shapes import Shape
    from recairn.core.guard.values import Span

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
_HEAD_SET = frozenset(_HEADS)
_BRIEF = tuple(trigger for trigger in _SHAPE_OF if len(trigger) < _HEAD)
# The secret that belongs to an access key has 40 signs of base64 and stands near it.
_NEAR = 300
_AWS_SECRET = r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])"


def find_tokens(text: str, places: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Secrets in and before the runs of token characters at these places."""
    # By announcing literal: how far its last match went. One inside would end at the same place,
    # and to try it would make a text of nothing but prefixes cost the square of its length.
    reach: dict[str, int] = {}
    for start, end in places:
        for span in _shapes_near(text, max(0, start - _LEAD), end, reach):
            yield span
            if span[2] == "aws-access-key":
                yield from _beside_access_key(text, span)
        if text[end : end + 1] == ".":
            yield from _discord_token(text, end)


def find_marked(text: str) -> Iterator[Span]:
    """Password hashes, private keys and long base64, known by how they begin."""
    if "$" in text:
        for row in HASHES:
            for trigger in row[1]:
                yield from _matches(text, trigger, row)
    yield from _matches(text, "SHA}", LDAP_HASH)
    for trigger in LONG_BASE64:
        yield from _matches(text, trigger, _SHAPE_OF[trigger])
    if "PRIVATE KEY" in text:
        yield from _find_private_keys(text)


def _shapes_near(text: str, start: int, end: int, reach: dict[str, int]) -> Iterator[Span]:
    window = text[start : end + 1]
    heads = [window[at : at + _HEAD] for at in range(len(window))]
    done = 0
    for at, head in enumerate(heads) if not _HEAD_SET.isdisjoint(heads) else ():
        for trigger in _HEADS.get(head, ()) if start + at >= done else ():
            if text.startswith(trigger, start + at) and start + at >= reach.get(trigger, 0):
                for span in _match_at(text, start + at, _SHAPE_OF[trigger]):
                    done = reach[trigger] = span[1]
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


def _beside_access_key(text: str, key: Span) -> Iterator[Span]:
    """The second half of a pair of AWS's keys, which has no mark of its own."""
    for match in compiled(_AWS_SECRET).finditer(text, max(0, key[0] - _NEAR), key[1] + _NEAR):
        if looks_random(match[0]) and not compiled("[0-9a-f]+").fullmatch(match[0]):
            yield match.start(), match.end(), "aws-secret", match[0]


def _discord_token(text: str, stop: int) -> Iterator[Span]:
    for length in DISCORD_ID_LENGTHS:
        match = compiled(DISCORD_TOKEN).match(text, max(0, stop - length))
        if match:
            yield match.start(1), match.end(1), DISCORD_KIND, match[0]
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
        match = pattern.match(text, start)
        if match:
            yield match.start(1), match.end(1), kind, match[0]
            return


def _find_private_keys(text: str) -> Iterator[Span]:
    body = compiled(PRIVATE_KEY_BODY)
    for header in compiled(PRIVATE_KEY_HEADER).finditer(text):
        start = header.end()
        end = text.find("-----END ", start, start + _LONGEST_KEY)
        if end >= 0 and "-----BEGIN " not in text[start:end]:
            if compiled(r"[A-Za-z0-9+/=]{16}").search(text, start, end):
                yield start, end, PRIVATE_KEY_KIND, text[start:end].strip()
        elif match := body.match(text, start):
            yield start, match.end(), PRIVATE_KEY_KIND, match[0].strip()
