"""Which project a folder belongs to, and which database is used."""

import os
import subprocess

import pytest

import recairn
from recairn.host.project import data_folder, database_path, detect, root_of
from recairn.host.trust import TrustFile


@pytest.fixture
def checkout(tmp_path):
    """A git checkout named puffin."""
    root = tmp_path / "puffin"
    (root / ".git").mkdir(parents=True)
    return root


def test_the_project_is_named_after_its_git_root(checkout):
    deep = checkout / "server" / "api"
    deep.mkdir(parents=True)
    assert root_of(str(deep)) == str(checkout)
    assert detect(str(deep)) == "puffin"
    assert detect(str(checkout)) == "puffin"


def test_outside_any_project_there_is_no_name(tmp_path):
    assert root_of(str(tmp_path)) is None
    assert detect(str(tmp_path)) == ""


def test_the_nearest_root_counts(checkout):
    inner = checkout / "vendor" / "kestrel"
    (inner / ".git").mkdir(parents=True)
    assert detect(str(inner)) == "kestrel"
    assert detect(str(inner.parent)) == "puffin"


def test_a_recairn_folder_makes_a_project(tmp_path):
    (tmp_path / "notes" / ".recairn").mkdir(parents=True)
    (tmp_path / "notes" / "2026").mkdir()
    assert detect(str(tmp_path / "notes" / "2026")) == "notes"


def test_the_environment_overrides_the_folder(checkout, monkeypatch):
    monkeypatch.setenv("RECAIRN_PROJECT", "gannet")
    assert detect(str(checkout)) == "gannet"
    monkeypatch.setenv("RECAIRN_PROJECT", "")
    assert detect(str(checkout)) == ""


@pytest.mark.parametrize("relative", [False, True])
def test_a_worktree_belongs_to_the_main_checkout(checkout, relative):
    real = checkout / ".git" / "worktrees" / "fix"
    real.mkdir(parents=True)
    tree = checkout.parent / "fix-branch"
    tree.mkdir()
    target = os.path.relpath(real, tree) if relative else real
    (tree / ".git").write_text(f"gitdir: {target}\n")
    assert detect(str(tree)) == "puffin"


def test_a_real_worktree_of_git_shares_the_memory(tmp_path):
    main = tmp_path / "puffin"
    git = ["git", "-c", "user.name=Ines", "-c", "user.email=ines@puffin.example"]
    try:
        subprocess.run([*git, "init", "-q", main], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    commit = [*git, "-C", main, "commit", "-q", "--allow-empty", "-m", "first"]
    subprocess.run(commit, check=True, capture_output=True)
    add = [*git, "-C", main, "worktree", "add", "-q", tmp_path / "elsewhere", "-b", "fix"]
    subprocess.run(add, check=True, capture_output=True)
    assert detect(str(tmp_path / "elsewhere")) == "puffin"


def test_a_submodule_is_its_own_project(checkout):
    inner = checkout / "lib"
    inner.mkdir()
    (inner / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert detect(str(inner)) == "lib"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"nonsense"])
def test_a_strange_git_file_is_no_reason_to_fail(tmp_path, content):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_bytes(content)
    assert detect(str(tmp_path / "odd")) == "odd"


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
