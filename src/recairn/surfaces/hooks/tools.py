"""After a tool was used: which files were touched, how test runs came out, and what both recall."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.recall.reminder import Subject
    from recairn.surfaces.hooks.event import HookEvent

_SHELLS = frozenset(
    "bash shell local_shell exec_command unified_exec run_shell_command run_terminal_cmd"
    " run_in_terminal terminal powershell execute".split()
)
_EDITORS = frozenset(
    "edit write multiedit notebookedit apply_patch replace write_file edit_file create"
    " str_replace str_replace_editor str_replace_based_edit_tool search_replace create_file"
    " replace_string_in_file insert_edit_into_file editfiles update patch".split()
)
_READERS = frozenset("read view read_file readfile view_file open_file notebookread".split())
# Commands by which agents without such tools read.
_SHOWING = frozenset("cat sed head tail nl bat less more".split())
_PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file", "absolute_path", "file")
_PATCH_LINES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
# Files of one call that are noted; a patch over more is a sweep.
_FILES = 20
# Files and symbols of one call that something may be remembered about; characters looked at.
_SUBJECTS = 4
_SYMBOLS = 12
_CODE = 60_000
_WRITTEN = "old_string new_string old_str new_str content file_text patch input command".split()


def tool_use(event: HookEvent) -> None:
    """Notes what a tool did; opens no database for a tool that is none of ours."""
    tool = event.text("tool_name", "toolName").lower()
    arguments = _arguments(event)
    if event.sender_name == "afterShellExecution" or tool in _SHELLS:
        _note_run(event, _command(event, arguments))
    elif event.sender_name == "afterFileEdit" or tool in _EDITORS:
        if event.name != "PostToolUseFailure":
            code = "\n".join([str(arguments[name]) for name in _WRITTEN if name in arguments])
            _touch(event, _files(event, arguments), code, edited=True)
    elif tool in _READERS and event.name != "PostToolUseFailure":
        _touch(event, _files(event, arguments), _response_text(event), edited=False)


def _arguments(event: HookEvent) -> dict[str, Any]:
    """The arguments of the tool; Copilot sends them as JSON inside a string."""
    for name in ("tool_input", "toolArgs", "tool_args"):
        value = event.payload.get(name)
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value.lstrip().startswith("{"):
            from json import loads

            arguments = loads(value)
            return arguments if isinstance(arguments, dict) else {}
        if isinstance(value, str):
            return {"command": value}
    return {}


def _command(event: HookEvent, arguments: dict[str, Any]) -> str:
    for where in (arguments, event.payload):
        for name in ("command", "cmd", "script"):
            value = where.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and all(isinstance(word, str) for word in value):
                # ["bash", "-lc", "pytest -q"]
                return value[-1] if value[:1] and value[0].endswith("sh") else " ".join(value)
    return ""


def _note_run(event: HookEvent, command: str) -> None:
    """Notes a run of tests; of other commands, which files they show, edit or put back."""
    if "*** Begin Patch" in command:
        _touch(event, _files_of_patch(command), command, edited=True)
        return
    from recairn.work.test_commands import test_command

    run = test_command(command)
    if run is not None:
        _note_tests(event, command, run)
    elif command.lstrip().startswith("git "):
        _note_revert(event, command)
    else:
        _touch(event, _shown_by(command), _response_text(event), edited=False)


def _note_tests(event: HookEvent, command: str, run: str) -> None:
    from recairn.surfaces.hooks.test_runs import failure_in, passed

    response = _response(event)
    failed = event.name == "PostToolUseFailure" or _says_failure(response)
    outcome = passed(command, response, failed=failed)
    if outcome is None:
        return
    from recairn.surfaces.hooks.event_memory import event_memory

    with event_memory(event) as memory:
        if memory is None:
            return
        result = f"{run}: {'passed' if outcome else 'failed'}"
        memory.note(tests=[result])
        failure = None if outcome else failure_in(_response_text(event))
        if failure is None or not _remind(memory, event, failure, "test", result):
            memory.note_turn("test", result)
        if memory.task_at_hand() is not None:
            memory.observe(outcome, what=run)
        elif outcome:
            memory.observe_pass(run)


def _note_revert(event: HookEvent, command: str) -> None:
    """Notes that edits were taken back, where a command of git has done that."""
    if event.name == "PostToolUseFailure":
        return
    from recairn.work.reverts import taken_back

    files = taken_back(command)
    if files is None:
        return
    from recairn.surfaces.hooks.event_memory import event_memory

    with event_memory(event) as memory:
        if memory is None or memory.task_at_hand() is not None:
            return
        if files == ("HEAD",):
            memory.observe_reverting_commit(command)
        else:
            inside = [_inside(file) for file in files]
            memory.observe_revert(inside or None, command)


def _response(event: HookEvent) -> Any:
    payload = event.payload
    names = ("tool_response", "toolResult", "tool_output", "output", "error")
    return next((payload[name] for name in names if payload.get(name)), None)


def _response_text(event: HookEvent) -> str:
    """What a tool answered, as text; of Claude Code's files the content."""
    response = _response(event)
    if isinstance(response, dict):
        file = response.get("file")
        inner = file if isinstance(file, dict) else response
        parts = [
            inner.get(name) for name in ("content", "stdout", "stderr", "output", "llmContent")
        ]
        response = "\n".join([part for part in parts if isinstance(part, str)])
    return response[-_CODE:] if isinstance(response, str) else ""


