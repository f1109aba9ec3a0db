"""Tuples whose places have names: rows as a store hands them out.

Like `typing.NamedTuple`, which type checkers take this for, at a tenth of its cost: nothing is
imported, no class is compiled from text, and a row that came as a tuple only changes its class.
"""

from __future__ import annotations

__all__ = ["Row"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as Row
else:
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
