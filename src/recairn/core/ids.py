"""Identifiers: time-ordered global ids, and the ways a person may point at a memory."""

from __future__ import annotations

import os
from itertools import pairwise

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
# A letter for each byte: 32 divides 256, so random bytes give every letter equally often.
_LETTER_OF = _ALPHABET.encode() * 8
_UID_LENGTH = 26
_TIME_LETTERS = 10
_TIME_BITS = 48
_last_moment = (0, "0" * _TIME_LETTERS)


def new_uid(at_ms: int) -> str:
    """A ULID: 48 bits of time, then 80 random bits, so uids sort by creation."""
    return _time_letters(at_ms) + letters_of(os.urandom(_UID_LENGTH - _TIME_LETTERS))


def short_name(at_ms: int) -> str:
    """A name of fourteen letters for something that begins now: names sort by when it did."""
    return _time_letters(at_ms)[:-2] + letters_of(os.urandom(6))


def letters_of(random: bytes) -> str:
    """The second part of a uid: sixteen bytes as a letter each."""
    return random.translate(_LETTER_OF).decode()


def _time_letters(at_ms: int) -> str:
    global _last_moment
    if _last_moment[0] != at_ms:  # bulk work happens in one moment
        moment = max(0, at_ms) & ((1 << _TIME_BITS) - 1)
        shifts = range(5 * (_TIME_LETTERS - 1), -1, -5)
        _last_moment = (at_ms, "".join([_ALPHABET[moment >> shift & 31] for shift in shifts]))
    return _last_moment[1]


def is_uid(text: str) -> bool:
    return len(text) == _UID_LENGTH and not text.strip(_ALPHABET)


def is_uid_beginning(text: str) -> bool:
    """Whether a uid may begin like this."""
    return 0 < len(text) <= _UID_LENGTH and not text.strip(_ALPHABET)


def row_number(reference: str) -> int | None:
    """The row id in `42` or `#42`; None for others (a uid begins with 0, a row number never)."""
    digits = reference.removeprefix("#")
    if digits.isascii() and digits.isdigit() and digits[0] != "0" and len(digits) < 19:
        return int(digits)
    return None


def cited_in(text: str) -> list[int]:
    """The row ids a text cites as `#42`, each once."""
    if "#" not in text:
        return []
    numbers: dict[int, None] = {}
    for before, piece in pairwise(text.split("#")):
        digits = piece[: len(piece) - len(piece.lstrip("0123456789"))]
        number = row_number(digits) if digits else None
        inside_a_word = before[-1:].isalnum() or piece[len(digits) :][:1].isalnum()
        if number is not None and not inside_a_word:
            numbers[number] = None
    return list(numbers)


def looks_like_uid_prefix(reference: str) -> bool:
    """At least six letters of the uid alphabet."""
    return 6 <= len(reference) <= _UID_LENGTH and all(c in _ALPHABET for c in reference.lower())
