"""Secrets known by the name they are given: `DB_PASSWORD=…`, `"apiKey": "…"`, `Passwort: …`.

The last word of a name tells. It is looked for in the lower-case text, the sign of assignment and
the value by pattern, and `values` says whether that value is one.
"""

from __future__ import annotations

from recairn.core.guard.names import (
    FOREIGN_WORDS,
    KEY_QUALIFIERS,
    NAME_WORDS,
    NOT_SECRET,
    NOT_SECRET_SUFFIX,
    PASSWORD_WORD,
    SALT_QUALIFIERS,
    VENDOR,
    VENDOR_NAMES,
    WORD,
)
from recairn.core.guard.values import (
    is_passphrase,
    is_password,
    is_strong,
    is_token,
    is_weak_password,
)
from recairn.core.lazy import compiled
from recairn.core.words import beyond_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from recairn.core.guard.values import Span

# Words in the head of a column that names a secret.
HEAD_WORDS = (*NAME_WORDS[:5], "passwort", "contrase", "senha")

_NAME = rf"""(?ix)(?P<word>{WORD})s?
    (?P<suffix>[_-][A-Za-z0-9_-]{{1,24}}|[0-9]{{1,2}})?
    (?![A-Za-z0-9_])"""
_VALUE_START = r"""(?P<break>(?:[|>][+-]?)?[ \t]{0,4}\n[ \t]{0,20})?
    (?:\[[ \t]{0,4}(?=["']))?
    (?:[rbfuRBFU@]{0,2}(?=["']))?
    (?P<quote>\\?["'`]|[\u201e\u201c\u201d\xab\u300c\u300e\u2018\u2019])?"""
# What says in a sentence that the value follows.
_VERB = (
    r"(?:is|was|ist|lautet|war|est|es|é|era|jest|to|це|это|är|er|je|este|bằng|là|adalah|on)"
    r"(?:[ \t](?:now|jetzt|set[ \t]to|currently|ahora|agora|teraz))?"
)
_ASSIGNMENT = (
    _NAME
    + rf"""(?:\\?["'`]|\]|\*\*?|\[[0-9]{{0,4}}\]){{0,3}}
    (?P<link>
       \s{{0,3}}(?::\s{{0,3}}[A-Za-z][A-Za-z\[\]|. ]{{0,30}})?
         [ \t]{{0,20}}(?:=>|:=|\?=|={{1,3}})[ \t]{{0,8}}
      |[ \t]{{0,20}}(?:\([^()\n]{{1,40}}\)[ \t]{{0,4}})?:\*{{0,2}}[ \t]{{0,20}}
      |[ \t]{{1,3}}{_VERB}:?[ \t]{{1,3}}
      |[是为為はが은는]{{1,2}}[ \t:]{{0,3}}
      |[ \t]{{0,3}}[(,][ \t]{{0,3}}(?=["'])
      |>
      |[ \t]{{1,4}}(?=['"`„“«「])
      |[ \t]{{0,4}}[→⇒][ \t]{{0,4}}
    )"""
    + _VALUE_START
)
# On a command line a value may follow its option after mere white space.
_OPTION = _NAME + r"(?P<link>[ \t]{1,4}(?:\\\n[ \t]{0,20})?)" + _VALUE_START
# In a sentence a value may follow its name directly, or after what it is for; it must be beyond
# doubt.
_SENTENCE = (
    _NAME
    + rf"""(?P<link>(?:[ \t]{{1,2}}[^\s=:]{{1,30}}){{0,7}}?
      (?:[ \t]{{1,2}}(?:{_VERB}|as|auf|in|with|使用)[ \t:]{{0,3}}|[ \t]{{1,3}}|:[ \t]{{1,3}}))"""
    + r"""(?P<break>(?!))?(?P<quote>\\?["'`]|[\u201e\u201c\u201d\xab\u300c\u300e\u2018\u2019])?
    (?=\S{0,60}[0-9]|(?-i:\S{0,60}[a-z][A-Z]\S{0,20}[a-z][A-Z]))"""
)
_OPTION_BEFORE = r"(?:\A|[\s\"'=])--?[a-z][a-z0-9.-]*-?\Z|(?:\A|[\s\"'=])--?\Z"
# A value among others ends at the sign that parts them; on a line of its own, as in an environment
# file, it may hold any sign.
_ARGUMENT = r"[^\s\"'`<>,;&|]"
_WORD = r"[^\s\"'`]"
_FOREIGN_END = r"[\u3001-\u3011\u2018-\u201e\xbb\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_CLOSING = {
    "\u201e": "\u201c\u201d",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\xab": "\xbb",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\u2018": "\u2019",
    "\u2019": "\u2019",
}
# As much of a value is read to judge it; only a secret is followed to its end, however far.
_JUDGED = "{1,96}"
_WHOLE = "+"
_LINE_START = r"[ \t]*(?:export[ \t]+|set[ \t]+|- |-e[ \t]+|ENV[ \t]+|ARG[ \t]+)?[A-Za-z0-9_.-]*"
_LONGEST_LINE_START = 80
# What is not of ASCII in the names of secrets: most texts beyond it hold none of these.
_FOREIGN_SIGNS = beyond_ascii("".join(FOREIGN_WORDS))
_LONGEST_NAME = 40
_LONGEST_QUOTED = 4000
_LONGEST_JUDGED = 200
_LONGEST_SENTENCE = 300


