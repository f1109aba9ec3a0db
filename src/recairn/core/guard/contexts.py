"""Secrets known by what stands before them: names, headers, URLs, command lines.

The words of a text tell which announcing signs may stand in its lower-case ASCII form, in which
they are then looked for; a pattern runs only where one was found. A sign is what a rule knows a
secret by: `key`, `sig=`, `hooks.slack.com/`. Where it stands, its longest part without punctuation
stands in a word: at the beginning or the end of it where the sign goes on with punctuation. A
process looks at each word once: text repeats its words, so that most texts are asked nothing but
whether their words are known.
"""

from __future__ import annotations

from itertools import filterfalse

from recairn.core.guard.assignments import find_assigned
from recairn.core.guard.command_lines import (
    ACCOUNT,
    AFTER_LOGIN,
    CALLS,
    COMMANDS,
    LOGINS,
    LONGEST_ACCOUNT,
    SLASH,
)
from recairn.core.guard.names import NAME_WORDS, WORD
from recairn.core.guard.structures import SIGNS, find_in_structures
from recairn.core.guard.values import (
    LONG_BASE64,
    is_password,
    is_stand_in,
    is_strong,
    is_token,
    looks_random,
)
from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence, Set

    from recairn.core.guard.command_lines import Context
    from recairn.core.guard.values import Span

_PUNCTUATION = ".,;:)]"
_OPEN_QUOTE = r"\\?[\"'`]?"


def _is_header_value(value: str) -> bool:
    return not is_stand_in(value) and (looks_random(value) or not value.isalpha())


def _is_pair_in_base64(value: str) -> bool:
    from binascii import Error, a2b_base64

    try:
        decoded = a2b_base64(value + "=" * (-len(value) % 4))
    except Error:
        return False
    return b":" in decoded and all(32 <= byte < 127 for byte in decoded)


def _is_command_line_password(value: str) -> bool:
    # A user and a group, as in -u 1000:staff, are lower case or digits.
    has_capitals = len(value) >= 8 and value != value.lower()
    return is_password(value, quoted=True) or (has_capitals and not is_stand_in(value))


def _is_given(value: str) -> bool:
    return not is_stand_in(value)


# In groups as those of `command_lines`.
_SURROUNDINGS: tuple[tuple[str, tuple[Context, ...]], ...] = (
    (
        "",
        (
            (
                "authorization-header",
                "authorization",
                rf"authorization[\"'\]\\]{{0,4}}\s{{0,3}}[:=,]\s{{0,3}}{_OPEN_QUOTE}"
                r"(?:bearer|basic|token|apikey|api-key|ssws|key|bot|digest)\s{1,4}([^\s\"'`<>,;\\)]{8,})",
                _is_header_value,
            ),
            (
                "authorization-header",
                "authorization",
                rf"authorization[\"'\]\\]{{0,4}}\s{{0,3}}[:=]\s{{0,3}}{_OPEN_QUOTE}"
                r"([A-Za-z0-9_.~+/=-]{16,})",
                is_token,
            ),
            (
                "bearer-token",
                "bearer",
                rf"bearer[\s:=]{{1,4}}{_OPEN_QUOTE}([A-Za-z0-9_.~+/=-]{{12,}})",
                is_token,
            ),
            ("basic-auth", "basic ", r"basic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})", _is_pair_in_base64),
            (
                "password",
                "identified by",
                r"identified\s{1,4}by\s{1,4}[\"']([^\s\"']{4,200})",
                _is_given,
            ),
            (
                "private-key",
                "client-key-data",
                r"client-key-data[\"']?\s{0,3}:\s{0,3}[\"']?([A-Za-z0-9+/=]{20,}"
                r"(?:(?:\s|\\[nr]){1,20}[A-Za-z0-9+/=]{40,})*)",
                _is_given,
            ),
            (
                "url-signature",
                "x-amz-security-token=",
                r"x-amz-security-token=([A-Za-z0-9%+/=_-]{16,})",
                _is_given,
            ),
        ),
    ),
    (
        "pass",
        (
            (
                "netrc-password",
                "machine ",
                r"machine\s{1,20}\S{1,200}\s{1,20}(?:login\s{1,20}\S{1,200}\s{1,20})?"
                r"(?:account\s{1,20}\S{1,200}\s{1,20})?password\s{1,20}(\S{1,200})",
                _is_given,
            ),
            (
                "netrc-password",
                "default login",
                r"default\s{1,20}login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}(\S{1,200})",
                _is_given,
            ),
        ),
    ),
    (
        ":",
        (
            (
                "pgpass-password",
                ":5432:",
                r":5432:[^\s:]{1,64}:[^\s:]{1,64}:([^\s:]{4,200})",
                _is_given,
            ),
            (
                "basic-auth",
                "-u ",
                r"-u {1,4}[\"']?[^\s:\"'/]{1,100}:([^\s\"']{4,200})",
                _is_command_line_password,
            ),
            (
                "basic-auth",
                "--user ",
                r"--user {1,4}[\"']?[^\s:\"'/]{1,100}:([^\s\"']{4,200})",
                _is_command_line_password,
            ),
        ),
    ),
    (
        "=",
        (
            (
                "url-signature",
                "sig=",
                r"(?<=[?&;])sig=([A-Za-z0-9%+/=_-]{16,})",
                looks_random,
            ),
            (
                "url-signature",
                "signature=",
                r"(?<=[?&;, -])signature=([A-Za-z0-9%+/=_-]{16,})",
                looks_random,
            ),
        ),
    ),
    (
        "/",
        (
            (
                "slack-webhook",
                "hooks.slack.com/",
                r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,})",
                _is_given,
            ),
            (
                "discord-webhook",
                "/webhooks/",
                r"(?<=/api)(?:/v[0-9]{1,2})?/webhooks/[0-9]{10,24}/([A-Za-z0-9_-]{40,})",
                _is_given,
            ),
            (
                "discord-webhook",
                "/webhooks/",
                r"/webhooks/[0-9]{15,24}/([A-Za-z0-9_-]{40,})",
                _is_given,
            ),
            (
                "teams-webhook",
                "webhook.office.com/",
                r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/_-]{40,})",
                _is_given,
            ),
        ),
    ),
)

