"""Files written into a project are whole, and never leave it through a link."""

from __future__ import annotations

import os

import pytest

from recairn.core.errors import BadInput, Refused
from recairn.host.safefiles import exists_inside, file_name, write_inside


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
