"""What a cold process loads, and how: it pays for what it calls.

Things are loaded at first use, by the text `module:name`. And our own modules, some eighty of them,
are read from where they lie. The usual import tries spellings along the path and asks for the age
of folders before it reads what was compiled of a module, twice the work. This one goes straight to
that file and trusts it by the same rule: made of a source of this age and size. All else it leaves
to the usual import.

Two modules of C want the abstract classes of `collections`, and would load all of that for them,
a sixth of an empty Python: they are handed the module that has them.
"""

from __future__ import annotations

import _collections_abc
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, PathFinder, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence
    from types import CodeType, ModuleType
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


class _LatePattern:
    """Becomes a pattern at the first look: its methods are then attributes of this."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        import re

        pattern = re.compile(self._source, self._flags)
        for method in ("match", "search", "sub", "finditer"):
            setattr(self, method, getattr(pattern, method))
        return getattr(pattern, name)


def compiled_later(source: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, compiled when it is first used: half a millisecond for a long one."""
    return _LatePattern(source, flags)  # type: ignore[return-value]


# Our own modules, from where they lie

_NATIVE = ("apsw", "array")
_ABSTRACT = ("collections", "collections.abc")
_OURS = "recairn."
_COMPILED = f".{sys.implementation.cache_tag}.pyc"
# What a compiled file begins with: the version of the language and no flags, then age and size of
# the source, each of four bytes.
_BEGINNING = MAGIC_NUMBER + b"\0\0\0\0"
_HEADER = 16
# Bytes of a compiled file; a longer one is read by the usual import.
_LARGEST = 100_000


class _Loader(SourceFileLoader):
    """The usual loader of a file whose code is at hand."""

    code: CodeType

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


class OwnModules:
    """Finds modules of recairn whose compiled file is up to date, and nothing else."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in _NATIVE and "collections" not in sys.modules:
            return _native_spec(name)
        if path is None or not name.startswith(_OURS):
            return None
        try:
            return _spec(name, f"{path[0]}/{name.rpartition('.')[2]}")
        except (OSError, ValueError, EOFError, TypeError):
            return None


def _spec(name: str, place: str) -> ModuleSpec | None:
    try:
        source, folders = f"{place}.py", None
        seen = os.stat(source)
    except FileNotFoundError:
        source, folders = f"{place}/__init__.py", [place]
        seen = os.stat(source)
    folder, _, file = source.rpartition("/")
    kept = f"{folder}/__pycache__/{file[:-3]}{_COMPILED}"
    data = _content(kept)
    age, size = int(seen.st_mtime) & 0xFFFFFFFF, seen.st_size & 0xFFFFFFFF
    if data[:_HEADER] != _BEGINNING + age.to_bytes(4, "little") + size.to_bytes(4, "little"):
        return None
    loader = _Loader(name, source)
    loader.code = loads(memoryview(data)[_HEADER:])
    _fix_co_filename(loader.code, source)
    spec = ModuleSpec(name, loader, origin=source)
    spec.submodule_search_locations = folders
    spec.has_location = True
    spec.cached = kept
    return spec


class _Native:
    """The loader of a module of C, which finds the abstract classes while it is loaded."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> Any:
        return _with_abstract(self._loader.create_module, spec)

    def exec_module(self, module: Any) -> None:
        module.__loader__ = module.__spec__.loader = self._loader
        _with_abstract(self._loader.exec_module, module)


def _native_spec(name: str) -> ModuleSpec | None:
    spec = PathFinder.find_spec(name)
    if spec is not None and spec.loader is not None:
        spec.loader = _Native(spec.loader)  # type: ignore[assignment]
    return spec


def _with_abstract(step: Any, argument: Any) -> Any:
    """Afterwards nothing is left of it: who imports `collections` then gets that itself."""
    for name in _ABSTRACT:
        sys.modules[name] = _collections_abc
    try:
        return step(argument)
    finally:
        for name in _ABSTRACT:
            sys.modules.pop(name, None)


def _content(path: str) -> bytes:
    """All of a file; nothing of one that is too long."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(file, _LARGEST)
    finally:
        os.close(file)
    return data if len(data) < _LARGEST else b""


def find_own_modules() -> None:
    """From now on they are found so, but where compiled files lie elsewhere or are others."""
    if sys.pycache_prefix is None and not sys.flags.optimize and OwnModules not in sys.meta_path:
        sys.meta_path.insert(0, OwnModules)
