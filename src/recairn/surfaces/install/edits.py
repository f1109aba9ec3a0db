"""Edits of other programs' settings. Pure: text in, text out; everything else in it stays."""

from __future__ import annotations

from recairn.core.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Edit = Callable[[str], str]

NAME = "recairn"
TOOLS = "--tools"
# What lets an agent call our tools without asking each time, in the entry of a server: Gemini CLI's
# word for it, and Codex's.
GEMINI_TRUST: dict[str, Any] = {"trust": True}
CODEX_TRUST: dict[str, Any] = {"default_tools_approval_mode": "approve"}
_WAY_OUT = "mend it, or add the entry by hand"
_SPACES = 2


def document(text: str) -> dict[str, Any]:
    """The settings a file holds; BadInput when it is not one JSON object."""
    from json import loads

    if not text.strip():
        return {}
    try:
        value = loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"it is not plain JSON ({str(error)[:80]})", "mend it, or add the entry by hand"
        ) from None
    if not isinstance(value, dict):
        raise BadInput("it does not hold a JSON object", _WAY_OUT)
    return value


def written(settings: Mapping[str, Any], before: str) -> str:
    """The settings as text, indented as they were; nothing when nothing is left of a new file."""
    from json import dumps

    if not settings:
        return ""
    indent = next(
        (
            len(line) - len(line.lstrip(" "))
            for line in before.splitlines()[1:]
            if line.startswith(" ")
        ),
        _SPACES,
    )
    tabs = any(line.startswith("\t") for line in before.splitlines())
    return dumps(settings, indent="\t" if tabs else indent, ensure_ascii=False) + "\n"


def with_server(key: str, entry: Mapping[str, Any]) -> Edit:
    """Puts the MCP server into the list of servers at `key`."""

    def edit(text: str) -> str:
        settings = document(text)
        servers = _object(settings, key)
        wanted = _with_former_choices(entry, servers.get(NAME))
        if servers.get(NAME) == wanted:
            return text
        return written({**settings, key: {**servers, NAME: wanted}}, text)

    return edit


def _with_former_choices(entry: Mapping[str, Any], former: Any) -> dict[str, Any]:
    """The entry with what the former one was asked for, unless it names its own: the sets of tools
    it offers, and that they may be called without asking."""
    wanted = dict(entry)
    if not isinstance(former, dict):
        return wanted
    wanted.update((key, former[key]) for key in (*GEMINI_TRUST, *CODEX_TRUST) if key in former)
    for name, words in entry.items():
        before = former.get(name)
        if isinstance(words, list) and isinstance(before, list) and TOOLS in before[:-1]:
            place = before.index(TOOLS)
            wanted[name] = words if TOOLS in words else [*words, *before[place : place + 2]]
    return wanted


def without_server(key: str) -> Edit:
    """Takes it out again, and the list with it when nothing is left."""

    def edit(text: str) -> str:
        settings = document(text)
        servers = _object(settings, key)
        if NAME not in servers:
            return text
        left = {name: value for name, value in servers.items() if name != NAME}
        return written(_with(settings, key, left), text)

    return edit


def with_hooks(
    hooks: Mapping[str, Mapping[str, Any]], usual: Mapping[str, Any] | None = None
) -> Edit:
    """Puts one entry for each event into `hooks`, in the place of an earlier one of ours."""

    def edit(text: str) -> str:
        settings = {**(usual or {}), **document(text)}
        present = _object(settings, "hooks")
        merged: dict[str, Any] = {}
        for event in dict.fromkeys([*present, *hooks]):
            others = [entry for entry in _list(present, event) if not is_ours(entry)]
            merged[event] = [*others, dict(hooks[event])] if event in hooks else others
        merged = {event: entries for event, entries in merged.items() if entries}
        after = {**settings, "hooks": merged}
        return text if after == document(text) else written(after, text)

    return edit


