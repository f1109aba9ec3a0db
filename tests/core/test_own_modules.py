"""Our own modules are read from where they lie, as the usual import would."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from recairn.core.lazy import OwnModules


def kept(folder: Path, name: str, text: str, **options) -> Path:
    source = folder / name
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    py_compile.compile(str(source), doraise=True, **options)
    return source


def loaded(folder: Path, name: str) -> dict:
    spec = OwnModules.find_spec(f"recairn.{name}", [str(folder)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


def test_a_module_and_a_package_are_found_as_the_usual_import_finds_them(tmp_path):
    kept(tmp_path, "one.py", "value = 1")
    kept(tmp_path, "two/__init__.py", "value = 2")
    for name in ("one", "two"):
        ours = OwnModules.find_spec(f"recairn.{name}", [str(tmp_path)])
        usual = importlib.machinery.PathFinder.find_spec(f"recairn.{name}", [str(tmp_path)])
        assert ours is not None
        assert usual is not None
        for field in ("name", "origin", "cached", "has_location", "submodule_search_locations"):
            assert getattr(ours, field) == getattr(usual, field), field
    assert loaded(tmp_path, "one")["value"] == 1
    assert loaded(tmp_path, "two")["value"] == 2


def test_what_was_changed_since_is_left_to_the_usual_import(tmp_path):
    source = kept(tmp_path, "one.py", "value = 1")
    source.write_text("value = 22")
    assert OwnModules.find_spec("recairn.one", [str(tmp_path)]) is None
    source = kept(tmp_path, "old.py", "value = 1")
    os.utime(source, (1, 1))
    assert OwnModules.find_spec("recairn.old", [str(tmp_path)]) is None


def test_what_is_not_plain_is_left_to_the_usual_import(tmp_path):
    (tmp_path / "never.py").write_text("value = 1")
    kept(tmp_path, "hashed.py", "value = 1", invalidation_mode=py_compile.PycInvalidationMode(2))
    cut = kept(tmp_path, "cut.py", "value = 1")
    compiled = Path(importlib.util.cache_from_source(str(cut)))
    compiled.write_bytes(compiled.read_bytes()[:30])
    kept(tmp_path, "long.py", f"value = {'1' * 120_000!r}")
    for name in ("never", "hashed", "cut", "long", "missing"):
        assert OwnModules.find_spec(f"recairn.{name}", [str(tmp_path)]) is None, name
    kept(tmp_path, "one.py", "value = 1")
    assert OwnModules.find_spec("others.one", [str(tmp_path)]) is None
    assert OwnModules.find_spec("recairn") is None


def test_code_names_the_file_it_is_read_from_wherever_it_was_compiled(tmp_path):
    source = kept(tmp_path, "one.py", "def f(): pass", dfile="/elsewhere/one.py")
    assert loaded(tmp_path, "one")["f"].__code__.co_filename == str(source)


@pytest.mark.thorough
@pytest.mark.parametrize("after", ["import collections.abc", "import typing", "import json"])
def test_the_engine_comes_without_collections_and_who_wants_them_gets_them(after):
    program = (
        "from recairn.core.lazy import find_own_modules\n"
        "find_own_modules()\n"
        "import sys, apsw\n"
        "from array import array\n"
        "assert not {'collections', 'collections.abc'} & set(sys.modules)\n"
        "assert type(apsw.__loader__).__name__ == 'ExtensionFileLoader'\n"
        f"{after}\n"
        "import collections.abc\n"
        "assert collections.OrderedDict\n"
        "assert isinstance(array('i'), collections.abc.MutableSequence)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
