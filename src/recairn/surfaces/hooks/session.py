"""The course of a session: it begins, is about to be compacted, wants to stop, ends."""

from __future__ import annotations

import sys

from recairn.surfaces.hooks.event import ask, inject, line_for_person
from recairn.surfaces.hooks.event_memory import STARTED, HookSettings, event_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.recall.context import ContextResult
    from recairn.store.work_rows import Task
    from recairn.surfaces.hooks.event import HookEvent


# Agents that send no SessionStart after a compaction: their injections are forgotten before it.
_SILENT_AFTERWARDS = ("gemini", "copilot")


# Memories for a subagent, beside the rules: it has a part of the work alone.
_SUBAGENT_HITS = 4
# Newest memories that an agent is told of that were made since it was last here.
_NEWS = 5


def session_start(event: HookEvent) -> None:
    """Opens the session; injects rules and the last handoff, after a compaction once more."""
    with event_memory(event) as memory:
        if memory is None:
            return
        last = memory.last_here(event.agent)
        memory.start_session(event.session, agent=event.agent)
        source = event.text("source", "trigger")
        if source != "compact":
            memory.take_over()
        memory.note(**{STARTED: True})
        settings = HookSettings(memory)
        if not settings.injects:
            memory.note_turn("start", silence="hooks.inject is off")
            return
        options: dict[str, Any] = {
            "max_chars": settings.start_chars,
            "moment": "start",
            "agent": event.agent,
        }
        if source == "compact":
            options["again"] = memory.forget_injected()
        elif source == "clear":
            memory.forget_injected()
            # Who clears the conversation wants nothing of what it was about.
            options["handoff"] = False
        else:
            options["exclude"] = memory.injected()
            if last is not None:
                options.update(recent=_NEWS, new_since=last + 1)
        if settings.unverified:
            options["include_unverified"] = True
        result = memory.context(**options, surface="hook")
        if result.text:
            inject(event, result.text, _line_for_person(result, settings))


def subagent_start(event: HookEvent) -> None:
    """Injects, into the empty context of a subagent, rules and what is remembered of the work."""
    with event_memory(event) as memory:
        if memory is None or memory.session is None:
            return
        memory.note()  # begins the session of an agent whose start nobody has heard
        settings = HookSettings(memory)
        room = settings.moment_chars("subagent")
        if not settings.injects or not room:
            memory.note_turn("subagent", silence="hooks.subagent_chars is off")
            return
        from recairn.host.instruction_files import reads_files

        prompts = memory.notes().get("prompts", ())
        options: dict[str, Any] = {
            "prompt": prompts[-1] if prompts else None,
            "max_chars": room,
            "limit": _SUBAGENT_HITS,
            "exclude": memory.injected(event.surface),
            "handoff": False,
            "unasked": True,
            "surface": event.surface,
            "moment": "subagent",
            "said": event.subagent,
        }
        if reads_files(event.agent, event.subagent):
            options["agent"] = event.agent
        result = memory.context(**options)
        if result.text:
            inject(event, result.text, _line_for_person(result, settings))


def _line_for_person(result: ContextResult, settings: HookSettings) -> str:
    return line_for_person(len(result.costs or ()), result.tokens) if settings.tells else ""


def pre_compact(event: HookEvent) -> None:
    """Leaves a handoff before the agent forgets how it came here.

    Gemini says "auto" before each answer of the model, compressed or not: that means nothing.
    """
    if event.agent == "gemini" and event.text("trigger") == "auto":
        return
    with event_memory(event) as memory:
        if memory is not None and memory.session is not None:
            _capture_transcript(memory, event)
            memory.leave_handoff("compacted")
            memory.note_turn("compact")
            if event.agent in _SILENT_AFTERWARDS:
                memory.forget_injected()
                memory.note(**{STARTED: False})


