"""A file is written whole, with the rights it should have, and never leaves a project by a link."""

from __future__ import annotations

import os
import stat

import pytest

from recairn.core.errors import BadInput, Refused
from recairn.host.files import exists_inside, file_name, write_inside, write_lines
from recairn.host.managed_block import ManagedBlock


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
    ManagedBlock(str(path), str(path.parent)).write(["a line"])


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
    ManagedBlock(str(path), str(tmp_path)).write(["- a rule"])
    assert path.read_text().startswith("mine and theirs\n")
    assert "- a rule" in path.read_text()


def test_a_file_is_written_with_its_folders_and_replaced_later(tmp_path):
    path = write_inside(str(tmp_path), ("a", "b", "c.md"), "one\n")
    assert path == str(tmp_path / "a" / "b" / "c.md")
    write_inside(str(tmp_path), ("a", "b", "c.md"), "two\n")
    assert (tmp_path / "a" / "b" / "c.md").read_text() == "two\n"
    assert os.listdir(tmp_path / "a" / "b") == ["c.md"]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_link_anywhere_on_the_way_is_refused_and_its_target_left_alone(tmp_path, depth):
    outside, root = tmp_path / "outside", tmp_path / "root"
    root.mkdir()
    parts = ("a", "b", "c.md")
    link = root.joinpath(*parts[:depth])
    link.parent.mkdir(parents=True, exist_ok=True)
    if depth == 3:
        outside.write_text("precious")
    else:
        outside.mkdir()
    link.symlink_to(outside)
    with pytest.raises(Refused, match="symbolic link"):
        write_inside(str(root), parts, "text")
    assert not exists_inside(str(root), parts)
    assert outside.read_text() == "precious" if depth == 3 else not os.listdir(outside)


def test_a_link_to_nowhere_is_refused_too(tmp_path):
    (tmp_path / "c.md").symlink_to(tmp_path / "gone")
    with pytest.raises(Refused):
        write_inside(str(tmp_path), ("c.md",), "text")
    assert not (tmp_path / "gone").exists()


def test_a_file_where_a_folder_should_be_is_refused(tmp_path):
    (tmp_path / "a").write_text("a file")
    with pytest.raises(Refused):
        write_inside(str(tmp_path), ("a", "c.md"), "text")


@pytest.mark.parametrize("parts", [(), ("..", "x"), ("a", ""), ("a/b",), (".",)])
def test_a_path_that_is_none_is_refused(tmp_path, parts):
    with pytest.raises(BadInput):
        write_inside(str(tmp_path), parts, "text")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "c.md").mkdir()
    with pytest.raises(OSError, match=r"directory|exists"):
        write_inside(str(tmp_path), ("c.md",), "text")
    assert sorted(os.listdir(tmp_path)) == ["c.md", "home"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tx-a1b2c3d4", "tx-a1b2c3d4"),
        ("a/b#7:c", "a%2fb%237%3ac"),
        ("..", "%2e."),
        (".hidden", "%2ehidden"),
        ("100%", "100%25"),
    ],
)
def test_a_name_is_safe_and_tells_its_text(text, name):
    assert file_name(text) == name
