"""Secrets whose name stands elsewhere: in the line above, in the head of a column, in a section.

Pairs of `name` and `value`, tables, cookies, manifests of Kubernetes, JSON web keys and PuTTY keys.
Where a name and a value were put together again, `assignments` judges them as it judges
`name: "value"`.
"""

from __future__ import annotations

from recairn.core.guard.assignments import HEAD_WORDS, judge, names_secret
from recairn.core.guard.values import is_made_up, is_stand_in
from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recairn.core.guard.values import Span

_VALUE = r"""(?ix)value(?:\\?["'])?[ \t]{0,4}(?:=>|[:=>])[ \t]{0,4}(?P<quote>\\?["'])?"""
_LOOK_BACK = 200
_NAME_BEFORE = (
    r"(?i)(?:name|key|id|variable|field|parameter|property|env)(?:\\?[\"'])?[ \t]{0,4}(?:=>|[:=>])"
    r"[ \t]{0,4}(?:\\?[\"'])?([A-Za-z][\w.-]{2,60})(?![\w.-])"
)
_NAME_AFTER = (
    r"(?i)[\s,\"'\\}]{0,24}(?:name|key|id|variable)(?:\\?[\"'])?[ \t]{0,4}(?:=>|[:=>])"
    r"[ \t]{0,4}(?:\\?[\"'])?([A-Za-z][\w.-]{2,60})(?![\w.-])"
)
_LONGEST_VALUE = 4000

# A variable of Terraform with its value in a block below.
_VARIABLE = (
    r"variable\s{1,4}\"([\w.-]{2,60})\"\s{0,4}\{[^}]{0,300}?"
    r"default\s{0,8}=\s{0,4}\"([^\"\n]{4,400})\""
)

_DELIMITERS = "|\t,;"
_NAME_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
# A head of a table is shorter than this.
_LONGEST_HEAD = 300
_EDGE = " \t\"'`*"
_RULER = r"[|:\- \t+=]+"

_COOKIE = r"cookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
_COOKIE_PART = r"(?<![\w.-])[\w.-]{1,80}=([^\s;,\"']{12,4000})"
# The ends of frameworks' own names for the cookie that is the login.
_SESSION_WORDS = ("sessid", "sessionid", "connect.sid", "_session", "logged_in_")
_SESSION_VALUE = r"\w{0,40}[\"']?\s{0,2}=\s{0,2}[\"']?([^\s;,\"'&]{16,4000})"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

_SECRET_MANIFEST = r"(?mi)^(?P<indent>[ \t]*)[\"']?(?:string)?data[\"']?:[ \t]*\n"
_ENTRY = r"[ \t]+[\"']?[\w.-]{1,120}[\"']?:[ \t]*[\"']?(?![|>])([^\s\"'#]{4,})"
_PUTTY_KEY = r"Private-Lines: \d{1,4}\s{1,4}((?:[A-Za-z0-9+/=]{4,}\s{1,4}){1,400})"
_JSON_WEB_KEY = r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{16,})\""

_KEY_FILES = (
    ("Private-Lines:", _PUTTY_KEY, "private-key"),
    ('"kty"', _JSON_WEB_KEY, "json-web-key"),
)


# In lower case: without one of these, or a word that names secrets, there is no such structure.
SIGNS = frozenset(("cookie", "sess", "connect.sid", "private-lines:", '"kty"'))


def find_in_structures(text: str, lowered: str) -> Iterator[Span]:
    """The spans of values that a structure around them names."""
    if "value" in lowered or "variable" in lowered:
        yield from _find_pairs(text, lowered)
    if "\n" in text:
        yield from _find_columns(text, lowered)
    if "cookie" in lowered or "sess" in lowered or "connect.sid" in lowered:
        yield from _find_cookies(text, lowered)
    if "secret" in lowered and "kind" in lowered and "data" in lowered:
        yield from _find_in_manifests(text, lowered)
    for sign, source, kind in _KEY_FILES:
        if sign in text:
            for match in compiled(source).finditer(text):
                yield match.start(1), match.end(1), kind, match[1].strip()


def _find_pairs(text: str, lowered: str) -> Iterator[Span]:
    at = lowered.find("value")
    while at >= 0:
        match = compiled(_VALUE).match(text, at)
        if match:
            start = match.end()
            end = _end_of_value(text, start, match["quote"])
            name = _name_of(text, at, end) if end > start else ""
            if name and (kind := judge(name, text[start:end])):
                yield start, end, kind, text[start:end]
        at = lowered.find("value", at + 5)
    for place in _places(lowered, "variable"):
        block = compiled(_VARIABLE).match(text, place)
        if block and (kind := judge(block[1], block[2])):
            yield block.start(2), block.end(2), kind, block[2]


def _name_of(text: str, at: int, end: int) -> str:
    """The name that the pair around a value gives it; empty when there is none."""
    before = text[max(0, at - _LOOK_BACK) : at]
    # A pair ends with its bracket or its list entry.
    begin = max(before.rfind("{"), before.rfind("}"), before.rfind("\n\n"), before.rfind("/>")) + 1
    names = compiled(_NAME_BEFORE).findall(before, begin)
    if names:
        return str(names[-1])
    after = compiled(_NAME_AFTER).match(text, end)
    return after[1] if after else ""