def stop(event: HookEvent) -> None:
    """Notes the last words for the handoff; asks once, and only in a task, what was learned."""
    if event.subagent:
        return
    with event_memory(event) as memory:
        if memory is None or memory.session is None:
            return
        answer = event.text("last_assistant_message", "prompt_response")
        memory.note_cited(answer)
        if HookSettings(memory).captures:
            _note_answer(memory, answer)
        if event.payload.get("stop_hook_active") is True:
            return
        task = memory.current_task()
        why = _unasked(memory, task)
        memory.note_turn("stop", silence=why)
        if task is None or why:
            return
        # Noted before it is said: whoever cannot note it would ask for ever.
        memory.note(asked=True)
        ask(
            event,
            "A question from recairn, asked once: did this session teach you something that will"
            ' help next time? Then keep it: recairn add "what you learned" (or the add tool). Is'
            f" the task {task.id} finished? Then: recairn task done {task.id}. If neither, just"
            " stop.",
        )


def _unasked(memory: Recairn, task: Task | None) -> str:
    """Why the agent is not asked what it learned; empty where it is."""
    if not HookSettings(memory).asks:
        return "hooks.ask is off"
    if task is None or task.status == "done":
        return "no task is open"
    if memory.notes().get("asked"):
        return "it was asked before"
    return "it kept something already" if memory.learned_something() else ""


def _note_answer(memory: Recairn, answer: str) -> None:
    """Keeps the beginning of the last answer, and what it asks."""
    if not answer:
        return
    from recairn.work.session_notes import questions_in

    memory.note(answer=answer, questions=questions_in(answer[-_LONGEST_ANSWER:]))


def session_end(event: HookEvent) -> None:
    """Captures what was said, leaves a handoff and ends the session; what proved useful stays."""
    if event.subagent:
        return  # its agent goes on
    with event_memory(event) as memory:
        if memory is not None and memory.session is not None:
            _capture_transcript(memory, event)
            memory.leave_handoff()
            _keep_conversation(memory, event)
            memory.note_turn("end")
            memory.end_session(memory.session)
            memory.sync_later()


def status_line(event: HookEvent) -> None:
    """Prints what this session was handed so far; nothing where that is nothing."""
    with event_memory(event) as memory:
        if memory is None or memory.session is None:
            return
        memories, tokens = memory.handed_to_session()
        if memories:
            sys.stdout.write(line_for_person(memories, tokens) + "\n")
            sys.stdout.flush()


def _capture_transcript(memory: Recairn, event: HookEvent) -> None:
    """Captures from prompts that no hook has seen; a transcript nobody can read is left alone."""
    if not HookSettings(memory).captures:
        return
    from recairn.memory.capture import worth_reading
    from recairn.surfaces.hooks.transcript import prompts_in

    path = event.text("transcript_path", "transcriptPath")
    heard = set(memory.notes().get("heard", ()))
    prompts = [
        prompt
        for prompt in prompts_in(path)
        if worth_reading(prompt) and fingerprint(prompt) not in heard
    ]
    if prompts:
        memory.capture(prompts, source_ref=f"transcript of {memory.session}")
        memory.note(heard=sorted({*heard, *map(fingerprint, prompts)})[-_HEARD:])
    else:
        memory.withdraw_candidates()


def _keep_conversation(memory: Recairn, event: HookEvent) -> None:
    """Keeps what was said where somebody has switched that on; `import transcripts` keeps what is
    too long to be read while a session ends."""
    import os

    path = os.path.expanduser(event.text("transcript_path", "transcriptPath"))
    if not (path and HookSettings(memory).transcripts and os.path.isfile(path)):
        return
    if os.path.getsize(path) <= _LONGEST_TRANSCRIPT:
        memory.keep_conversation(path)


# Bytes of a transcript that is read at the end of a session; that takes a quarter of a second.
_LONGEST_TRANSCRIPT = 4_000_000
# Characters of an answer, from its end, in which questions are looked for.
_LONGEST_ANSWER = 4000
# Prompts of a session that are remembered as heard.
_HEARD = 500


def fingerprint(prompt: str) -> int:
    """A number that stands for a prompt: the notes need not keep it to know it again."""
    from zlib import crc32

    return crc32(" ".join(prompt.split()).encode("utf-8", "replace"))
