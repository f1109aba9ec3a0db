"""No setting of a repository runs a program, whichever door looks at the repository.

Each trap is first left alone by every door of recairn and by recairn's own call of the git command
that springs it, and then sprung by a plain git: so the trap is a real one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recairn.host.git import git
from tests.checkouts import Checkout, needs_git
from tests.surfaces.hostile import RULE, Canary, Doors, Trap, ask, plain_git, prepared

pytestmark = [needs_git, pytest.mark.thorough]

STATUS, DIFF, PATCHES = ("status",), ("diff",), ("log", "-p")
HOOK = ("hook", "run", "pre-commit")


def setting(words: tuple[str, ...], *names: str, attributes: str = "", **more: str):
    """A trap of settings: those names get the program as their value, `more` their own."""

    def plant(checkout: Checkout, canary: Canary) -> None:
        for name in names:
            checkout.git("config", name, str(canary.program))
        for name, value in more.items():
            checkout.git("config", name.replace("_", "."), value)
        if attributes:
            checkout.write(".gitattributes", attributes)

    return plant, words


def info_attributes(checkout: Checkout, canary: Canary) -> None:
    checkout.git("config", "filter.x.clean", str(canary.program))
    checkout.write(".git/info/attributes", "* filter=x")


def attributes_elsewhere(checkout: Checkout, canary: Canary) -> None:
    checkout.git("config", "filter.x.clean", str(canary.program))
    checkout.write("names", "* filter=x")
    checkout.git("config", "core.attributesFile", str(checkout.root / "names"))


def hook_file(checkout: Checkout, canary: Canary) -> None:
    canary.place(checkout.root / ".git" / "hooks" / "pre-commit")


def hooks_elsewhere(checkout: Checkout, canary: Canary) -> None:
    canary.place(checkout.root / "tools" / "pre-commit")
    checkout.git("config", "core.hooksPath", "tools")


def alias(checkout: Checkout, canary: Canary) -> None:
    checkout.git("config", "alias.peek", f"!{canary.program}")


def signature(checkout: Checkout, canary: Canary) -> None:
    commit = checkout.git("cat-file", "commit", "HEAD").replace(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
        1,
    )
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=checkout.root,
        input=f"{commit}\n".encode(),
        capture_output=True,
        check=True,
    )
    checkout.git("update-ref", "HEAD", made.stdout.decode().strip())
    checkout.git("config", "log.showSignature", "true")
    checkout.git("config", "gpg.program", str(canary.program))


def promised_object(checkout: Checkout, canary: Canary) -> None:
    """A file's content is missing, and a remote has promised to send it."""
    content = checkout.git("rev-parse", "HEAD:tide.py")
    (checkout.root / ".git" / "objects" / content[:2] / content[2:]).unlink()
    checkout.git("config", "core.repositoryFormatVersion", "1")
    checkout.git("config", "extensions.partialClone", "origin")
    checkout.git("config", "remote.origin.promisor", "true")
    checkout.git("config", "remote.origin.url", str(checkout.root))
    checkout.git("config", "remote.origin.uploadpack", str(canary.program))


def remote_helper(checkout: Checkout, canary: Canary) -> None:
    checkout.git("config", "remote.origin.url", f"ext::{canary.program} %S")
    checkout.git("config", "protocol.ext.allow", "always")


def included_file(condition: str):
    def plant(checkout: Checkout, canary: Canary) -> None:
        checkout.write("more", '[filter "x"]', f"\tclean = {canary.program}")
        checkout.write(".gitattributes", "* filter=x")
        checkout.git("config", f"{condition}.path", str(checkout.root / "more"))

    return plant


def worktree_settings(checkout: Checkout, canary: Canary) -> None:
    checkout.write(".gitattributes", "* filter=x")
    checkout.git("config", "extensions.worktreeConfig", "true")
    checkout.write(".git/config.worktree", '[filter "x"]', f"\tclean = {canary.program}")


def submodule(checkout: Checkout, canary: Canary) -> None:
    """A repository inside the repository, with settings of its own."""
    inner = prepared(checkout.root / "inner")
    named = ('[submodule "inner"]', "path = inner", "url = ./inner", "ignore = none")
    checkout.write(".gitmodules", *named)
    checkout.git("-c", "advice.addEmbeddedRepo=false", "add", "inner", ".gitmodules")
    checkout.git("commit", "-q", "-m", "Take over the inner one")
    inner.git("config", "filter.x.clean", str(canary.program))
    inner.write(".gitattributes", "* filter=x")


def git_folder_elsewhere(checkout: Checkout, canary: Canary) -> None:
    """The `.git` is a file, as in an archive of a linked work tree."""
    checkout.git("config", "filter.x.clean", str(canary.program))
    checkout.write(".gitattributes", "* filter=x")
    elsewhere = checkout.root.parent / "elsewhere"
    (checkout.root / ".git").rename(elsewhere)
    checkout.write(".git", "gitdir: ../elsewhere")


