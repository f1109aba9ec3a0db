"""What a person said in a session, read from the end of the transcript an agent keeps.

The formats are the agents' own and grow without notice: whatever is not recognised is passed over.
"""

from __future__ import annotations

import os

# Bytes read from the end; a short session of Claude Code is 150 KB, mostly of other things.
_TAIL = 2_000_000
# Bytes of a line that is parsed; a prompt is shorter, a tool's answer may be much longer.
_LONGEST_LINE = 200_000
# Prompts of one transcript, the newest.
_MOST = 200


def prompts_in(path: str) -> list[str]:
    """The prompts of a transcript in their order; none when it cannot be read."""
    if not path:
        return []
    try:
        with open(os.path.expanduser(path), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            tail = file.read(_TAIL)
    except OSError:
        return []
    lines = tail.split(b"\n")
    prompts = [_prompt(line) for line in (lines[1:] if size > _TAIL else lines)]
    return [prompt for prompt in prompts if prompt][-_MOST:]


def _prompt(line: bytes) -> str:
    """The words of a person in one line of a transcript; empty for everything else."""
    said = b'"user' in line or b'"UserMessage"' in line
    if not said or len(line) > _LONGEST_LINE:
        return ""
    from json import loads

    from recairn.memory.capture.prompts import prompt_of

    try:
        return prompt_of(loads(line.decode("utf-8", "replace")))
    except ValueError:
        return ""
