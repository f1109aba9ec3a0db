"""A tour of recairn on a throw-away database: `python -m recairn.surfaces.demo`.

The sample is Lantern, a team of robots that keeps a lighthouse. What is shown is typed into the
real command line, in this process.
"""

from __future__ import annotations

import os
import shlex
import sys

from recairn.surfaces.cli import main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.cli.call import Call

_PROJECT = "lantern"

# Remembered quietly before the tour begins.
_SAMPLE: tuple[dict[str, Any], ...] = (
    {
        "content": "Turn the lamp with a stepper motor instead of the old clockwork",
        "kind": "decision",
        "category": "lamp",
        "fields": {
            "rationale": "the clockwork lost four seconds a night and needed winding at 3 a.m.",
            "alternatives": ["repair the clockwork", "belt drive"],
            "outcome": "one flash every 10.00 s since March",
        },
        "created_at": "70d",
    },
    {
        "content": "Average the fog sensor over five minutes before starting the horn",
        "kind": "pattern",
        "category": "fog",
        "fields": {
            "context": "dawn, when gulls sit on the sensor",
            "problem": "a single reading starts the horn for every gull",
            "solution": "median of the last five minutes, then compare with 800 m",
        },
        "created_at": "40d",
    },
    {
        "content": "Polling the sea-state buoy every second",
        "kind": "pattern",
        "category": "buoy",
        "fields": {
            "anti_pattern": True,
            "symptom": "the buoy's battery is flat by noon",
            "fix": "subscribe to its report, one message every ten minutes",
        },
        "created_at": "31d",
    },
    {
        "content": "The horn stayed silent for an hour in thick fog",
        "kind": "failure",
        "category": "fog",
        "fields": {
            "error_type": "StaleReading",
            "cause": "the sensor's clock was ahead, so every reading looked too old",
            "fix": "compare readings with the station clock, never with the sensor's",
        },
        "created_at": "26d",
    },
    {
        "content": "Never switch the lamp off between dusk and dawn, not even to restart",
        "kind": "rule",
        "scope": "lamp/**",
        "importance": 1.0,
        "created_at": "90d",
    },
    {
        "content": "Write log entries the way Mara does: wind first, then visibility, then ships",
        "kind": "preference",
        "created_at": "12d",
    },
    {
        "content": "Visibility below 800 m counts as fog on this coast",
        "kind": "fact",
        "category": "fog",
        "created_at": "60d",
    },
    {
        "content": "Tern, the climbing robot, slips on the north face when it is below freezing",
        "kind": "observation",
        "category": "robots",
        "created_at": "5d",
    },
    {
        "content": "Salt halves the lamp's range in three days; wipe the lens after every storm",
        "category": "lamp",
        "keywords": ["cleaning", "lens"],
        "created_at": "20d",
    },
    {
        "content": "Retry the harbour radio with growing pauses; it drops calls while it rains",
        "category": "radio",
        "created_at": "9d",
    },
    {
        "content": "Lens robot half way through cleaning panel 7 of 12 when the storm came",
        "kind": "handoff",
        "fields": {
            "next_steps": ["finish panels 7 to 12", "measure the range at dusk"],
            "blockers": ["Tern cannot climb before it thaws"],
        },
        "created_at": "1d",
    },
    {
        "content": "Chart 1407 shows the shoal that the buoy marks",
        "kind": "resource",
        "fields": {"url": "https://charts.example/1407", "takeaways": ["shoal at 3 m"]},
        "created_at": "50d",
    },
)

# Shaped like a token and good for nothing; in two pieces, so that no scanner takes it for one.
_SECRET = "ghp_" + "R7mQ2xVb9LkT4wYz8NcJ5hFd3GsP6aEu1oXi"

# What the person sees, in order: a sentence, then the command it leads to.
_TOUR = (
    (
        "Something learned tonight goes in with one line.",
        'add "Heat the lens from inside before wiping it: frozen salt scratches" -c lamp',
    ),
    (
        "Saying nearly the same again is noticed (exit status 1), not stored twice.",
        'add "Heat the lens from inside before wiping: frozen salt scratches" -c lamp',
    ),
    (
        "A secret that slips in never reaches the disk.",
        f'add "The harbour API answers with token {_SECRET}"',
    ),
    (
        "What no longer holds is replaced, and its history kept.",
        'supersede 7 "Visibility below 1000 m counts as fog since the new harbour rules"',
    ),
    ("Now ask, in your own words.", 'search "when does the fog horn start" -n 3'),
    ("The reasons behind a decision are found too.", 'search "what needed winding at night" -n 1'),
    ("Every score can be explained.", 'search "cleaning the lens" -n 1 --explain'),
    ("And everything known about one memory shown.", "show 1"),
)

_NEXT = """\
That was a throw-away database; it is gone. Your own begins with:

  recairn add "what you just learned"
  recairn search "what you need to know"
  recairn -h
"""


def demo() -> int:
    """Fills a temporary database, walks through it, and removes it."""
    import contextlib
    import tempfile

    with tempfile.TemporaryDirectory(prefix="recairn-demo-") as folder:
        path = os.path.join(folder, "memory.db")
        sys.stdout.write("Lantern, a lighthouse kept by robots, already remembers twelve things.\n")
        _remember_sample(path)
        for sentence, line in _TOUR:
            sys.stdout.write(f"\n{sentence}\n\n$ recairn {line}\n")
            sys.stdout.flush()
            # Options before the command are not shown: they only point at the throw-away file.
            with contextlib.redirect_stderr(sys.stdout):
                main(["--db", path, "--project", _PROJECT, *shlex.split(line)])
            sys.stdout.flush()
    sys.stdout.write(f"\n{_NEXT}")
    return 0


def tour(call: Call) -> int:
    """`recairn demo`."""
    call.screen.flush()
    return demo()


def _remember_sample(path: str) -> None:
    from recairn.engine import open_memory

    with open_memory(path, project=_PROJECT) as memory:
        memory.remember_many(_SAMPLE)


if __name__ == "__main__":
    sys.exit(demo())
