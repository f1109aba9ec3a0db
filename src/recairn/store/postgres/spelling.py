"""Statements and values as the driver takes them: `%s` for `?`, and no truth values."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

# Functions that the two engines call differently.
_NAMES = (("instr(", "strpos("), ("char(10)", "chr(10)"))


@lru_cache(maxsize=512)
def spelled(sql: str, *, bound: bool) -> str:
    """A shared statement in the server's words; a question mark in it always stands for a value."""
    if bound:
        sql = sql.replace("%", "%%").replace("?", "%s")
    for ours, theirs in _NAMES:
        sql = sql.replace(ours, theirs)
    return sql


def values_of(values: Sequence[Any]) -> list[Any]:
    """Values to bind: flags are whole numbers in every table."""
    return [int(value) if value is True or value is False else value for value in values]


def listed(values: Iterable[Any]) -> str:
    """Values of one column as the server reads arrays: one text, which costs less than a list."""
    return "{" + ",".join([_element(value) for value in values]) + "}"


def _element(value: Any) -> str:
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        return '"\\\\x' + value.hex() + '"'
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
