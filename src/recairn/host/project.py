"""Which project a folder belongs to, and where its database lies."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput

_OWN_FOLDER = ".recairn"
_DATABASE = "memory.db"
# Characters; no folder has a longer name.
_LONGEST_NAME = 255


def root_of(folder: str) -> str | None:
    """The nearest folder upward that is a git checkout or holds `.recairn`; None outside any."""
    here = os.path.abspath(folder)
    while True:
        if os.path.exists(os.path.join(here, ".git")) or os.path.isdir(
            os.path.join(here, _OWN_FOLDER)
        ):
            return here
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def detect(folder: str) -> str:
    """The project's name: that of its main checkout, so that all worktrees share one memory."""
    name = os.environ.get("RECAIRN_PROJECT")
    return one_name(name) if name is not None else project_of(folder)


def project_of(folder: str) -> str:
    """The project a folder belongs to, whatever the environment says; "" outside any."""
    root = root_of(folder)
    return "" if root is None else one_name(os.path.basename(_main_checkout(root)))


def one_name(name: str) -> str:
    """A project's name as it is kept: one line of text, though a folder may be named otherwise."""
    if not isinstance(name, str):
        raise BadInput(f"project must be text, got {type(name).__name__}")
    if len(name) > _LONGEST_NAME:
        raise BadInput(
            f"project has {len(name):,} characters, {_LONGEST_NAME} at most", "shorten it"
        )
    if not name.isascii():
        from recairn.core.words import as_utf8

        name = as_utf8(name)
    return " ".join(name.split())


def _main_checkout(root: str) -> str:
    """The checkout a linked worktree belongs to: its `.git` is a file that names the real one."""
    marker = os.path.join(root, ".git")
    if not os.path.isfile(marker):
        return root
    from recairn.host.plain_file import first_line

    target = first_line(marker).removeprefix("gitdir:").strip()
    main, is_linked, _ = os.path.join(root, target).partition("/.git/worktrees/")
    return os.path.normpath(main) if is_linked else root


def is_address(path: str) -> bool:
    """Whether a path is none, but the address of a store elsewhere."""
    if "://" not in path:
        return False
    from recairn.core.address import scheme_of

    return bool(scheme_of(path))


def database_path(path: str | None, folder: str) -> str:
    """The database to use: that path, RECAIRN_DB, the project's own, or the user's one."""
    path = path or os.environ.get("RECAIRN_DB")
    if path and is_address(path):
        return path
    if path:
        return _spellable(os.path.abspath(os.path.expanduser(path)))
    root = root_of(folder)
    if root is not None:
        own = os.path.join(root, _OWN_FOLDER, _DATABASE)
        if os.path.exists(own):
            return _spellable(own)
    return _spellable(os.path.join(data_folder(), _DATABASE))


def _spellable(path: str) -> str:
    """The same path; BadInput for one that SQLite, which knows UTF-8 alone, cannot open."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"the path of the database is not UTF-8: {ascii(path)[1:-1]}",
            "name another file with --db or RECAIRN_DB",
        ) from None
    return path


def existing_database(folder: str) -> str | None:
    """The database to use from a folder, if there is one; an empty file is none."""
    path = database_path(None, folder)
    if is_address(path):
        return path
    try:
        return path if os.stat(path).st_size else None
    except OSError:
        return None


def data_folder() -> str:
    """Where recairn keeps what belongs to the user: `$XDG_DATA_HOME/recairn`."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "recairn")


def models_folder() -> str:
    """Where pulled embedding models lie, for all databases of the user."""
    return os.environ.get("RECAIRN_MODELS") or os.path.join(data_folder(), "models")
