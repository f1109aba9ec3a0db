"""Parameters of tools, written in JSON Schema: only its words used here are understood."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Schema = dict[str, Any]


def text(about: str = "", **more: Any) -> Schema:
    return _described("string", about, more)


def choice(names: Sequence[str], about: str = "", **more: Any) -> Schema:
    return _described("string", about, {"enum": list(names), **more})


def whole(about: str = "", **more: Any) -> Schema:
    """A whole number; `least` and `most` bound it."""
    return _described("integer", about, more)


def number(about: str = "", **more: Any) -> Schema:
    return _described("number", about, more)


def flag(about: str = "", **more: Any) -> Schema:
    return _described("boolean", about, more)


def listed(about: str = "", items: Schema | None = None, **more: Any) -> Schema:
    """A list, of texts unless told otherwise."""
    return _described("array", about, {"items": items or {"type": "string"}, **more})


def mapping(about: str = "", **more: Any) -> Schema:
    return _described("object", about, more)


def _described(kind: str, about: str, more: Mapping[str, Any]) -> Schema:
    spelled = {"least": "minimum", "most": "maximum"}
    rest = {spelled.get(name, name): value for name, value in more.items()}
    return {"type": kind, **({"description": about} if about else {}), **rest}


def parameters(needed: Sequence[str] = (), **properties: Schema) -> Schema:
    """The schema of a tool's parameters: nothing beside them is taken."""
    return {
        "type": "object",
        "properties": properties,
        **({"required": list(needed)} if needed else {}),
        "additionalProperties": False,
    }


def answers(**properties: str) -> Schema:
    """The schema of a tool's structured result; values are names of types.

    What is always there is not said: agents pay for every word of it, and read the result anyway.
    """
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
    }
