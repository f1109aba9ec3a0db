"""Secrets in another spelling: base64, percent signs, full-width letters, cut by a line end.

Each finder spells a part of the text out and asks the caller's `find` about it; what it says is
brought back to the places in the text as it stands.
"""

from __future__ import annotations

from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recairn.core.guard.values import Span

    Find = Callable[[str], list[Span]]

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_ESCAPE = r"%([0-9A-Fa-f]{2})"
_LONGEST_ESCAPED = 8000
# Base64 of text: what comes out is readable. Shorter ones than this hold no secret worth a look.
_BASE64 = r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}={0,2}"
_WRAPPED = r"(?:(?:\s|\\[nr]){1,12}[A-Za-z0-9+/=]{16,})*"
_LONGEST_BASE64 = 40_000
_RUN = b"a" * 24
_RUN_MAP = bytes(
    ord("a") if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "+/_-") else ord(" ")
    for code in range(256)
)
_JUDGED = 12
# A line that ends within a token, and the next one that goes on with it; strings in pieces too.
_CUT = (
    r"(?<![A-Za-z0-9_.~-])(?P<head>[A-Za-z0-9_.~-]{4,}+)"
    r"(?:[\"']?[ \t]{0,2}[+\\.]?[ \t]{0,2}\n[ \t>#*]{0,16}[\"']?)"
    r"(?P<tail>[A-Za-z0-9_.~-]{4,})"
)
_SHORTEST_TOKEN = 20


def plain_width(text: str) -> str:
    """The text with full-width signs as ASCII, of the same length."""
    return text.translate(_FULL_WIDTH) if compiled("[\uff01-\uff5e]").search(text) else text


def find_escaped(text: str, find: Find) -> Iterator[Span]:
    """Secrets in words with percent signs, as addresses and forms spell them."""
    at = text.find("%")
    while at >= 0:
        start = at
        while start and at - start < _LONGEST_ESCAPED and not text[start - 1].isspace():
            start -= 1
        match = compiled(r"[^\s\"'`<>]+").match(text, at)
        end = match.end() if match else at + 1
        if compiled(_ESCAPE).search(text, at, end):
            yield from _unescaped(text, start, min(end, start + _LONGEST_ESCAPED), find)
        at = text.find("%", end)


def _unescaped(text: str, start: int, end: int, find: Find) -> Iterator[Span]:
    signs: list[str] = []
    places: list[int] = []
    at = start
    while at < end:
        escape = compiled(_ESCAPE).match(text, at, end) if text[at] == "%" else None
        code = int(escape[1], 16) if escape else 0
        places.append(at)
        signs.append(chr(code) if 32 <= code < 127 else text[at] if not escape else " ")
        at += 3 if escape else 1
    places.append(end)
    for first, last, kind, _ in find("".join(signs)):
        yield places[first], places[last], kind, text[places[first] : places[last]]


def find_base64(text: str, find: Find) -> Iterator[Span]:
    """Runs of base64 in which a readable text with a secret hides."""
    if _RUN not in text.encode("ascii", "replace").translate(_RUN_MAP):
        return
    done = 0
    for match in compiled(_BASE64).finditer(text):
        run = match[0]
        if (
            match.start() < done
            or run.islower()
            or run.isupper()
            or not _is_readable(run[:_JUDGED])
        ):
            continue
        wrapped = compiled(_WRAPPED).match(text, match.end())
        whole = run + (wrapped[0] if wrapped else "")
        hidden = _decoded("".join(whole[:_LONGEST_BASE64].replace("\\n", "").split()))
        spans = find(hidden) if hidden else []
        if spans:
            done = match.start() + len(whole)
            yield match.start(), done, spans[0][2], whole


def _is_readable(run: str) -> bool:
    return bool(_decoded(run))


def _decoded(run: str) -> str:
    from binascii import Error, a2b_base64

    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        hidden = a2b_base64(run[: len(run) - (len(run) % 4 == 1)] + "==="[: -len(run) % 4])
    except Error:
        return ""
    readable = all(32 <= byte < 127 or byte in b"\n\r\t" for byte in hidden)
    return hidden.decode() if readable else ""


def find_cut(text: str, find: Find) -> Iterator[Span]:
    """Tokens that a line end cuts in two; both parts are the secret."""
    for match in compiled(_CUT).finditer(text):
        head, tail = match["head"], match["tail"]
        joined = head + tail
        if len(joined) < _SHORTEST_TOKEN or head.isalpha() or not compiled("[0-9]").search(joined):
            continue
        for first, last, kind, _ in find(joined):
            if first < len(head) < last:
                start = match.start("head") + first
                end = match.start("tail") + last - len(head)
                yield start, end, kind, joined[first:last]