def _end_of_value(text: str, start: int, quote: str | None) -> int:
    if quote is not None:
        end = text.find(quote, start, start + _LONGEST_VALUE)
        return start if end < 0 or "\n" in text[start:end] else end
    match = compiled(r"[^\s\"'`<>,]{1,4000}").match(text, start)
    return start + len(match[0].rstrip(",;)]}")) if match else start


def _find_columns(text: str, lowered: str) -> Iterator[Span]:
    """Cells below a head that names a secret, in Markdown, CSV, tabs or aligned by spaces."""
    done = 0
    for word in HEAD_WORDS:
        at = lowered.find(word)
        while at >= 0:
            stop = text.find("\n", at, at + _LONGEST_HEAD)
            line = text.rfind("\n", max(0, at - _LONGEST_HEAD), at) + 1
            resume = at + len(word)
            if stop >= 0 and (line or at < _LONGEST_HEAD) and at >= done:
                if delimiter := _delimiter(text, line, at, stop):
                    for span, row_end in _cells_below(text, line, stop, delimiter):
                        done = row_end
                        yield span
                resume = stop
            at = lowered.find(word, resume)


def _delimiter(text: str, line: int, at: int, stop: int) -> str:
    """What parts the cells of a line in which a cell is about a secret; empty for no table."""
    before = text[line:at].rstrip(_NAME_SIGNS)
    after = text[at:stop].lstrip(_NAME_SIGNS)
    for sign in _DELIMITERS:
        bare = _EDGE.replace(sign, "")
        left, right = before.rstrip(bare)[-1:], after.lstrip(bare)[:1]
        if sign in (left, right) and left in ("", sign) and right in ("", sign):
            return sign
    spaced = before.endswith("  ") or after.startswith("  ")
    clean = (not before or before.endswith("  ")) and (not after.strip() or after.startswith("  "))
    return "  " if spaced and clean else ""


def _cells_below(text: str, line: int, stop: int, delimiter: str) -> Iterator[tuple[Span, int]]:
    """The secrets below a head, each with the end of its row."""
    heads = [text[start:end].strip(_EDGE) for start, end in _cells(text, line, stop, delimiter)]
    wanted = [place for place, head in enumerate(heads) if names_secret(head)]
    if not wanted or len(heads) < 2:
        return
    start = stop + 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        cells = _cells(text, start, end, delimiter)
        if len(cells) < 2 or abs(len(cells) - len(heads)) > 1:
            return
        if not compiled(_RULER).fullmatch(text, start, end):
            for place in wanted:
                if place < len(cells):
                    for span in _cell(text, cells[place], heads[place]):
                        yield span, end
        start = end + 1


def _cell(text: str, place: tuple[int, int], head: str) -> Iterator[Span]:
    start, end = place
    value = text[start:end].strip(_EDGE)
    if value and (kind := judge(head, value)):
        start = text.index(value, start, end)
        yield start, start + len(value), kind, value


def _cells(text: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    cells: list[tuple[int, int]] = []
    if delimiter == "  ":
        return [found.span() for found in compiled(r"\S+(?: \S+)*").finditer(text, start, end)]
    at = start
    while (next_one := text.find(delimiter, at, end)) >= 0:
        cells.append((at, next_one))
        at = next_one + 1
    cells.append((at, end))
    return cells


def _find_cookies(text: str, lowered: str) -> Iterator[Span]:
    done = 0
    for place in _places(lowered, "cookie"):
        match = compiled(_COOKIE).match(lowered, place) if place >= done else None
        if match:
            stop = text.find("\n", match.end())
            done = len(text) if stop < 0 else stop
            for part in compiled(_COOKIE_PART).finditer(text, match.end(), done):
                if _is_login(part[1]):
                    yield part.start(1), part.end(1), "session-cookie", part[1]
    for word in _SESSION_WORDS:
        for place in _places(lowered, word):
            login = compiled(_SESSION_VALUE).match(text, place + len(word))
            if login and _is_login(login[1]):
                yield login.start(1), login.end(1), "session-cookie", login[1]


def _is_login(value: str) -> bool:
    if compiled(_UUID).fullmatch(value):
        return False
    long = len(value) >= 20 and value.isalnum() and not value.isalpha()
    return (is_made_up(value) or long) and not is_stand_in(value)


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _find_in_manifests(text: str, lowered: str) -> Iterator[Span]:
    """Every value under `data` of a Secret: it may have any name."""
    if not compiled(r"kind[\"']?:[ \t]{0,4}[\"']?secret\b").search(lowered):
        return
    for match in compiled(_SECRET_MANIFEST).finditer(text):
        at = match.end()
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            entry = compiled(match["indent"] + _ENTRY).match(text, at, end)
            if not entry:
                break
            if not is_stand_in(entry[1]):
                yield entry.start(1), entry.end(1), "kubernetes-secret", entry[1]
            at = end + 1
