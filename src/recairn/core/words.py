"""Words: tokenising, identifier splitting, and what a question asks the full-text index.

Pure functions over text. The full-text index splits on everything that is neither letter nor digit
and stems (porter unicode61); the functions here agree with it on where a word ends.
"""

from __future__ import annotations

from recairn.core.lazy import compiled
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# A text without names of code or quotes asks for none of these.
# parseHTTPHeader → parse, HTTP, Header; utf8 → utf, 8
_HUMP = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+"
_NAME_LIKE = r"\w+"
_QUOTED = r'"([^"]{2,200})"'
_SIGNS = r"[^\x00-\x7f\s\ud800-\udfff]+"
# 8.1, 3.11.2, 10.0.0.1: one number each, though the index holds its parts.
_POINTED = r"(?<![\w.])\d+(?:\.\d+)+(?!\w)"

# Private-use characters mark a matched word until the surface has escaped the text around it.
MARK_ON, MARK_OFF = "\ue000", "\ue001"
# Between the text of a memory and its fields in a snippet.
FIELD_MARK = " \u00b7 "
# Bytes that a snippet may grow by to begin or end with a line.
_LINE_BYTES = 120
SNIPPET_WORDS = 28

# ASCII text goes through tables of 256 bytes, three times as fast as a regular expression.
_CASED_WORD_BYTES = (
    b" " * 48
    + (b"0123456789" + b" " * 7 + b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    + (b" " * 6 + b"abcdefghijklmnopqrstuvwxyz" + b" " * 133)
)
_WORD_BYTES = _CASED_WORD_BYTES.lower()
# Behind ASCII the bytes of other letters, which stay what they are.
_ASCII, _OTHERS = bytes(range(128)), bytes(range(128, 256))
_SHAPE_BYTES = (b" " * 48 + b"1" * 10 + b" " * 7 + b"A" * 26) + (b"    _ " + b"a" * 26 + b" " * 133)
# White space of ASCII as one kind of it.
_SPACE_BYTES = bytes(
    ord(" ") if chr(code).isspace() and code < 128 else code for code in range(256)
)
# And the other kinds there are.
_WIDE_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

# A question longer than this is cut for matching: what follows adds cost, not meaning.
MAX_QUERY_CHARACTERS = 4000
MAX_QUERY_WORDS = 48
_SHORT_QUESTION = 3  # words

# Words that say nothing about the subject of a question, question words included. They leave the
# query, never the index: removing them there too lost .05 nDCG@10 on dialogue.
STOP_WORDS = frozenset(
    """
    what when where which who whom whose why how
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would
    i me my mine myself we us our ours ourselves you your yours yourself he him his himself
    she her hers herself it its itself they them their theirs themselves
    a an the this that these those some any each every all both such
    of at by for with about against between into through during to from in on onto upon off over
    under as than per via
    and but or nor if because while until so then also just too very not no
    there here s t d ll m re ve don didn doesn isn wasn aren weren couldn wouldn shouldn won hasn
    haven hadn ain let please tell
    many much more most other same kind type way like likely get got go going ever else
    """.split()
)


_QUESTION_WORDS = frozenset("what when where which who whom whose why how".split())

# Plain words of German, Spanish and French that no English text has many of: only where one of them
# stands, or a letter beyond ASCII, is a text looked at more closely.
FOREIGN_WORDS = frozenset(
    """
    der das und ist nicht wird werden wir ich eine einen einem einer auf aus auch sind wie warum wo
    welche welcher welches wenn oder zum zur beim nach von mit den dem kein keine muss wurde
    el los las una que del para por con como se su sus cuando donde porque tiene hay esta este
    le les des une est pas dans avec pour sur qui quel quelle comment pourquoi du au aux nous ce
    cette ces sont il faut
    """.split()
)


@record
class Plan:
    """What a question asks for: its telling words in order, the parts of names in it, a prefix.

    A word asked twice stays twice: dropping repetitions cost .04 nDCG@10 on long questions.
    `names` are the words it writes with a capital, not only because the question begins there;
    `numbers` the parts of each number with points.
    """

    text: str
    words: tuple[str, ...]
    parts: tuple[str, ...]
    phrases: tuple[str, ...]
    prefix: str
    names: frozenset[str]
    numbers: tuple[tuple[str, ...], ...] = ()


# The last text and its words: the guard of a text and its keys ask for the same.
_last: tuple[str, list[str]] = ("", [])


def words(text: str) -> list[str]:
    """The lower-case words of a text, in order; others may hold the same list."""
    global _last
    last, found = _last
    if text is last:
        return found
    if text.isascii():
        found = text.encode().translate(_WORD_BYTES).decode().split()
    else:
        found = _split(text.lower(), _WORD_BYTES)
    _last = text, found
    return found


def _cased_words(text: str) -> list[str]:
    """The words of a text as they are written."""
    if text.isascii():
        return text.encode().translate(_CASED_WORD_BYTES).decode().split()
    return _split(text, _CASED_WORD_BYTES)


def _split(text: str, table: bytes) -> list[str]:
    """The runs of letters and digits of a text beyond ASCII; `table` says what ASCII is to be.

    Few signs beyond it stand in one text: what is no letter is taken out sign by sign.
    """
    spelled = text.encode("utf-8", "surrogatepass")
    for sign in beyond_ascii(text):
        if not sign.isalnum():
            spelled = spelled.replace(sign.encode("utf-8", "surrogatepass"), b" ")
    return spelled.translate(table[:128] + _OTHERS).decode("utf-8", "surrogatepass").split()


def beyond_ascii(text: str) -> set[str]:
    """The different signs of a text that are not of ASCII."""
    spelled = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return set(spelled.decode("utf-8", "surrogatepass"))


def split_identifier(name: str) -> list[str]:
    """The lower-case parts of a name: `parseHTTPHeader`, `utf8_path`; one part for a plain word."""
    return [part.lower() for part in compiled(_HUMP).findall(name)]


def mixed_case(text: str) -> str:
    """The pieces of a text that look like names in code: few, worth a closer look.

    Capitals inside, an underscore, or letters next to digits.
    """
    # A byte for each character: only where such shapes are neighbours can a name be.
    raw = text.encode("ascii", "replace")
    shape = raw.translate(_SHAPE_BYTES)
    pairs = [b"_"]
    if b"1" in shape:
        pairs += (b"a1", b"1a", b"A1", b"1A")  # utf8, 2nd
    if shape.count(b"A") != shape.count(b" A") + shape.startswith(b"A"):
        pairs += (b"aA", b"AAa")  # getName, XMLName
    pieces: dict[int, str] = {}
    spaced = b""
    for pair in pairs:
        at = shape.find(pair)
        while at >= 0:
            spaced = spaced or one_kind_of_space(text)
            start, end = spaced.rfind(b" ", 0, at) + 1, spaced.find(b" ", at + len(pair))
            end = end if end >= 0 else len(text)
            pieces[start] = text[start:end]
            at = shape.find(pair, end)
    return " ".join([pieces[start] for start in sorted(pieces)])


def one_kind_of_space(text: str) -> bytes:
    """A byte for each character of a text, which is a space for all that is white."""
    if not text.isascii():
        for space in _WIDE_SPACES:
            if space in text:
                text = text.replace(space, " ")
    return text.encode("ascii", "replace").translate(_SPACE_BYTES)


def identifier_words(text: str) -> str:
    """The parts of all names in a text, for the column that makes them findable."""
    parts: list[str] = []
    for name in compiled(_NAME_LIKE).findall(text):
        split = split_identifier(name)
        if len(split) > 1:
            parts.extend(split)
    return " ".join(parts)


def telling_count(listed: Sequence[str]) -> int:
    """How many of the words are no stop words: the length that ranking compares."""
    return len(listed) - sum(map(STOP_WORDS.__contains__, listed))


def indexed(text: str, listed: Sequence[str]) -> tuple[str, str, int]:
    """What an index keeps of a text beside its words: the pieces that look like names in code; the
    parts of those names, and what stems of English miss; and the length that ranking compares."""
    in_code = mixed_case(text)
    idents = identifier_words(in_code) if in_code else ""
    _, foreign = foreign_parts(text, listed)
    length = telling_count(listed) + len(idents.split())
    return in_code, " ".join(filter(None, (idents, *dict.fromkeys(foreign)))), length


def foreign_parts(text: str, listed: Sequence[str]) -> tuple[str, list[str]]:
    """The language of a text that is not English, "" for others, and what an index of English
    stems misses of it: stems, and the words in a script without spaces."""
    if text.isascii() and FOREIGN_WORDS.isdisjoint(listed):
        return "", []
    from recairn.core.languages import language_of, stems, unspaced_parts

    language = language_of(listed, sum(map(STOP_WORDS.__contains__, listed)))
    parts = stems(listed, language) if language else []
    return language, parts if text.isascii() else parts + unspaced_parts(text)


def _telling(listed: Sequence[str], language: str) -> list[str]:
    """Those of the words that are no stop words, of English or of the language."""
    kept = [word for word in listed if word not in STOP_WORDS]
    if not language:
        return kept
    from recairn.core.languages import stop_words

    plain = stop_words(language)
    return [word for word in kept if word not in plain]


def understand(query: str, *, asked: bool = True) -> Plan:
    """The plan of a question; any string has one, and an empty plan matches nothing.

    A sign such as 🚀 that is all of it is looked for where somebody `asked`: a prompt of 👍 is not
    about memories that hold one.
    """
    text = query[:MAX_QUERY_CHARACTERS]
    spelled = _cased_words(text)
    lowered = [word.lower() for word in spelled]
    language, foreign = foreign_parts(text, lowered)
    kept = _telling(lowered, language)
    in_code = mixed_case(text)
    names = compiled(_NAME_LIKE).findall(in_code) if in_code else ()
    split = [split_identifier(name) for name in names]
    quotes = compiled(_QUOTED).findall(text) if '"' in text else ()
    phrases = (" ".join(words(quote)) for quote in quotes)
    return Plan(
        text=query,
        words=tuple(kept or _plain(lowered) or (_signs(text) if asked and not lowered else ()))[
            :MAX_QUERY_WORDS
        ],
        parts=(
            *(part for own in split if len(own) > 1 for part in own if part not in STOP_WORDS),
            *foreign,
        )[:MAX_QUERY_WORDS],
        phrases=tuple(phrase for phrase in phrases if " " in phrase),
        prefix=_prefix(text, spelled),
        names=frozenset(
            word.lower()
            for place, word in enumerate(spelled)
            # In German every noun has a capital, and only one inside makes a name.
            if word[0].isupper() and ((place and language != "de") or not word[1:].islower())
        )
        - STOP_WORDS,
        numbers=tuple(tuple(number.split(".")) for number in _pointed(text)),
    )


def _pointed(text: str) -> Sequence[str]:
    """The numbers with points in a text, once each."""
    return list(dict.fromkeys(compiled(_POINTED).findall(text))) if "." in text else ()


def _plain(listed: Sequence[str]) -> Sequence[str]:
    """The words of a question that has none but plain ones, such as `for each`, unless it only
    points at something: `what is it?`."""
    return listed if len(listed) < 2 or _QUESTION_WORDS.isdisjoint(listed) else ()


def is_signs_alone(text: str) -> bool:
    """Whether a question is nothing but signs that stand in no index: ???, ->."""
    return text.isascii() and bool(text.strip()) and not words(text)


def _signs(text: str) -> Sequence[str]:
    """The signs beyond ASCII of a question without words, which stand in no index: 🚀."""
    # The mark for a coloured sign; one memory has it and the next does not.
    return () if text.isascii() else compiled(_SIGNS).findall(text.lower().replace("\ufe0f", " "))


def _prefix(text: str, spelled: Sequence[str]) -> str:
    """The last word of a short question when it may be unfinished: nothing typed after it.

    In longer questions a prefix brings strangers (-.005 nDCG@10) and the word is finished anyway.
    """
    if not 0 < len(spelled) <= _SHORT_QUESTION or not text.endswith(spelled[-1]):
        return ""
    last = spelled[-1].lower()
    return last if len(last) >= 3 and last not in STOP_WORDS else ""


def snippet(
    text: str,
    terms: Sequence[tuple[int, int, str]],
    wanted: Collection[str],
    prefix: str,
    *,
    lines: bool = False,
) -> str:
    """The window of a text that holds most of the wanted terms, these marked.

    `terms` are the index terms of the text with their byte offsets; without a wanted one the
    snippet is the beginning of the text. With `lines` it keeps its lines, and is made of whole ones
    where that does not take too much.
    """
    places = [
        index
        for index, (_, _, term) in enumerate(terms)
        if term in wanted or (prefix and term.startswith(prefix))
    ]
    first = _best_window(places, terms)
    last = min(len(terms), first + SNIPPET_WORDS)
    data = text.encode()
    begin = terms[first][0] if first else 0
    end = terms[last][0] if last < len(terms) else len(data)
    if lines:
        begin, end = _whole_lines(data, begin, end)
    pieces: list[str] = []
    at = begin
    for index in places:
        if first <= index < last:
            start, stop, _ = terms[index]
            pieces += (data[at:start].decode(), MARK_ON, data[start:stop].decode(), MARK_OFF)
            at = stop
    pieces.append(data[at:end].decode())
    if lines:
        return "".join(pieces).strip("\n").rstrip()
    joined = " ".join("".join(pieces).split())
    return ("…" if begin else "") + joined + ("…" if end < len(data) else "")


def _whole_lines(data: bytes, begin: int, end: int) -> tuple[int, int]:
    """The same stretch from the beginning of its first line to the end of its last."""
    line = data.rfind(b"\n", 0, begin) + 1
    stop = data.find(b"\n", end)
    stop = len(data) if stop < 0 else stop
    return (
        line if begin - line <= _LINE_BYTES else begin,
        stop if stop - end <= _LINE_BYTES else end,
    )


def _best_window(places: Sequence[int], terms: Sequence[tuple[int, int, str]]) -> int:
    """The first word of the window that holds most different wanted terms, with a little before."""
    best, start = 0, 0
    for index in places:
        inside = {terms[place][2] for place in places if index <= place < index + SNIPPET_WORDS - 2}
        if len(inside) > best:
            best, start = len(inside), index
    if len(terms) <= SNIPPET_WORDS:
        return 0
    return max(0, min(start - 2, len(terms) - SNIPPET_WORDS))


def decoded(raw: bytes) -> tuple[str, int]:
    """The text of some bytes, and how many of its lines are not UTF-8.

    Those are taken for Windows-1252, the other usual encoding; the lines around them stay right.
    """
    try:
        return raw.decode("utf-8-sig"), 0
    except UnicodeDecodeError:
        lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    texts, odd = [], 0
    for line in lines:
        try:
            texts.append(line.decode())
        except UnicodeDecodeError:
            odd += 1
            # Five bytes mean nothing in Windows-1252, and something in Latin-1.
            texts.append("".join([_old_letter(byte) for byte in line]))
    return "\n".join(texts), odd


def _old_letter(byte: int) -> str:
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


def as_utf8(text: str) -> str:
    """What Python could not read in the locale's encoding, read anew."""
    try:
        return decoded(text.encode("utf-8", "surrogateescape"))[0]
    except UnicodeEncodeError:  # half a character, which no byte stands for
        return text.encode("utf-8", "replace").decode()


def with_article(noun: str) -> str:
    """`a rule`, `an edge`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def counted(count: int, noun: str) -> str:
    """`1 rule`, `2 days`, `1,000 memories`."""
    if count == 1:
        return f"1 {noun}"
    changes = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{count:,} {noun[:-1]}ies" if changes else f"{count:,} {noun}s"


def flowing(text: str) -> str:
    """The lines of a text as sentences one after the other, none of them run into the next."""
    parts = [part.strip().removeprefix("- ") for part in text.split("\n") if part.strip()]
    return " ".join([part if part.endswith((".", "!", "?", ":")) else f"{part}." for part in parts])


def one_line(text: str, length: int) -> str:
    """The text on one line, cut at a word end and marked with … when longer than `length`."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    cut = flat.rfind(" ", length // 2, length - 1)
    return flat[: cut if cut > 0 else length - 1].rstrip(" ,;:.") + "…"


def normalised(text: str) -> str:
    """What decides whether two memories say the same: case and white space do not count."""
    if text.isprintable() and "  " not in text:  # then a space is all the white space there is
        return text.lower().strip()
    return " ".join(text.lower().split())
