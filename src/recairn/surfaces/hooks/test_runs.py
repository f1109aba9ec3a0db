"""Test runs, recognised by the command, and how they came out."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What may stand before the program that is meant.
_WRAPPER = re.compile(
    r"^(?:[A-Za-z_]\w*=\S*\s+|(?:time|nice(?:\s+-n\s*\d+)?|sudo|exec|command|env|xvfb-run(?:\s+-a)?"
    r"|timeout\s+\S+|uv\s+run|uvx|poetry\s+run|pdm\s+run|pipenv\s+run|hatch\s+run|rye\s+run"
    r"|bundle\s+exec|npx|pnpx|bunx|pnpm\s+exec|yarn\s+exec|dotenv|python[\d.]*\s+-m"
    r"|(?:docker|podman)(?:-compose|\s+compose)?\s+(?:exec|run)(?:\s+-\S+)*\s+\S+"
    r"|coverage\s+run(?:\s+-m)?)\s+)+"
)
_TEST = re.compile(
    r"""^(?:\S*/)?(?:
      pytest | py\.test | nosetests | unittest | tox | nox | trial
    | jest | vitest | mocha | ava | karma\sstart | playwright\stest | cypress\srun | tap
    | (?:npm|pnpm|yarn|bun|deno)\s(?:run\s)?(?:test|t|spec|e2e|check)(?![\w-]*\.)[\w:-]*
    | node\s--test
    | cargo\s(?:\+\S+\s)?(?:test|nextest) | go\stest | gotestsum | ginkgo
    | (?:mvn|mvnw|gradle|gradlew|sbt|ant|bazel|bazelisk|swift|dotnet|mix|flutter|dart|stack|cabal
        |gleam|zig\sbuild|lein|just|task|meson|rails|rake|composer|invoke|inv)\s
        (?:\S+\s)*?(?:\S*:)?(?:test|tests|check|verify|spec)\b
    | (?:g?make)\s(?:\S+\s)*?(?:test|tests|check)\b
    | ctest | rspec | phpunit | pest | minitest | bats | busted | prove | xcodebuild\s.*\btest
    | python[\d.]*\s\S*(?:manage|run|runtests|test)\.py(?:\stest)?\b
    | manage\.py\stest
    )(?=\s|$|:)""",
    re.X,
)
_HELP = re.compile(r"\s(?:--help|-h|--version|--collect-only|--co|--listTests)\b")
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
# Characters of output looked at: summaries stand at the end.
_TAIL = 20_000


def test_command(command: str) -> str | None:
    """The part of a command line that runs tests; None when none does."""
    for part in re.split(r"&&|\|\||[;|\n]", command):
        bare = part.strip().lstrip("(").strip()
        plain = _WRAPPER.sub("", bare)
        if _TEST.match(plain) and not _HELP.search(plain):
            return bare
    return None


def passed(command: str, response: Any, *, failed: bool) -> bool | None:
    """Whether a test run came out well; None when its answer does not say.

    `failed` is the agent's own word for it. A pipe hides the status of what stands before it.
    """
    code = _exit_code(response)
    output = _output(response)[-_TAIL:]
    if code is None:
        match = _CODE.search(output[:_TAIL])
        code = None if match is None else int(match.group(1))
    if failed or code:
        return False
    if isinstance(response, dict) and (
        response.get("interrupted") or response.get("backgroundTaskId")
    ):
        return None
    if _FAILED.search(output):
        return False
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