def find_assigned(text: str, lowered: str, named: Sequence[str]) -> Iterator[Span]:
    """The spans of values whose names say that they are secrets; `named` are those of NAME_WORDS
    that the text holds."""
    for word in named:
        yield from _find_named(text, lowered, word)
    if not text.isascii():
        folded = text.lower()
        if len(folded) != len(text):
            folded = text
        signs = beyond_ascii(folded)
        for word in () if _FOREIGN_SIGNS.isdisjoint(signs) else FOREIGN_WORDS:
            if word in folded:
                yield from _find_named(text, folded, word)


def judge(name: str, value: str) -> str:
    """The kind of secret that a value would be under a name; empty for none."""
    if not names_secret(name):
        return ""
    quote = "'" if '"' in value else '"'
    assigned = f"{name}: {quote}{value[:_LONGEST_JUDGED]}{quote}"
    lowered = assigned.encode("ascii", "replace").lower().decode()
    named = [word for word in NAME_WORDS if word in lowered]
    for start, end, kind, _ in find_assigned(assigned, lowered, named):
        if start >= len(name) and end > start:
            return kind
    return ""


def names_secret(name: str) -> bool:
    """Whether somebody who calls a thing so calls it a secret."""
    return len(name) <= 2 * _LONGEST_NAME and any(True for _ in _named_words(name))


def _named_words(name: str) -> Iterator[str]:
    """The words of a name that make it a secret's."""
    lowered = name.encode("ascii", "replace").lower().decode()
    for words, folded in ((NAME_WORDS, lowered), (FOREIGN_WORDS, name.lower())):
        for word in words:
            at = folded.rfind(word)
            if at >= 0:
                match = compiled(_NAME).match(name, at)
                if match and match.end() == len(name) and _names_a_secret(match, name[:at]):
                    yield word


def _find_named(text: str, lowered: str, word: str) -> Iterator[Span]:
    at = lowered.find(word)
    while at >= 0:
        head = text[max(0, at - _LONGEST_NAME) : at]
        if word == "key" and not _names_a_key(text[at : at + 3], head):
            at = lowered.find(word, at + 3)
            continue
        match = compiled(_ASSIGNMENT).match(text, at)
        span = None
        if match:
            if _names_a_secret(match, head):
                span = _assigned_value(text, match, head)
        elif "-" in head and compiled(_OPTION_BEFORE).search(lowered[at - len(head) : at]):
            option = compiled(_OPTION).match(text, at)
            if option and _names_a_secret(option, head):
                span = _assigned_value(text, option, head)
        if span is None and word in _SPOKEN:
            span = _spoken_value(text, at, head)
        if span:
            yield span
            at = max(at, span[1] - len(word))
        at = lowered.find(word, at + len(word))


# Names after which a sentence may go on with the value itself.
_SPOKEN = frozenset(
    "pass pwd kennwort contrase senha wachtwoord senord adgangskode heslo parol has?o jelsz".split()
) | frozenset(FOREIGN_WORDS)


def _spoken_value(text: str, at: int, head: str) -> Span | None:
    # Most sentences about passwords hold nothing that could be one.
    if not compiled(r"[0-9]|[a-z][A-Z]").search(text, at, at + _LONGEST_SENTENCE):
        return None
    match = compiled(_SENTENCE).match(text, at)
    if match:
        end = _end_of_value(text, match, _JUDGED)
        value = text[match.end() : end]
        if is_strong(value) and _names_a_secret(match, head):
            return match.end(), end, "password", value
    return None


