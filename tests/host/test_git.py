"""What git says about ordinary checkouts, though it does not read their settings."""

from __future__ import annotations

import os

import pytest

from recairn.host.git import branch_of, changed_files, git, line_times, state_of
from tests.checkouts import Checkout, needs_git
from tests.corpus import Clock

pytestmark = needs_git


@pytest.fixture
def checkout(tmp_path):
    made = Checkout(tmp_path / "shop", Clock())
    made.write("chart.py", "draw()")
    made.write("lib/tide.py", "read()")
    made.commit("Draw the chart")
    return made


def changed(checkout):
    return changed_files(str(checkout.root), timeout_s=60.0)


def subjects(root):
    return (git(str(root), "log", "--format=%s") or "").splitlines()


def test_changed_new_and_renamed_files_are_listed(checkout):
    checkout.git("mv", "chart.py", "charts.py")
    checkout.write("lib/tide.py", "read(1)")
    checkout.write("new/legend.py", "draw()")
    assert changed(checkout) == ("charts.py", "lib/tide.py", "new/legend.py")


def test_ignored_files_are_not_listed(checkout, own_home):
    for name in ("tracked.log", "local.log", "own.log", "usual.log", "kept.log"):
        checkout.write(name, "x")
    checkout.write(".gitignore", ".gitignore", "tracked.log")
    checkout.write(".git/info/exclude", "local.log")
    (own_home / ".config" / "git").mkdir(parents=True)
    (own_home / ".config" / "git" / "ignore").write_text("usual.log\n")
    assert changed(checkout) == ("kept.log", "own.log")
    (own_home / "mine").write_text("own.log\n")
    (own_home / ".gitconfig").write_text('[core] # mine\n\tExcludesFile = "~/mine" ; so it is\n')
    assert changed(checkout) == ("kept.log", "usual.log")


def test_a_mode_counts_only_where_the_repository_heeds_modes(checkout):
    (checkout.root / "chart.py").chmod(0o755)
    assert changed(checkout) == ("chart.py",)
    checkout.git("config", "core.fileMode", "false")
    assert changed(checkout) == ()


def test_line_ends_count_only_where_the_repository_heeds_them(checkout):
    checkout.git("config", "core.autocrlf", "true")
    (checkout.root / "chart.py").write_bytes(b"draw()\r\n")
    checkout.git("-c", "core.safecrlf=false", "add", "chart.py")
    os.utime(checkout.root / "chart.py", (1_700_000_000, 1_700_000_000))
    assert changed(checkout) == ()
    checkout.git("config", "core.autocrlf", "false")
    assert changed(checkout) == ("chart.py",)


def test_a_linked_work_tree_has_its_own_branch_and_files_and_the_same_history(checkout, tmp_path):
    checkout.git("worktree", "add", "-q", "-b", "tide", "../tide")
    (tmp_path / "tide" / "legend.py").write_text("draw()\n")
    state = state_of(str(tmp_path / "tide"))
    assert state is not None
    assert (state.branch, state.files) == ("tide", ("legend.py",))
    assert [line.split(" ", 1)[1] for line in state.commits] == ["Draw the chart"]
    assert changed(checkout) == ()


def test_work_trees_of_a_bare_repository_are_read(checkout, tmp_path):
    checkout.git("clone", "-q", "--bare", ".", "../bare")
    checkout.git("--git-dir=../bare", "worktree", "add", "-q", "../feat")
    assert branch_of(str(tmp_path / "feat")) == "feat"
    assert subjects(tmp_path / "feat") == ["Draw the chart"]
    assert changed_files(str(tmp_path / "feat"), timeout_s=60.0) == ()


def test_a_submodule_is_read_and_seen_from_outside_when_it_moves(checkout, tmp_path):
    allowed = ("-c", "protocol.file.allow=always")
    outer = Checkout(tmp_path / "outer", Clock())
    outer.git(*allowed, "submodule", "--quiet", "add", str(checkout.root), "shop")
    outer.commit("Take over the shop")
    assert changed(outer) == ()
    (outer.root / "shop" / "chart.py").write_text("draw(2)\n")
    assert changed_files(str(outer.root / "shop"), timeout_s=60.0) == ("chart.py",)
    assert changed(outer) == ()
    outer.git("-C", "shop", "commit", "-q", "-a", "-m", "Draw more")
    assert changed(outer) == ("shop",)
    assert subjects(outer.root / "shop") == ["Draw more", "Draw the chart"]


