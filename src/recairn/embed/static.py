"""The embedding model that ships with the package: one vector per token, summed.

A text's vector is the sum of its tokens' vectors, scaled to length one; there is no window. In a
stored text the first words, who speaks or what it is about, weigh more than the rest; in a question
all weigh the same. The table lies in `static.bin` and is read through mmap, one token at a time, by
the standard library.

All dimensions of a vector are kept in one Python integer, 32 bits each, so that adding two integers
adds two vectors: exactly, in any order, and far faster than a loop over the dimensions. Bytes are
summed as they are, unsigned, because integers of one sign add faster; one more number on top sums
the scales, by which the 128 of each byte is taken off at the end.

The file: header with what words weigh by their place, hash slots (row + 1, 0 is empty), where each
token's spelling starts, scales, spellings, and one unsigned byte per row and dimension. A vector is
(byte - 128) * scale.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from array import array
from itertools import groupby, islice, pairwise
from math import hypot
from zlib import crc32

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.ranking.codes import codes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from recairn.embed.protocol import Share
    from recairn.embed.static_bulk import BulkCodes

MODEL_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static.bin")

_MAGIC = b"RCSTATIC"
_VERSION = 2
_HEADER = struct.Struct("<8sHHIIII16s")
_PLACES = struct.Struct("<10H")
_HEADER_BYTES = 64

# The end of the last place: all words that follow.
_REST = 65_535

# Scales are below 2**8, a byte times a scale below 2**16: so many tokens can be added in 32 bits.
_TOKENS_PER_SUM = 65_536

# A longer word is noise (base64, a minified line) and has no pieces, as in BERT.
_MAX_WORD_CHARACTERS = 100

# Words remembered with their vectors, about 1.2 kB each: text repeats itself. With half of them, to
# embed 20,000 texts of 19,000 words takes 1.4 times as long.
_MAX_REMEMBERED_WORDS = 32_768
# And the tokens they were made of: a rare word is mostly made of pieces that others have, too.
_MAX_REMEMBERED_ROWS = 16_384

# Texts from which on their codes are made by SIMD instructions: their library takes 2 ms to load.
_MANY_TEXTS = 32

# After so many words the spellings are read into a dictionary: 10 ms, and then a word costs half.
_MANY_WORDS = 2_000
# So many of them each text of many brings at least.
_NEW_WORDS = 4

_LETTERS_AND_DIGITS = frozenset(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)  # fmt: skip
_PUNCTUATION_TO_SPACE = bytes(c if c in _LETTERS_AND_DIGITS else 32 for c in range(256))
_CONTROLS = bytes(c for c in range(128) if (c < 32 and c not in b"\t\n\r") or c == 127)


class StaticEmbedder:
    """The shipped model; one instance may be kept for a whole process."""

    name = "static"
    window_tokens: int | None = None
    # It has no window, but the sum of a long text says little of its end. What is longer than so
    # many characters is embedded in pieces of so many tokens, in which a sentence is heard: a note
    # of 16,000 characters was found by its last sentence with 128, and not with 256.
    in_pieces = (4_000, 128)

    def __init__(self, path: str = MODEL_FILE) -> None:
        self._file = _mapped(path)
        magic, version, dim, rows, slots, spelled, longest, revision = _HEADER.unpack_from(
            self._file
        )
        size = _HEADER_BYTES + 2 * slots + 4 * (rows + 1) + 2 * rows + spelled + rows * dim
        if magic != _MAGIC or version != _VERSION or len(self._file) != size:
            raise ModelFailed(
                f"{path} is not a static model of this version",
                "reinstall recairn to restore the file",
            )
        self.dim: int = dim
        self.revision: str = revision.rstrip(b"\0").decode("ascii")
        self._places: list[tuple[int, int]] = _places(self._file)
        self._tokens_per_sum: int = _TOKENS_PER_SUM // max(weight for _, weight in self._places)
        self._rows: int = rows
        self._slot_mask: int = slots - 1
        self._longest: int = longest
        self._starts_at: int = _HEADER_BYTES + 2 * slots
        self._scales_at: int = self._starts_at + 4 * (rows + 1)
        self._spellings_at: int = self._scales_at + 2 * rows
        self._codes_at: int = self._spellings_at + spelled
        ones = int.from_bytes(b"\1\0\0\0" * dim, "little")
        self._top: int = 32 * dim
        self._zero_codes = (1 << self._top) + (ones << 7)
        self._sign_bits = ones << 31
        self._remembered: dict[bytes, int] = {}
        self._row_vectors: dict[int, int] = {}
        self._row_of: dict[str, int] = {}
        self._shortest = 0.0
        self._bulk: BulkCodes | None = None

    def embed_query(self, text: str) -> array[float]:
        return self._embed(text, [(_REST, 1)])

    def embed_question(self, text: str, words: Collection[str]) -> tuple[array[float], list[Share]]:
        """The same vector, and what each of the words adds to it.

        A word is as large a part of the question as its vector is long.
        """
        if len(text) > _TOKENS_PER_SUM:
            return self.embed_query(text), []
        owned: dict[str, list[bytes]] = {}
        for spelled in _words(text):
            word = spelled.decode("utf-8").lower()
            owned.setdefault(word if word in words else "", []).append(spelled)
        sums = {word: self._sum(spelled) for word, spelled in owned.items()}
        total = self._lanes(sum(sums.values()))
        whole = hypot(*total)
        if not whole > 0.0:
            return array("f", total), []
        parts = {word: self._lanes(packed) for word, packed in sums.items()}
        lengths = {word: hypot(*lanes) for word, lanes in parts.items()}
        size = sum(lengths.values())
        return array("f", [value / whole for value in total]), [
            (word, array("f", [value / whole for value in lanes]), lengths[word] / size)
            for word, lanes in parts.items()
            if lengths[word] > 0.0
        ]

    def length(self, word: str) -> float:
        """How long the vector of a word is beside that of "the": the rarer a word is in text, and
        the more it says of what a text is about, the longer training has made it."""
        if not self._shortest:
            self._shortest = hypot(*self._lanes(self._sum([b"the"])))
        return hypot(*self._lanes(self._sum([word.encode()]))) / self._shortest

    def embed_documents(self, texts: Sequence[str]) -> list[array[float]]:
        return [_unit(lanes) for lanes in self.directions(texts)]

    def directions(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """The vectors of texts before they are scaled to length one: codes need no length."""
        return [self._totals(text, self._places) for text in texts]

    def document_codes(self, texts: Sequence[str]) -> list[bytes]:
        """The int8 codes of the texts' vectors; of many, without making the vectors."""
        if len(texts) < _MANY_TEXTS or sys.byteorder == "big":
            return [codes_of(lanes) for lanes in self.directions(texts)]
        if self._bulk is None:
            from recairn.embed.static_bulk import BulkCodes

            self._bulk = BulkCodes(self)
        self.expect(_NEW_WORDS * len(texts))
        return [self._codes(text, self._bulk) for text in texts]

    def _codes(self, text: str, bulk: BulkCodes) -> bytes:
        """The codes of one text; a word that weighs twice as much counts as two."""
        if len(text) <= self._tokens_per_sum:
            words = _words(text)
            counted: list[bytes] = []
            start = 0
            for end, weight in self._places:
                counted += (words[start:] if end == _REST else words[start:end]) * weight
                start = end
            codes = bulk.codes(counted)
            if codes is not None:
                return codes
        return codes_of(self._totals(text, self._places))

    def _embed(self, text: str, places: list[tuple[int, int]]) -> array[float]:
        return _unit(self._totals(text, places))

    def _totals(self, text: str, places: list[tuple[int, int]]) -> Sequence[int]:
        """The sum of each dimension over the words of a text, which weigh what their places say."""
        words = _words(text)
        if len(text) > self._tokens_per_sum:
            return self._totals_of_many(words, places)
        return self._lanes(self._packed(words, places))

    def _packed(self, words: list[bytes], places: list[tuple[int, int]]) -> int:
        """The same in one integer."""
        packed = start = 0
        for end, weight in places:
            packed += weight * self._sum(words[start:] if end == _REST else words[start:end])
            start = end
        return packed

    def _totals_of_many(self, words: list[bytes], places: list[tuple[int, int]]) -> list[int]:
        totals = [0] * self.dim
        step = _TOKENS_PER_SUM // _MAX_WORD_CHARACTERS
        start = 0
        for end, weight in places:
            part = words[start:] if end == _REST else words[start:end]
            for at in range(0, len(part), step):
                lanes = self._lanes(self._sum(part[at : at + step]))
                totals = [total + weight * lane for total, lane in zip(totals, lanes, strict=True)]
            start = end
        return totals

    def _sum(self, words: list[bytes]) -> int:
        remembered = self._remembered
        vectors = list(map(remembered.get, words))
        if None not in vectors:
            return sum(vectors)  # type: ignore[arg-type]  # none of them is None
        self.expect(len(remembered))
        if len(remembered) > _MAX_REMEMBERED_WORDS:
            _forget_half(remembered)
        for at, word in enumerate(words):
            if vectors[at] is None:
                vector = remembered.get(word)
                if vector is None:
                    vector = remembered[word] = self._word_vector(word)
                vectors[at] = vector
        return sum(vectors)  # type: ignore[arg-type]

    def _lanes(self, packed: int) -> array[int]:
        """The dimensions of a packed sum; the sign bits keep lanes from borrowing of each other."""
        scales = packed >> self._top
        signed = (packed + self._sign_bits - scales * self._zero_codes) ^ self._sign_bits
        lanes = array("i")
        lanes.frombytes(signed.to_bytes(4 * self.dim, "little"))
        if sys.byteorder == "big":
            lanes.byteswap()
        return lanes

    def _word_vector(self, word: bytes) -> int:
        """The packed sum of the pieces of a word."""
        return sum(map(self._row_vector, self.rows_of(word)))

    def rows_of(self, word: bytes) -> list[int]:
        """The rows of the pieces of a word, taken apart where its case says so."""
        spelled = word.decode("utf-8")
        if spelled.islower():
            return self._pieces(spelled)
        return [row for part in _camel_parts(spelled) for row in self._pieces(part.lower())]

    def row_codes(self, row: int) -> tuple[bytes, int]:
        """The bytes of a row, and its scale."""
        at, scale_at = self._codes_at + row * self.dim, self._scales_at + 2 * row
        scale = int.from_bytes(self._file[scale_at : scale_at + 2], "little")
        return self._file[at : at + self.dim], scale

    def expect(self, words: int) -> None:
        """Reads the spellings of all rows where so many words came that more will."""
        if words > _MANY_WORDS and not self._row_of:
            self._row_of = self._vocabulary()

    def _pieces(self, word: str) -> list[int]:
        """The rows of the longest known pieces from left to right; none when a part is unknown."""
        row_of = self._row_of.get if self._row_of else self._row
        row = row_of(word)
        if row is not None:
            return [row]
        tokens: list[int] = []
        start, length = 0, len(word)
        if length > _MAX_WORD_CHARACTERS:
            return tokens
        while start < length:
            mark = 2 if start else 0
            rest = f"##{word[start:]}" if start else word
            for end in range(min(len(rest), mark + self._longest), mark, -1):
                row = row_of(rest[:end])
                if row is not None:
                    tokens.append(row)
                    start += end - mark
                    break
            else:
                return []
        return tokens

    def _row(self, spelling: str) -> int | None:
        """The row of a token, looked up in the file."""
        file, token = self._file, spelling.encode("utf-8")
        slot = crc32(token) & self._slot_mask
        while True:
            at = _HEADER_BYTES + 2 * slot
            row = int.from_bytes(file[at : at + 2], "little") - 1
            if row < 0:
                return None
            start, end = struct.unpack_from("<II", file, self._starts_at + 4 * row)
            if file[self._spellings_at + start : self._spellings_at + end] == token:
                return row
            slot = (slot + 1) & self._slot_mask

    def _vocabulary(self) -> dict[str, int]:
        """The row of every token."""
        starts = struct.unpack_from(f"<{self._rows + 1}I", self._file, self._starts_at)
        spelled = self._file[self._spellings_at : self._codes_at]
        return {
            spelled[start:end].decode("utf-8"): row
            for row, (start, end) in enumerate(pairwise(starts))
        }

    def _row_vector(self, row: int) -> int:
        """The packed bytes of a row times its scale, and on top of them the scale itself."""
        known = self._row_vectors.get(row)
        if known is not None:
            return known
        if len(self._row_vectors) > _MAX_REMEMBERED_ROWS:
            _forget_half(self._row_vectors)
        codes, scale = self.row_codes(row)
        lanes = bytearray(4 * self.dim + 1)
        lanes[:-1:4] = codes
        lanes[-1] = 1
        vector = self._row_vectors[row] = int.from_bytes(lanes, "little") * scale
        return vector


