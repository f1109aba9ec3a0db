"""Outcomes read off the work itself: exit statuses, test reports, and reverted commits."""

from __future__ import annotations

import os
import re

from recairn.core.errors import BadInput
from recairn.core.record import record
from recairn.host.git import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Bytes of a test report.
_LARGEST_REPORT = 50_000_000
# Commits looked at, newest first.
_COMMITS = 2000
_REVERTED = re.compile(r"\bThis reverts commit ([0-9a-f]{7,40})\b")
# What trackers' ids are made of; whether a word is one is asked of the store.
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:#/-]*[A-Za-z0-9]")

# What a task's metadata calls the last run of tests that was seen.
OBSERVED_RUN = "last_run"


@record
class Report:
    """What a test report counts."""

    tests: int
    failed: int
    skipped: int

    @property
    def passed(self) -> bool | None:
        """Whether all tests passed; None when none ran."""
        return None if self.tests == self.skipped else self.failed == 0


@record
class Reverted:
    """A commit that was taken back, by which other one, and the words of its message."""

    commit: str
    by: str
    words: tuple[str, ...]


@record
class Observed:
    """What was seen, of which task, and how many memories it reached."""

    task: str
    outcome: str
    what: str
    memories: int


def read_report(path: str) -> Report:
    """The counts of a JUnit XML file; BadInput when it is none."""
    import xml.etree.ElementTree as ElementTree

    if os.path.getsize(path) > _LARGEST_REPORT:
        raise BadInput(f"{path} is larger than {_LARGEST_REPORT // 1_000_000} MB")
    with open(path, "rb") as file:
        content = file.read()
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise BadInput(f"{path} declares a document type", "a JUnit report has none")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise BadInput(f"{path} is not XML: {error}", "give a JUnit XML file") from None
    if root.tag not in ("testsuites", "testsuite"):
        raise BadInput(f"{path} is not a JUnit report: it begins with <{root.tag[:40]}>")
    cases = list(root.iter("testcase"))
    failed = [case for case in cases if {"failure", "error"} & {child.tag for child in case}]
    skipped = [case for case in cases if any(child.tag == "skipped" for child in case)]
    return Report(len(cases), len(failed), len(skipped))


def reverts(root: str) -> list[Reverted]:
    """The commits that were reverted and have stayed so, newest first; none outside git."""
    log = git(root, "log", f"-n{_COMMITS}", "--format=%H%x1f%B%x1e", timeout_s=20.0) or ""
    messages = dict(_entries(log))
    by = {
        _whole(short, messages): commit
        for commit, message in messages.items()
        for short in _REVERTED.findall(message)
    }
    return [
        Reverted(commit, reverting, tuple(dict.fromkeys(_WORD.findall(messages[commit]))))
        for commit, reverting in by.items()
        if _holds(reverting, by) and commit in messages and not _REVERTED.search(messages[commit])
    ]


def reverted_in(message: str) -> str | None:
    """The commit that a commit of this message takes back."""
    match = _REVERTED.search(message)
    return None if match is None else match.group(1)


def _holds(commit: str, by: Mapping[str, str]) -> bool:
    """Whether a commit was not reverted, or its reverting was."""
    holds = True
    while commit in by:
        commit, holds = by[commit], not holds
    return holds


def _entries(log: str) -> list[tuple[str, str]]:
    entries = []
    for entry in log.split("\x1e"):
        commit, _, message = entry.strip("\n").partition("\x1f")
        if commit:
            entries.append((commit, message))
    return entries


def _whole(short: str, messages: Mapping[str, str]) -> str:
    """The whole hash that a shortened one begins."""
    return next((commit for commit in messages if commit.startswith(short)), short)
