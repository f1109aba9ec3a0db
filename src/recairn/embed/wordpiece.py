"""BERT-uncased WordPiece with the standard library alone.

Splitting text into normalised words is separate from looking them up, so that a model with another
vocabulary shares the first half. Both agree token by token with the `tokenizers` library, whose
character tables are those of Unicode 8; the tests compare them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# A longer word is noise (base64, a minified line) and becomes one unknown token, as in BERT.
MAX_WORD_CHARACTERS = 100

# Recognised in the raw text, before it is normalised, as the reference does.
SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

# Words remembered with their pieces: text repeats itself, and this many take about 10 MB.
MAX_REMEMBERED_WORDS = 50_000

# More tokens than a question has; from here on the whole table is cheaper than searching the file.
MOST_SEARCHES = 32

# Blocks of ideographs that stand for words of their own.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)

# Marks, punctuation and format characters that came after Unicode 8: the reference takes them for
# unassigned and leaves them inside their word. Hexadecimal code points and ranges, complete up to
# Unicode 18, so that every Python gives the same tokens.
_UNKNOWN_TO_UNICODE_8 = """
5c8-5c9 61d 7fd 890-891 897-89f 8ca-8e2 9fd-9fe a76 afa-aff b53-b55 c04 c3c c77 c84 d00 d3b-d3c d81
eba ece 180f 1885-1886 1abf-1af0 1b4e-1b4f 1b7d-1b7f 1df6-1dfb 2e43-2e4f 2e52-2e5d 2e60-2e63 a82c
a8c5 a8ff a9bd 10d24-10d27 10d69-10d6e 10eab-10ead 10ecb-10ed0 10ef0-10eff 10f46-10f50 10f55-10f59
10f82-10f89 11070 11073-11074 110c2 110cd 111cf 1123e 11241 1133b 113bb-113c0 113ce 113d0 113d2
113d4-113d5 113d7-113d8 113e1-113e2 11438-1143f 11442-11444 11446 1144b-1144f 1145a-1145b
1145d-1145e 11660-1166c 116b9 1182f-11837 11839-1183b 1193b-1193c 1193e 11943-11946 119d4-119d7
119da-119db 119e0 119e2 11a01-11a0a 11a33-11a38 11a3b-11a47 11a51-11a56 11a59-11a5b 11a8a-11a96
11a98-11a9c 11a9e-11aa2 11b00-11b09 11b60 11b62-11b64 11b66 11be1 11c30-11c36 11c38-11c3d 11c3f
11c41-11c45 11c70-11c71 11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6 11d31-11d36 11d3a
11d3c-11d3d 11d3f-11d45 11d47 11d90-11d91 11d95 11d97 11df0 11ef3-11ef4 11ef7-11ef8 11f00-11f01
11f36-11f3a 11f40 11f42-11f4f 11f5a 11fff 12ff1-12ff2 13430-13440 13447-13455 1611e-16129
1612d-1612f 16d6d-16d6f 16e97-16e9a 16f4f 16fe2 16fe4 1cf00-1cf2d 1cf30-1cf46 1d127-1d128
1d25b-1d25c 1e000-1e006 1e008-1e018 1e01b-1e021 1e023-1e024 1e026-1e02a 1e08f 1e130-1e136 1e2ae
1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e5ff 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5 1e944-1e94a 1e95e-1e95f
"""

# Characters that later versions of Unicode moved to another category.
_CATEGORY_IN_UNICODE_8 = {0x166D: "Po", 0x1734: "Mn", 0x111C9: "Po", 0x1171E: "Mn"}


class _Replacements(dict[int, str]):
    """What each character becomes, worked out when it is first met: a table for str.translate."""

    def __missing__(self, code: int) -> str:
        self[code] = replacement = _ascii(code) if code < 0x80 else _beyond_ascii(code)
        return replacement


_REPLACEMENTS = _Replacements()


def words(text: str) -> list[str]:
    """The lower-case, accent-free words of the text; every punctuation mark is one of them."""
    return text.translate(_REPLACEMENTS).split()


def read_vocabulary(path: str) -> dict[str, int]:
    """Token to number, from a file with one token in each line."""
    with open(path, "rb") as file:
        tokens = file.read().decode("utf-8").split("\n")
    if tokens and not tokens[-1]:
        tokens.pop()
    return dict(zip(tokens, range(len(tokens)), strict=True))


class VocabularyFile:
    """The numbers of tokens, of the first few without building the whole table.

    Finding a token in the bytes of the file takes about 0.1 ms, the table 5 ms in a cold process:
    an ordinary question is done before the table would be.
    """

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._content = b"\n" + file.read()
        self._path = path
        self._found: dict[str, int | None] = {}
        self.get: Callable[[str], int | None] = self._search

    def _search(self, token: str) -> int | None:
        if token in self._found:
            return self._found[token]
        if len(self._found) >= MOST_SEARCHES:
            if self.get == self._search:
                self.get = read_vocabulary(self._path).get
            return self.get(token)
        at = self._content.find(b"\n%b\n" % token.encode("utf-8"))
        number = None if at < 0 else self._content.count(b"\n", 0, at)
        self._found[token] = number
        return number


def pieces(word: str, number_of: Callable[[str], int | None]) -> list[int] | None:
    """The numbers of the longest known pieces from left to right; None when some part has none."""
    if len(word) > MAX_WORD_CHARACTERS:
        return None
    numbers: list[int] = []
    start, length = 0, len(word)
    while start < length:
        prefix = "##" if start else ""
        for end in range(length, start, -1):
            number = number_of(prefix + word[start:end])
            if number is not None:
                numbers.append(number)
                start = end
                break
        else:
            return None
    return numbers


class WordPiece:
    """Text to the token numbers of one vocabulary, without the [CLS] and [SEP] around them."""

    def __init__(self, vocabulary: dict[str, int] | VocabularyFile) -> None:
        """Raises KeyError when the vocabulary has no [UNK]."""
        unknown = vocabulary.get("[UNK]")
        if unknown is None:
            raise KeyError("[UNK]")
        self._vocabulary = vocabulary
        self._unknown = [unknown]
        self._remembered: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        if "[" not in text:
            return self._ids_of_plain(text)
        numbers: list[int] = []
        for segment, special in _around_specials(text):
            numbers += self._ids_of_plain(segment)
            number = self._vocabulary.get(special) if special else None
            if number is not None:
                numbers.append(number)
        return numbers

    def ids_of(self, texts: Iterable[str]) -> list[list[int]]:
        """The same for each of the texts."""
        return [self.ids(text) for text in texts]

    def _ids_of_plain(self, text: str) -> list[int]:
        number_of, remembered = self._vocabulary.get, self._remembered
        if len(remembered) > MAX_REMEMBERED_WORDS:
            remembered.clear()
        numbers: list[int] = []
        for word in words(text):
            number = number_of(word)
            if number is not None:
                numbers.append(number)
                continue
            known = remembered.get(word)
            if known is None:
                known = remembered[word] = pieces(word, number_of) or self._unknown
            numbers += known
        return numbers


def _around_specials(text: str) -> Iterator[tuple[str, str]]:
    """Each stretch of plain text with the special token that follows it, or "" at the end."""
    start = 0
    at = text.find("[")
    while at >= 0:
        for special in SPECIAL_TOKENS:
            if text.startswith(special, at):
                yield text[start:at], special
                start = at + len(special)
                break
        at = text.find("[", max(at + 1, start))
    yield text[start:], ""


def _ascii(code: int) -> str:
    character = chr(code)
    if character in " \t\n\r":
        return " "
    if code < 0x20 or code == 0x7F:
        return ""
    return character.lower() if character.isalnum() else f" {character} "


def _beyond_ascii(code: int) -> str:
    from unicodedata import normalize

    if code == 0xFFFD or 0xD800 <= code <= 0xDFFF:
        return ""
    category = _category(code)
    if category[0] == "Z":
        return " "
    if category in ("Cc", "Cf", "Co"):
        return ""
    replaced = ""
    for part in normalize("NFD", chr(code)):
        kind = _category(ord(part))
        if kind[0] == "P" or (part < "\x80" and not part.isalnum()):
            replaced += f" {part} "
        elif kind != "Mn":
            replaced += part.lower()
    if any(first <= code <= last for first, last in _IDEOGRAPHS):
        return f" {replaced} "
    return replaced


def _category(code: int) -> str:
    """The character's Unicode 8 category; "Cn", unassigned, for what came later and matters."""
    from unicodedata import category

    moved = _CATEGORY_IN_UNICODE_8.get(code)
    if moved:
        return moved
    current = category(chr(code))
    if (current in ("Mn", "Cf") or current[0] == "P") and code in _unknown_codes():
        return "Cn"
    return current


_UNKNOWN_CODES: set[int] = set()


def _unknown_codes() -> set[int]:
    if not _UNKNOWN_CODES:
        for entry in _UNKNOWN_TO_UNICODE_8.split():
            first, _, last = entry.partition("-")
            _UNKNOWN_CODES.update(range(int(first, 16), int(last or first, 16) + 1))
    return _UNKNOWN_CODES
