"""Plants the faults of tests/mutants/faults.py one at a time; tests have to see each.

    python -m tools.mutants [WORD...]    all faults, or those whose area or sentence has a word

Each fault is planted in a copy of the tree, never in the tree itself. Where the tests of a fault
fail without it too, they prove nothing: that is an error, as is a text that stands there no more.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock

from tests.mutants.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/recairn")
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".*_cache", "*.egg-info", "build", "dist")
# Seconds; a fault may make a test hang, which is noticed too.
PATIENCE = 900
PASSED, FAILED = 0, 1

CAUGHT, MISSED, WRONG = "caught", "MISSED", "CANNOT BE JUDGED"

_judging = Lock()


@contextmanager
def copy_of_tree() -> Iterator[Path]:
    """A tree of links to the files of this one; what is written anew leaves the original alone."""
    with tempfile.TemporaryDirectory(prefix="recairn-fault-") as folder:
        copy = Path(folder) / "tree"
        try:
            shutil.copytree(ROOT, copy, copy_function=os.link, ignore=NOT_COPIED, symlinks=True)
        except shutil.Error:  # the folder for passing files is on another disk
            shutil.rmtree(copy)
            shutil.copytree(ROOT, copy, ignore=NOT_COPIED, symlinks=True)
        yield copy


def plant(fault: Fault, copy: Path) -> None:
    """Writes the fault into the copy; ValueError where its text is not what it was."""
    path = copy / PACKAGE / fault.path
    text = path.read_text()
    if text.count(fault.before) != 1:
        raise ValueError(f"{fault.path} has its text {text.count(fault.before)} times")
    path.unlink()
    path.write_text(text.replace(fault.before, fault.after))


def run_tests(selection: str, copy: Path) -> tuple[int, str]:
    """The exit status of pytest, and the first test that failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    try:
        done = subprocess.run(
            [*command, *shlex.split(selection)],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return FAILED, f"nothing within {PATIENCE} seconds"
    lines = done.stdout.splitlines()
    failing = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    last = lines[-1] if lines else done.stderr[-200:]
    return done.returncode, (failing or [last])[0]


@cache
def passes(selection: str) -> bool:
    """Whether the tests pass without any fault."""
    with copy_of_tree() as copy:
        return run_tests(selection, copy)[0] == PASSED


def judged(fault: Fault) -> tuple[str, str]:
    """Whether the suite notices a fault, and by what."""
    with _judging:  # one judge at a time asks about a selection; the answer serves all
        if not passes(fault.tests):
            return WRONG, f"without it {fault.tests} fails too"
    with copy_of_tree() as copy:
        try:
            plant(fault, copy)
        except ValueError as trouble:
            return WRONG, str(trouble)
        status, sight = run_tests(fault.tests, copy)
    if status == PASSED:
        return MISSED, fault.tests
    return (CAUGHT, sight) if status == FAILED else (WRONG, sight)


def main(words: list[str]) -> int:
    chosen = [
        (area, fault)
        for area, faults in FAULTS.items()
        for fault in faults
        if not words or any(word in f"{area} {fault.what}" for word in words)
    ]
    unnoticed = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        verdicts = pool.map(judged, [fault for _, fault in chosen])
        for (area, fault), (verdict, sight) in zip(chosen, verdicts, strict=True):
            unnoticed += verdict != CAUGHT
            print(f"{verdict:8} {area}: {fault.what}\n         {sight}", flush=True)
    print(f"{len(chosen) - unnoticed} of {len(chosen)} planted faults were caught")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
