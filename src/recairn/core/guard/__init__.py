"""What text must pass at the door: Unicode clean-up, secret redaction, and safe output.

Pure functions without clock or files. `clean_text` then `redact` run on everything that is
written; `safe_for_terminal` runs on everything that is shown, because a memory may come from an
older database or another program's export. What a log may keep (`loggable`, `plain_name`) is
without secrets, and cheap where none can be.
"""

from __future__ import annotations

from recairn.core.lazy import compiled
from recairn.core.scopes import is_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable


# The ASCII characters nobody needs in a note: C0 but \t and \n, and DEL. \r is among them because
# line ends are rewritten to \n.
_ASCII_UNWANTED = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])

# Line ends of every kind; vertical tab, form feed and NEL separate words, so they become one too.
_LINE_END = r"\r\n|[\r\v\f\x85\u2028\u2029]"

# Terminal sequences are removed with their payload. A payload ends at its terminator, at the next
# ESC or at the end of the line, so an unfinished one cannot swallow the rest of a memory. The
# 8-bit introducers need a number after them: text decoded with the wrong charset contains bare
# \x9b and \x9d, and its words must survive.
_TERMINAL_SEQUENCE = (
    r"\x1b\[[0-?]*[ -/]*[@-~]?"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]+[ -/]*[@-~]"
    r"|\x9d[0-9]+;[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
)

_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_SURROGATE = r"\ud800-\udfff"
_BIDI = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Zero-width space, word joiner and invisible operators, deprecated format characters, byte order
# mark, interlinear annotation, and the soft hyphen, which splits a word for every search.
_INVISIBLE = r"\u00ad\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"
_NONCHARACTER = r"\ufdd0-\ufdef" + "".join(
    f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(0x11)
)
_JOINER = r"\u200c\u200d"
_TAG = r"\U000e0000-\U000e007f"
_VARIATION = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"

