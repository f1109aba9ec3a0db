"""After a tool was used: which files were touched, how test runs came out."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.hooks.event import Happening

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
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
# Files of one call that are noted; a patch over more is a sweep.
_FILES = 20


def used(happening: Happening) -> None:
    """Notes what a tool did; opens no database for a tool that is none of ours."""
    tool = happening.text("tool_name", "toolName").lower()
    arguments = _arguments(happening)
    if happening.spelled == "afterShellExecution" or tool in _SHELLS:
        _ran(happening, _command(happening, arguments))
    elif happening.spelled == "afterFileEdit" or tool in _EDITORS:
        _touched(happening, _files(happening, arguments))


def _arguments(happening: Happening) -> dict[str, Any]:
    """What the tool was given; Copilot sends it as JSON inside a string."""
    for name in ("tool_input", "toolArgs", "tool_args"):
        value = happening.given.get(name)
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value.lstrip().startswith("{"):
            from json import loads

            found = loads(value)
            return found if isinstance(found, dict) else {}
        if isinstance(value, str):
            return {"command": value}
    return {}


def _command(happening: Happening, arguments: dict[str, Any]) -> str:
    for where in (arguments, happening.given):
        for name in ("command", "cmd", "script"):
            value = where.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and all(isinstance(each, str) for each in value):
                # ["bash", "-lc", "pytest -q"]
                return value[-1] if value[:1] and value[0].endswith("sh") else " ".join(value)
    return ""


def _ran(happening: Happening, command: str) -> None:
    from recairn.surfaces.hooks.test_runs import passed, test_command

    if "*** Begin Patch" in command:
        _touched(happening, _patched(command))
        return
    run = test_command(command)
    if run is None:
        return
    given = happening.given
    names = ("tool_response", "toolResult", "tool_output", "output", "error")
    response = next((given[name] for name in names if given.get(name)), None)
    failed = happening.name == "PostToolUseFailure" or _says_failure(response)
    outcome = passed(command, response, failed=failed)
    if outcome is None:
        return
    from recairn.surfaces.hooks.access import opened

    with opened(happening) as memory:
        if memory is not None:
            memory.note(tests=[f"{run}: {'passed' if outcome else 'failed'}"])
            memory.observe(outcome, what=run)


def _says_failure(response: Any) -> bool:
    """Copilot and Gemini say in words, inside the response, that a tool failed."""
    if not isinstance(response, dict):
        return False
    return response.get("resultType") in ("failure", "denied") or bool(response.get("is_error"))


def _files(happening: Happening, arguments: dict[str, Any]) -> list[str]:
    found = [
        where[name] for where in (arguments, happening.given) for name in _PATHS if name in where
    ]
    listed = arguments.get("files")
    found += listed if isinstance(listed, list) else []
    for name in ("command", "input", "patch"):
        patch = arguments.get(name)
        if isinstance(patch, str) and "*** " in patch:
            found += _patched(patch)
    return [each for each in found if isinstance(each, str) and each]


def _patched(patch: str) -> list[str]:
    """The files a patch in Codex's format names."""
    return [
        line[len(start) :].strip()
        for line in patch.splitlines()
        for start in _PATCHED
        if line.startswith(start)
    ]


def _touched(happening: Happening, files: list[str]) -> None:
    if not files or happening.name == "PostToolUseFailure":
        return
    from recairn.surfaces.hooks.access import opened

    with opened(happening) as memory:
        if memory is not None:
            memory.note(files=[_inside(each) for each in files[:_FILES]])


def _inside(path: str) -> str:
    """The path as seen from the root of the checkout, where it lies in one."""
    from recairn.host.project import root_of

    root = root_of(os.getcwd())
    whole = os.path.abspath(path)
    if root is not None and whole.startswith(root.rstrip("/") + "/"):
        return os.path.relpath(whole, root)
    return whole