def common_folder_elsewhere(checkout: Checkout, canary: Canary) -> None:
    checkout.git("config", "filter.x.clean", str(canary.program))
    checkout.write(".gitattributes", "* filter=x")
    shutil.copytree(checkout.root / ".git", checkout.root / "common")
    (checkout.root / ".git" / "config").unlink()
    checkout.write(".git/commondir", "../common")


def own_filter(checkout: Checkout, canary: Canary) -> None:
    """A filter that the person has: which files go through it is the repository's choice."""
    Path("~/.gitconfig").expanduser().write_text(f'[filter "lfs"]\n\tclean = {canary.program}\n')
    checkout.write(".gitattributes", "* filter=lfs")


FILTERED = "* filter=x"
TRAPS = [
    Trap("clean filter", *setting(STATUS, "filter.x.clean", attributes=FILTERED)),
    Trap("filter process", *setting(STATUS, "filter.x.process", attributes=FILTERED)),
    Trap(
        "smudge filter",
        *setting(("cat-file", "--filters", "HEAD:tide.py"), "filter.x.smudge", attributes=FILTERED),
    ),
    Trap("attributes in .git/info", info_attributes, STATUS),
    Trap("attributes in another file", attributes_elsewhere, STATUS),
    Trap("file system monitor", *setting(STATUS, "core.fsmonitor")),
    Trap("text conversion", *setting(PATCHES, "diff.x.textconv", attributes="*.py diff=x")),
    Trap("diff driver", *setting(DIFF, "diff.x.command", attributes="*.py diff=x")),
    Trap("external diff", *setting(DIFF, "diff.external")),
    Trap("hook", hook_file, HOOK),
    Trap("folder of hooks", hooks_elsewhere, HOOK),
    Trap("alias", alias, ("peek",)),
    Trap("signature", signature, ("log",)),
    Trap("ssh command", *setting(("ls-remote", "ssh://127.0.0.1/x"), "core.sshCommand")),
    Trap("proxy command", *setting(("ls-remote", "git://127.0.0.1/x"), "core.gitProxy")),
    Trap(
        "upload-pack",
        *setting(("ls-remote", "origin"), "remote.origin.uploadpack", remote_origin_url="."),
    ),
    Trap("remote helper", remote_helper, ("ls-remote", "origin")),
    Trap("object that is promised", promised_object, ("cat-file", "-p", "HEAD:tide.py")),
    Trap("included file", included_file("include"), STATUS),
    Trap("file included for a folder", included_file("includeIf.gitdir:**"), STATUS),
    Trap("settings of a work tree", worktree_settings, STATUS),
    Trap("submodule", submodule, STATUS),
    Trap("git folder elsewhere", git_folder_elsewhere, STATUS),
    Trap("common folder elsewhere", common_folder_elsewhere, STATUS),
    Trap("filter of the person's own", own_filter, STATUS),
]


@pytest.fixture
def canary(tmp_path):
    return Canary(tmp_path / "cage")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    made = prepared(tmp_path / "shop")
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def doors(checkout, monkeypatch):
    return Doors(monkeypatch)


def assert_looked(said):
    """The doors did look at the checkout: the rule for a changed file is there, and the files."""
    for door in ("context", "mcp", "start", "prompt"):
        assert RULE in said[door], (door, said[door])
    assert "chart.py" in said["resume"]


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_no_setting_of_a_repository_runs_a_program(trap, checkout, canary, doors):
    trap.plant(checkout, canary)
    said = doors.open_all()
    assert not canary.ran
    assert_looked(said)
    ask(checkout.root, trap)
    assert not canary.ran
    plain_git(checkout.root, *trap.words)
    assert canary.ran, "the trap does not work"


PROGRAMS = (
    *("core.pager", "pager.log", "core.editor", "sequence.editor", "core.askPass"),
    *("credential.helper", "core.alternateRefsCommand", "merge.x.driver", "gpg.ssh.program"),
    *("interactive.diffFilter", "trailer.x.command", "hook.x.command", "remote.origin.receivepack"),
    *("submodule.inner.update", "browser.x.cmd", "difftool.x.cmd", "filter.core.clean"),
)


def test_git_sees_no_setting_of_a_repository_that_names_a_program(checkout, canary):
    for name in PROGRAMS:
        checkout.git("config", name, str(canary.program))
    # Written so that a careless reader takes the first for a harmless section.
    with (checkout.root / ".git" / "config").open("a") as file:
        file.write(f"[core] ; ]\n\teol = {canary.program}\n\tautocrlf = input\n")
    assert str(canary.program) in checkout.git("config", "--list")
    seen = git(str(checkout.root), "config", "--list")
    assert seen is not None
    assert "core.autocrlf=input" in seen
    assert str(canary.program) not in seen


