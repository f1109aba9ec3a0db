"""The hook process on a prompt, a file and a test, beside an empty Python and `import apsw`.

    python3 run.py bench hook [MEMORIES]

Aims, over 10,000 memories, medians of interleaved runs: at most 4.5 x an empty Python with the
static model, 11 x with minilm (measured where it was pulled), 3 x when a file is opened or a test
failed; docs/hooks.md has what was reached.
With a locked, damaged, missing, read-only or full database the hook ends silently with status 0
within 300 ms.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import apsw
from cold import prepare_minilm, warn_of_script
from corpus import memories, questions

import recairn

ROUNDS = 101
TROUBLED_ROUNDS = 15
# Prompts of one session: from the second on, what was handed out before is left out.
PROMPTS = 10
SCRIPT = Path(sys.executable).with_name("recairn")
# The script of an installed package, without the PATH lookup of `env`.
HOOK = [str(SCRIPT), "hook", "UserPromptSubmit"]
ALLOWED_MS = 300


def event(number: int, question: str, folder: str) -> bytes:
    return json.dumps(
        {
            "session_id": f"bench-{number // PROMPTS}",
            "transcript_path": f"{folder}/transcript.jsonl",
            "cwd": folder,
            "hook_event_name": "UserPromptSubmit",
            "permission_mode": "default",
            "prompt": f"Please look into {question} and mend it",
        }
    ).encode()


def moments(folder: str) -> dict[str, dict[str, Any]]:
    """Events beside the prompts, of which the last two find something."""
    run = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    failed = "FAILED tests/test_x.py::{0}\n1 failed"
    return {
        "file, nothing": {
            "tool_name": "Read",
            "tool_input": {"file_path": f"{folder}/src/zebra_q.py"},
            "tool_response": {"file": {"content": "def quux_zonk():\n    pass\n" * 100}},
        },
        "test, nothing": {**run, "tool_response": {"stdout": failed.format("test_zonk_quux")}},
        "file, a memory": {
            "tool_name": "Read",
            "tool_input": {"file_path": f"{folder}/src/lampwick.py"},
            "tool_response": {"file": {"content": "x = 1\n"}},
        },
        "test, a memory": {**run, "tool_response": {"stdout": failed.format("test_wick_burns")}},
    }


def timed(
    command: list[str], environment: dict[str, str], given: bytes = b""
) -> tuple[float, float, Any]:
    """Wall and processor time in milliseconds, and the finished process."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, input=given, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1000, spent * 1000, done


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, round(share * len(values)))]


def report(spent: dict[str, list[tuple[float, float]]]) -> None:
    """Wall time, and processor time, which a busy machine blurs less."""
    walls = {label: [wall for wall, _ in values] for label, values in spent.items()}
    works = {label: [work for _, work in values] for label, values in spent.items()}
    empty = statistics.median(walls["empty python"])
    idle = statistics.median(works["empty python"])
    for label in spent:
        middle, work = statistics.median(walls[label]), statistics.median(works[label])
        print(
            f"{label:28s} p50 {middle:7.1f} ms {middle / empty:6.2f} x"
            f"   p99 {percentile(walls[label], 0.99):7.1f} ms"
            f"   cpu {work:6.1f} ms {work / idle:6.2f} x"
        )


def measure(environments: dict[str, dict[str, str]], folder: str) -> None:
    """Interleaved rounds of all."""
    question = iter(questions(2 * ROUNDS * len(environments)))
    plain = {"empty python": "pass", "python -c 'import apsw'": "import apsw"}
    spent: dict[str, list[tuple[float, float]]] = {label: [] for label in (*plain, *environments)}
    answered = dict.fromkeys(environments, 0)
    for number in range(ROUNDS):
        for label, code in plain.items():
            spent[label].append(timed([sys.executable, "-c", code], dict(os.environ))[:2])
        for label, environment in environments.items():
            given = event(number, next(question), folder)
            *took, done = timed(HOOK, environment, given)
            assert (done.returncode, done.stderr) == (0, b""), done
            answered[label] += bool(done.stdout)
            spent[label].append((took[0], took[1]))
        for label, fields in moments(folder).items():
            whole = {"session_id": f"bench {label} {number}", "cwd": folder, **fields}
            given = json.dumps({"hook_event_name": "PostToolUse", **whole}).encode()
            *took, done = timed([*HOOK[:-1], "PostToolUse"], environments["hook, static"], given)
            assert bool(done.stdout) is label.endswith("memory"), (label, done)
            spent.setdefault(label, []).append((took[0], took[1]))
    report(spent)
    for label, count in answered.items():
        print(f"{label}: {count} of {ROUNDS} prompts were answered")


def trouble(path: Path, environment: dict[str, str], folder: str) -> None:
    """Each kind of trouble, several times."""
    damaged, missing = Path(f"{path}.damaged"), Path(f"{path}.missing")
    damaged.write_bytes(os.urandom(200_000))
    lock = apsw.Connection(str(path))
    kinds = {
        "locked": (HOOK, path),
        "damaged": (HOOK, damaged),
        "missing": (HOOK, missing),
        "read-only": (HOOK, Path(folder)),
        "full disk": (["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *HOOK], path),
    }
    for label, (command, database) in kinds.items():
        spent = []
        if label == "locked":
            lock.execute("begin immediate")
        for number in range(TROUBLED_ROUNDS):
            given = event(number + 10_000, "tide station sensors", folder)
            took, _, done = timed(command, {**environment, "RECAIRN_DB": str(database)}, given)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), (label, done)
            spent.append(took)
        if label == "locked":
            lock.execute("rollback")
            lock.close()
        verdict = "within" if statistics.median(spent) <= ALLOWED_MS else "OVER"
        print(
            f"{label:28s} p50 {statistics.median(spent):7.1f} ms, most {max(spent):7.1f} ms"
            f"   {verdict} {ALLOWED_MS} ms"
        )
    assert not missing.exists()


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    warn_of_script()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "memory.db"
        with recairn.open(path) as memory:
            memory.remember_many(memories(count), on_similar="add")
            wick = "The wick in src/lampwick.py must be trimmed, or test_wick_burns fails"
            memory.remember(wick, project="project7", force=True)
        static = {**os.environ, "RECAIRN_DB": str(path), "RECAIRN_PROJECT": "project7"}
        environments = {"hook, static": static}
        slow = Path(name) / "minilm.db"
        if prepare_minilm(path, str(slow)):
            environments["hook, minilm"] = {**static, "RECAIRN_DB": str(slow)}
        print(f"{count:,} memories, {ROUNDS} interleaved rounds, wall time")
        measure(environments, name)
        trouble(path, static, name)


if __name__ == "__main__":
    main()