def _names_a_secret(match: re.Match[str], head: str) -> bool:
    word, suffix = match["word"].lower(), (match["suffix"] or "").lower()
    if suffix and suffix.lstrip("_-").endswith(NOT_SECRET_SUFFIX):
        return False
    lowered = head.lower()
    stem = lowered.rstrip(" _.-")
    # A colon before the name makes it part of a path such as a resource name, not an assignment.
    if stem.endswith(NOT_SECRET) or (
        head.endswith(":") and not head.endswith(("::", " :", "{:", "(:"))
    ):
        return False
    if word == "key":
        return _names_a_key(match["word"], head)
    if word == "salt":
        return stem.endswith(SALT_QUALIFIERS) or (match["word"] == "SALT" and head.endswith("_"))
    if word in ("pat", "pin", "pw", "psk", "jwt", "creds", "mdp", "seed", "clave"):
        return not head or not head[-1].isalnum()
    return word != "auth" or not head or not head[-1].isalpha()


def _names_a_key(word: str, head: str) -> bool:
    """Whether what stands before the word makes it one: most keys open no lock."""
    return (
        head.lower().rstrip(" _.-").endswith(KEY_QUALIFIERS)
        or head.endswith(("?", "&"))
        or (word == "KEY" and head.endswith("_"))
    )


def _assigned_value(text: str, match: re.Match[str], head: str) -> Span | None:
    start = match.end()
    end = _end_of_value(text, match, _JUDGED)
    value = text[start:end]
    quoted = match["quote"] is not None or match["link"] == ">"
    if not value or (not quoted and text[end : end + 1] in ("(", "[")):
        return None
    word = match["word"].lower()
    if not _is_secret(text, match, value, quoted=quoted):
        return None
    end = _end_of_value(text, match, _WHOLE)
    if match["link"] == ">" and not text.startswith("</", end):
        return None
    return start, end, _kind(word, head), text[start:end]


def _is_secret(text: str, match: re.Match[str], value: str, *, quoted: bool) -> bool:
    word, link = match["word"].lower(), match["link"].strip(" \t")
    # Without a sign of assignment between them, or on the next line, only a random value counts.
    loose = bool(match["break"]) or link in ("", "(", ",")
    if not compiled(PASSWORD_WORD).match(word):
        return is_token(value, quoted=quoted) or (
            quoted and not loose and is_passphrase(word, value)
        )
    if loose:
        return is_token(value, quoted=quoted) or (quoted and is_strong(value))
    if is_password(value, quoted=quoted) or is_passphrase(word, value):
        return True
    shouted = match["word"].isupper() and (link == "=" or (link == ":" and quoted))
    return shouted and is_weak_password(value)


def _end_of_value(text: str, match: re.Match[str], length: str) -> int:
    start = match.end()
    quote: str | None = match["quote"]
    if quote is not None:
        for closing in _CLOSING.get(quote, (quote,)):
            end = text.find(closing, start, start + _LONGEST_QUOTED)
            if end >= 0 and "\n" not in text[start:end]:
                return end
    link = match["link"].strip()
    alone = link == "=" and _begins_line(text, match.start())
    inside = link in ("=", ">") and not alone
    word = compiled((_ARGUMENT if inside else _WORD) + length).match(text, start)
    if not word:
        return start
    value = word[0]
    if not value.isascii() and (foreign := compiled(_FOREIGN_END).search(value)):
        value = value[: foreign.start()]
    return start + len(value.rstrip(",;)]}.:\\"))


def _begins_line(text: str, name_end: int) -> bool:
    """Whether nothing but indentation, `export` and the start of the name stands before."""
    line = text.rfind("\n", max(0, name_end - _LONGEST_LINE_START), name_end) + 1
    if not line and name_end > _LONGEST_LINE_START:
        return False
    return compiled(_LINE_START).fullmatch(text, line, name_end) is not None


def _kind(word: str, head: str) -> str:
    vendor = compiled(VENDOR).search(head.lower().rpartition("\n")[2])
    if vendor:
        return f"{VENDOR_NAMES.get(vendor[1], vendor[1])}-{'key' if word == 'key' else 'secret'}"
    if compiled(PASSWORD_WORD).match(word):
        return "password"
    return {"key": "api-key", "auth": "auth-value"}.get(word, word)