def _shown_by(command: str) -> list[str]:
    """The files that a command shows, where it is one that does."""
    words = command.split()
    if not words or words[0].rpartition("/")[2] not in _SHOWING:
        return []
    bare = [word.strip("'\"") for word in words[1 : 1 + 2 * _FILES] if not word.startswith("-")]
    return [word for word in bare if os.path.isfile(word)]


def _says_failure(response: Any) -> bool:
    """Copilot and Gemini say in words, inside the response, that a tool failed."""
    if not isinstance(response, dict):
        return False
    return response.get("resultType") in ("failure", "denied") or bool(response.get("is_error"))


def _files(event: HookEvent, arguments: dict[str, Any]) -> list[str]:
    files = [
        where[name] for where in (arguments, event.payload) for name in _PATHS if name in where
    ]
    more = arguments.get("files")
    files += more if isinstance(more, list) else []
    for name in ("command", "input", "patch"):
        patch = arguments.get(name)
        if isinstance(patch, str) and "*** " in patch:
            files += _files_of_patch(patch)
    return [file for file in files if isinstance(file, str) and file]


def _files_of_patch(patch: str) -> list[str]:
    """The files a patch in Codex's format names."""
    return [
        line[len(start) :].strip()
        for line in patch.splitlines()
        for start in _PATCH_LINES
        if line.startswith(start)
    ]


def _touch(event: HookEvent, files: list[str], code: str, *, edited: bool) -> None:
    """Notes files that were edited; recalls what is remembered about them, or what they define."""
    if not files:
        return
    from recairn.core.naming import definitions_in, phrases_of, symbols_in
    from recairn.surfaces.hooks.event_memory import event_memory, may_be_named

    symbols = (symbols_in if edited else definitions_in)(code[:_CODE], _SYMBOLS)
    if not edited and not may_be_named(phrases_of(files[:_SUBJECTS], symbols)):
        return  # as nearly always: then nothing is opened
    from recairn.recall.reminder import Subject

    with event_memory(event) as memory:
        if memory is None:
            return
        inside = [_inside(file) for file in files[:_FILES]]
        if edited:
            memory.note(files=inside)
        first = files[:_SUBJECTS]
        subject = Subject(
            files=tuple(inside[:_SUBJECTS]),
            paths=tuple([os.path.abspath(file) for file in first]),
            symbols=tuple(symbols),
        )
        names = ", ".join(subject.files)
        if not _remind(memory, event, subject, "edit" if edited else "read", names) and edited:
            memory.note_turn("edit", names)


def _remind(memory: Recairn, event: HookEvent, subject: Subject, moment: str, about: str) -> bool:
    """Injects what names the subject, each once; usually there is nothing, and that is quick."""
    reminder = memory.named_in_memory(subject, surface=event.surface)
    if not reminder:
        return False
    from recairn.surfaces.hooks.event import inject, line_for_person
    from recairn.surfaces.hooks.event_memory import HookSettings

    settings = HookSettings(memory)
    room = settings.moment_chars(moment)
    if not settings.injects or not room:
        return False
    made = memory.remind(
        reminder, moment=moment, about=about, surface=event.surface, max_chars=room
    )
    if made.text:
        line = line_for_person(len(made.costs), made.tokens, about) if settings.tells else ""
        inject(event, made.text, line)
    return bool(made.text)


def _inside(path: str) -> str:
    """The path as seen from the root of the checkout, where it lies in one."""
    from recairn.host.project import root_of

    root = root_of(os.getcwd())
    whole = os.path.abspath(path)
    if root is not None and whole.startswith(root.rstrip("/") + "/"):
        return os.path.relpath(whole, root)
    return whole
