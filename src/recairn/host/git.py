"""What a git checkout says about itself; the branch is read without running git."""

from __future__ import annotations

import os

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Seconds a git command may take; on a network drive it can hang for ever.
TIMEOUT_S = 5.0
# Commits and files that a state names; a longer list says nothing more to who takes over.
_COMMITS = 5
_FILES = 50
# No lock files, no pager, no helper program that a repository's own settings could name.
_GIT = (
    *("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"),
    *("-c", "log.showSignature=false"),
)


@record
class GitState:
    """Where a checkout stands: branch, newest commits as `hash subject`, files not committed."""

    branch: str
    commits: tuple[str, ...]
    files: tuple[str, ...]


def git(folder: str, *words: str, timeout_s: float = TIMEOUT_S) -> str | None:
    """What a git command prints; None when it fails, takes too long, or there is no git."""
    import subprocess

    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        environment.pop(name, None)
    try:
        process = subprocess.run(
            [*_GIT, "-C", folder, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            env=environment,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return process.stdout.decode("utf-8", "replace") if process.returncode == 0 else None


def branch_of(root: str) -> str:
    """The branch checked out at a root; a short commit when detached, nothing outside git."""
    folder = os.path.join(root, ".git")
    if os.path.isfile(folder):
        target = _first_line(folder).removeprefix("gitdir:").strip()
        folder = os.path.join(root, target)
    head = _first_line(os.path.join(folder, "HEAD"))
    name = head.removeprefix("ref: refs/heads/")
    return name if name != head or not head else head[:10]


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def state_of(root: str) -> GitState | None:
    """The state of a checkout; None outside git."""
    branch = branch_of(root)
    if not branch:
        return None
    log = git(root, "log", "--format=%h %s", "-n", str(_COMMITS)) or ""
    status = git(root, "status", "--porcelain", "-z", "--untracked-files=normal") or ""
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
