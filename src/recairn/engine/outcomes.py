"""The engine's outcomes that a session shows by itself, with or without a task."""

from __future__ import annotations

import os

from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.engine.session_notes import Noting
else:
    Noting = object


class Outcomes(Noting):
    """What came of a session's work, noted without anyone saying so."""

    def observe_pass(self, run: str) -> int:
        """Notes that a run of tests passed in this session; how many memories that reached.

        Where the same tests had failed, what was injected since the prompt that led to that has
        helped a little.
        """
        from recairn.work.session_notes import note_value

        if self.session is None:
            return 0
        failing: dict[str, int] = {}
        asked = None
        for turn in self.store.turns(self.session):
            if turn.event == "prompt":
                asked = turn.at
            elif turn.event == "test":
                command, _, result = turn.prompt.rpartition(": ")
                if result == "failed":
                    failing.setdefault(command, turn.at if asked is None else asked)
                else:
                    _mended(failing, command)
        run = note_value(run)
        since = _mended(failing, run)
        if since is None:
            return 0
        return self._came_out(since, passed=True, note=f"{run} failed, then passed")

    def observe_revert(self, files: Sequence[str] | None, what: str) -> int:
        """Notes that edits of this session were taken back, of some files or (None) of all.

        What was injected from the prompt on that led to them speaks against itself a little; those
        files are no longer what the session has changed.
        """
        if self.session is None:
            return 0
        edited = self.notes().get("files", [])
        gone = edited if files is None else [file for file in edited if _is_among(file, files)]
        since = self._first_edit(gone)
        if not gone or since is None:
            return 0
        with self.store.transaction():
            notes = self.store.session_notes(self.session)
            left = [file for file in notes.get("files", ()) if file not in gone]
            self.store.set_session_notes(self.session, {**notes, "files": left})
        return self._came_out(since, passed=False, note=what)

    def observe_reverting_commit(self, what: str) -> int:
        """The same where the last commit takes back one that was made in this session."""
        from recairn.host.git import git
        from recairn.work.outcomes import reverted_in

        if self.session is None:
            return 0
        root = root_of(os.getcwd()) or os.getcwd()
        (row,) = self.store.sessions(ids=[self.session]) or (None,)
        commit = reverted_in(git(root, "log", "-n1", "--format=%B") or "")
        if row is None or commit is None:
            return 0
        described = git(root, "show", "-s", "--format=%ct", commit) or ""
        if not described.strip().isdecimal() or int(described) < row.started_at // 1000:
            return 0
        changed = git(root, "show", "--format=", "--name-only", commit) or ""
        return self.observe_revert(changed.split("\n"), what)

    def _first_edit(self, files: Sequence[str]) -> int | None:
        """When the prompt came that led to the first edit of one of the files."""
        asked = None
        for turn in self.store.turns(self.session or ""):
            if turn.event == "prompt":
                asked = turn.at
            elif turn.event == "edit" and any(file in turn.prompt for file in files):
                return turn.at if asked is None else asked
        return None

    def _came_out(self, since: int, *, passed: bool, note: str) -> int:
        from recairn.work.feedback import session_outcome
        from recairn.work.session_notes import note_value

        injections = self.store.injections(session=self.session, since=since)
        return session_outcome(
            self.store, injections, passed=passed, act=self._act(), note=note_value(note)
        )


def _is_among(file: str, named: Sequence[str]) -> bool:
    """Whether a file, or a folder it lies in, is named."""
    bare = [path.strip().removeprefix("./").rstrip("/") for path in named]
    return any(path in (".", file) or file.startswith(f"{path}/") for path in bare if path)


def _mended(failing: dict[str, int], run: str) -> int | None:
    """Takes off what a run that passed has mended: since when there was work on what failed, None
    where nothing did.

    Who runs all tests runs those that failed, too.
    """
    same = [command for command in failing if command == run or command.startswith(f"{run} ")]
    return min([failing.pop(command) for command in same], default=None)