# Scripts whose spelling needs the joiners: Arabic and its neighbours, the Indic family, Myanmar,
# Khmer, Mongolian, Balinese and relatives, presentation forms, the historic Indic planes, Adlam.
_JOINING_SCRIPT = (
    r"\u0620-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\u1b00-\u1bff\ua840-\ua8ff"
    r"\ua980-\uaaff\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    r"\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_EMOJI = r"\u00a9\u00ae\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
# A black flag, the region and subdivision in tag letters, the closing tag (Scotland, Texas).
_TAG_LETTER = r"[\U000e0030-\U000e0039\U000e0061-\U000e007a]"
_FLAG = rf"\U0001f3f4{_TAG_LETTER}{{3,6}}\U000e007f"

_UNWANTED = (
    rf"(?P<kept>{_FLAG})"
    rf"|[{_CONTROL}{_SURROGATE}{_BIDI}{_INVISIBLE}{_NONCHARACTER}{_TAG}]"
    rf"|(?<![{_JOINING_SCRIPT}])\u200c"
    rf"|(?<![{_JOINING_SCRIPT}{_EMOJI}\ufe0f])\u200d"
    rf"|(?<=[{_EMOJI}\ufe0f])\u200d(?![{_EMOJI}])"
    # A variation selector belongs to one visible character; runs of them carry hidden bytes.
    rf"|(?<![^\x00-\x7f])(?<![0-9#*])[{_VARIATION}]"
    rf"|(?<=[\s{_VARIATION}{_JOINER}])[{_VARIATION}]"
)
_SUSPICIOUS = (
    rf"[{_CONTROL}{_SURROGATE}{_BIDI}{_INVISIBLE}{_NONCHARACTER}"
    rf"{_TAG}{_JOINER}{_VARIATION}\u2028\u2029]"
)


# Characters of a question that a log keeps.
_LOGGED = 1000


def clean_text(text: str) -> str:
    """The text in NFC without characters that hide, reorder or control; applying it twice is safe.

    Line ends become \\n. Joiners stay where emoji or a script need them.
    """
    if text.isascii():
        return text if _is_plain_ascii(text) else _strip(text)
    # Deferred: it loads a shared library, and most text never needs it.
    from unicodedata import is_normalized, normalize

    if _is_plain_unicode(text) and is_normalized("NFC", text):
        return text
    while True:
        cleaned = text if is_normalized("NFC", text) else normalize("NFC", text)
        cleaned = _strip(cleaned)
        if cleaned == text:
            return text
        text = cleaned


def safe_for_terminal(text: str) -> str:
    """The text as a terminal may show it: no control, escape, bidi or hidden characters.

    Keeps \\n and \\t, and does not normalise: what is shown has the stored spelling.
    """
    if _is_plain_ascii(text) if text.isascii() else _is_plain_unicode(text):
        return text
    while (stripped := _strip(text)) != text:
        text = stripped
    return text


def _is_plain_ascii(text: str) -> bool:
    raw = text.encode()
    return len(raw.translate(None, _ASCII_UNWANTED)) == len(raw)


def _is_plain_unicode(text: str) -> bool:
    """Whether one scan in C can vouch for the text; a no is only a doubt.

    Unprintable to Python are all control, format, surrogate, private and unassigned characters.
    Variation selectors are printable, so they are looked for by their first bytes in UTF-8.
    """
    visible = text.replace("\n", "").replace("\t", "").replace("\xa0", "").replace("\u3000", "")
    if not visible.isprintable():
        return False
    raw = visible.encode()
    return b"\xef\xb8" not in raw and b"\xf3\xa0" not in raw


def _strip(text: str) -> str:
    if not compiled(_SUSPICIOUS).search(text):
        return text
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = compiled(_TERMINAL_SEQUENCE).sub("", text.replace("\r\n", "\n"))
    text = compiled(_LINE_END).sub("\n", text)
    return compiled(_UNWANTED).sub(_only_kept, text)


def _only_kept(match: re.Match[str]) -> str:
    kept: str | None = match["kept"]
    return kept or ""


def redact(text: str, allow: Iterable[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The text with secret values replaced by `[REDACTED]`, and the kinds found, first one first.

    What tells the kind stays (`ghp_[REDACTED]`). An entry of `allow` is a value to leave alone,
    or, after `re:`, a pattern for the whole value. Redacting twice changes nothing more.
    """
    # Deferred: showing and searching need this package, only writing needs the rules.
    from recairn.core.guard.redaction import redact_secrets

    return redact_secrets(text, allow)


# A secret is a long word that is not a word, or stands behind one of these.
_SHORTEST_SECRET = 12  # characters
_ASSIGNING = "=:@"
# Of a hash of the name: enough to tell a few names apart, too few to find a password by.
_MARK_DIGITS = 4


def loggable(query: str) -> str:
    """The question without secrets; the rules are loaded only where one could be."""
    clean = clean_text(query)
    said = clean.removesuffix(": passed").removesuffix(": failed")  # our own words for a test run
    plain = said.isascii() and not any(mark in said for mark in _ASSIGNING)
    if plain and all(_harmless(word) for word in said.split()):
        return clean
    return redact(clean)[0]


def loggable_question(query: str) -> str:
    """The beginning of a question as a log keeps it: a pasted file is not a question."""
    return loggable(query[:_LOGGED])


def plain_name(name: str) -> str:
    """A name of a project, a session or a record without secrets, by which it is found again.

    Names come with every command: the rules are loaded only for one that has a long part that is
    no word. Where something was taken out, a mark of the whole keeps two such names apart.
    """
    if len(name) < _SHORTEST_SECRET or all(map(_harmless_part, _parts(name))):
        return name
    safe, kinds = redact(name)
    if not kinds:
        return name
    from hashlib import sha256

    return f"{safe}~{sha256(name.encode('utf-8', 'replace')).hexdigest()[:_MARK_DIGITS]}"


def _parts(name: str) -> list[str]:
    for sign in "_./:@ ":
        name = name.replace(sign, "-")
    return name.split("-")


def _harmless_part(part: str) -> bool:
    """Too short, a word, a number, or hexadecimal as in a UUID."""
    return len(part) <= _SHORTEST_SECRET or part.isalpha() or part.isdigit()


def _harmless(word: str) -> bool:
    """Too short for a secret, a word, or a path made of such."""
    if len(word) < _SHORTEST_SECRET or word.isalpha():
        return True
    path = word.strip("`'\".,;!?()")
    return is_file_name(path) and all(
        len(part) < _SHORTEST_SECRET or part.isalpha()
        for part in path.replace(".", "/").replace("_", "/").split("/")
    )