CONTEXTS = (*_SURROUNDINGS, *COMMANDS, ("(", CALLS))
# By announcing sign: its rows, each with what must stand in the text as well.
_ROWS: dict[str, list[tuple[str, Context]]] = {}
for _gate, _group in CONTEXTS:
    for _row in _group:
        _ROWS.setdefault(_row[1], []).append((_gate, _row))
_NAMES = frozenset(NAME_WORDS)
# What begins password hashes, keys in blocks, and long base64, beside the sign of money.
MARKS = frozenset(("sha}", "private key", *[mark.lower() for mark in LONG_BASE64]))
ALL_SIGNS = frozenset((*_ROWS, *NAME_WORDS, *SIGNS, *MARKS))

# Words remembered; and letters of one, so that a text of one endless word is not kept.
_MOST_WORDS = 50_000
_LONGEST_WORD = 40


class WordSigns:
    """A table of signs, and the words that were looked at.

    Where a word holds nothing but `names`, only those count that may be its end by the pattern
    `named`: `pat` announces something in `github-pat` and nothing in `pattern`.
    """

    def __init__(self, signs: Iterable[str], names: Collection[str], named: str) -> None:
        self._names = frozenset(names)
        self._named = named
        self._signs_of: dict[str, list[str]] = {}
        for sign in signs:
            self._signs_of.setdefault(_part_of(sign), []).append(sign)
        self._forget()

    def _forget(self) -> None:
        # Made anew instead of emptied: another thread may be asking them.
        self._silent: set[str] = set()
        self._telling: dict[str, frozenset[str]] = {}

    def standing_in(self, words: Iterable[str]) -> set[str]:
        """The signs that may stand in a text of these words, which are in lower case."""
        silent, telling = self._silent, self._telling
        left = set(filterfalse(silent.__contains__, words))
        if not left:
            return set()
        new = left.difference(telling)
        if not new:
            return set().union(*[telling[word] for word in left])
        learned = self._learned(new)
        if len(silent) + len(telling) > _MOST_WORDS:
            self._forget()
        for word in new:
            if len(word) <= _LONGEST_WORD:
                if word in learned:
                    telling[word] = learned[word]
                else:
                    silent.add(word)
        known = [telling[word] for word in left - new]
        return set().union(*known, *learned.values())

    def _learned(self, words: Iterable[str]) -> dict[str, frozenset[str]]:
        """The signs in new words, of those that hold any."""
        joined = f" {'  '.join(words)} "
        parts = [part for part in self._signs_of if part in joined]
        learned = {}
        for word in words if parts else ():
            spaced = f" {word} "
            signs = {sign for part in parts if part in spaced for sign in self._signs_of[part]}
            if signs and signs <= self._names:
                signs = {sign for sign in signs if self._may_end(word, sign)}
            if signs:
                learned[word] = frozenset(signs)
        return learned

    def _may_end(self, word: str, name: str) -> bool:
        """Whether a name of a secret that stands in a word may reach to the end of it."""
        if not name.isalnum():
            return True
        pattern = compiled(self._named)
        at = word.find(name)
        while at >= 0:
            if pattern.fullmatch(word, at):
                return True
            at = word.find(name, at + 1)
        return False