def _forget_half(remembered: dict[Any, int]) -> None:
    """Forgets what was remembered first: what is said often comes back soon."""
    for key in list(islice(remembered, len(remembered) // 2)):
        del remembered[key]


def _places(file: mmap.mmap) -> list[tuple[int, int]]:
    """Up to which word of a text a weight holds, and the weight; the last holds for the rest."""
    numbers = _PLACES.unpack_from(file, _HEADER.size)
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    return pairs[: [end for end, _ in pairs].index(_REST) + 1]


def _mapped(path: str) -> mmap.mmap:
    try:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ModelMissing(
            f"cannot read the static model {path}: {error}", "reinstall recairn to restore the file"
        ) from error


def _words(text: str) -> list[bytes]:
    """The words of the text without ASCII punctuation, in their own case where that is ASCII."""
    if text.isascii():
        return text.encode("ascii").translate(_PUNCTUATION_TO_SPACE, _CONTROLS).split()
    from recairn.embed.wordpiece import words

    spelled: list[bytes] = []
    for plain, chunks in groupby(text.split(), str.isascii):
        if plain:
            joined = " ".join(chunks).encode("ascii")
            spelled += joined.translate(_PUNCTUATION_TO_SPACE, _CONTROLS).split()
        else:
            parts = [part for chunk in chunks for part in _camel_parts(chunk)]
            spelled += [word.encode("utf-8") for part in parts for word in words(part)]
    return spelled


def _camel_parts(word: str) -> list[str]:
    """getUserName as get, User, Name: a capital after a small letter or a digit starts a part."""
    tail = word[1:]
    if tail == tail.lower() or (word.isupper() and word.isalpha()):
        return [word]
    parts = []
    start = 0
    for at in range(1, len(word)):
        before = word[at - 1]
        if "A" <= word[at] <= "Z" and ("a" <= before <= "z" or "0" <= before <= "9"):
            parts.append(word[start:at])
            start = at
    parts.append(word[start:])
    return parts


def _unit(lanes: Sequence[int]) -> array[float]:
    length = hypot(*lanes) or 1.0
    return array("f", [value / length for value in lanes])
