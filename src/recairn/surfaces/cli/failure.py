"""What a person is told when something fails that no command foresaw. Never a traceback."""

from __future__ import annotations

import errno
import os

from recairn.core.guard import safe_for_terminal

# What to do about it, for the reasons a person can do something about.
_WAYS_OUT = {
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path: a part of it is a file",
    errno.EISDIR: "name a file, not a folder",
    errno.EACCES: "check the permissions of the file and its folder",
    errno.EPERM: "check the permissions of the file and its folder",
    errno.EROFS: "name a place that can be written",
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EMFILE: "close some programs, or raise ulimit -n",
}


def explanation(error: Exception) -> str:
    """The lines for standard error: what happened, to which file, and what to do."""
    if isinstance(error, OSError):
        message, hint = _about_files(error)
    else:
        message = (
            f"this should not have happened: {type(error).__name__}: {error} ({_place(error)})"
        )
        hint = "recairn doctor checks the database; RECAIRN_DEBUG=1 shows the whole trace to report"
    return safe_for_terminal(f"recairn: {message}" + (f"\n  hint: {hint}" if hint else "")) + "\n"


def _about_files(error: OSError) -> tuple[str, str]:
    if error.filename is None and isinstance(error, FileNotFoundError) and not _stands_somewhere():
        return "the folder you are in is not there any more", "cd to another one"
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{where}{error.strerror or error}", _WAYS_OUT.get(error.errno or 0, "")


def _stands_somewhere() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _place(error: Exception) -> str:
    """The file and line it came from, so that a report of it is worth something."""
    trace = error.__traceback__
    if trace is None:
        return "nowhere"
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
