"""Handlers of the commands that learn from what happened."""

from __future__ import annotations

import sys

from recairn.surfaces.render import learning as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from recairn.surfaces.cli.call import Call
    from recairn.work.outcomes import Observed

# Seconds that noting a result may wait for other processes: the tests are over, someone waits.
_PATIENCE_S = 2.0
# What a shell answers for a program that is not there, or may not be run.
_NOT_FOUND, _NOT_RUNNABLE = 127, 126
_SIGNALLED = 128


def tune(call: Call) -> None:
    arguments = call.arguments
    with call.open() as memory:
        if "undo" in arguments:
            restored, left = memory.undo_tuning()
            if call.json:
                call.screen.document({"restored": list(restored), "left": list(left)})
                return
            call.say(f"Restored {', '.join(restored) or 'nothing'}")
            for key in left:
                call.screen.note(f"note: {key} was changed since and stays as it is")
            return
        tuned = memory.tune(apply="apply" in arguments)
    if call.json:
        call.screen.document(render.tuned_json(tuned))
        return
    call.say(render.tuned_text(tuned))
    if not tuned.missing:
        call.screen.table(("weight", "before", "after"), render.weight_rows(tuned))
    if tuned.applied:
        call.say(f"Set {', '.join(tuned.applied)} (recairn tune --undo takes it back)")
    elif tuned.better:
        call.screen.note("nothing was changed; --apply uses the new weights")


def observe(call: Call) -> int:
    """Runs a program as if recairn were not there, and notes how it ended."""
    program = call.arguments["program"]
    status = _run(program)
    try:
        _note_result(call, program, status)
    except Exception as error:
        # The program's own end is what counts; memory in trouble must not change it.
        if sys.stderr is not None and sys.stderr.isatty():
            call.screen.note(f"recairn: the result was not noted: {error}")
    return status


def _run(program: list[str]) -> int:
    """The exit status of a program run with our own streams, as a shell tells it."""
    import subprocess

    sys.stdout.flush()
    sys.stderr.flush()
    with _Signals() as signals:
        try:
            signals.started(subprocess.Popen(program))
        except (FileNotFoundError, NotADirectoryError):
            sys.stderr.write(f"recairn: {ascii(program[0])[1:-1]}: no such program\n")
            return _NOT_FOUND
        except (OSError, ValueError) as error:
            sys.stderr.write(f"recairn: {ascii(program[0])[1:-1]}: {error}\n")
            return _NOT_RUNNABLE
        ended: int = signals.child.wait()
    return ended if ended >= 0 else _SIGNALLED - ended


class _Signals:
    """While a program runs, signals are for it: those sent to us are passed on.

    A terminal sends interrupt and quit to the whole group, the program included; it alone decides
    what they mean. Handlers are in place before it starts, and a new program does not inherit them.
    """

    def __init__(self) -> None:
        self.child: Any = None
        self._early: list[int] = []
        self._before: dict[Any, Any] = {}

    def __enter__(self) -> _Signals:
        import signal

        for name in ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:
                theirs = name in ("SIGINT", "SIGQUIT")
                handler = self._leave_it if theirs else self._pass_on
                self._before[number] = signal.signal(number, handler)
        return self

    def __exit__(self, *_: object) -> None:
        import signal

        for number, usual in self._before.items():
            signal.signal(number, usual)

    def _leave_it(self, number: int, _: FrameType | None) -> None:
        """The terminal has told the program already."""

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        if self.child is None:
            self._early.append(number)
        else:
            self.child.send_signal(number)

    def started(self, child: Any) -> None:
        """From now on signals go to this program, those that came before it first."""
        self.child = child
        for number in self._early:
            child.send_signal(number)


def _note_result(call: Call, program: list[str], status: int) -> None:
    from recairn.work.test_commands import verdict

    passed = verdict(program, status)
    if passed is None:
        return
    with call.open() as memory, memory.bookkeeping(_PATIENCE_S):
        seen = memory.observe(passed, **call.chosen("task"), what=" ".join(program))
    if not sys.stderr.isatty():
        return
    if seen is not None:
        call.screen.note(f"recairn: {render.observed_text(seen)}")
    else:
        call.screen.note(
            "recairn: no task was started here, so nothing was noted; recairn task start TASK, or"
            " observe --task TASK"
        )


def outcome_observe(call: Call) -> None:
    from recairn.work.outcomes import read_report

    arguments = call.arguments
    reports = [(path, read_report(path)) for path in arguments.get("junit", ())]
    seen: list[Observed | None] = []
    with call.open() as memory:
        task = call.chosen("task")
        ran = [(path, report) for path, report in reports if report.passed is not None]
        if ran:
            failed, tests = (sum(getattr(e, n) for _, e in ran) for n in ("failed", "tests"))
            what = f"{tests - failed} of {tests} tests in {', '.join(path for path, _ in ran)}"
            seen.append(memory.observe(failed == 0, **task, what=what))
        if "status" in arguments:
            what = f"a program with status {arguments['status']}"
            seen.append(memory.observe(arguments["status"] == 0, **task, what=what))
        if not (reports or "status" in arguments):
            seen += memory.observe_reverts()
    noted = [observation for observation in seen if observation is not None]
    if call.json:
        call.screen.document(
            {"observed": [render.observed_json(observation) for observation in noted]}
        )
        return
    for observation in noted:
        call.say(render.observed_text(observation))
    if None in seen:
        call.screen.note("note: no task was started here, so there was nothing to note it for")
    elif not noted:
        call.say("nothing new was seen")


def compact(call: Call) -> None:
    arguments = call.arguments
    dry_run = "dry_run" in arguments
    options = call.chosen("before", "output", "all_projects")
    with call.open() as memory:
        groups, added = memory.compact(**options, dry_run=dry_run)
    if call.json:
        document = {
            "dry_run": dry_run,
            "compacted": [render.compacted_json(group) for group in groups],
            "output": arguments.get("output"),
            "appended": added,
        }
        call.screen.document(document)
        return
    for group in groups:
        call.screen.write(render.compacted_text(group))
        if group.notice:
            call.screen.note(f"note: {group.notice}")
    if not groups:
        when = (
            f"before {arguments['before']}"
            if "before" in arguments
            else "7 days ago or earlier (--before)"
        )
        call.say(f"nothing to compact: no task done {when} is left")
    if added:
        listed = ", ".join(f"#{id}" for id in added)
        call.say(f"Added {listed} to {arguments['output']}")
