"""Programs the user has named in the settings: a text in, a text out, within a time."""

from __future__ import annotations

from recairn.core.errors import Refused
from recairn.core.words import one_line

# Seconds a program may take, and characters of its complaint that are shown.
PATIENCE_S = 60.0
_COMPLAINT = 200


def answer_of(command: str, asked: str, setting: str, patience_s: float = PATIENCE_S) -> str:
    """What the program of that setting prints when it is given a text; Refused when it does not."""
    import shlex
    import subprocess

    hint = f"recairn config get {setting} shows the command; config unset does without"
    try:
        done = subprocess.run(
            shlex.split(command),
            input=asked.encode("utf-8", "replace"),
            capture_output=True,
            timeout=patience_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"{command!r} took longer than {patience_s:g} s", hint) from None
    except (OSError, ValueError) as error:
        raise Refused(f"{command!r} cannot be run: {error}", hint) from None
    if done.returncode != 0:
        said = one_line(done.stderr.decode("utf-8", "replace"), _COMPLAINT)
        why = f": {said}" if said else ""
        raise Refused(f"{command!r} ended with status {done.returncode}{why}", hint)
    text = done.stdout.decode("utf-8", "replace").strip()
    if not text:
        raise Refused(f"{command!r} wrote nothing", hint)
    return text
