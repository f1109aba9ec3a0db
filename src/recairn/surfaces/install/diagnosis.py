"""What `doctor` says about agents: registered, startable, the same version, and only once."""

from __future__ import annotations

import os

from recairn.store.upkeep_rows import Finding
from recairn.surfaces.install.agents import AGENTS
from recairn.surfaces.install.presence import presence_of, program_path
from recairn.surfaces.install.registration import MISSING, OUTDATED, program_in, registrations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recairn.surfaces.install.registration import Registration

# Seconds for a program to say its version; it takes a tenth of one.
_PATIENCE_S = 10


def agent_findings(root: str, argv: Sequence[str], database: str | None) -> Iterator[Finding]:
    """One finding or more for every agent that is registered or on this machine."""
    registered = registrations(root, argv, database)
    for agent in AGENTS:
        own = [registration for registration in registered if registration.agent == agent]
        working = [
            registration for registration in own if registration.exists or registration.plugin
        ]
        ill = [
            registration
            for registration in own
            if not registration.exists and registration.state != MISSING
        ]
        for registration in ill:
            yield Finding("problem", f"{agent}: {registration.state}", "mend the file by hand")
        if working:
            yield from _of_registered(agent, working)
        elif not ill and presence_of(agent).sign:
            yield Finding(
                "warning",
                f"{agent} is on this machine ({presence_of(agent).sign}) and does not know recairn",
                f"recairn install {agent}",
            )


def _of_registered(agent: str, working: Sequence[Registration]) -> Iterator[Finding]:
    plugin = next((registration.plugin for registration in working if registration.plugin), "")
    installed = [registration for registration in working if registration.exists]
    trouble = False
    for finding in (
        *_of_hooks(agent, installed),
        *_of_plugin(agent, plugin, installed),
        *_of_program(agent),
    ):
        trouble = True
        yield finding
    if not trouble:
        ways = [registration.scope for registration in installed] + (
            [f"plugin {plugin}"] if plugin else []
        )
        yield Finding("ok", f"{agent}: registered ({', '.join(ways)})")


def _of_hooks(agent: str, installed: Sequence[Registration]) -> Iterator[Finding]:
    for registration in installed:
        mend = f"recairn install {agent} --{registration.scope}"
        gone = [
            path
            for path in dict.fromkeys(map(program_in, registration.commands))
            if path and not os.access(path, os.X_OK)
        ]
        if gone:
            yield Finding("problem", f"{agent}: its hooks start {gone[0]}, which is gone", mend)
            continue
        if registration.state == OUTDATED:
            yield Finding("warning", f"{agent}: what is registered is not up to date", mend)
        for path in dict.fromkeys(map(program_in, registration.commands)):
            if path and os.path.basename(path) == "recairn":
                yield from _of_version(agent, path, mend)


def _of_version(agent: str, path: str, mend: str) -> Iterator[Finding]:
    from recairn import __version__

    answer = _version(path)
    if answer is None:
        yield Finding("problem", f"{agent}: its hooks start {path}, which does not run", mend)
    elif answer != __version__:
        yield Finding(
            "warning", f"{agent}: its hooks start recairn {answer}, this is {__version__}", mend
        )


def _version(path: str) -> str | None:
    """The version a program says it is; None where it does not start."""
    import subprocess

    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip().removeprefix("recairn ")


def _of_plugin(agent: str, plugin: str, installed: Sequence[Registration]) -> Iterator[Finding]:
    if plugin and not program_path("recairn"):
        yield Finding(
            "problem",
            f"{agent}: its plugin {plugin} needs recairn on the PATH, where it is not",
            "uv tool install recairn, or put its folder on the PATH",
        )
    if plugin and installed:
        yield Finding(
            "warning",
            f"{agent}: both the plugin {plugin} and recairn install register it;"
            " the plugin keeps silent",
            f"recairn uninstall {agent}",
        )


def _of_program(agent: str) -> Iterator[Finding]:
    if not presence_of(agent).sign:
        yield Finding(
            "warning",
            f"{agent}: registered, and neither its program nor its settings are on this machine",
            f"recairn uninstall {agent}",
        )
