"""Which layouts of folders share a memory, and which do not: real git, through the Python API."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

import recairn
from tests.checkouts import needs_git

pytestmark = needs_git

GIT = (
    *("git", "-c", "user.name=Ines", "-c", "user.email=ines@puffin.example"),
    *("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"),
)


@pytest.fixture
def yard(tmp_path, own_home, monkeypatch):
    """A place to lay out folders in."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "yard").mkdir()
    return Yard(tmp_path / "yard", monkeypatch)


class Yard:
    def __init__(self, root, patch):
        self.root = root
        self._patch = patch

    def git(self, folder, *words):
        subprocess.run([*GIT, *words], cwd=self.root / folder, check=True, capture_output=True)

    def repository(self, path, text=None):
        """A repository with one commit, which no other one has."""
        (self.root / path).mkdir(parents=True)
        self.git(path, "init", "-q")
        self.commit(path, text or path)
        return path

    def commit(self, path, text):
        (self.root / path / "readme").write_text(text)
        self.git(path, "add", "readme")
        self.git(path, "commit", "-q", "-m", f"of {text}")

    def folder(self, path):
        (self.root / path).mkdir(parents=True)
        return path

    def work_in(self, path, **options):
        """The memory of whoever works in a folder."""
        self._patch.chdir(self.root / path)
        return recairn.open(model="none", **options)

    def name(self, path):
        with self.work_in(path) as memory:
            return memory.project

    def share(self, one, other):
        """Whether what is remembered in one folder is found in the other, both ways the same."""
        found = []
        for word, here, there in (("kittiwake", one, other), ("guillemot", other, one)):
            with self.work_in(here) as memory:
                memory.remember(f"{word} nests in {here}", force=True)
            with self.work_in(there) as memory:
                hits = memory.search(word, all=True).hits
                found.append(any(word in hit.memory.content for hit in hits))
        assert found[0] == found[1]
        return found[0]


def same_names(yard):
    return yard.repository("work/api"), yard.repository("private/api")


def bare_and_worktrees(yard):
    yard.repository("seed")
    yard.git(".", "clone", "-q", "--bare", "seed", "shop/.bare")
    yard.git("shop/.bare", "worktree", "add", "-q", "../main", "main")
    yard.git("shop/.bare", "worktree", "add", "-q", "../feat", "-b", "feat")
    return "shop/main", "shop/feat"


def worktrees_of_two_bare_repositories(yard):
    for name in ("shop", "bank"):
        yard.repository(f"seed-{name}")
        yard.git(".", "clone", "-q", "--bare", f"seed-{name}", f"{name}/.bare")
        yard.git(f"{name}/.bare", "worktree", "add", "-q", "../main", "main")
    return "shop/main", "bank/main"


def renamed_clone(yard):
    yard.git(".", "clone", "-q", yard.repository("api"), "api-for-review")
    return "api", "api-for-review"


def fork(yard):
    yard.repository("api")
    yard.git(".", "clone", "-q", "--bare", "api", "theirs.git")
    yard.git(".", "clone", "-q", "theirs.git", "fork")
    yard.git("fork", "remote", "set-url", "origin", "https://git.example/theirs/api.git")
    yard.commit("fork", "their own way")
    return "api", "fork"


def monorepo(yard):
    yard.repository("mono")
    return yard.folder("mono/packages/web"), yard.folder("mono/packages/api")


def monorepo_with_parts(yard):
    folders = monorepo(yard)
    with yard.work_in("mono") as memory:
        memory.add_project("web", "packages/web")
        memory.add_project("backend", "packages/api")
    return folders


def plain_folders(yard):
    return yard.folder("notes"), yard.folder("recipes")


def plain_folder_and_checkout(yard):
    return yard.folder("notes"), yard.repository("api")


def symlink(yard):
    yard.repository("deep/down/api")
    (yard.root / "api").symlink_to(yard.root / "deep" / "down" / "api")
    return "deep/down/api", "api"


def submodule(yard):
    yard.repository("lib")
    yard.repository("app")
    yard.git("app", "submodule", "add", "-q", str(yard.root / "lib"), "vendor/lib")
    return "app", "app/vendor/lib"


def submodule_and_its_origin(yard):
    submodule(yard)
    return "lib", "app/vendor/lib"


def submodule_in_a_worktree(yard):
    submodule(yard)
    yard.git("app", "commit", "-q", "-m", "lib")
    yard.git("app", "worktree", "add", "-q", "../app-fix", "-b", "fix")
    yard.git("app-fix", "submodule", "update", "-q", "--init")
    return "app-fix/vendor/lib", "app/vendor/lib"


