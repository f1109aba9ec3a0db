"""A file that takes another one's place does it whole, with the rights it should have."""

from __future__ import annotations

import os
import stat

import pytest

from recairn.core.errors import Refused
from recairn.host.files import write_lines
from recairn.host.managed_block import OwnBlock
from recairn.host.safefiles import write_inside


def rights(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def write_readable(path) -> None:
    write_lines(str(path), ["a line\n"], private=False)


def write_below(path) -> None:
    write_inside(str(path.parent), (path.name,), "a line\n")


def write_block(path) -> None:
    OwnBlock(str(path), str(path.parent)).write(["a line"])


WRITERS = (write_readable, write_below, write_block)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(("before", "after"), [(None, 0o644), (0o600, 0o600), (0o664, 0o664)])
def test_a_file_keeps_the_rights_of_the_one_it_replaces(tmp_path, write, before, after):
    path = tmp_path / "place" / "notes.md"
    path.parent.mkdir()
    if before is not None:
        path.write_text("older")
        path.chmod(before)
    write(path)
    assert "a line" in path.read_text()
    assert rights(path) == after
    assert os.listdir(path.parent) == ["notes.md"]


def test_a_private_file_is_the_owners_alone_whatever_was_there(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("older")
    path.chmod(0o666)
    assert write_lines(str(path), ["one\n", b"two\n"]) == 8
    assert (path.read_text(), rights(path)) == ("one\ntwo\n", 0o600)


def test_a_copy_has_the_rights_of_its_model(tmp_path):
    model = tmp_path / "settings.json"
    model.write_text("{}")
    model.chmod(0o600)
    write_lines(str(tmp_path / "copy.json"), ["{}"], private=False, like=str(model))
    assert rights(tmp_path / "copy.json") == 0o600


@pytest.mark.parametrize("write", WRITERS)
def test_the_file_reaches_the_disk_before_its_name_and_then_the_name(tmp_path, write, monkeypatch):
    path = tmp_path / "notes.md"
    flushed, seen = os.fsync, []

    def flush(handle: int) -> None:
        folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        seen.append(("folder" if folder else "file", path.exists()))
        flushed(handle)

    monkeypatch.setattr(os, "fsync", flush)
    write(path)
    assert seen == [("file", False), ("folder", True)]


def test_a_write_that_breaks_off_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "place" / "notes.md"
    path.parent.mkdir()
    path.write_text("older")

    def lines():
        yield "new\n"
        raise RuntimeError("the source ran dry")

    with pytest.raises(RuntimeError):
        write_lines(str(path), lines())
    assert path.read_text() == "older"
    assert os.listdir(path.parent) == ["notes.md"]


def test_what_is_no_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name, what in (("pipe", "not a file"), ("folder", "not a file"), ("link", "symbolic")):
        with pytest.raises(Refused, match=what):
            write_lines(str(tmp_path / name), ["text"])
    assert sorted(os.listdir(tmp_path)) == ["folder", "home", "link", "pipe"]


def test_a_file_of_the_longest_name_is_replaced(tmp_path):
    path = tmp_path / ("n" * 255)
    for _ in range(2):
        for write in WRITERS:
            write(path)
    assert "a line" in path.read_text()


def test_a_change_by_another_hand_is_not_lost(tmp_path, monkeypatch):
    """The other one writes at the last moment: between the look and the replacing."""
    path = tmp_path / "AGENTS.md"
    path.write_text("mine\n")
    flushed = os.fsync
    others = iter([b"mine and theirs\n"])

    def flush(handle: int) -> None:
        flushed(handle)
        for text in others:
            path.write_bytes(text)

    monkeypatch.setattr(os, "fsync", flush)
    OwnBlock(str(path), str(tmp_path)).write(["- a rule"])
    assert path.read_text().startswith("mine and theirs\n")
    assert "- a rule" in path.read_text()