def without_hooks(usual: Mapping[str, Any] | None = None) -> Edit:
    """Takes our entries out of `hooks`; a file that held nothing else becomes empty."""

    def edit(text: str) -> str:
        settings = document(text)
        present = _object(settings, "hooks")
        left = {
            event: [entry for entry in _list(present, event) if not is_ours(entry)]
            for event in present
        }
        if left == present:
            return text
        after = _with(
            settings, "hooks", {event: entries for event, entries in left.items() if entries}
        )
        return "" if after == (usual or {}) else written(after, text)

    return edit


def with_permissions(rules: Sequence[str]) -> Edit:
    """Adds rules to what may be done without asking (`permissions.allow`)."""

    def edit(text: str) -> str:
        settings = document(text)
        permissions = _object(settings, "permissions")
        allowed = _list(permissions, "allow")
        lacking = [rule for rule in rules if rule not in allowed]
        if not lacking:
            return text
        after = {**permissions, "allow": [*allowed, *lacking]}
        return written({**settings, "permissions": after}, text)

    return edit


def without_permissions(rules: Sequence[str]) -> Edit:
    """Takes them out again, and the lists with them when nothing is left."""

    def edit(text: str) -> str:
        settings = document(text)
        permissions = _object(settings, "permissions")
        allowed = _list(permissions, "allow")
        left = [rule for rule in allowed if rule not in rules]
        if left == allowed:
            return text
        kept = {name: value for name, value in permissions.items() if name != "allow" or left}
        after = {**kept, "allow": left} if left else kept
        return written(_with(settings, "permissions", after), text)

    return edit


def with_status_line(command: str, *, wanted: bool) -> Edit:
    """Makes our command the status line where that is wanted and there is no other, and mends an
    earlier one of ours."""

    def edit(text: str) -> str:
        settings = document(text)
        present = settings.get("statusLine")
        entry = {"type": "command", "command": command}
        if present == entry or not (is_ours(present) or (wanted and present is None)):
            return text
        return written({**settings, "statusLine": entry}, text)

    return edit


def without_status_line() -> Edit:
    """Takes it out again; another's stays."""

    def edit(text: str) -> str:
        settings = document(text)
        if not is_ours(settings.get("statusLine")):
            return text
        left = {name: value for name, value in settings.items() if name != "statusLine"}
        return written(left, text) if left else ""

    return edit


def enabled_plugin(text: str) -> str:
    """The plugin of ours that settings of Claude Code or Codex enable; "" without one."""
    if f"{NAME}@" not in text:
        return ""
    for read, key in ((document, "enabledPlugins"), (_toml, "plugins")):
        try:
            plugins = _object(read(text), key)
        except BadInput:
            continue
        for name, wish in plugins.items():
            enabled = wish.get("enabled", True) if isinstance(wish, dict) else wish
            if name.startswith(f"{NAME}@") and enabled:
                return name
    return ""


def our_commands(text: str) -> list[str]:
    """The commands of our hooks in settings of any agent's shape."""
    if NAME not in text:
        return []
    try:
        waiting: list[Any] = [document(text).get("hooks")]
    except BadInput:
        return []
    commands = []
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
            commands += [
                part[name]
                for name in ("command", "bash")
                if isinstance(part.get(name), str) and _runs_us(part[name])
            ]
    return commands


def is_ours(entry: Any) -> bool:
    """Whether a hook entry runs `recairn hook`, whatever its agent's shape is."""
    if isinstance(entry, dict):
        commands = [entry.get(name) for name in ("command", "bash")]
        texts = [command for command in commands if isinstance(command, str)]
        inner = entry.get("hooks")
        return any(_runs_us(command) for command in texts) or (
            isinstance(inner, list) and bool(inner) and all(is_ours(hook) for hook in inner)
        )
    return False


def _runs_us(command: str) -> bool:
    from itertools import pairwise

    words = command.replace('"', " ").replace("'", " ").split()
    return any(
        word.rpartition("/")[2] == NAME and after == "hook" for word, after in pairwise(words)
    )


