"""JSON for processes that live a moment: the interpreter's own C functions, without the package.

`import json` costs a tenth of an empty Python process. It is what these two fall back on.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Plain:
    """How the scanner is to read: numbers, texts and objects as Python's own."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def loads(text: str) -> Any:
    """The value that a JSON document holds; ValueError when it is none."""
    try:
        from _json import make_scanner
    except ImportError:
        from json import loads as whole

        return whole(text)
    bare = text.strip(" \t\r\n")
    settings: Any = _Plain
    try:
        value, end = make_scanner(settings)(bare, 0)
    except StopIteration:
        raise ValueError("not JSON") from None
    if end != len(bare):
        raise ValueError("more than one JSON value")
    return value


def dumps(value: Any, *, ascii: bool = True) -> str:
    """The value as a JSON document of one line."""
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder

        quoted = encode_basestring_ascii if ascii else encode_basestring
        chunks = make_encoder(None, _refuse, quoted, None, ": ", ", ", False, False, True)
    except (ImportError, TypeError):  # a Python whose functions are others
        from json import dumps as whole

        return whole(value, ensure_ascii=ascii)
    return "".join(chunks(value, 0))


def _refuse(value: object) -> None:
    raise TypeError(f"a {type(value).__name__} has no place in JSON")
