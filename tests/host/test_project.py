"""Which project a folder belongs to, and which database is used."""

import os

import pytest

import recairn
from recairn.host.data_folder import data_folder
from recairn.host.project import database_path, root_of
from recairn.host.trust import TrustFile


@pytest.fixture
def checkout(tmp_path):
    """A git checkout named puffin."""
    root = tmp_path / "puffin"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def detect(monkeypatch):
    """The project of whoever works in a folder."""

    def detect(folder):
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            with recairn.open() as memory:
                return memory.project

    return detect


def test_the_project_is_named_after_its_git_root(checkout, detect):
    deep = checkout / "server" / "api"
    deep.mkdir(parents=True)
    assert root_of(str(deep)) == str(checkout)
    assert detect(deep) == "puffin"
    assert detect(checkout) == "puffin"


def test_outside_any_checkout_a_folder_is_a_project_of_its_own(tmp_path, detect):
    (tmp_path / "notes").mkdir()
    assert root_of(str(tmp_path / "notes")) is None
    assert detect(tmp_path / "notes") == "notes"


def test_the_nearest_root_counts(checkout, detect):
    inner = checkout / "vendor" / "kestrel"
    (inner / ".git").mkdir(parents=True)
    assert detect(inner) == "kestrel"
    assert detect(inner.parent) == "puffin"


def test_a_recairn_folder_makes_a_project(tmp_path, detect):
    (tmp_path / "notes" / ".recairn").mkdir(parents=True)
    (tmp_path / "notes" / "2026").mkdir()
    assert root_of(str(tmp_path / "notes" / "2026")) == str(tmp_path / "notes")
    assert detect(tmp_path / "notes" / "2026") == "notes"


@pytest.mark.parametrize("above", ["home", "shared"])
def test_a_recairn_folder_where_everybody_has_folders_is_for_who_stands_there(
    tmp_path, own_home, above
):
    folder = own_home if above == "home" else tmp_path / "shared"
    (folder / ".recairn").mkdir(parents=True)
    (folder / "notes").mkdir()
    if above == "shared":
        folder.chmod(0o1777)
    assert root_of(str(folder)) == str(folder)
    assert root_of(str(folder / "notes")) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
@pytest.mark.parametrize("name", [".recairn", ".git"])
def test_what_a_stranger_put_into_a_folder_above_decides_nothing(tmp_path, name):
    shared, mine = tmp_path / "shared", tmp_path / "shared" / "mine"
    (shared / name).mkdir(parents=True)
    mine.mkdir()
    assert root_of(str(mine)) == str(shared)
    os.chown(shared / name, 4321, 4321)
    assert root_of(str(mine)) is None
    # All of a checkout may be somebody else's; a folder of recairn's is its owner's alone.
    os.chown(shared, 4321, 4321)
    assert root_of(str(mine)) == (str(shared) if name == ".git" else None)


def test_the_environment_overrides_the_folder(checkout, detect, monkeypatch):
    monkeypatch.setenv("RECAIRN_PROJECT", "gannet")
    assert detect(checkout) == "gannet"
    monkeypatch.setenv("RECAIRN_PROJECT", "")
    assert detect(checkout) == ""


def worktree(checkout, name, target):
    """A linked work tree as git writes it down on both sides."""
    real = checkout / ".git" / "worktrees" / name
    real.mkdir(parents=True)
    tree = checkout.parent / f"{name}-branch"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {target(real, tree)}\n")
    (real / "commondir").write_text("../..\n")
    (real / "gitdir").write_text(f"{tree}/.git\n")
    return tree


@pytest.mark.parametrize("way", [lambda real, _: real, os.path.relpath])
def test_a_worktree_belongs_to_the_main_checkout(checkout, detect, way):
    assert detect(worktree(checkout, "fix", way)) == "puffin"


def test_a_submodule_is_its_own_project(checkout, detect):
    inner, real = checkout / "lib", checkout / ".git" / "modules" / "lib"
    inner.mkdir()
    real.mkdir(parents=True)
    (inner / ".git").write_text("gitdir: ../.git/modules/lib\n")
    (real / "config").write_text("[core]\n\tworktree = ../../../lib\n")
    assert detect(inner) == "lib"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"nonsense", b"gitdir: /nowhere"])
def test_a_strange_git_file_is_no_reason_to_fail(tmp_path, detect, content):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_bytes(content)
    assert detect(tmp_path / "odd") == "odd"


def test_a_folder_name_that_is_not_utf8_is_a_project_too(tmp_path, monkeypatch):
    folder = os.fsencode(tmp_path) + b"/pi\xffier"
    try:
        os.makedirs(folder + b"/.git")
    except OSError:
        pytest.skip("this file system wants UTF-8 names")
    monkeypatch.chdir(os.fsdecode(folder))
    with recairn.open() as memory:
        memory.remember("the pier is closed in winter")
        assert len(memory.search("pier").hits) == 1


# The database


def test_a_named_path_wins(checkout, monkeypatch):
    monkeypatch.setenv("RECAIRN_DB", "/elsewhere.db")
    assert database_path(str(checkout / "mine.db"), str(checkout)) == str(checkout / "mine.db")
    assert database_path(None, str(checkout)) == "/elsewhere.db"


def test_the_home_sign_is_understood(own_home, tmp_path):
    assert database_path("~/x.db", str(tmp_path)) == str(own_home / "x.db")


def test_a_project_may_keep_its_own_database(checkout, monkeypatch):
    monkeypatch.delenv("RECAIRN_DB")
    users = os.path.join(data_folder(), "memory.db")
    (checkout / ".recairn").mkdir()
    assert database_path(None, str(checkout)) == users
    own = checkout / ".recairn" / "memory.db"
    own.touch(mode=0o600)
    assert database_path(None, str(checkout)) == users
    file = TrustFile(data_folder())
    file.remember(str(own), "a seal", at=0)
    assert database_path(None, str(checkout)) == str(own)
    file.revoke(str(own))
    assert database_path(None, str(checkout)) == users


def test_the_user_has_one_database_for_everything(own_home, tmp_path, monkeypatch):
    monkeypatch.delenv("RECAIRN_DB")
    expected = own_home / ".local" / "share" / "recairn" / "memory.db"
    assert database_path(None, str(tmp_path)) == str(expected)
    monkeypatch.delenv("XDG_DATA_HOME")
    assert database_path(None, str(tmp_path)) == str(expected)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert data_folder() == str(tmp_path / "data" / "recairn")
