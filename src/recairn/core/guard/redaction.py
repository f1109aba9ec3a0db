"""Finds secrets by shape and by context, and replaces their values.

Finding is two questions asked in one pass. What a token looks like answers alone (`shape_search`,
by the table in `shapes`); what stands before a value answers for the rest (`contexts`). Where both
answer, the shape wins, because it keeps the telling prefix. Ordinary prose holds nothing that could
announce a secret (`is_announced`): the rules are loaded by the first text that does.
"""

from __future__ import annotations

from recairn.core.guard.values import MARK, PRIVATE_KEY_KIND
from recairn.core.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from recairn.core.guard.values import Span

# Every shape has this many token characters in a row; ordinary prose hardly ever does.
_RUN = b"a" * 20
_TOKEN_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-~"
_RUN_MAP = bytes(ord("a") if code in _TOKEN_BYTES else ord(" ") for code in range(256))
# In lower case, part of every word or sign by which a rule knows that a secret may follow: signs
# and beginnings of shapes, the names of secrets, what structures are made of, and programs that are
# given a password. Kept against the rules by tests/core/guard/test_gate.py.
_ANNOUNCING = (
    *("/", "%", "$", ":5432:", "-u ", "--user ", "sig=", "signature=", "-stdin", "sha}"),
    *("iqojb3jpz2lu", "fwogzxivyxdz", "fqogzxivyxdz", "absk"),
    *("pass", "pwd", "secret", "token", "key", "auth", "credential", "creds", "salt", "kennwort"),
    *("contrase", "clave", "senha", "wachtwoord", "senord", "adgangskode", "heslo", "parol"),
    *("has?o", "haslo", "jelsz", "salasana", "kata sandi", "ifre", "psk", "mdp", "pw", "pat"),
    *("pin", "jwt", "bearer", "basic ", "identified by", "machine ", "login", "connect"),
    *("value", "variable", "cookie", "sess", "private-lines", '"kty"'),
    *("mysql", "mariadb", "mycli", "redis-cli", "mongo", "cqlsh", "ldap", "sqlcmd", "bcp"),
    *("ipmitool", "snmp", "rdesktop", "xfreerdp", "7z", "zip", "influx", "http", "curl"),
    *("smbclient", "net use", "echo ", "printf ", "rabbitmqctl", "convertto-securestring"),
)
# A recovery phrase has twelve words at least, of which the outer two may touch a quote or a colon.
_PHRASE = 10
_DIGITS = b"0123456789"
_HEXADECIMAL = b"0123456789abcdef-"
# Before a run of hexadecimal digits these may part it from what announces it.
_PARTS = (".", ":", "/", "$")

# The module `contexts`, once a text has announced something.
_rules: list[Any] = []
# `find_seed_phrases`, once a text may have held one.
_phrases: list[Callable[[str, Sequence[str]], Iterator[Span]]] = []

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


def is_announced(text: str) -> bool:
    """Whether anything in the text could announce a secret; a yes is only a doubt."""
    if not text.isascii():
        return True
    lowered = text.lower()
    for word in _ANNOUNCING:
        if word in lowered:
            return True
    return _RUN in text.encode().translate(_RUN_MAP)


def _find(text: str) -> list[Span]:
    """All secrets, also those in another spelling."""
    if not text.isascii():
        from recairn.core.guard.encodings import plain_width

        text = plain_width(text)
    # As long as the text, so that places are the same in both.
    plain = text if text.isascii() else text.encode("ascii", "replace").decode()
    spans: list[Span] = []
    other: list[Span] = []
    has_runs = False
    # Rules that are loaded cost no more than to ask whether they are needed.
    if _rules or is_announced(text):
        runs = plain.encode().translate(_RUN_MAP)
        spans = _find_here(text, plain, runs)
        has_runs = _RUN in runs
    if has_runs or "%" in text:
        from recairn.core.guard.encodings import find_base64, find_cut, find_escaped

        other.extend(find_escaped(text, _find_plain))
        if has_runs:
            other.extend(find_base64(text, _find_plain))
            if "\n" in text:
                other.extend(find_cut(text, _find_shaped))
    if _phrases or _may_hold_a_phrase(text):
        if not _phrases:
            from recairn.core.guard.seed_phrases import find_seed_phrases

            _phrases.append(find_seed_phrases)
        other.extend(_phrases[0](text, words(plain)))
    return sorted(spans + _apart_from(_join(other), spans)) if other else spans


