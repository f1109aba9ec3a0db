"""From the options of `add` and `edit` to a draft: which kind, which fields, which times."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.kinds import FLAG, KINDS, LIST, NUMBER, kind_named
from recairn.core.times import now_ms
from recairn.engine.options import moment
from recairn.surfaces.cli.parse import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Options whose field has another name.
FIELD_OF = {
    "alternative": "alternatives",
    "next": "next_steps",
    "blocker": "blockers",
    "question": "questions",
    "goal": "goals",
    "commit": "commits",
    "file": "files",
    "alias": "aliases",
    "takeaway": "takeaways",
    "key_point": "key_points",
}
ALL_FIELDS = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.fields))
# Kinds of other systems' vocabulary that are our patterns, turned round.
_ANTI_PATTERNS = ("anti-pattern", "anti_pattern", "gotcha")

# Options of `add` that go to the engine as they are: about the draft, and about look-alikes.
_AS_THEY_ARE = (
    *("source_type", "source_ref", "session", "external_id", "created_at"),
    *("force", "supersede", "merge"),
)
_PLAIN = ("title", "category", "sector", "scope", "branch", "importance", "confidence", "trust")


def drafted(arguments: dict[str, Any]) -> dict[str, Any]:
    """What was typed about a new memory beside its text: its kind, that kind's fields, and all else
    under the engine's names."""
    typed = field_values(arguments)
    kind = kind_from(arguments, typed)
    fields = checked(kind, typed)
    options = {"kind": kind, **draft_options(arguments)}
    options |= {name: arguments[name] for name in _AS_THEY_ARE if name in arguments}
    return {**options, "fields": fields} if fields else options


def draft_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Everything about a memory but its text and kind's fields, under the engine's names."""
    options = {name: arguments[name] for name in _PLAIN if name in arguments}
    if _is_handoff(arguments):
        options.pop("branch", None)
    keywords = [*arguments.get("keyword", ()), *_split(arguments.get("tags", ""))]
    if keywords or "tags" in arguments:
        options["keywords"] = keywords
    if "tier" in arguments or "global" in arguments:
        options["tier"] = arguments.get("tier", "global")
    if "global" in arguments and options["tier"] != "global":
        raise Usage("--global and --tier contradict each other", "use one of them")
    if "pin" in arguments:
        options["pinned"] = True
    if "immutable" in arguments:
        options["immutable"] = True
    if "private" in arguments and "shared" in arguments:
        raise Usage("--private and --shared contradict each other", "use one of them")
    if "private" in arguments or "shared" in arguments:
        options["private"] = "private" in arguments
    if "expires" in arguments:
        options["expires_at"] = later(arguments["expires"], now_ms())
    return options


def field_values(arguments: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """The kind's fields that were typed: field → (the option to blame, value)."""
    values: dict[str, tuple[str, Any]] = {}
    for key, value in arguments.items():
        field = FIELD_OF.get(key, key)
        if field not in ALL_FIELDS or key == "outcome_score":
            continue
        if key == "branch" and not _is_handoff(arguments):
            continue
        option = "--" + key.replace("_", "-")
        if key == "alternatives":
            value = [*values.get(field, ("", []))[1], *_split(value)]
        elif field in values:
            value = [*values[field][1], *value]
        values[field] = (option, value)
    for text in arguments.get("field", ()):
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise Usage(f"--field takes NAME=VALUE, not {text!r}", "--field error_type=Timeout")
        already = values.get(name, ("", []))[1]
        values[name] = (f"--field {name}", [*already, value] if _type_of(name) == LIST else value)
    return values


def _is_handoff(arguments: dict[str, Any]) -> bool:
    """Whether a handoff was named: the branch of that is what it tells of, not where it holds."""
    return str(arguments.get("kind", "")).strip().lower() == "handoff"


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _type_of(field: str) -> str:
    return next((kind.fields[field] for kind in KINDS.values() if field in kind.fields), "")


def kind_from(arguments: dict[str, Any], fields: dict[str, tuple[str, Any]]) -> str:
    """The kind that was named, or the only one that has all the fields, or a learning."""
    named = arguments.get("kind")
    if named is not None:
        if named.strip().lower() in _ANTI_PATTERNS:
            fields.setdefault("anti_pattern", ("--anti-pattern", True))
        return kind_named(named)
    if not fields:
        return "learning"
    fitting = [
        name for name, kind in KINDS.items() if all(field in kind.fields for field in fields)
    ]
    options = ", ".join(option for option, _ in fields.values())
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        from recairn.core.words import with_article

        meant = " or ".join(map(with_article, fitting))
        raise BadInput(f"{options} may mean {meant}", "say which with --kind")
    raise BadInput(f"no kind has all of {options}", "say which with --kind, and recairn add --help")


def checked(kind: str, fields: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """The fields by name; BadInput naming the kinds that have it when this kind has not."""
    values: dict[str, Any] = {}
    for field, (option, value) in fields.items():
        if field not in KINDS[kind].fields:
            owners = [name for name, other in KINDS.items() if field in other.fields]
            if owners:
                from recairn.core.words import with_article

                named = " or ".join(map(with_article, owners))
                belonging = f"{option} belongs to {named}, not to {with_article(kind)}"
                raise BadInput(belonging, f"-k {owners[0]}")
        values[field] = _typed(option, _type_of(field), value)
    return values


def _typed(option: str, wanted: str, value: Any) -> Any:
    if wanted == FLAG and isinstance(value, str):
        if value.lower() not in ("true", "false", "yes", "no", "1", "0"):
            raise Usage(f"{option} is true or false, not {value!r}")
        return value.lower() in ("true", "yes", "1")
    if wanted == NUMBER and isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            raise Usage(f"{option} takes a number, not {value!r}") from None
        return int(number) if number.is_integer() else number
    return value


def later(text: str, now: int) -> int | None:
    """A coming time: a date, or a span from now such as `30d`; `never` is None."""
    word = text.strip().lower().removeprefix("in ").strip()
    if word == "never":
        return None
    at = moment(word if word[:1].isdigit() and "-" not in word else text, now)
    is_span = word[:-1].replace(".", "", 1).isdigit() and not word.isdigit()
    return now + (now - at) if is_span and at is not None else at