def archive_without_git(yard):
    yard.repository("api")
    shutil.copytree(yard.root / "api", yard.root / "unpacked" / "api")
    shutil.rmtree(yard.root / "unpacked" / "api" / ".git")
    return "api", "unpacked/api"


def home_folder(yard):
    return os.path.relpath(os.environ["HOME"], yard.root), yard.repository("api")


def home_folder_and_one_below(yard):
    home = os.path.relpath(os.environ["HOME"], yard.root)
    return home, yard.folder(f"{home}/notes")


def subfolder(yard):
    yard.repository("api")
    return "api", yard.folder("api/src/deep")


def subfolder_of_a_plain_folder(yard):
    yard.folder("notes")
    with yard.work_in("notes") as memory:
        memory.remember("the cliff path is closed")
    return "notes", yard.folder("notes/2026/may")


def shallow_clone(yard):
    yard.repository("api")
    yard.commit("api", "second")
    yard.git("api", "remote", "add", "origin", "https://git.example/ours/api.git")
    url = (yard.root / "api").as_uri()
    yard.git(".", "clone", "-q", "--depth", "1", url, "shallow")
    yard.git("shallow", "remote", "set-url", "origin", "git@git.example:ours/api")
    return "api", "shallow"


def merged_in_library(yard):
    yard.repository("lib")
    yard.repository("app")
    yard.git("app", "fetch", "-q", "../lib", "main")
    yard.git("app", "merge", "-q", "--allow-unrelated-histories", "-X", "ours", "FETCH_HEAD")
    return "app", "lib"


LAYOUTS = [
    (same_names, False),
    (bare_and_worktrees, True),
    (worktrees_of_two_bare_repositories, False),
    (renamed_clone, True),
    (fork, True),
    (monorepo, True),
    (monorepo_with_parts, False),
    (plain_folders, False),
    (plain_folder_and_checkout, False),
    (subfolder, True),
    (subfolder_of_a_plain_folder, True),
    (symlink, True),
    (submodule, False),
    (submodule_and_its_origin, True),
    (submodule_in_a_worktree, True),
    (archive_without_git, False),
    (home_folder, False),
    (home_folder_and_one_below, False),
    (shallow_clone, True),
    (merged_in_library, False),
]


@pytest.mark.parametrize(
    ("layout", "shared"), LAYOUTS, ids=[layout.__name__ for layout, _ in LAYOUTS]
)
def test_a_memory_is_shared_by_what_is_one_repository_and_by_nothing_else(yard, layout, shared):
    one, other = layout(yard)
    assert yard.share(one, other) is shared


def test_the_names_tell_two_projects_apart(yard):
    one, other = same_names(yard)
    assert (yard.name(one), yard.name(other)) == ("api", "private/api")
    assert yard.name(yard.repository("work/other/private/api")) == "api-2"
    assert yard.name(bare_and_worktrees(yard)[1]) == "shop"


def test_a_folder_may_be_renamed_and_moved(yard):
    yard.repository("work/api")
    with yard.work_in("work/api") as memory:
        memory.remember("kittiwakes nest in the api")
    (yard.root / "work").rename(yard.root / "elsewhere")
    with yard.work_in("elsewhere/api") as memory:
        assert memory.project == "api"
        assert memory.search("kittiwakes").hits


def test_another_repository_in_the_same_place_is_another_project(yard):
    yard.repository("api")
    assert yard.name("api") == "api"
    shutil.rmtree(yard.root / "api")
    yard.repository("api", "another history")
    assert yard.name("api") == "yard/api"


def test_a_repository_keeps_its_project_from_before_its_first_commit(yard):
    yard.folder("api")
    with yard.work_in("api") as memory:
        memory.remember("kittiwakes came before git")
    yard.git("api", "init", "-q")
    assert yard.name("api") == "api"
    yard.commit("api", "first")
    assert yard.name("api") == "api"
    yard.git(".", "clone", "-q", "api", "clone")
    with yard.work_in("clone") as memory:
        assert memory.project == "api"
        assert memory.search("kittiwakes").hits


def test_a_folder_without_a_first_commit_may_be_moved(yard):
    yard.folder("api")
    yard.git("api", "init", "-q")
    with yard.work_in("api") as memory:
        memory.remember("kittiwakes came before git")
    (yard.root / "api").rename(yard.root / "moved")
    assert yard.name("moved") == "api"


