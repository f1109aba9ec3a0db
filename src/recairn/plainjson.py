"""JSON for processes that live a moment: the interpreter's own C functions, without the package.

`import json` costs a tenth of an empty Python process. What these two do not know they leave to it.
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


def dumps(value: Any) -> str:
    """Texts, whole numbers, truth values, and lists and objects of them, in ASCII."""
    if isinstance(value, str):
        from _json import encode_basestring_ascii

        return encode_basestring_ascii(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{dumps(key)}: {dumps(each)}" for key, each in value.items()) + "}"
    return "[" + ", ".join(map(dumps, value)) + "]"
