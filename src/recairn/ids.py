"""Identifiers: time-ordered global ids, and the ways a person may point at a memory."""

from __future__ import annotations

import os

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
_PAIRS = [high + low for high in _ALPHABET for low in _ALPHABET]
_UID_LENGTH = 26
_TIME_LETTERS = 10
_TIME_BITS = 48
_RANDOM_BITS = 80


def new_uid(at_ms: int) -> str:
    """A ULID: 48 bits of time, then 80 random bits, so uids sort by creation."""
    moment = max(0, at_ms) & ((1 << _TIME_BITS) - 1)
    return _letters(moment, _TIME_LETTERS) + letters_of(os.urandom(_RANDOM_BITS // 8))


def letters_of(random: bytes) -> str:
    """The second part of a uid: ten bytes as sixteen letters."""
    return _letters(int.from_bytes(random, "big"), _UID_LENGTH - _TIME_LETTERS)


def _letters(number: int, count: int) -> str:
    """The number in base 32, two letters at a time."""
    pairs = []
    for _ in range(count // 2):
        pairs.append(_PAIRS[number & 1023])
        number >>= 10
    pairs.reverse()
    return "".join(pairs)


def is_uid(text: str) -> bool:
    return len(text) == _UID_LENGTH and all(letter in _ALPHABET for letter in text)


def row_number(reference: str) -> int | None:
    """The row id in `42` or `#42`; None for others (a uid begins with 0, a row number never)."""
    digits = reference.removeprefix("#")
    if digits.isascii() and digits.isdigit() and digits[0] != "0" and len(digits) < 19:
        return int(digits)
    return None


def looks_like_uid_prefix(reference: str) -> bool:
    """At least six letters of the uid alphabet."""
    return 6 <= len(reference) <= _UID_LENGTH and all(c in _ALPHABET for c in reference.lower())
