"""Handlers of the commands about asking: the query log, searches that missed, and profiles."""

from __future__ import annotations

from recairn.core.record import as_dict
from recairn.core.times import age, iso, now_ms
from recairn.core.words import counted
from recairn.surfaces.cli.parse import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.ranking.profiles import Profile
    from recairn.store.work_rows import Miss
    from recairn.surfaces.cli.call import Call

# Characters of a question that a table shows.
_SHOWN_QUERY = 60


def stats_queries(call: Call) -> None:
    if "cleanup" in call.arguments:
        _clean_up(call)
        return
    options = {"days": 30, **call.chosen("by", "days", "limit")}
    with call.open() as memory:
        stats = memory.query_stats(**options)
    if call.json:
        data = [_with_iso(row) for row in stats["data"]]
        call.screen.document({**stats, "totals": _with_iso(stats["totals"]), "data": data})
        return
    totals, by = stats["totals"], stats["grouped_by"]
    span = f"the last {counted(options['days'], 'day')}"
    if not totals["count"]:
        call.say(f"no searches in {span}\n  --days looks further back")
        return
    call.say(
        f"{_searches(totals['count'])} in {span}, {totals['empty']:,} without a hit;"
        f" {totals['mean_ms']:.1f} ms on average, 95 of 100 within {totals['p95_ms']:.1f} ms\n"
    )
    head = (by, "count", "empty", "hits", "ms", "p95 ms", "last")
    call.screen.table(head, [_row(row, by) for row in stats["data"]])


def _row(numbers: dict[str, Any], by: str) -> tuple[str, ...]:
    return (
        _shortened(numbers[by]),
        f"{numbers['count']:,}",
        f"{numbers['empty']:,}",
        f"{numbers['mean_results']:.1f}",
        f"{numbers['mean_ms']:.1f}",
        f"{numbers['p95_ms']:.1f}",
        age(numbers["last_at"], now_ms()),
    )


def _shortened(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= _SHOWN_QUERY else line[: _SHOWN_QUERY - 1] + "…"


def _searches(count: int) -> str:
    return f"{count:,} search{'es' * (count != 1)}"


def _with_iso(numbers: dict[str, Any]) -> dict[str, Any]:
    return {**numbers, "last_at": iso(numbers["last_at"])}


def _clean_up(call: Call) -> None:
    others = [name for name in ("by", "days", "limit") if name in call.arguments]
    if others:
        raise Usage(
            f"--cleanup does not go with --{others[0]}", "recairn stats queries --cleanup 90d"
        )
    dry_run = "yes" not in call.arguments
    with call.open() as memory:
        count = memory.cleanup_queries(call.arguments["cleanup"], dry_run=dry_run)
    if call.json:
        call.screen.document({"dry_run": dry_run, "queries": count})
    elif not count:
        call.say("the log holds no search that old")
    elif dry_run:
        call.say(f"{_searches(count)} would be removed from the log; --yes does it")
    else:
        call.say(f"Removed {_searches(count)} from the log")


def miss(call: Call) -> None:
    arguments = call.arguments
    if "list" in arguments:
        _list_misses(call)
        return
    if "drop" in arguments:
        _drop_miss(call, arguments["drop"])
        return
    from recairn.surfaces.cli.call import text_from

    query = text_from(arguments["query"], "the query that failed", call)
    with call.open() as memory:
        outcome = memory.record_miss(query, arguments.get("wanted"), arguments.get("note", ""))
    call.screen.warn(outcome.warnings)
    if call.json:
        advice = {"count": outcome.count, "advice": list(outcome.advice)}
        call.screen.document({**_miss_json(outcome.miss), **advice})
        return
    call.screen.write(f"Recorded: {_miss_text(outcome.miss)}")
    if outcome.advice:
        call.screen.note(f"{outcome.count} misses so far; another model may find more:")
        call.screen.note("".join(f"  {command}\n" for command in outcome.advice))


def _list_misses(call: Call) -> None:
    if call.arguments["query"]:
        raise Usage("--list takes no query", "recairn miss --list")
    with call.open() as memory:
        misses, total = memory.misses(**call.chosen("limit"))
    if call.json:
        listed = [_miss_json(miss) for miss in misses]
        call.screen.document({"misses": listed, "total": total})
        return
    if not misses:
        call.say('no misses\n  recairn miss "..." --wanted ID records one')
        return
    now = now_ms()
    call.screen.write(
        "".join(f"{miss.id}. {age(miss.at, now)}: {_miss_text(miss)}" for miss in misses)
    )
    if len(misses) < total:
        call.screen.note(f"{len(misses)} of {total}; -n shows more")


def _drop_miss(call: Call, number: int) -> None:
    if call.arguments["query"]:
        raise Usage("--drop takes no query", f"recairn miss --drop {number}")
    with call.open() as memory:
        memory.drop_miss(number)
    if call.json:
        call.screen.document({"dropped": number})
    else:
        call.say(f"Miss {number} is taken back")


def _miss_text(miss: Miss) -> str:
    wanted = "" if miss.wanted is None else f" did not find #{miss.wanted}"
    by = f"with {miss.model}" if miss.model else "by words alone"
    note = f"  {miss.note}\n" if miss.note else ""
    return f'"{miss.query}"{wanted} ({by})\n{note}'


def _miss_json(miss: Miss) -> dict[str, Any]:
    return {**as_dict(miss), "at": iso(miss.at)}


def profiles(call: Call) -> None:
    from recairn.ranking.profiles import PROFILES

    name = call.arguments["profile"]
    with call.open() as memory:
        in_use = memory.config().get("retrieval.profile", "default")
    shown = list(PROFILES.values()) if name is None else [PROFILES[name]]
    if call.json:
        listed = [_profile_json(profile) for profile in shown]
        call.screen.document({"in_use": in_use, "profiles": listed})
        return
    for profile in shown:
        mark = " (in use)" if profile.name == in_use else ""
        call.say(f"{profile.name}{mark}: {profile.about}")
        if name is not None:
            _show_profile(call, profile)
        else:
            call.screen.write(_weights_text(profile))


def _weights_text(profile: Profile) -> str:
    from textwrap import fill

    signals = ", ".join(
        f"{name} {weight.weight:.3g}" + (f" {weight.effect}" if weight.effect != "add" else "")
        for name, weight in profile.weights.items()
    )
    return fill(signals, 80, initial_indent="    ", subsequent_indent="    ") + "\n"


def _show_profile(call: Call, profile: Profile) -> None:
    rows = [
        (name, f"{weight.weight:.3g}", weight.effect) for name, weight in profile.weights.items()
    ]
    call.screen.table(("signal", "weight", "effect"), rows)
    for model, share in (profile.shares or {}).items():
        call.say(f"with {model}, meaning is {share:g} of words and meaning together")
    for model, floor in (profile.floors or {}).items():
        call.say(f"with {model}, what shares no word with a question needs a cosine of {floor:g}")


def _profile_json(profile: Profile) -> dict[str, Any]:
    weights = {name: as_dict(weight) for name, weight in profile.weights.items()}
    return {
        **as_dict(profile),
        "weights": weights,
        "shares": dict(profile.shares or {}),
        "floors": dict(profile.floors or {}),
    }
