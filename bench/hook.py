"""The hook process on a prompt, a file and a test, beside an empty Python and `import apsw`.

Each alone, and where an MCP server of the same user runs, which answers in its place; then its
processor time is the hook's and the server's together.

    python3 run.py bench hook [MEMORIES]

Aims, over 10,000 memories, medians of interleaved runs: at most 3.9 x an empty Python with the
static model, 9 x with minilm (measured where it was pulled), 3 x when a file is opened or a test
failed; 2.5 x where a server answers. docs/hooks.md has what was reached.
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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import apsw
from cold import prepare_minilm, warn_of_script
from corpus import memories, questions

import recairn
from recairn.host.project import models_folder

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


@contextmanager
def server(environment: dict[str, str], folder: str):
    """An MCP server that hooks of that environment find, with everything loaded; its process."""
    sockets = Path(environment["XDG_DATA_HOME"], "recairn", "run")
    known = len(list(sockets.glob("*"))) if sockets.exists() else 0
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [str(SCRIPT), "mcp"]
    running: Any = subprocess.Popen(command, env=environment, cwd=folder, **pipes)

    def ask(method: str, **params: Any) -> None:
        sent = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        running.stdin.write(json.dumps(sent).encode() + b"\n")
        running.stdin.flush()
        assert b"result" in running.stdout.readline()

    with running:
        ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
        while not sockets.exists() or len(list(sockets.glob("*"))) == known:
            time.sleep(0.05)
        timed(HOOK, environment, event(-1, "what is there to load", folder))
        ask("tools/call", name="recairn_search", arguments={"query": "everything"})
        yield running
        running.stdin.close()


def worked_ms(process: Any) -> float:
    """Processor time of all threads of a process so far; 0 where the system does not say."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e6


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


def measure(environments: dict[str, dict[str, str]], servers: dict[str, Any], folder: str) -> None:
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
            before = worked_ms(servers[label]) if label in servers else 0.0
            *took, done = timed(HOOK, environment, given)
            assert (done.returncode, done.stderr) == (0, b""), done
            answered[label] += bool(done.stdout)
            beside = worked_ms(servers[label]) - before if label in servers else 0.0
            spent[label].append((took[0], took[1] + beside))
        for moment, fields in moments(folder).items():
            for whose in ("hook, static", "hook, static, served"):
                label = moment if whose not in servers else f"{moment}, served"
                whole = {"session_id": f"bench {label} {number}", "cwd": folder, **fields}
                given = json.dumps({"hook_event_name": "PostToolUse", **whole}).encode()
                before = worked_ms(servers[whose]) if whose in servers else 0.0
                *took, done = timed([*HOOK[:-1], "PostToolUse"], environments[whose], given)
                assert bool(done.stdout) is moment.endswith("memory"), (label, done)
                beside = worked_ms(servers[whose]) - before if whose in servers else 0.0
                spent.setdefault(label, []).append((took[0], took[1] + beside))
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
        own = {"RECAIRN_PROJECT": "project7", "RECAIRN_MODELS": models_folder()}
        static = {**os.environ, **own, "RECAIRN_DB": str(path), "XDG_DATA_HOME": f"{name}/alone"}
        environments = {"hook, static": static}
        slow = Path(name) / "minilm.db"
        if prepare_minilm(path, str(slow)):
            environments["hook, minilm"] = {**static, "RECAIRN_DB": str(slow)}
        beside = Path(name) / "beside"
        (beside / "recairn").mkdir(parents=True)
        print(f"{count:,} memories, {ROUNDS} interleaved rounds, wall time")
        with ExitStack() as stack:
            servers = {}
            for label, environment in [*environments.items()]:
                served = {**environment, "XDG_DATA_HOME": str(beside)}
                environments[f"{label}, served"] = served
                servers[f"{label}, served"] = stack.enter_context(server(served, name))
            measure(environments, servers, name)
        trouble(path, static, name)


if __name__ == "__main__":
    main()
