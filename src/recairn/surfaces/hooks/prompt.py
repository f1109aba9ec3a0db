"""A person submits a prompt: what is remembered about it goes along, what they say is kept."""

from __future__ import annotations

from recairn.core.record import record
from recairn.core.words import STOP_WORDS, words
from recairn.surfaces.hooks.access import opened
from recairn.surfaces.hooks.answer import inject
from recairn.surfaces.hooks.settings import PROMPT_CHARS, characters, is_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.hooks.event import Happening

# Commands of the agent itself (/clear), of a shell (!ls) and notes for its own memory (# ...).
_COMMAND_SIGNS = "/!#"
# Words that only keep a conversation going.
_SMALL_TALK = frozenset(
    "yes yeah yep y no nope n ok okay k sure fine good great nice perfect cool thanks thank thx"
    " continue proceed go ahead on next again retry try stop wait done right correct exactly please"
    " do it looks lgtm ship hi hello hey bye agreed sounds commit push run yup resume keep going"
    " still now one more time first second third last both none all that this".split()
)
# Telling words that a prompt needs before anything is looked for; one is too little to go by.
_TELLING = 2
# No more is looked for than could find room, at so many characters each.
_SHORT_MEMORY = 200
_FEWEST_HITS = 4
# Words of a prompt that are tried as ids of tasks.
_IDS = 8


def submitted(happening: Happening) -> None:
    """Hands out what is remembered about the prompt; nothing when nothing is."""
    prompt = _typed(happening)
    if not prompt.strip() or prompt.lstrip()[0] in _COMMAND_SIGNS:
        return
    ids = _ids(prompt)
    asks = bool(ids) or _is_telling(prompt)
    from recairn.memory.capture import worth_reading

    tells = worth_reading(prompt)
    if not (asks or tells):
        return
    with opened(happening) as memory:
        if memory is None:
            return
        config = memory.config()
        listens = is_on(config, memory.project, "hooks.capture")
        # Who cannot note what was asked could not note what was handed out either, and would hand
        # it out again and again: then it is better to say nothing.
        memory.note(prompts=[prompt] if listens else [])
        if asks and is_on(config, memory.project, "hooks.inject"):
            _hand_out(memory, happening, _Asked(prompt, ids, config))
        if tells and listens:
            _keep(memory, prompt)


def _typed(happening: Happening) -> str:
    """What the person typed. Asked once (`-p`), Gemini sends what our own hook said at the start of
    the session along, in tags of its own, which nothing inside can end."""
    prompt = happening.text("prompt", "user_prompt", "userPrompt", "initialPrompt")
    if happening.agent != "gemini" or "<hook_context>" not in prompt:
        return prompt
    import re

    return re.sub(r"<hook_context>.*?</hook_context>\s*", "", prompt, flags=re.DOTALL)


@record
class _Asked:
    """A prompt, the words in it that may be tasks, and the settings."""

    prompt: str
    ids: list[str]
    config: dict[str, str]


def _hand_out(memory: Recairn, happening: Happening, asked: _Asked) -> None:
    task = _task(memory, asked.ids)
    if task is None and not _is_telling(asked.prompt):
        return
    room = characters(asked.config, memory.project, "hooks.max_chars", PROMPT_CHARS)
    options: dict[str, Any] = {
        "prompt": asked.prompt,
        "max_chars": room,
        "limit": max(_FEWEST_HITS, room // _SHORT_MEMORY),
        "exclude": memory.given(),
        "relevant": True,
        "surface": "hook",
    }
    if is_on(asked.config, memory.project, "hooks.unverified", usually=False):
        options["include_unverified"] = True
    result = memory.context(task, **options)
    if result.text:
        inject(happening, result.text)


def _is_telling(prompt: str) -> bool:
    found = {word for word in words(prompt) if word not in STOP_WORDS and word not in _SMALL_TALK}
    return len(found) >= _TELLING


def _ids(prompt: str) -> list[str]:
    """The words that may be ids of tasks: letters, a dash, and something after it."""
    found = [word.strip("#.,:;!?()[]{}<>`'\"") for word in prompt.split()]
    return [word for word in found if _is_id(word)][:_IDS]


def _is_id(word: str) -> bool:
    letters, dash, rest = word.partition("-")
    return bool(dash and rest) and letters.isalpha() and len(word) <= 60 and word.isascii()


def _task(memory: Recairn, ids: list[str]) -> str | None:
    """The first of the words that is the id of a task."""
    from recairn.core.errors import RecairnError

    for each in ids:
        try:
            found = memory.task(each)
        except RecairnError:
            continue
        if found.id.lower() == each.lower():
            return found.id
    return None


def _keep(memory: Recairn, prompt: str) -> None:
    """Keeps what the prompt says should last; the answer is out by now."""
    from recairn.surfaces.hooks.session import mark

    memory.capture([prompt], source_ref=f"prompt in {memory.session or 'no session'}")
    heard = memory.notes().get("heard", ())
    memory.note(heard=[*heard, mark(prompt)])
