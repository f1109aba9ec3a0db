"""What a request asks: its path, its parameters and its JSON body, read strictly."""

from __future__ import annotations

from recairn.core.errors import BadOption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")


class Parameters:
    """Parameters of the address come as text; the body brings JSON values."""

    def __init__(
        self,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path or {}
        self.query = query or {}
        self.body = body or {}

    def text(self, name: str) -> str | None:
        """A parameter of the address; None when it is missing or empty."""
        return self.query.get(name) or None

    def flag(self, name: str) -> bool:
        value = self.query.get(name, "").lower()
        if value not in (*_YES, *_NO):
            raise BadOption(f"{name} is yes or no, got {value!r}")
        return value in _YES

    def number(self, name: str, usual: int, most: int) -> int:
        """A whole number from 1 to `most`."""
        value = self.query.get(name)
        if not value:
            return usual
        if not value.isascii() or not value.isdigit() or not 1 <= int(value[:9]) <= most:
            raise BadOption(f"{name} is a number from 1 to {most:,}, got {value!r}")
        return int(value)

    def words(self, name: str) -> tuple[str, ...]:
        """Several words of one parameter, with commas between them."""
        return tuple(word for word in self.query.get(name, "").split(",") if word)

    def value(self, name: str, kind: type | tuple[type, ...], *, needed: bool = False) -> Any:
        """A value of the body that must be of a kind; None when it is missing."""
        value = self.body.get(name)
        if value is None and not needed:
            return None
        kinds = kind if isinstance(kind, tuple) else (kind,)
        # In Python a truth value is a number; in JSON it is none.
        if not isinstance(value, kind) or (isinstance(value, bool) and bool not in kinds):
            raise BadOption(f"{name} in the body must be {' or '.join(k.__name__ for k in kinds)}")
        return value

    def numbers(self, name: str, most: int) -> list[int]:
        """A list of ids of the body."""
        value = self.value(name, list) or []
        if len(value) > most or any(type(number) is not int for number in value):
            raise BadOption(f"{name} in the body must be at most {most:,} numbers")
        return list(value)