def _part_of(sign: str) -> str:
    """The longest part of a sign without punctuation, between spaces where it had any beside it."""
    spaced = "".join([letter if letter.isalnum() else " " for letter in sign])
    parts = [f" {part} " for part in spaced.split()]
    if spaced[0] != " ":
        parts[0] = parts[0][1:]
    if spaced[-1] != " ":
        parts[-1] = parts[-1][:-1]
    return max(parts, key=len)


# In a name of ASCII letters the word that tells is the end of a word, but for numbers and for what
# a structure knows a value by. A question mark is a letter beyond them.
_IN_ASCII = WordSigns(
    [sign for sign in ALL_SIGNS if "?" not in sign],
    _NAMES - _ROWS.keys(),
    rf"(?ix)(?:{WORD})s?[0-9]{{0,2}}(?:va(?:lue|riable).*)?",
)
_IN_OTHERS = WordSigns(ALL_SIGNS, (), "")

_USER_INFO = r"://[^\s/@:\"'`<>?#]{0,256}:([^\s/\"'`<>]{1,512})@(?=[\w\[$({<%*.-])"
_TOKEN_AS_USER = r"://([A-Za-z0-9_.~-]{20,256})(?::|:x-oauth-basic)?@(?=[\w\[])"


def signs_in(text: str, words: Sequence[str]) -> Set[str]:
    """The signs that may stand in a text; `words` are its own, of ASCII and in lower case."""
    return (_IN_ASCII if text.isascii() else _IN_OTHERS).standing_in(words)


def find_in_context(text: str, signs: Set[str]) -> list[Span]:
    """The spans of values that their surroundings give away, where these signs may stand."""
    lowered = text.encode("ascii", "replace").lower().decode()
    spans: list[Span] = []
    for sign in signs:
        for gate, row in _ROWS.get(sign, ()):
            if gate in lowered:
                spans.extend(_matches(text, lowered, row))
    if "/" in text:
        if "@" in text and "://" in text:
            spans.extend(_find_in_urls(text))
        spans.extend(_find_beside_names(text, lowered))
    named = [] if _NAMES.isdisjoint(signs) else [word for word in NAME_WORDS if word in signs]
    if named or not text.isascii():
        spans.extend(find_assigned(text, lowered, named))
    if named or not SIGNS.isdisjoint(signs) or not text.isascii():
        spans.extend(find_in_structures(text, lowered))
    return spans


def _matches(text: str, lowered: str, row: Context) -> Iterator[Span]:
    kind, announcing, source, is_secret = row
    pattern = compiled("(?i)" + source)
    at = lowered.find(announcing)
    while at >= 0:
        match = pattern.match(text, at)
        if match and is_secret(match[1]):
            yield match.start(1), match.end(1), kind, match[1]
        at = lowered.find(announcing, max(at + len(announcing), match.end() if match else 0))


def _find_beside_names(text: str, lowered: str) -> Iterator[Span]:
    for match in compiled(SLASH).finditer(text):
        value = match[1].rstrip(_PUNCTUATION)
        before = text[max(0, match.start() - LONGEST_ACCOUNT) : match.start()]
        # What stands behind `root / ` is a password; a path or a word is none.
        if is_strong(value) and compiled(ACCOUNT).search(before):
            yield match.start(1), match.start(1) + len(value), "password", value
    for word in LOGINS:
        at = lowered.find(word)
        while at >= 0:
            after = compiled("(?i)" + AFTER_LOGIN).match(text, at + len(word))
            if after and is_strong(value := after[1].rstrip(_PUNCTUATION)):
                yield after.start(1), after.start(1) + len(value), "password", value
            at = lowered.find(word, at + len(word))


def _find_in_urls(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        if match := compiled(_USER_INFO).match(text, at):
            if not is_stand_in(match[1]):
                yield match.start(1), match.end(1), "connection-string", match[1]
        elif (match := compiled(_TOKEN_AS_USER).match(text, at)) and looks_random(match[1]):
            kind = "sentry-dsn" if "sentry" in text[match.end() : match.end() + 64] else "url-token"
            yield match.start(1), match.end(1), kind, match[1]
        at = text.find("://", at + 3)
