"""What a git checkout says about itself; the branch is read without running git."""

from __future__ import annotations

import os
import stat
import time

from recairn.core.record import record
from recairn.host.git_settings import own_excludes
from recairn.host.plain_file import content_of
from recairn.host.program import output_of
from recairn.host.repository import (
    head_of,
    is_sound,
    make_stand_in,
    owners_of,
    remove_stand_in,
    repository_around,
    repository_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.host.repository import Repository

# Seconds a git command may take; on a network drive it can hang for ever.
TIMEOUT_S = 5.0
# Commits and files that a state names; a longer list says nothing more to who takes over.
_COMMITS = 5
_FILES = 50
# A submodule is a repository of its own, and these commands would start another git in it, which
# follows that one's settings. Which commit it is at can be seen from outside.
_ENTERING = ("status", "diff")
_OUTSIDE = "--ignore-submodules=dirty"
# Bytes of a file of names: one of a very large project.
_MAIL_MAP = 500_000
# Characters of a commit's name; with another hash they are more.
_HASH_LENGTH = 40
# What says where the user's own settings of git are.
_OWN_SETTINGS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
# What git notes of a branch when somebody makes a commit on it; it also notes mere moves.
_OWN_COMMIT = (b"commit", b"cherry-pick", b"revert", b"rebase", b"am:")
# Bytes of such notes that are read: thousands of commits.
_NOTES = 1_000_000
# Whom `sudo` was called by: root may use that user's repositories, as git does.
_CALLER = "SUDO_UID"


@record
class GitState:
    """Where a checkout stands: branch, newest commits as `hash subject`, files not committed."""

    branch: str
    commits: tuple[str, ...]
    files: tuple[str, ...]


def git(folder: str, *words: str, timeout_s: float = TIMEOUT_S) -> str | None:
    """What a git command prints; None when it fails, takes too long, or there is no git.

    The one place that starts git. Nothing that the repository holds may run a program or keep us
    waiting: git sees a stand-in for the folder that settings, hooks and attributes come from.
    """
    repository = repository_around(folder)
    if repository is None or not is_sound(repository):
        return None
    program = _program(repository.root)
    if program is None or not _is_ours(repository, program):
        return None
    excludes = own_excludes()
    # A mail map says nothing that is asked for here, and is one more file to read whole.
    options = ["-c", "core.quotePath=false", "-c", "log.mailmap=false"]
    options += ["-c", f"core.excludesFile={excludes}"] if excludes else []
    try:
        stand_in = make_stand_in(repository)
    except (OSError, ValueError):
        return None
    try:
        environment = {
            **_environment(),
            "GIT_DIR": os.path.abspath(repository.folder),
            "GIT_COMMON_DIR": stand_in,
            "GIT_WORK_TREE": repository.root,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        first = (words[0], _OUTSIDE) if words[0] in _ENTERING else words[:1]
        command = (program, *options, "-C", folder, *first, *words[1:])
        output = output_of(command, environment, timeout_s)
    except (OSError, ValueError):
        return None
    finally:
        remove_stand_in(stand_in)
    return None if output is None else output.decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    """The environment without what speaks to git: it may name programs or another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
    return {**kept, **own, "LC_ALL": "C"}


def _program(root: str) -> str | None:
    """The first git of the PATH that is not of the work tree itself, as ./bin would be."""
    inside = os.path.join(os.path.realpath(root), "")
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, "git")
        if not (os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK)):
            continue
        if inside == "/" or not os.path.realpath(path).startswith(inside):
            return path
    return None


def _is_ours(repository: Repository, program: str) -> bool:
    """Whether this user owns a repository, or has told git that its folder is safe."""
    me = os.geteuid()
    allowed = {me}
    caller = os.environ.get(_CALLER, "")
    if me == 0 and caller.isdecimal():
        allowed.add(int(caller))
    try:
        if owners_of(repository) <= allowed:
            return True
    except OSError:
        return False
    # Asked outside of any repository, so that only the user's and the machine's settings answer.
    words = (program, "config", "-z", "--type=path", "--get-all", "safe.directory")
    kept = {name: os.environ[name] for name in _OWN_SETTINGS if name in os.environ}
    environment = {**_environment(), **kept, "GIT_DIR": os.devnull}
    output = output_of(words, environment, TIMEOUT_S) or b""
    return _is_listed(os.path.realpath(repository.root), os.fsdecode(output).split("\0")[:-1])


def _is_listed(root: str, listed: Sequence[str]) -> bool:
    """Whether a list names a folder, one above it with `/*`, or all; an empty entry starts anew."""
    named = False
    for entry in listed:
        if not entry:
            named = False
        elif (
            entry == "*"
            or os.path.realpath(entry) == root
            or (
                entry.endswith("/*")
                and root.startswith(os.path.join(os.path.realpath(entry[:-2]), ""))
            )
        ):
            named = True
    return named


def branch_of(root: str) -> str:
    """The branch checked out at a root; a short commit when detached, nothing outside git."""
    repository = repository_at(root)
    if repository is None:
        return ""
    head = os.fsencode(head_of(repository)).decode("utf-8", "replace")
    name = head.removeprefix("ref: refs/heads/")
    return name if name != head or not head else head[:10]


def has_own_commits(root: str, branch: str) -> bool:
    """Whether commits were made on a branch in this clone, as far as git still has notes of it."""
    repository = repository_around(root)
    if repository is None:
        return False
    path = os.path.join(repository.common, "logs", "refs", "heads", branch)
    lines = (content_of(path, _NOTES) or b"").splitlines()
    return any(line.partition(b"\t")[2].startswith(_OWN_COMMIT) for line in lines)


def state_of(root: str) -> GitState | None:
    """The state of a checkout; None outside git."""
    branch = branch_of(root)
    if not branch:
        return None
    deadline = time.monotonic() + TIMEOUT_S
    log = git(root, "log", "--format=%h %s", "-n", str(_COMMITS)) or ""
    left_s = deadline - time.monotonic()
    status = (
        git(root, "status", "--porcelain", "-z", "--untracked-files=normal", timeout_s=left_s) or ""
    )
    return GitState(branch, tuple(log.splitlines()), _changed_files(status.split("\0")))


def changed_files(root: str, *, timeout_s: float) -> tuple[str, ...]:
    """The files of a checkout that are not committed; none outside git or after so many seconds."""
    words = ("status", "--porcelain", "-z", "--untracked-files=all")
    status = git(root, *words, timeout_s=timeout_s) if branch_of(root) else None
    return _changed_files((status or "").split("\0"))


def commits_since(root: str, at: int) -> tuple[str, ...]:
    """The commits made after a time as `hash subject`, newest first."""
    after = f"--since=@{at // 1000 + 1}"
    return tuple((git(root, "log", "--format=%h %s", "-n", str(_FILES), after) or "").splitlines())


def tag_times(root: str) -> dict[str, int]:
    """When the newest tags of a checkout were made, milliseconds by name, newest first."""
    words = ("for-each-ref", "--sort=-creatordate", f"--count={_FILES}")
    output = git(root, *words, "--format=%(creatordate:unix) %(refname:strip=2)", "refs/tags") or ""
    lines = [line.partition(" ") for line in output.splitlines()]
    return {name: int(at) * 1000 for at, _, name in lines if at.isdecimal()}


def line_times(path: str) -> dict[int, int]:
    """When the lines of a file were written, by the commits they come from: milliseconds by line
    number, without those that are not committed; nothing for a file that git does not know."""
    folder, name = os.path.split(os.path.realpath(path))
    repository = repository_around(folder)
    if repository is None or not _has_ordinary_mail_map(repository):
        return {}
    output = git(folder, "blame", "--porcelain", "--", name) or ""
    commit, number = "", 0
    commits: dict[int, str] = {}
    times: dict[str, int] = {}
    for line in output.split("\n"):
        first, _, rest = line.partition(" ")
        if line.startswith("\t"):
            commits[number] = commit
        elif first == "author-time" and rest.isdecimal():
            times[commit] = int(rest) * 1000
        elif len(first) >= _HASH_LENGTH and rest[:1].isdecimal():
            commit, number = first, int(rest.split(" ")[1])
    return {line: times[of] for line, of in commits.items() if of in times and of.strip("0")}


def _has_ordinary_mail_map(repository: Repository) -> bool:
    """Whether the file of names that `blame` always reads, and reads whole, is missing or small."""
    try:
        state = os.lstat(os.path.join(repository.root, ".mailmap"))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISREG(state.st_mode) and state.st_size <= _MAIL_MAP


def _changed_files(entries: Sequence[str]) -> tuple[str, ...]:
    """The paths in `git status -z`; a renamed file is followed by its old name."""
    files = []
    skip = False
    for entry in entries:
        if skip or not entry:
            skip = False
            continue
        files.append(entry[3:])
        skip = entry[0] in "RC"
    return tuple(files[:_FILES])
