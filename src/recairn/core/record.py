"""Frozen records without `dataclasses`, and tuples whose places have names without `typing`.

`import dataclasses` costs more than a whole empty Python process on the cold path, so the nouns use
`record` instead. Type checkers see it as a dataclass; at run time it does only what we need:
positional or keyword construction, defaults, equality, repr, and no assignment afterwards.

`Row` is for what a store hands out: like `typing.NamedTuple`, which type checkers take it for, at a
tenth of its cost. No class is compiled from text, and a row that came as a tuple only changes its
class.
"""

from __future__ import annotations

__all__ = ["Row", "as_dict", "as_tuple", "record", "replace"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform
    from typing import NamedTuple as Row

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def record(cls: type[T]) -> type[T]: ...

else:

    def record(cls):
        names = tuple(cls.__annotations__)
        defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        body = {key: value for key, value in cls.__dict__.items() if key not in defaults}
        for key in ("__dict__", "__weakref__"):
            body.pop(key, None)
        body.update(
            __slots__=names,
            __match_args__=names,
            __init__=_initialiser(cls.__name__, names, defaults),
            __setattr__=_refuse,
            __delattr__=_refuse,
            __eq__=_equal,
            __hash__=None,
            __repr__=_represent,
            __reduce__=_reduce,
        )
        return type(cls)(cls.__name__, cls.__bases__, body)

    # What `collections.namedtuple` uses itself; a property would cost a call for each look.
    from _collections import _tuplegetter

    class Row(tuple):
        __slots__ = ()
        _fields = ()

        def __init_subclass__(cls):
            cls._fields = cls.__match_args__ = tuple(cls.__annotations__)
            cls._defaults = tuple(
                cls.__dict__[name] for name in cls._fields if name in cls.__dict__
            )
            for place, name in enumerate(cls._fields):
                setattr(cls, name, _tuplegetter(place, ""))

        def __new__(cls, *values, **named):
            missing = cls._fields[len(values) :]
            usual = dict(zip(reversed(cls._fields), reversed(cls._defaults), strict=False))
            try:
                rest = [named.pop(name) if name in named else usual[name] for name in missing]
            except KeyError as error:
                raise TypeError(f"{cls.__name__} needs {error}") from None
            if named or len(values) > len(cls._fields):
                raise TypeError(f"{cls.__name__} has only {', '.join(cls._fields)}")
            return tuple.__new__(cls, (*values, *rest))

        # The row of these values, as many as it has places; no frame of Python is entered.
        _make = classmethod(tuple.__new__)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **changes):
            return type(self)(**{**self._asdict(), **changes})

        def __repr__(self):
            inside = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({inside})"

        def __reduce__(self):
            return type(self)._make, (tuple(self),)


# A class built this often earns an initialiser compiled for it: six times faster, 0.1 ms to make.
_OFTEN = 64


def _initialiser(owner: str, names: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    count = len(names)
    built = 0

    def __init__(self: Any, *args: Any, **named: Any) -> None:
        nonlocal built
        built += 1
        if built == _OFTEN:
            type(self).__init__ = _compiled(type(self), names, defaults)
        put = object.__setattr__
        if len(args) > count:
            raise TypeError(f"{owner} takes {count} values, {len(args)} were given")
        for name, value in zip(names, args, strict=False):
            put(self, name, value)
        for name in names[len(args) :]:
            if name in named:
                put(self, name, named.pop(name))
            elif name in defaults:
                put(self, name, defaults[name])
            else:
                raise TypeError(f"{owner} needs {name!r}")
        if named:
            raise TypeError(f"{owner} has no field {sorted(named)[0]!r}")

    return __init__


def _compiled(owner: type, names: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    """The same initialiser as source text: a plain parameter for each field, put in its slot."""
    parameters = [f"{name}=_defaults[{name!r}]" if name in defaults else name for name in names]
    lines = [f"def __init__(self, {', '.join(parameters)}):"]
    lines += [f"    _put_{name}(self, {name})" for name in names]
    slots = {f"_put_{name}": getattr(owner, name).__set__ for name in names}
    space: dict[str, Any] = {"_defaults": defaults, **slots}
    exec("\n".join(lines), space)
    return space["__init__"]


def _refuse(self: Any, *_: Any) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen")


def _equal(self: Any, other: object) -> bool:
    return type(self) is type(other) and as_tuple(self) == as_tuple(other)


def _represent(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
    return f"{type(self).__name__}({inside})"


def _reduce(self: Any) -> tuple[Any, ...]:
    return type(self), as_tuple(self)


def as_tuple(value: Any) -> tuple[Any, ...]:
    """The field values of a record, in order."""
    return tuple(getattr(value, name) for name in value.__match_args__)


def as_dict(value: Any) -> dict[str, Any]:
    """The fields of a record or a row by name, in order."""
    return {name: getattr(value, name) for name in value.__match_args__}


def replace(value: T, **changes: Any) -> T:
    """A copy of the record or row with some fields changed."""
    return type(value)(**{**as_dict(value), **changes})
