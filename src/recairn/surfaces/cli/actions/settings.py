"""Settings: the known ones are checked, others are kept as they are."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
                f"{text!r} is not a number between {lowest:,} and {highest:,}",
                f"for example {example:g}",
            )
        return f"{value:.12g}"

    return read


def _model(words: list[str]) -> str:
    """The name of an embedding model that recairn knows."""
    from recairn.core.kinds import one_of
    from recairn.surfaces.cli.actions.models import MODELS

    return one_of("model", " ".join(words), MODELS)


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


def _plain(words: list[str]) -> str:
    return " ".join(words)


# Columns of the key in a list of settings; most fit, the long ones get a line of their own.
_LEFT = 31

_weight = _number(0, 1, 0.5)
_WEIGHTS = {
    "vector": "meaning",
    "fts": "words",
    "bm25": "words",
    "keyword": "words",
    "recency": "being new",
    "importance": "importance",
    "salience": "salience",
    "outcome": "having helped",
    "frequency": "being used",
}

# Known settings: what each does, and how the words typed become its value.
SETTINGS: dict[str, tuple[str, Callable[[list[str]], str]]] = {
    "redaction.allow": ("values the secret filter leaves alone", _allowed_values),
    # Below a half, strangers look alike, and the index of look-alikes would miss most of them.
    "add.similar_above": ("share of common words that makes add ask (0.8)", _number(0.5, 1, 0.9)),
    "embedding.model": ("static, minilm, external or none", _model),
    "embedding.external.url": ("where the external model listens", _plain),
    "embedding.external.model": ("which model to ask it for", _plain),
    "embedding.external.query_prefix": ("words it wants before a question", _plain),
    "embedding.external.document_prefix": ("words it wants before a stored text", _plain),
    "embedding.external.window_tokens": (
        "tokens of a text it sees (512)",
        _number(0, 1_000_000, 512),
    ),
    "embedding.external.dim": ("dimensions of its vectors (as it says)", _number(0, 65_536, 384)),
    "embedding.external.batch_size": ("texts sent at once (32)", _number(1, 10_000, 32)),
    "embedding.external.timeout_s": ("seconds a batch may take (30)", _number(0.001, 86_400, 30)),
    "embedding.external.api_key_env": ("the variable that holds its key", _plain),
    "embedding.external.allow_remote": ("true lets it be on another machine (false)", _true),
    # A year of hours: nobody comes back to a session after that.
    "session.idle_hours": (
        "hours after which a session counts as ended (12)",
        _number(0, 8760, 12),
    ),
    "consolidate.command": ("a program that writes summaries", " ".join),
    "compaction.command": ("a program that reads text and prints a summary", " ".join),
    "session.promote_above": ("salience that outlives its session (0.7)", _number(0, 1, 0.7)),
    "context.max_tokens": ("tokens a context takes at most (2000)", _number(0, 1_000_000, 2000)),
    "context.max_chars": ("characters a context takes at most", _number(0, 10_000_000, 12_000)),
    "context.recent": (
        "newest memories a context holds beside relevant ones (0)",
        _number(0, 50, 3),
    ),
    "context.include_unverified": ("yes hands out what nobody confirmed (no)", _yes_or_no),
    "hooks.inject": ("off hands nothing to agents by itself (on)", _switch),
    "hooks.capture": ("off captures nothing from what is said (on)", _switch),
    "hooks.ask": ("off never asks an agent what it learned (on)", _switch),
    "hooks.unverified": ("on hands out what nobody confirmed (off)", _switch),
    "hooks.max_chars": ("characters handed out on a prompt (1500)", _number(500, 9000, 1500)),
    "hooks.start_chars": (
        "characters handed out at a session's start (4000)",
        _number(500, 9000, 4000),
    ),
    "retrieval.profile": ("the profile search ranks by (default)", _profile),
    "retrieval.all_projects": ("on lets search look into every project (off)", _switch),
    **{
        f"retrieval.{name}_weight": (f"the weight of {what} in a score", _weight)
        for name, what in _WEIGHTS.items()
    },
}


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
        return SETTINGS[plain][1] if plain in SETTINGS else None
    return None if weight_named(key) is None else _weight


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

        entries = "".join(entry(key, about, _LEFT) for key, (about, _) in SETTINGS.items())
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
        about = SETTINGS[key.rpartition("/")[2]][0]
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

        close = nearest(key, tuple(SETTINGS))
        if close:
            call.screen.note(f"warning: {key} is not a setting recairn knows: {close.strip()}")
    with call.open() as memory:
        memory.set_config(key, value)
    if call.json:
        call.screen.document({key: value})
    else:
        call.say(f"Set {key}")


def remove(call: Call) -> None:
    key = _key(call)
    with call.open() as memory:
        if key not in memory.config():
            raise NotFound(f"{key} is not set", "recairn config list shows what is")
        memory.set_config(key, None)
    if call.json:
        call.screen.document({key: None})
    else:
        call.say(f"Unset {key}")
