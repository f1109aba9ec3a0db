"""Python programs run as processes of their own, with the code under test on their path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.repository import ROOT


def environment(**extra):
    path = os.pathsep.join(
        [str(ROOT / "src"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return {**os.environ, "PYTHONPATH": path, **extra}


def start(code, *arguments):
    """A process running `code`, or the file of that name beside this one."""
    program = [str(Path(__file__).with_name(code))] if code.endswith(".py") else ["-c", code]
    return subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def result_of(process):
    """What the process printed as JSON; its complaints when it failed."""
    out, complaints = process.communicate()
    assert process.returncode == 0, complaints
    return json.loads(out)


def results_of(processes):
    """What they all printed; every one has ended, also when one of them failed."""
    ends = [(process.communicate(), process.returncode) for process in processes]
    assert [complaints for (_, complaints), code in ends if code] == []
    return [json.loads(out) for (out, _), _ in ends]


def run(code, *arguments):
    return result_of(start(code, *arguments))
