"""After a tool was used: which files were touched, how test runs came out."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
_PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file", "absolute_path", "file")
_PATCH_LINES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
# Files of one call that are noted; a patch over more is a sweep.
_FILES = 20


def tool_use(event: HookEvent) -> None:
    """Notes what a tool did; opens no database for a tool that is none of ours."""
    tool = event.text("tool_name", "toolName").lower()
    arguments = _arguments(event)
    if event.sender_name == "afterShellExecution" or tool in _SHELLS:
        _note_run(event, _command(event, arguments))
    elif event.sender_name == "afterFileEdit" or tool in _EDITORS:
        _note_files(event, _files(event, arguments))


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
    if "*** Begin Patch" in command:
        _note_files(event, _files_of_patch(command))
        return
    from recairn.work.test_commands import test_command

    run = test_command(command)
    if run is None:
        return
    from recairn.surfaces.hooks.test_runs import passed

    payload = event.payload
    names = ("tool_response", "toolResult", "tool_output", "output", "error")
    response = next((payload[name] for name in names if payload.get(name)), None)
    failed = event.name == "PostToolUseFailure" or _says_failure(response)
    outcome = passed(command, response, failed=failed)
    if outcome is None:
        return
    from recairn.surfaces.hooks.access import event_memory

    with event_memory(event) as memory:
        if memory is not None:
            result = f"{run}: {'passed' if outcome else 'failed'}"
            memory.note(tests=[result])
            memory.note_turn("test", result)
            memory.observe(outcome, what=run)


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


def _note_files(event: HookEvent, files: list[str]) -> None:
    if not files or event.name == "PostToolUseFailure":
        return
    from recairn.surfaces.hooks.access import event_memory

    with event_memory(event) as memory:
        if memory is not None:
            edited = [_inside(file) for file in files[:_FILES]]
            memory.note(files=edited)
            memory.note_turn("edit", ", ".join(edited))


def _inside(path: str) -> str:
    """The path as seen from the root of the checkout, where it lies in one."""
    from recairn.host.project import root_of

    root = root_of(os.getcwd())
    whole = os.path.abspath(path)
    if root is not None and whole.startswith(root.rstrip("/") + "/"):
        return os.path.relpath(whole, root)
    return whole
