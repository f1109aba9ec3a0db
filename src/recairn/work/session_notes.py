"""What a session leaves behind by itself: prompts, files, test runs; and a handoff made of it."""

from __future__ import annotations

from recairn.core.guard import loggable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.work_rows import InjectedMemory

# So many notes of a list stay, the newest: enough to see what the work was about.
_LONGEST_LISTS = {"files": 50, "prompts": 8, "tests": 10, "heard": 500}
# Characters of a prompt or command that a note keeps.
LONGEST_NOTE = 300
_LOOKED_AT = 1000
# What a handoff tells: prompts, test commands, questions, the newest of each.
_PROMPTS = 4
_RUNS = 3
_QUESTIONS = 2
# So many prompts make a talk worth knowing of, although nothing was changed.
_LONG_TALK = 3
# How a session stood when its handoff was made: the words for it claim no more than is known.
STATES = {
    "ended": "Left by a session of {} that has ended",
    "compacted": "Where a session of {} stood before its context was compacted; it goes on",
    "open": "Where a session of {} stood when last heard of; it had not said that it ended",
}
# What the handoffs that sessions leave by themselves come from, before the session's id.
SNAPSHOT = "snapshot of "
_TASK = "Task: "
# Marks that the handoff of a session holds all that was noted.
LEFT = "left"
# Marks that files were edited after the last run of tests.
_EDITED = "edited"
# From no sign of use to the strongest.
_USES = (None, "expanded", "cited", "helpful")


def merged_notes(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The old notes with new ones added; what comes again moves to the end."""
    notes = dict(old)
    if not _LONGEST_LISTS.keys().isdisjoint(new):
        notes.pop(LEFT, None)
    for name, value in new.items():
        if name in _LONGEST_LISTS:
            before = [note for note in notes.get(name, ()) if note not in value]
            notes[name] = [*before, *value][-_LONGEST_LISTS[name] :]
        else:
            notes[name] = value
    if new.get("tests"):
        notes.pop(_EDITED, None)
    elif new.get("files") and notes.get("tests"):
        notes[_EDITED] = True
    return notes


def note_value(value: Any) -> Any:
    """A value as notes hold it: texts without secrets, cut short."""
    if isinstance(value, str):
        command, colon, outcome = value.rpartition(": ")
        if outcome in ("passed", "failed"):  # our own word, which needs no look at secrets
            return f"{note_value(command)}{colon}{outcome}"
        # Redacted before the final cut: half a secret is not recognised any more.
        return loggable(value[:_LOOKED_AT])[:LONGEST_NOTE]
    return [note_value(item) for item in value] if isinstance(value, list) else value


def by_use(entries: Sequence[InjectedMemory]) -> list[int]:
    """Memories of injections, the most useful first: by how they were used, how often, how well."""
    worth: dict[int, tuple[int, int, float]] = {}
    for entry in entries:
        use, times, score = worth.get(entry.memory, (0, 0, 0.0))
        worth[entry.memory] = (
            max(use, _USES.index(entry.used) if entry.used in _USES else 0),
            times + 1,
            max(score, entry.score or 0.0),
        )
    return sorted(worth, key=lambda memory: (*(-part for part in worth[memory]), memory))


def did_something(notes: Mapping[str, Any], task: str) -> bool:
    """Whether a session is worth a handoff: it changed or tested something, or was a long talk."""
    prompts = notes.get("prompts", ())
    if notes.get("files") or notes.get("tests"):
        return True
    return len(prompts) >= _LONG_TALK or bool(task and prompts)


def handoff_of(
    notes: Mapping[str, Any], state: str, *, agent: str, task: str
) -> tuple[str, dict[str, Any]]:
    """Content and fields of a handoff made of the notes of a session that stands so."""
    from recairn.core.words import one_line

    lines = [STATES[state].format(agent or "an agent")]
    if task:
        lines.append(f"{_TASK}{task}")
    runs = last_runs(notes.get("tests", ()))
    if runs:
        when = " (before the last edits)" if notes.get(_EDITED) else ""
        lines.append(f"Last test runs{when}: {'; '.join(runs[-_RUNS:])}")
    prompts = notes.get("prompts", ())[-_PROMPTS:]
    if prompts:
        lines += ["Last asked:", *(f"- {one_line(prompt, LONGEST_NOTE)}" for prompt in prompts)]
    questions = list(notes.get("questions", ()))
    answer = one_line(notes.get("answer", ""), LONGEST_NOTE)
    for question in questions:  # they have a line of their own
        answer = answer.replace(question, "").strip()
    if answer:
        lines.append(f"Last answer: {answer}")
    return "\n".join(lines), {"files": list(notes.get("files", ())), "questions": questions}


def task_in(content: str) -> str:
    """The id of the task that the content of such a handoff names; empty where it names none."""
    line = next((line for line in content.split("\n") if line.startswith(_TASK)), "")
    return line.removeprefix(_TASK).partition(" ")[0]


def says_it_ended(content: str) -> bool:
    """Whether the content of such a handoff says that its session has ended."""
    return content.partition("\n")[0].endswith(STATES["ended"].rpartition("{}")[2])


def last_runs(tests: Sequence[str]) -> list[str]:
    """How each test command came out the last time, oldest first: `pytest -q: failed`."""
    runs: dict[str, str] = {}
    for test in tests:
        command = test.rpartition(": ")[0]
        runs.pop(command, None)
        runs[command] = test
    return list(runs.values())


def _sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph. A dot inside `src/a.py`, or before a small letter (e.g. so),
    ends none."""
    sentences, words = [], []
    all_words = paragraph.split()
    for word, after in zip(all_words, [*all_words[1:], ""], strict=True):
        words.append(word)
        sign = _last_sign(word)
        if not after or sign in ("!", "?") or (sign == "." and not after[0].islower()):
            sentences.append(" ".join(words))
            words = []
    return sentences


def _last_sign(words: str) -> str:
    """The sign at the end, without what only marks or closes it: `**metres?**`."""
    return words.rstrip("*_`\"')]")[-1:]


def questions_in(answer: str) -> list[str]:
    """What an agent's last words ask: the questions of the last paragraph that holds any."""
    from recairn.core.words import one_line

    for paragraph in reversed(answer.split("\n\n")):
        if "?" not in paragraph:
            continue
        sentences = _sentences(paragraph)
        asked = [one_line(part, LONGEST_NOTE) for part in sentences if _last_sign(part) == "?"]
        # A mark inside code or an address is no question.
        return [sentence for sentence in asked if " " in sentence][-_QUESTIONS:]
    return []