def _object(settings: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = settings.get(key, {})
    if not isinstance(value, dict):
        raise BadInput(f"its {key!r} is no object", _WAY_OUT)
    return value


def _list(settings: Mapping[str, Any], key: str) -> list[Any]:
    value = settings.get(key, [])
    if not isinstance(value, list):
        raise BadInput(f"its {key!r} is no list", _WAY_OUT)
    return value


def _with(settings: Mapping[str, Any], key: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with a new value, or without the key when the value is empty."""
    left = {name: setting for name, setting in settings.items() if name != key or value}
    return {**left, key: value} if value else left


# A file of ours (opencode)


def with_file(ours: str) -> Edit:
    """Writes a file that is ours alone; BadInput where someone else's stands in its place."""

    def edit(text: str) -> str:
        if text.strip() and not _is_our_file(text, ours):
            raise BadInput("it is not recairn's own", "move it away, or add the hooks by hand")
        return ours

    return edit


def without_file(ours: str) -> Edit:
    def edit(text: str) -> str:
        return "" if _is_our_file(text, ours) else text

    return edit


def _is_our_file(text: str, ours: str) -> bool:
    """Ours is known by its first line, whichever version wrote it."""
    return text.partition("\n")[0] == ours.partition("\n")[0]


# TOML (Codex)


def with_toml_table(table: str, entry: Mapping[str, Any]) -> Edit:
    """Puts a table at the end of a TOML file, in the place of an earlier one of that name."""

    def edit(text: str) -> str:
        before = _toml(text)
        wanted = _with_former_choices(entry, _at(before, table))
        if _at(before, table) == wanted:
            return text
        rest = _without_table(text, table)
        lines = [
            f"[{table}]",
            *(f"{name} = {_toml_value(value)}" for name, value in wanted.items()),
        ]
        joined = f"{rest.rstrip()}\n\n" if rest.strip() else ""
        after = joined + "\n".join(lines) + "\n"
        _check_same(before, _toml(after), table)
        return after

    return edit


def without_toml_table(table: str) -> Edit:
    def edit(text: str) -> str:
        before = _toml(text)
        if _at(before, table) is None:
            return text
        after = _without_table(text, table)
        _check_same(before, _toml(after), table)
        return after

    return edit


def _without_table(text: str, table: str) -> str:
    """The text without the lines of that table and of those inside it."""
    rest: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        head = line.strip()
        if head.startswith("["):
            name = head.strip("[]").split("#")[0].strip("[] ").replace('"', "")
            inside = name == table or name.startswith(f"{table}.")
        if not inside:
            rest.append(line)
    return "".join(rest)


def _toml(text: str) -> dict[str, Any]:
    from tomllib import TOMLDecodeError, loads

    try:
        return loads(text)
    except TOMLDecodeError as error:
        raise BadInput(
            f"it is not TOML ({str(error)[:80]})", "mend it, or add the entry by hand"
        ) from None


def _at(settings: Any, table: str) -> Any:
    for name in table.split("."):
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings


def _check_same(before: dict[str, Any], after: dict[str, Any], table: str) -> None:
    """Everything but our table must read as before; otherwise nothing is written."""
    for settings in (before, after):
        *outer, last = table.split(".")
        inner: Any = settings
        for name in outer:
            inner = inner.get(name, {}) if isinstance(inner, dict) else {}
        if isinstance(inner, dict):
            inner.pop(last, None)
    if _pruned(before) != _pruned(after):
        raise BadInput("its layout is not understood", "add the entry by hand")


def _pruned(settings: Any) -> Any:
    """Without empty tables, which say nothing."""
    if not isinstance(settings, dict):
        return settings
    inner = {name: _pruned(value) for name, value in settings.items()}
    return {name: value for name, value in inner.items() if value != {}}


def _toml_value(value: Any) -> str:
    from json import dumps

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    return dumps(value, ensure_ascii=True)


def same_meaning(one: str, other: str) -> bool:
    """Whether two texts hold the same settings, however they are laid out."""
    for read in (document, _toml):
        try:
            return bool(read(one) == read(other))
        except BadInput:
            continue
    return False
