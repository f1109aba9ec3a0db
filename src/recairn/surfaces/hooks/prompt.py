"""A person submits a prompt: what is remembered about it goes along, what they say is kept."""

from __future__ import annotations

from recairn.surfaces.hooks.event import inject, line_for_person
from recairn.surfaces.hooks.event_memory import STARTED, HookSettings, event_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.hooks.event import HookEvent

# How Claude Code tells its model, as if a person had said it, that a subagent is done.
_NOTICE = "<task-notification>"
# Commands of the agent itself (/clear), of a shell (!ls) and notes for its own memory (# ...).
_COMMAND_SIGNS = "/!#"
# No more is looked for than could find room, at so many characters each.
_SHORT_MEMORY = 200
_FEWEST_HITS = 4
# Fewer words ("yes please") tell whoever takes over nothing.
_FEWEST_WORDS = 3
# Words of a prompt that are tried as ids of tasks.
_IDS = 8


def prompt_submit(event: HookEvent) -> None:
    """Injects what is remembered about the prompt; nothing when nothing is."""
    prompt = _prompt(event)
    if not prompt.strip():
        return
    if prompt.lstrip()[0] in _COMMAND_SIGNS:
        _stay_silent(event, prompt, "a command")
        return
    # What an agent asks its subagent is not a person's word.
    typed = not event.subagent
    with event_memory(event) as memory:
        if memory is None:
            return
        settings = HookSettings(memory)
        # Who cannot note a prompt could not note an injection either, and would inject it again
        # and again: then it is better to say nothing.
        notable = settings.captures and typed and len(prompt.split()) >= _FEWEST_WORDS
        # What was asked last is answered by whatever the person says now.
        answered: dict[str, Any] = {"questions": []} if settings.captures and typed else {}
        notes = memory.note(prompts=[prompt] if notable else [], **answered)
        if settings.injects:
            _inject_context(memory, event, prompt, settings, told=bool(notes.get(STARTED)))
        else:
            kept = prompt if settings.captures else ""
            memory.note_turn("prompt", kept, silence="hooks.inject is off")
        if settings.captures and typed:
            _capture(memory, prompt)


def _stay_silent(event: HookEvent, prompt: str, why: str) -> None:
    """Notes a prompt for which nothing is looked for: a session without it would have gaps."""
    with event_memory(event) as memory:
        if memory is not None:
            kept = prompt if HookSettings(memory).captures else ""
            memory.note_turn("prompt", kept, silence=why)


def _prompt(event: HookEvent) -> str:
    """What the person typed. Asked once (`-p`), Gemini sends what our own hook said at the start of
    the session along, in tags of its own, which nothing inside can end."""
    prompt = event.text("prompt", "user_prompt", "userPrompt", "initialPrompt")
    if prompt.lstrip().startswith(_NOTICE):
        return ""
    if event.agent != "gemini" or "<hook_context>" not in prompt:
        return prompt
    import re

    return re.sub(r"<hook_context>.*?</hook_context>\s*", "", prompt, flags=re.DOTALL)


def _inject_context(
    memory: Recairn, event: HookEvent, prompt: str, settings: HookSettings, *, told: bool
) -> None:
    """Injects what bears on a prompt; the last handoff with it only to who was not `told` of it
    when the session began, or works on the task that the prompt names."""
    task = _task(memory, _task_ids(prompt))
    room = settings.prompt_chars
    options: dict[str, Any] = {
        "prompt": prompt,
        "max_chars": room,
        "limit": max(_FEWEST_HITS, room // _SHORT_MEMORY),
        "exclude": memory.injected(),
        "relevant": True,
        "agent": event.agent,
        "handoff": not told or task is not None,
        "surface": "hook",
        "moment": "prompt",
        "said": prompt if settings.captures else "",
    }
    if settings.unverified:
        options["include_unverified"] = True
    result = memory.context(task, **options)
    if result.text:
        line = line_for_person(len(result.costs or ()), result.tokens) if settings.tells else ""
        inject(event, result.text, line)


def _task_ids(prompt: str) -> list[str]:
    """The words that may be ids of tasks: letters, a dash, and something after it."""
    bare = [word.strip("#.,:;!?()[]{}<>`'\"") for word in prompt.split()]
    return [word for word in bare if _is_id(word)][:_IDS]


def _is_id(word: str) -> bool:
    letters, dash, rest = word.partition("-")
    return bool(dash and rest) and letters.isalpha() and len(word) <= 60 and word.isascii()


def _task(memory: Recairn, ids: list[str]) -> str | None:
    """The first of the words that is the id of a task."""
    if not ids:
        return None
    from recairn.core.errors import RecairnError

    for word in ids:
        try:
            task = memory.task(word)
        except RecairnError:
            continue
        if task.id.lower() == word.lower():
            return task.id
    return None


def _capture(memory: Recairn, prompt: str) -> None:
    """Keeps what the prompt says should last; the answer is out by now."""
    from recairn.memory.capture import worth_reading

    if not worth_reading(prompt):
        return
    from recairn.surfaces.hooks.session import fingerprint

    memory.capture([prompt], source_ref=f"prompt in {memory.session or 'no session'}")
    heard = memory.notes().get("heard", ())
    memory.note(heard=[*heard, fingerprint(prompt)])
