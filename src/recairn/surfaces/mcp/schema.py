"""Parameters of tools: written in JSON Schema, and read from what an agent sent.

Only the words of JSON Schema used here are understood. Reading is friendly where nothing can be
misunderstood ("5" for 5, 0.4 for "0.4", null or "" for nothing), and strict about names.
"""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.fastjson import dumps
from recairn.core.kinds import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Schema = dict[str, Any]

_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


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


def read(tool: str, schema: Schema, arguments: Any) -> dict[str, Any]:
    """The parameters of a call; BadInput says which one is wrong and what it may be."""
    if not isinstance(arguments, dict):
        raise BadInput(f"the arguments of {tool} must be an object")
    _check_text(tool, arguments)
    return _object(tool, schema, arguments)


def _check_text(tool: str, arguments: Mapping[str, Any]) -> None:
    """BadInput for half a surrogate pair, which JSON can spell and nothing can store."""
    try:
        dumps(arguments, ascii=False).encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"the arguments of {tool} hold half a character, which is no text", "send whole ones"
        ) from None


def _object(what: str, schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    if properties is None:
        return dict(arguments)
    values = {}
    needed = schema.get("required", ())
    for name, value in arguments.items():
        if name not in properties:
            names = tuple(properties)
            listing = f"it takes: {', '.join(names)}" if names else "it takes none"
            raise BadInput(
                f"{what} has no parameter {name[:80]!r}", f"{nearest(name[:80], names)}{listing}"
            )
        if value is not None and (value != "" or name in needed):
            values[name] = _value(name, properties[name], value)
    missing = [name for name in needed if name not in values]
    if missing:
        about = properties[missing[0]].get("description", "")
        raise BadInput(f"{what} needs {missing[0]!r}", about)
    return values


def _value(name: str, schema: Schema, raw: Any) -> Any:
    kind = schema["type"]
    value = _coerced(kind, raw)
    if not _is(kind, value):
        raise BadInput(f"{name} must be {_NAMES[kind]}, got {_shown(raw)}")
    if kind == "string":
        return _string(name, schema, value)
    if kind in ("integer", "number"):
        return _bounded(name, schema, value)
    if kind == "array":
        return _items(name, schema, value)
    return _object(name, schema, value) if kind == "object" else value


def _coerced(kind: str, raw: Any) -> Any:
    """The value in the type that was wanted, where it cannot mean anything else."""
    if kind == "string" and _is("number", raw) and abs(raw) < 10**18:
        return str(raw)
    if kind == "array" and isinstance(raw, str | int) and not isinstance(raw, bool):
        return [raw]
    if kind in ("integer", "number") and isinstance(raw, str) and len(raw) <= 20:
        try:
            raw = float(raw) if kind == "number" or "." in raw else int(raw)
        except ValueError:
            return raw
    if kind == "integer" and isinstance(raw, float) and raw.is_integer():
        return int(raw)
    return raw


def _is(kind: str, value: Any) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    types = {"string": str, "boolean": bool, "array": list, "object": dict}
    return isinstance(value, types[kind])


def _string(name: str, schema: Schema, value: str) -> str:
    names = schema.get("enum")
    if names and value not in names:
        close = nearest(value[:80], tuple(names))
        raise BadInput(f"{name} cannot be {_shown(value)}", f"{close}it is one of {_names(names)}")
    return value


def _bounded(name: str, schema: Schema, value: float) -> float:
    low, high = schema.get("minimum"), schema.get("maximum")
    below, above = low is not None and not value >= low, high is not None and not value <= high
    if below or above:
        ends = f"between {low} and {high}" if low is not None and high is not None else None
        limit = ends or (f"{low} or more" if low is not None else f"{high} at most")
        raise BadInput(f"{name} must be {limit}, got {_shown(value)}")
    return value


def _items(name: str, schema: Schema, value: list[Any]) -> list[Any]:
    most = schema.get("maxItems", 100)
    if len(value) > most:
        raise BadInput(f"{name} has {len(value):,} entries, {most} at most")
    if len(value) < schema.get("minItems", 0):
        raise BadInput(f"{name} needs at least one entry")
    return [_value(f"{name}[{place}]", schema["items"], item) for place, item in enumerate(value)]


def _names(names: Sequence[str]) -> str:
    return ", ".join(names)


def _shown(value: Any) -> str:
    """What was given, short enough for a message."""
    shown = ascii(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
    return shown if len(shown) <= 80 else shown[:77] + "..."
