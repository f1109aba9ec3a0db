"""How a test run came out, read off what an agent says of it."""

from __future__ import annotations

import re

from recairn.work.outcomes import verdict
from recairn.work.test_commands import test_command, tested_by, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CODE = re.compile(
    r"(?:^|\n|\b)(?:exit(?:ed)?(?: with)?(?: status| code)|process exited with code)[:=]?\s+(\d+)",
    re.I,
)
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\btest result: FAILED|^--- FAIL|^FAIL\b"
    r"|\bFAILED \(|^FAILED\b|\bTests:\s+[1-9]\d* failed|\bBUILD FAIL|\bfailures: [1-9]"
    r"|^not ok\b",
    re.M,
)
_PASSED = re.compile(
    r"\b[1-9]\d* (?:passed|passing)\b|\btest result: ok\b|^ok\s+\S+\s|^PASS\b|^OK\b|\b0 failures\b"
    r"|\bBUILD SUCCESS|\bTests:\s+[1-9]\d* passed|\b100% tests passed",
    re.M,
)
# What says that no test was run at all, whatever the status: no such file, none found, no script.
_NOTHING_RAN = re.compile(
    r"\bno tests? (?:files? )?(?:were |was )?(?:found|collected|ran|to run)\b|\bno tests ran\b"
    r"|\bfile or directory not found\b|\bMissing script\b|\bNo rule to make target\b"
    r"|\bRan 0 tests\b|\bcommand not found\b|\bno test specified\b",
    re.I,
)
# Characters of output looked at: summaries stand at the end.
_TAIL = 20_000


def passed(command: str, response: Any, *, failed: bool) -> bool | None:
    """Whether a test run came out well; None when its answer does not say.

    `failed` is the agent's own word for it. A pipe hides the status of what stands before it.
    """
    code = _exit_code(response)
    output = _output(response)[-_TAIL:]
    if code is None:
        match = _CODE.search(output[:_TAIL])
        code = None if match is None else int(match.group(1))
    if _FAILED.search(output):
        return False
    ran = not _NOTHING_RAN.search(output) or _PASSED.search(output)
    if code:
        program = tested_by(words_of(test_command(command) or command))
        return verdict(program, code) if ran else None
    if not ran:
        return None
    if failed:
        return False
    if isinstance(response, dict) and (
        response.get("interrupted") or response.get("backgroundTaskId")
    ):
        return None
    if _PASSED.search(output):
        return True
    hidden = "|" in command.replace("||", "") or ";" in command
    knows = code == 0 or isinstance(response, dict)
    return None if hidden or not knows else True


def _exit_code(response: Any) -> int | None:
    if not isinstance(response, dict):
        return None
    for name in ("exit_code", "exitCode", "exit_status", "returncode", "code"):
        value = response.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    inner = response.get("metadata")
    return _exit_code(inner) if isinstance(inner, dict) else None


def _output(response: Any) -> str:
    if isinstance(response, str):
        return response
    if isinstance(response, dict):
        return "\n".join(_output(value) for value in response.values() if value)
    if isinstance(response, list):
        return "\n".join(_output(value) for value in response)
    return ""
