"""The records of a JSON document one by one, so that one that was cut off costs only its end."""

from __future__ import annotations

import re
from json import JSONDecoder

from recairn.sources.format import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from recairn.sources.readers.files import Origin

    Item = tuple[str, int, Any]

_SPACE = re.compile(r"[ \t\r\n]*")


def json_items(origin: Origin, most: int) -> Iterator[Item | Fault]:
    """(section, line, value) of every item of the lists in a document of at most so many bytes.

    The section is the list's name in the object around it, and empty for a list that stands alone
    and for objects without such lists, of which one may follow another. Numbers that are none (NaN)
    are given as they are: whoever reads a field refuses them.
    """
    reader = _Reader(origin.text(most))
    try:
        yield from reader.items()
    except RecursionError:
        yield Fault(origin.place(reader.line()), "nested too deeply; nothing after it was read")
    except ValueError as error:
        why = f"not JSON: {str(error)[:100]}; nothing after it was read"
        yield Fault(origin.place(reader.line()), why)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lines = 1
        self._counted = 0
        self._decode = JSONDecoder().raw_decode

    def line(self) -> int:
        self._lines += self._text.count("\n", self._counted, self._at)
        self._counted = max(self._counted, self._at)
        return self._lines

    def items(self) -> Iterator[Item]:
        while sign := self._next():
            if sign == "[":
                yield from self._list("")
            elif sign == "{":
                yield from self._object()
            else:
                yield "", self.line(), self._value()

    def _next(self) -> str:
        """The next sign that is no space; empty at the end."""
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._text[self._at : self._at + 1]

    def _take(self, *signs: str) -> str:
        sign = self._next()
        if sign not in signs or not sign:
            raise ValueError(f"{' or '.join(signs)} expected" + ("" if sign else " before the end"))
        self._at += 1
        return sign

    def _value(self) -> Any:
        self._next()
        value, self._at = self._decode(self._text, self._at)
        return value

    def _list(self, section: str) -> Iterator[Item]:
        self._take("[")
        if self._next() == "]":
            self._at += 1
            return
        while True:
            self._next()
            line = self.line()
            yield section, line, self._value()
            if self._take(",", "]") == "]":
                return

    def _object(self) -> Iterator[Item]:
        line, own, listed = self.line(), {}, False
        self._take("{")
        if self._next() == "}":
            self._at += 1
            return
        while True:
            name = self._value()
            self._take(":")
            if self._lists_objects():
                listed = True
                yield from self._list(str(name))
            else:
                own[str(name)] = self._value()
            if self._take(",", "}") == "}":
                break
        if own and not listed:
            yield "", line, own

    def _lists_objects(self) -> bool:
        if self._next() != "[":
            return False
        inner = _SPACE.match(self._text, self._at + 1)
        return inner is not None and self._text[inner.end() : inner.end() + 1] == "{"
