"""Where a git repository keeps what, and a stand-in for the part of it that could name programs.

Git takes settings, hooks and attributes from the common folder of a repository. A stand-in is a
folder of ours in its place: objects, refs and ignored names are links to the repository's own, the
settings are those that `git_settings` carries over, and there are no hooks and no attributes.
docs/decisions/0013-git-runs-no-program.md has the reasons.
"""

from __future__ import annotations

import os

from recairn.core.record import record
from recairn.host.git_settings import carried_over
from recairn.host.plain_file import LONGEST_LINE, first_line, is_regular

# Parts of the common folder that git needs to read history.
_LINKED = ("objects", "refs", "packed-refs", "shallow", "reftable")
# Files in the root of a work tree that git opens.
_OPENED = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")
# Bytes of an index or a list of refs; a million files take a fifth.
_LARGEST = 1 << 30
# Bits of a mode: the kind of a file, a folder, a symbolic link.
_KIND, _FOLDER, _LINK = 0o170000, 0o040000, 0o120000


@record
class Repository:
    """A work tree, the git folder that is its own, and the one that all work trees share."""

    root: str
    folder: str
    common: str


def repository_at(root: str) -> Repository | None:
    """The repository whose work tree begins at a folder; None where none does."""
    marker = os.path.join(root, ".git")
    try:
        mode = os.stat(marker).st_mode
    except (OSError, ValueError):
        return None
    folder = marker
    if is_regular(mode):
        line = first_line(marker)
        target = line.removeprefix("gitdir:").strip()
        if target == line or not target:
            return None
        folder = os.path.join(root, target)
    elif mode & _KIND != _FOLDER:
        return None
    common = first_line(os.path.join(folder, "commondir"))
    return Repository(root, folder, os.path.join(folder, common) if common else folder)


def repository_around(folder: str) -> Repository | None:
    """The repository of the nearest folder upward that has a `.git`; None outside any."""
    here = os.path.abspath(folder)
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above
    return repository_at(here)


def head_of(repository: Repository) -> str:
    """What is checked out: `ref: refs/heads/NAME`, or a commit."""
    return first_line(os.path.join(repository.folder, "HEAD"))


def is_sound(repository: Repository) -> bool:
    """Whether what git is about to open are plain files and folders, as far as one can foresee.

    Git waits for ever at a pipe. Deeper in the tree there may be more of them: the time limit is
    for those, and this look for not waiting so long where it is easily seen.
    """
    own, common = repository.folder, repository.common
    head = head_of(repository)
    lines = [os.path.join(own, "HEAD"), os.path.join(own, "commondir")]
    if head.startswith("ref:"):
        lines.append(os.path.join(common, head.removeprefix("ref:").strip()))
    lists = [os.path.join(own, "index")]
    lists += [os.path.join(common, name) for name in ("packed-refs", "shallow")]
    return (
        bool(head)
        and all(os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs"))
        and all(_is_plain(path, LONGEST_LINE) for path in lines)
        and all(_is_plain(path, _LARGEST) for path in lists)
        and all(_is_openable(os.path.join(repository.root, name)) for name in _OPENED)
    )


def _is_plain(path: str, most: int) -> bool:
    """Whether a file is one, and not larger than so many bytes, or is not there."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return is_regular(status.st_mode) and status.st_size <= most


def _is_openable(path: str) -> bool:
    """Git follows no link here, and so a link is as good as no file."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return True
    return is_regular(mode) or mode & _KIND in (_FOLDER, _LINK)


def owners_of(repository: Repository) -> set[int]:
    """Whose work tree and git folder these are; the ids that git itself looks at."""
    marker = os.path.join(repository.root, ".git")
    return {
        os.stat(repository.root).st_uid,
        os.lstat(marker).st_uid,
        os.stat(repository.folder).st_uid,
    }


def make_stand_in(repository: Repository) -> str:
    """Makes the folder that git takes for the common one; `remove_stand_in` takes it away."""
    common, own = repository.common, repository.folder
    config = carried_over(os.path.join(common, "config"), os.path.join(own, "config.worktree"))
    base = os.path.abspath(os.environ.get("TMPDIR") or "/tmp")
    folder = os.path.join(base, f"recairn-git-{os.urandom(12).hex()}")
    os.mkdir(folder, 0o700)
    try:
        with open(os.path.join(folder, "config"), "x", encoding="utf-8") as file:
            file.write(config)
        for name in _LINKED:
            target = os.path.join(common, name)
            if os.path.exists(target):
                os.symlink(os.path.abspath(target), os.path.join(folder, name))
        exclude = os.path.join(common, "info", "exclude")
        if os.path.isfile(exclude):
            os.mkdir(os.path.join(folder, "info"))
            os.symlink(os.path.abspath(exclude), os.path.join(folder, "info", "exclude"))
    except BaseException:
        remove_stand_in(folder)
        raise
    return folder


def remove_stand_in(folder: str) -> None:
    """Takes the folder away, and nothing that its links point at."""
    for inner in (os.path.join(folder, "info"), folder):
        try:
            for name in os.listdir(inner):
                os.unlink(os.path.join(inner, name))
            os.rmdir(inner)
        except OSError:
            continue