def _find_shaped(text: str) -> list[Span]:
    from recairn.core.guard.shape_search import find_tokens

    plain = text.encode("ascii", "replace")
    return list(find_tokens(text, _token_places(text, plain.decode(), plain.translate(_RUN_MAP))))


def _find_plain(text: str) -> list[Span]:
    """Secrets in this spelling."""
    plain = text if text.isascii() else text.encode("ascii", "replace").decode()
    return _find_here(text, plain, plain.encode().translate(_RUN_MAP))


def _find_here(text: str, plain: str, runs: bytes) -> list[Span]:
    """The same; `plain` is the text with a sign for what is beyond ASCII, `runs` its runs."""
    if not _rules:
        from recairn.core.guard import contexts

        _rules.append(contexts)
    shaped: list[Span] = []
    places = _token_places(text, plain, runs)
    signs = _rules[0].signs_in(text, words(plain))
    if places or "$" in text or not _rules[0].MARKS.isdisjoint(signs):
        from recairn.core.guard.shape_search import find_marked, find_tokens

        shaped = [*find_tokens(text, places), *find_marked(text)]
    contextual: list[Span] = []
    if signs or "/" in text or not text.isascii():  # else nothing in it announces anything
        contextual = _rules[0].find_in_context(text, signs)
    if not shaped:
        return _join(contextual) if contextual else shaped
    shaped = _join(shaped)
    return sorted(shaped + _apart_from(_join(contextual), shaped))


def _token_places(text: str, plain: str, runs: bytes) -> list[tuple[int, int]]:
    """Where runs of token characters begin and end that are no ordinary names or hashes."""
    places: list[tuple[int, int]] = []
    end = 0
    while (start := runs.find(_RUN, end)) >= 0:
        end = runs.find(b" ", start)
        end = len(runs) if end < 0 else end
        if _may_be_token(plain[start:end].encode()) or text[start - 1 : start] in _PARTS:
            places.append((start, end))
    return places


def _may_be_token(word: bytes) -> bool:
    """No for snake_case and CONSTANT_CASE without digits, and for bare hashes and UUIDs."""
    if not word.translate(None, _HEXADECIMAL):
        return word.count(b"-") not in (0, 4)
    if len(word.translate(None, _DIGITS)) < len(word):
        return True
    return word.lower() != word and (word.upper() != word or b"_" not in word)


def _may_hold_a_phrase(text: str) -> bool:
    """Whether so many short lower-case words stand in a row, numbers and commas aside.

    A row of ten has one at every tenth place: only around those is the text read.
    """
    parts = text.replace(",", " ").split()
    count, at = len(parts), _PHRASE - 1
    while at < count:
        row, end = 0, at
        while end < count and (plain := _plain_words(parts[end])) >= 0:
            row, end = row + plain, end + 1
        if end > at:
            start = at - 1
            while start >= 0 and row < _PHRASE and (plain := _plain_words(parts[start])) >= 0:
                row, start = row + plain, start - 1
            if row >= _PHRASE:
                return True
        at += _PHRASE * ((end - at) // _PHRASE + 1)
    return False


def _plain_words(part: str) -> int:
    """1 for a short lower-case word, a number before it or not; 0 for a number; -1 for others."""
    if not (part.isalpha() or (part := part.lstrip("0123456789").lstrip(".):"))):
        return 0
    return 1 if 3 <= len(part) <= 8 and part.isalpha() and part.islower() else -1


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
    import re

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
