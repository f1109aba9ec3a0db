"""Programs the user has named in the settings: a text in, a text out, within a time."""

from __future__ import annotations

from recairn.core.errors import Refused
from recairn.core.words import one_line

# Seconds a program may take, and characters of its complaint that are shown.
PATIENCE_S = 60.0
_COMPLAINT = 200


def answer_of(command: str, text: str, setting: str, patience_s: float = PATIENCE_S) -> str:
    """What the program of that setting prints when it is given a text; Refused when it does not."""
    import shlex
    import subprocess

    hint = f"recairn config get {setting} shows the command; config unset does without"
    try:
        process = subprocess.run(
            shlex.split(command),
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=patience_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"{command!r} took longer than {patience_s:g} s", hint) from None
    except (OSError, ValueError) as error:
        raise Refused(f"{command!r} cannot be run: {error}", hint) from None
    if process.returncode != 0:
        complaint = one_line(process.stderr.decode("utf-8", "replace"), _COMPLAINT)
        why = f": {complaint}" if complaint else ""
        raise Refused(f"{command!r} ended with status {process.returncode}{why}", hint)
    answer = process.stdout.decode("utf-8", "replace").strip()
    if not answer:
        raise Refused(f"{command!r} wrote nothing", hint)
    return answer
