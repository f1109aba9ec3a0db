"""Things loaded at first use, by the text `module:name`: a cold process pays for what it calls."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence
    from typing import Any


def load(address: str) -> Any:
    """What `module:name` names; imports the module."""
    module, _, name = address.partition(":")
    __import__(module)
    return getattr(sys.modules[module], name)


class Later:
    """Stands in a class for a method of a part; the first look at it loads the part.

    All the part's methods then take their own places in the class, so that the next call is a
    plain one. `dir` and `help` see every method, loaded or not.
    """

    __slots__ = ("_home", "_name", "_part")

    def __init__(self, home: type, part: str, name: str) -> None:
        self._home = home
        self._part = part
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        methods = vars(load(self._part))
        for name, method in methods.items():
            waiting = vars(self._home).get(name)
            # What another part has instead of this one stays that part's.
            if isinstance(waiting, Later) and waiting._part == self._part:
                setattr(self._home, name, method)
        return methods[self._name].__get__(instance, owner)


def assemble(home: type, parts: Mapping[str, Sequence[str]]) -> None:
    """Gives a class the methods of its parts: "module:Class" → their names.

    Type checkers do not see this: for them the class inherits the parts. A part may inherit others
    for their eyes, but its methods must not call `super()`. The tables of names are written by
    `tools/lazy_parts.py`.
    """
    for part, names in parts.items():
        for name in names:
            setattr(home, name, Later(home, part, name))


_compiled: dict[str, re.Pattern[str]] = {}


def compiled(source: str) -> re.Pattern[str]:
    """The pattern; a process that never asks for one imports nothing."""
    pattern = _compiled.get(source)
    if pattern is None:
        import re

        pattern = _compiled[source] = re.compile(source)
    return pattern