def test_a_copy_of_a_folder_without_a_first_commit_is_another_project(yard):
    yard.folder("api")
    yard.git("api", "init", "-q")
    assert yard.name("api") == "api"
    shutil.copytree(yard.root / "api", yard.root / "copy", symlinks=True)
    assert yard.name("copy") == "copy"


# What a repository holds chooses nothing


def hostile(yard):
    """A folder out of an archive, beside the repository whose memory it is after."""
    yard.repository("private")
    yard.git("private", "remote", "add", "origin", "https://git.example/ours/private.git")
    assert yard.name("private") == "private"
    return yard.root / yard.folder("archive")


def test_a_git_file_does_not_lead_to_another_repository(yard):
    folder = hostile(yard)
    (folder / ".git").write_text(f"gitdir: {yard.root}/private/.git\n")
    assert yard.name("archive") == "archive"


def test_a_git_file_does_not_lead_to_a_worktree_of_another_repository(yard):
    folder = hostile(yard)
    yard.git("private", "worktree", "add", "-q", "../fix", "-b", "fix")
    shutil.copy(yard.root / "fix" / ".git", folder / ".git")
    assert yard.name("fix") == "private"
    assert yard.name("archive") == "archive"


def test_a_link_does_not_lead_to_another_repository(yard):
    folder = hostile(yard)
    (folder / ".git").symlink_to(yard.root / "private" / ".git")
    assert yard.name("archive") == "archive"


@pytest.mark.parametrize("names", [("refs", "objects"), ("HEAD", "refs", "objects")])
def test_links_inside_a_git_folder_do_not_lead_to_another_repository(yard, names):
    folder = hostile(yard)
    yard.git("archive", "init", "-q")
    for name in names:
        path = folder / ".git" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(yard.root / "private" / ".git" / name)
    assert yard.name("archive") == "archive"


def test_a_common_folder_named_inside_does_not_lead_to_another_repository(yard):
    folder = hostile(yard)
    yard.git("archive", "init", "-q")
    (folder / ".git" / "commondir").write_text(f"{yard.root}/private/.git\n")
    assert yard.name("archive") == "archive"


def test_a_remote_address_alone_does_not_lead_to_another_repository(yard):
    hostile(yard)
    yard.git("archive", "init", "-q")
    yard.git("archive", "remote", "add", "origin", "https://git.example/ours/private.git")
    assert yard.name("archive") == "archive"
    yard.commit("archive", "poison")
    assert yard.name("archive") == "archive"


# What travels


def test_an_export_read_back_knows_the_projects_again(yard, own_home, monkeypatch, tmp_path):
    one, other = same_names(yard)
    yard.repository("mono")
    yard.folder("mono/web")
    for path, word in ((one, "kittiwake"), (other, "guillemot")):
        with yard.work_in(path) as memory:
            memory.remember(f"the {word} nests here")
    with yard.work_in("mono") as memory:
        memory.add_project("web", "web")
        memory.rename_project("rock")
        records = list(memory.export_records())
    monkeypatch.setenv("RECAIRN_DB", str(tmp_path / "restored.db"))
    # In the one that comes second by name: it must not take over the first one's.
    with yard.work_in(other) as memory:
        memory.take_records((str(number), record) for number, record in enumerate(records))
    for path, project, word in (
        (other, "private/api", "guillemot"),
        (one, "api", "kittiwake"),
    ):
        with yard.work_in(path) as memory:
            assert memory.project == project
            hits = memory.search(word).hits
            assert [word in hit.memory.content for hit in hits] == [True]
    with yard.work_in("mono/web") as memory:
        assert (memory.project, memory.parent) == ("web", "rock")
        assert memory.project_info("mono").name == "rock"


def test_somebodys_export_does_not_say_which_checkout_sees_what(yard, monkeypatch, tmp_path):
    yard.repository("public")
    with yard.work_in("public") as memory:
        memory.remember("a kittiwake in public")
        memory.rename_project("private")
        records = list(memory.export_records())
    monkeypatch.setenv("RECAIRN_DB", str(tmp_path / "own.db"))
    yard.repository("private")
    with yard.work_in("private") as memory:
        memory.remember("the guillemot is a secret")
        memory.take_records((str(number), record) for number, record in enumerate(records))
    with yard.work_in("public") as memory:
        assert memory.project == "public"
        assert not memory.search("guillemot").hits
