"""Settings: the known ones are checked, others are kept as they are."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call


def _allowed_values(lines: list[str]) -> str:
    """Values the redaction leaves alone, one a line; `re:` begins a pattern."""
    import re

    for line in lines:
        try:
            re.compile(line.removeprefix("re:") if line.startswith("re:") else "")
        except re.error as error:
            raise BadInput(f"{line!r} is not a pattern: {error}", "re:sk-test-.* is one") from None
    return "\n".join(lines)


def _number(lowest: float, highest: float, example: float) -> Callable[[list[str]], str]:
    """Reads a number between two others."""

    def read(words: list[str]) -> str:
        text = " ".join(words)
        try:
            value = float(text)
        except ValueError:
            value = lowest - 1.0
        if not lowest <= value <= highest:
            raise BadInput(
                f"{text!r} is not a number between {lowest:,.12g} and {highest:,.12g}",
                f"for example {example:g}",
            )
        return f"{value:.12g}"

    return read


def _model(words: list[str]) -> str:
    """The name of an embedding model that recairn knows."""
    from recairn.core.kinds import one_of
    from recairn.surfaces.cli.actions.models import EMBEDDERS

    name = " ".join(words)
    return name if "/" in name else one_of("model", name, EMBEDDERS)


def _reranker(words: list[str]) -> str:
    """The name of a reranker, or off."""
    from recairn.core.kinds import one_of
    from recairn.surfaces.cli.actions.models import RERANKERS

    name = " ".join(words)
    return name if "/" in name else one_of("reranker", name, RERANKERS)


def _profile(words: list[str]) -> str:
    """The name of a set of weights."""
    from recairn.core.kinds import one_of
    from recairn.ranking.profiles import PROFILES

    return one_of("profile", " ".join(words), tuple(PROFILES))


def _yes_or_no(words: list[str]) -> str:
    from recairn.core.kinds import one_of

    return one_of("answer", " ".join(words), ("yes", "no"))


def _switch(words: list[str]) -> str:
    """on or off."""
    from recairn.core.kinds import one_of

    return one_of("switch", " ".join(words).lower(), ("on", "off"))


def _true(words: list[str]) -> str:
    from recairn.core.kinds import one_of

    return one_of("answer", " ".join(words).lower(), ("true", "false"))


def _audience(words: list[str]) -> str:
    from recairn.core.kinds import one_of

    return one_of("audience", " ".join(words).lower(), ("team", "private"))


def _plain(words: list[str]) -> str:
    return " ".join(words)


# Columns of the key in a list of settings; most fit, the long ones get a line of their own.
_LEFT = 31

# How the words typed become a value, by what the table of settings says it is.
_READERS: dict[str, Callable[[list[str]], str]] = {
    "patterns": _allowed_values,
    "model": _model,
    "profile": _profile,
    "reranker": _reranker,
    "switch": _switch,
    "text": _plain,
    "true or false": _true,
    "yes or no": _yes_or_no,
    "team or private": _audience,
}
_WEIGHT = "number 0 1 0.5"


# Settings that a project may have for itself, kept as PROJECT/KEY.
_PER_PROJECT = "hooks."


def _key(call: Call) -> str:
    """The key as it is kept: with --project, a setting that projects may have is that project's."""
    key, project = str(call.arguments["setting"]), call.arguments.get("act_in")
    return f"{project}/{key}" if project and key.startswith(_PER_PROJECT) else key


def _reader(key: str) -> Callable[[list[str]], str] | None:
    """How the value of a setting is read; None for a key of the person's own."""
    from recairn.engine.options import weight_named

    plain = key.rpartition("/")[2]
    if key in SETTINGS or plain.startswith(_PER_PROJECT):
        return _reading(SETTINGS[plain].values) if plain in SETTINGS else None
    return None if weight_named(key) is None else _reading(_WEIGHT)


def _reading(values: str) -> Callable[[list[str]], str]:
    """What reads such values; a number's limits and an example stand behind the word."""
    if values in _READERS:
        return _READERS[values]
    lowest, highest, example = map(float, values.split()[1:])
    return _number(lowest, highest, example)


def show_all(call: Call) -> None:
    with call.open() as memory:
        settings = memory.config()
    if call.json:
        call.screen.document(settings)
        return
    for key, value in settings.items():
        call.say(f"{key} = {' | '.join(value.splitlines())}")
    if not settings:
        from recairn.surfaces.cli.help import entry

        entries = "".join(entry(key, row.about, _LEFT) for key, row in SETTINGS.items())
        call.screen.note(
            f"every setting has its default; recairn config set changes one:\n{entries}"
        )


def show_one(call: Call) -> None:
    key = _key(call)
    with call.open() as memory:
        settings = memory.config()
    if call.json:
        call.screen.document({key: settings.get(key)})
    elif key in settings:
        call.say(settings[key])
    elif key.rpartition("/")[2] in SETTINGS:
        about = SETTINGS[key.rpartition("/")[2]].about
        raise NotFound(
            f"{key} is not set, so its default holds: {about}",
            f"recairn config set {key} VALUE sets it",
        )
    else:
        from recairn.core.kinds import nearest

        suggestion = nearest(key, (*SETTINGS, *settings))
        raise NotFound(f"{key} is not set", f"{suggestion}recairn config list shows what is")


def store(call: Call) -> None:
    key, words = _key(call), call.arguments["value"]
    read = _reader(key)
    value = (read or _plain)(words)
    if read is None:
        from recairn.core.kinds import nearest

        close = nearest(key, tuple(SETTINGS)).strip()
        call.screen.note(
            f"warning: {key} is not a setting recairn knows: it is kept, and changes nothing"
            f"{f'; {close}' if close else ''}"
        )
    with call.open() as memory:
        _require_person(memory, key)
        memory.set_config(key, value)
    if call.json:
        call.screen.document({key: value})
    else:
        call.say(f"Set {key}")


def _require_person(memory: Recairn, key: str) -> None:
    """Refused for a setting that only a person may set, where an agent types."""
    from recairn.core.author import PERSON
    from recairn.core.settings import is_personal

    if memory.author != PERSON and is_personal(key):
        raise Refused(
            f"{key} is not an agent's to change",
            "a person sets it in a terminal of their own, not through an agent",
        )


def remove(call: Call) -> None:
    key = _key(call)
    with call.open() as memory:
        if key not in memory.config():
            raise NotFound(f"{key} is not set", "recairn config list shows what is")
        _require_person(memory, key)
        memory.set_config(key, None)
    if call.json:
        call.screen.document({key: None})
    else:
        call.say(f"Unset {key}")
