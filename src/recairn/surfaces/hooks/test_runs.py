"""How a test run came out, read off what an agent says of it."""

from __future__ import annotations

from itertools import pairwise

from recairn.core.lazy import compiled
from recairn.work.test_commands import test_command, tested_by, verdict, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.recall.reminder import Subject

_CODE = (
    r"(?i)(?:^|\n|\b)(?:exit(?:ed)?(?: with)?(?: status| code)|process exited with code)"
    r"[:=]?\s+(\d+)"
)
_FAILED = (
    r"(?m)\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\btest result: FAILED|^--- FAIL|^FAIL\b"
    r"|\bFAILED \(|^FAILED\b|\bTests:\s+[1-9]\d* failed|\bBUILD FAIL|\bfailures: [1-9]"
    r"|^not ok\b"
)
_PASSED = (
    r"(?m)\b[1-9]\d* (?:passed|passing)\b|\btest result: ok\b|^ok\s+\S+\s|^PASS\b|^OK\b"
    r"|\b0 failures\b|\bBUILD SUCCESS|\bTests:\s+[1-9]\d* passed|\b100% tests passed"
)
# What says that no test was run at all, whatever the status: no such file, none found, no script.
_NOTHING_RAN = (
    r"(?i)\bno tests? (?:files? )?(?:were |was )?(?:found|collected|ran|to run)\b|\bno tests ran\b"
    r"|\bfile or directory not found\b|\bMissing script\b|\bNo rule to make target\b"
    r"|\bRan 0 tests\b|\bcommand not found\b|\bno test specified\b"
)
# Each of these patterns needs one of its words, in lower case: most outputs have none of them, and
# most others say it plainly, so that no agent waits for the engine of patterns.
_FAILING_WORDS = ("fail", "error", "not ok")
_IDLE_WORDS = ("no test", "not found", "missing script", "no rule to make target", "ran 0 tests")
_FAILED_LINES = ("FAILED ", "FAIL ")
_FAILED_COUNTS = ("failed", "failing", "failure", "failures", "error", "errors")
_PASSED_COUNTS = ("passed", "passing")
# Characters of output looked at: summaries stand at the end.
_TAIL = 20_000


def passed(command: str, response: Any, *, failed: bool) -> bool | None:
    """Whether a test run came out well; None when its answer does not say.

    `failed` is the agent's own word for it. A pipe hides the status of what stands before it.
    """
    code = _exit_code(response)
    output = _output(response)[-_TAIL:]
    if code is None and "exit" in output.lower():
        match = compiled(_CODE).search(output[:_TAIL])
        code = None if match is None else int(match.group(1))
    if _says_failed(output):
        return False
    ran = not _says_idle(output) or _says_passed(output)
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
    if _says_passed(output):
        return True
    hidden = "|" in command.replace("||", "") or ";" in command
    knows = code == 0 or isinstance(response, dict)
    return None if hidden or not knows else True


def _says_failed(output: str) -> bool:
    low = output.lower()
    if not any(word in low for word in _FAILING_WORDS):
        return False
    plainly = any(line.startswith(_FAILED_LINES) for line in output.split("\n"))
    return plainly or _counts(output, _FAILED_COUNTS) or bool(compiled(_FAILED).search(output))


def _says_passed(output: str) -> bool:
    return _counts(output, _PASSED_COUNTS) or bool(compiled(_PASSED).search(output))


def _says_idle(output: str) -> bool:
    low = output.lower()
    return any(word in low for word in _IDLE_WORDS) and bool(compiled(_NOTHING_RAN).search(output))


def _counts(output: str, names: tuple[str, ...]) -> bool:
    """Whether a line has a number above zero before one of the names: `3 passed, 1 failed`."""
    for line in output.split("\n"):
        words = line.split(" ")
        for number, name in pairwise(words):
            if name.rstrip(",.;:)") in names and number.isdecimal() and number[0] in "123456789":
                return True
    return False


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


# What stands in the lines of an output that say what failed, in lower case.
_TELLING = ("fail", "error", "exception", "panicked", "assert", "not ok")
# Failures that say nothing of what failed.
_USUAL = frozenset(
    "AssertionError ValueError TypeError KeyError IndexError AttributeError RuntimeError NameError"
    " ImportError ModuleNotFoundError ReferenceError SyntaxError _FailedTest".split()
)
_FAILURE_LINES = 40
_SYMBOLS = 16
_FILES = 4
_MESSAGES = 4
# Words of a message that stand together also the next time; fewer say too little.
_MESSAGE_WORDS = 3
_LONGEST_MESSAGE = 60  # characters


def failure_in(output: str) -> Subject:
    """What a failed run is about: the tests and files it names, its errors and their messages."""
    from recairn.core.naming import symbols_in
    from recairn.core.scopes import files_in
    from recairn.recall.reminder import Subject

    lines = [line for line in output.split("\n") if any(word in line.lower() for word in _TELLING)][
        -_FAILURE_LINES:
    ]
    text = "\n".join(lines)
    files = files_in(text.replace("::", " "))[:_FILES]
    messages = dict.fromkeys(filter(None, map(_message, lines)))
    return Subject(
        files=files,
        paths=files,
        symbols=tuple([name for name in symbols_in(text, _SYMBOLS) if name not in _USUAL]),
        messages=tuple(messages)[-_MESSAGES:],
        failed=True,
    )


def _message(line: str) -> str:
    """The words of an error up to what differs from time to time: numbers, quoted values."""
    said = line.partition("rror: ")[2] or line.partition("xception: ")[2]
    end = next((at for at, sign in enumerate(said) if sign in "'\"`0123456789(<["), len(said))
    message = said[: min(end, _LONGEST_MESSAGE)].rpartition(" ")[0] if end < len(said) else said
    words = message[:_LONGEST_MESSAGE].split()
    return " ".join(words).strip(".,:;") if len(words) >= _MESSAGE_WORDS else ""
