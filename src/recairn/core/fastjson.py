"""JSON for processes that live a moment: the interpreter's own C functions, without the package.

`import json` costs half an empty Python process, with the `re` it brings. It is what these two fall
back on.
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
    parse_constant: Any = float


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")


class _Strict(_Plain):
    """The same, without the NaN and Infinity that Python allows and JSON does not."""

    parse_constant = staticmethod(_refuse_constant)


def loads(text: str, *, strict: bool = False) -> Any:
    """The value that a JSON document holds; ValueError when it is none.

    Python's NaN and Infinity are taken for numbers, unless `strict`.
    """
    bare = text.strip(" \t\r\n")
    settings: Any = _Strict if strict else _Plain
    try:
        from _json import make_scanner

        value, end = make_scanner(settings)(bare, 0)
        if end == len(bare):
            return value
    # Without the package the scanner has no error to raise: some Pythons call that a SystemError.
    except (ImportError, StopIteration, SystemError):
        pass
    from json import loads as whole

    return whole(text, parse_constant=_refuse_constant if strict else None)


def dumps(value: Any, *, ascii: bool = True, compact: bool = False) -> str:
    """The value as a JSON document of one line, with `compact` without needless spaces."""
    colon, comma = (":", ",") if compact else (": ", ", ")
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder

        quoted = encode_basestring_ascii if ascii else encode_basestring
        chunks = make_encoder(None, _refuse, quoted, None, colon, comma, False, False, True)
    except (ImportError, TypeError):  # a Python whose functions are others
        from json import dumps as whole

        return whole(value, ensure_ascii=ascii, separators=(comma, colon))
    return "".join(chunks(value, 0))


def _refuse(value: object) -> None:
    raise TypeError(f"a {type(value).__name__} has no place in JSON")