def test_a_shallow_clone_ends_where_it_ends(checkout, tmp_path):
    checkout.write("chart.py", "draw(2)")
    checkout.commit("Draw more")
    checkout.git("clone", "-q", "--depth=1", f"file://{checkout.root}", "../shallow")
    assert subjects(tmp_path / "shallow") == ["Draw more"]


def test_packed_refs_and_a_split_index_are_read(checkout):
    checkout.git("pack-refs", "--all")
    checkout.git("gc", "-q")
    checkout.git("update-index", "--split-index")
    checkout.write("chart.py", "draw(2)")
    assert (subjects(checkout.root), changed(checkout)) == (["Draw the chart"], ("chart.py",))


@pytest.mark.parametrize("sparse_index", ["--sparse-index", "--no-sparse-index"])
def test_what_a_sparse_checkout_leaves_out_is_not_missing(checkout, sparse_index):
    checkout.git("sparse-checkout", "set", "--cone", sparse_index, "docs")
    assert not (checkout.root / "lib").exists()
    assert changed(checkout) == ()


def test_a_repository_with_long_hashes_is_read(tmp_path, clock):
    (tmp_path / "long").mkdir()
    checkout = Checkout.__new__(Checkout)
    checkout.root, checkout._clock = tmp_path / "long", clock
    checkout.git("init", "-q", "-b", "main", "--object-format=sha256")
    checkout.write("chart.py", "draw()")
    checkout.commit("Draw the chart")
    checkout.write("chart.py", "draw(2)")
    assert (subjects(checkout.root), changed(checkout)) == (["Draw the chart"], ("chart.py",))


def test_the_files_are_those_of_the_folder_whatever_work_tree_is_named(checkout, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_text("x")
    checkout.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    checkout.write("chart.py", "draw(2)")
    assert changed(checkout) == ("chart.py",)


def test_a_commit_is_shown_as_it_was_made_whatever_stands_in_for_it(checkout):
    first = checkout.git("rev-parse", "HEAD")
    checkout.write("chart.py", "draw(2)")
    checkout.commit("Draw more")
    checkout.git("replace", "HEAD", first)
    assert checkout.git("log", "--format=%s") == "Draw the chart"
    assert subjects(checkout.root) == ["Draw more", "Draw the chart"]


def test_a_folder_of_a_checkout_is_asked_about_itself(checkout):
    assert git(str(checkout.root / "lib"), "ls-files") == "tide.py\n"


def test_nothing_is_left_behind(checkout, tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "own"))
    state_of(str(checkout.root))
    git(str(checkout.root), "no-such-command")
    assert os.listdir(tmp_path / "own") == []
    assert subjects(checkout.root) == ["Draw the chart"]
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    assert git(str(checkout.root), "log") is None


def test_lines_are_dated_by_the_commits_they_come_from(tmp_path):
    clock = Clock()
    checkout = Checkout(tmp_path / "shop", clock)
    checkout.write("rules.md", "one", "two")
    checkout.commit("Rules")
    first = clock() // 1000 * 1000
    clock.advance(3 * 86_400_000)
    checkout.write("rules.md", "one", "two and a half", "three")
    checkout.commit("More rules")
    checkout.write("rules.md", "zero", "one", "two and a half", "three")
    later = clock() // 1000 * 1000
    assert line_times(str(checkout.root / "rules.md")) == {2: first, 3: later, 4: later}
    (tmp_path / "link.md").symlink_to(checkout.root / "rules.md")
    assert line_times(str(tmp_path / "link.md")) == {2: first, 3: later, 4: later}
    checkout.write("new.md", "not committed")
    assert line_times(str(checkout.root / "new.md")) == {}
    assert line_times(str(tmp_path / "elsewhere.md")) == {}


def test_outside_of_a_checkout_nothing_is_said(tmp_path):
    assert (state_of(str(tmp_path)), git(str(tmp_path), "log")) == (None, None)
    (tmp_path / ".git").write_text("no such thing\n")
    assert (branch_of(str(tmp_path)), git(str(tmp_path), "log")) == ("", None)