def test_a_checkout_that_came_as_an_archive_runs_nothing(checkout, canary, tmp_path, monkeypatch):
    plant, words = setting(STATUS, "filter.x.clean", "core.fsmonitor", attributes=FILTERED)
    plant(checkout, canary)
    archive = shutil.make_archive(str(tmp_path / "shop"), "tar", checkout.root)
    shutil.unpack_archive(archive, tmp_path / "unpacked", filter="tar")
    monkeypatch.chdir(tmp_path / "unpacked")
    assert_looked(Doors(monkeypatch).open_all())
    assert not canary.ran
    plain_git(tmp_path / "unpacked", *words)
    assert canary.ran, "the trap does not work"


def test_a_bare_repository_among_the_files_is_not_one_to_look_at(checkout, canary, doors):
    """Git takes any folder with the right names in it for a repository."""
    checkout.git("init", "-q", "--bare", "fixtures/bare")
    bare = checkout.root / "fixtures" / "bare"
    with (bare / "config").open("a") as file:
        file.write(f"[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {canary.program}\n")
    os.chdir(bare)
    doors.open_all()
    assert git(str(bare), "rev-parse", "--show-toplevel") == f"{checkout.root}\n"
    git(str(bare), *STATUS)
    assert not canary.ran
    plain_git(bare, *STATUS)
    assert canary.ran, "the trap does not work"


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (DIFF, {"GIT_EXTERNAL_DIFF": "{canary}"}),
        (
            STATUS,
            {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "core.fsmonitor",
                "GIT_CONFIG_VALUE_0": "{canary}",
            },
        ),
        (STATUS, {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='{canary}'"}),
        (("ls-remote", "ssh://127.0.0.1/x"), {"GIT_SSH_COMMAND": "{canary}"}),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_what_the_environment_tells_git_is_not_passed_on(
    words, variables, checkout, canary, doors, monkeypatch
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(canary=canary.program))
    assert_looked(doors.open_all())
    git(str(checkout.root), *words)
    assert not canary.ran
    plain_git(checkout.root, *words)
    assert canary.ran, "the trap does not work"


@pytest.mark.parametrize("entry", ["tools", ".", "", "../beside", "{root}/tools", "{link}"])
def test_a_program_named_git_in_the_checkout_is_not_git(
    entry, checkout, canary, doors, monkeypatch, tmp_path
):
    canary.place(checkout.root / "tools" / "git")
    canary.place(checkout.root / "git")
    canary.place(tmp_path / "beside" / "git")
    (tmp_path / "link").symlink_to(checkout.root / "tools")
    entry = entry.format(root=checkout.root, link=tmp_path / "link")
    monkeypatch.setenv("PATH", f"{entry}:{os.environ['PATH']}")
    assert_looked(doors.open_all())
    assert not canary.ran
    subprocess.run(["/bin/sh", "-c", "git status"], cwd=checkout.root, check=False)
    assert canary.ran, "the trap does not work"


def test_processes_of_their_own_run_nothing_either(checkout, canary, doors):
    """All at once, as an agent and a person call recairn."""
    setting(STATUS, "filter.x.clean", "core.fsmonitor", "diff.external", attributes=FILTERED)[0](
        checkout, canary
    )
    hook_file(checkout, canary)
    event = b'{"session_id": "s-%d", "prompt": "how is the tide read by everyone?"}'
    messages = (
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"method": "notifications/initialized"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "recairn_context", "arguments": {"prompt": "draw it"}},
        },
    )
    calls = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
    asked = {
        "handoff Charts-draw": b"",
        "resume": b"",
        "context --prompt draw": b"",
        "stale --check": b"",
        "outcome observe": b"",
        "hook SessionStart": event % 1,
        "hook UserPromptSubmit": event % 2,
        "hook PreCompact": event % 2,
        "mcp": calls.encode(),
    }
    said = {}
    for words, given in asked.items():
        command = [sys.executable, "-m", "recairn", *words.split()]
        said[words] = subprocess.run(command, input=given, capture_output=True, check=True).stdout
        assert not canary.ran, words
    for words in ("context --prompt draw", "hook SessionStart", "hook UserPromptSubmit", "mcp"):
        assert RULE.encode() in said[words], words
    plain_git(checkout.root, *STATUS)
    assert canary.ran, "the trap does not work"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_somebody_else_is_looked_at_only_when_git_was_told_so(
    checkout, own_home, doors
):
    for path in (checkout.root, checkout.root / ".git"):
        os.chown(path, 65534, 65534)
    root = str(checkout.root)
    assert git(root, "log", "-1", "--format=%s") is None
    assert RULE not in doors.open_all()["context"]
    for listed, is_safe in (
        ("/elsewhere", False),
        (root, True),
        ("*", True),
        (f"{checkout.root.parent}/*", True),
        (f"{root}\n\tdirectory =", False),
    ):
        (own_home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {listed}\n")
        assert (git(root, "rev-parse", "HEAD") is not None) == is_safe, listed
    checkout.write(".git/config", "[safe]", "\tdirectory = *")
    assert git(root, "rev-parse", "HEAD") is None
