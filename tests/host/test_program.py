"""Programs run for their output: within a time, and ended with all they have started."""

from __future__ import annotations

import os
import select

import pytest

from recairn.core.errors import Refused
from recairn.host.program import answer_of, output_of

# Seconds until a test gives up; nothing here takes as long.
PATIENCE_S = 60.0


@pytest.fixture
def program(tmp_path):
    """Writes a program for the shell, and gives its path."""

    def written(*lines: str) -> str:
        path = tmp_path / "program"
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)
        return str(path)

    return written


@pytest.fixture
def lifeline(tmp_path):
    """A pipe whose end is read when the last process that holds it is gone."""
    path = tmp_path / "lifeline"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def is_cut() -> bool:
        return bool(select.select([reading], [], [], PATIENCE_S)[0]) and os.read(reading, 9) == b""

    yield path, is_cut
    os.close(reading)


def test_what_a_program_prints_is_its_output(program):
    path = program('printf "%s" "$1 $NAME"', "cat", "echo never >&2")
    environment = {"NAME": "tide", "PATH": os.environ["PATH"]}
    assert output_of((path, "chart"), environment, PATIENCE_S) == b"chart tide"


def test_a_program_that_fails_or_cannot_be_run_has_no_output(program):
    assert output_of((program("echo chart", "exit 3"),), {}, PATIENCE_S) is None
    with pytest.raises(OSError, match="nowhere"):
        output_of(("/nowhere/program",), {}, PATIENCE_S)


def test_a_program_that_never_ends_its_output_is_given_up(program):
    assert output_of((program("exec sleep 1000"),), dict(os.environ), 0.05) is None
    assert output_of((program("exec 1>&-", "exec sleep 1000"),), dict(os.environ), 0.05) is None


def test_what_prints_without_end_is_not_kept(program):
    assert output_of((program("exec cat /dev/zero"),), dict(os.environ), PATIENCE_S) is None


def test_a_program_is_ended_with_what_it_has_started(program, lifeline):
    path, is_cut = lifeline
    slow = program(f'sleep 1000 > "{path}" &', f'exec sleep 1000 > "{path}"')
    assert output_of((slow,), dict(os.environ), 0.3) is None
    assert is_cut()


def test_a_program_of_the_settings_is_ended_with_what_it_has_started(program, lifeline):
    path, is_cut = lifeline
    slow = program(f'sleep 1000 2> "{path}" &', "wait")
    with pytest.raises(Refused, match=r"took longer than 0.3 s"):
        answer_of(slow, "tide", "compaction.command", 0.3)
    assert is_cut()
