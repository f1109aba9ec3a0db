"""The git folder of a work tree whose `.git` is a file that names it: worktrees, submodules.

Such a file may have come in an archive and name the repository of somebody's other project. So it
is believed only where that repository says the same of this work tree.
"""

from __future__ import annotations

import os

from recairn.host.plain_file import first_line


def linked_folder(root: str) -> str:
    """The folder that all work trees of a linked one share; "" where the link is not mutual."""
    marker = os.path.join(root, ".git")
    line = first_line(marker)
    target = line.removeprefix("gitdir:").strip()
    if target == line or not target:
        return ""
    own = os.path.realpath(os.path.join(root, target))
    if not os.path.isdir(own):
        return ""
    shared = first_line(os.path.join(own, "commondir"))
    if shared:
        common = os.path.realpath(os.path.join(own, shared))
        named = first_line(os.path.join(own, "gitdir"))
        is_mutual = (
            bool(named)
            and _is_inside(own, common)
            and os.path.realpath(os.path.join(own, named)) == os.path.realpath(marker)
        )
        return common if is_mutual else ""
    if _is_inside(own, os.path.realpath(root)) or _named_tree(own) == os.path.realpath(root):
        return own
    return ""


def _named_tree(own: str) -> str:
    """The work tree that a git folder says it has, as that of a submodule does."""
    from recairn.host.git_settings import setting_of

    named = setting_of(os.path.join(own, "config"), "core.worktree")
    return os.path.realpath(os.path.join(own, named)) if named else ""


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))
