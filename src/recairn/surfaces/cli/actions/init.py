"""Handler of the command for the first minutes: agents, what is there to import, a model, a search.

It may be run again at any time: each step looks first whether there is something left to do.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from recairn.core.errors import RecairnError, Refused
from recairn.core.kinds import one_of
from recairn.core.record import replace
from recairn.host.project import root_of
from recairn.surfaces.install.agents import AGENTS, ASKING, USER, place_for
from recairn.surfaces.render.text import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.sources.discovery import Offer
    from recairn.sources.format import ImportSummary
    from recairn.surfaces.cli.call import Call
    from recairn.surfaces.install.agents import Place
    from recairn.surfaces.install.plan import Change

# The model that finds more by meaning than the shipped one, and what its download weighs.
_BETTER, _SIZE = "minilm", "90 MB"
# Telling words of a memory that the last search asks with.
_WORDS = 4


class Setup:
    """One run: what is asked, what was done; `unasked` where nobody was there to ask."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.dry_run = bool(call.arguments.get("dry_run"))
        self.unasked = not (self.dry_run or call.arguments.get("yes") or may_ask(call))
        self.registered: list[str] = []
        self.imported: list[ImportSummary] = []

    def say(self, text: str) -> None:
        """Tells the person; a program gets one document at the end."""
        if not self.call.json:
            self.call.say(text)

    def agrees(self, question: str) -> bool:
        """Whether a step is to be done; where nobody can be asked, it is named and left."""
        if self.dry_run or self.unasked:
            self.say(f"  would ask: {question}")
            return False
        if self.call.arguments.get("yes"):
            return True
        return bool(self.call.screen.confirmed(f"  {question}"))


def init(call: Call) -> int:
    setup = Setup(call)
    if setup.unasked:
        call.arguments["dry_run"] = True  # what is only looked at makes no database
    root = root_of(os.getcwd()) or ""
    with call.open() as memory:
        project = f"project {memory.project}" if memory.project else "outside any project"
        setup.say(f"Memory: {memory.database} ({project})")
        _register(setup, place_for(USER, root, sys.argv, call.arguments.get("db")))
        _import(setup, memory, root or os.getcwd())
        _choose_model(setup, memory)
        _search(setup, memory)
        waiting = memory.count(trust="unverified")
    if setup.unasked:
        raise Refused("nobody is here to be asked, and nothing was done", "recairn init --yes")
    if call.json:
        call.screen.document(_document(setup))
    elif not setup.dry_run:
        setup.say(f"\n{_ending(waiting)}")
    return 0


def _ending(waiting: int) -> str:
    if waiting:
        noun = "memory waits" if waiting == 1 else "memories wait"
        return f"{waiting:,} {noun} for your word before agents get them: recairn review"
    return "From here: recairn status, recairn search WORDS, recairn add TEXT"


def _document(setup: Setup) -> dict[str, Any]:
    from recairn.surfaces.render.imports import import_json

    return {
        "dry_run": setup.dry_run,
        "registered": setup.registered,
        "imports": [import_json(summary) for summary in setup.imported],
    }


def _register(setup: Setup, place: Place) -> None:
    """The agents of this machine that do not know recairn yet."""
    from recairn.surfaces.cli.actions.install import AFTERWARDS, changes_for, tell
    from recairn.surfaces.install.plan import make

    call = setup.call
    setup.say("\nAgents")
    agents = _agents(call)
    if not agents:
        setup.say(f"  none on this machine; recairn install NAME knows {', '.join(AGENTS)}")
        return
    waiting = [agent for agent in agents if _differs(changes_for([agent], place, call))]
    for agent in agents:
        if agent not in waiting:
            setup.say(f"  {agent}: registered already")
    if not waiting or not setup.agrees(f"Register with {', '.join(waiting)}?"):
        return
    asking = [agent for agent in waiting if agent in ASKING]
    question = f"May {' and '.join(asking)} use its tools without asking each time?"
    allow = bool(asking) and setup.agrees(question)
    for change in make(changes_for(waiting, replace(place, allow=allow), call)):
        if not call.json:
            tell(call, change, dry_run=False)
    for agent in waiting:
        setup.say(f"  {agent}: {AFTERWARDS[agent]}")
    setup.registered = waiting


def _agents(call: Call) -> list[str]:
    """Those named, or those on this machine."""
    from recairn.surfaces.install.presence import present_agents

    named = call.arguments.get("agent") or ()
    if named:
        return list(dict.fromkeys(one_of("agent", name, AGENTS) for name in named))
    return [presence.agent for presence in present_agents()]


def _differs(changes: Sequence[Change]) -> bool:
    return any(change.differs for change in changes)


def _import(setup: Setup, memory: Recairn, folder: str) -> None:
    """What is written down about this project: counted first, and taken in where wanted."""
    from recairn.sources.discovery import importable

    setup.say("\nWritten down already")
    offers = importable(folder)
    own = [offer for offer in offers if not offer.words[1:]]
    for offer in own:
        _import_one(setup, memory, offer)
    if not own:
        setup.say(f"  nothing in {folder}")
    for offer in offers:
        if offer not in own:
            setup.say(f"  of all projects: recairn import {' '.join(offer.words)}")


def _import_one(setup: Setup, memory: Recairn, offer: Offer) -> None:
    call = setup.call
    listed = ", ".join(offer.paths[:3]) + (" …" if offer.paths[3:] else "")
    try:
        first = memory.import_from(None, offer.source, dry_run=True)
        new = sum(summary.added + summary.changed for summary in first)
        if not new:
            setup.say(f"  {offer.source}: nothing new in {listed}")
        elif setup.agrees(f"Import {memories(new)} from {listed} ({offer.source})?"):
            done = memory.import_from(None, offer.source)
            setup.imported += done
            added = sum(summary.added + summary.changed for summary in done)
            setup.say(f"  {offer.source}: {memories(added)} imported")
    except RecairnError as error:
        # One source that cannot be read is no reason to stop before the others.
        call.screen.note(f"  {offer.source}: {error.message}")


def _choose_model(setup: Setup, memory: Recairn) -> None:
    """A better model, where one was named, or a person wants it."""
    call = setup.call
    named = call.arguments.get("model", _BETTER)
    if memory.absent or memory.wanted_model == named:
        return
    setup.say("\nSearch by meaning")
    if named == _BETTER and find_spec("numpy") is None:
        how = f"pip install 'recairn[{named}]', then recairn init --model {named}"
        setup.say(f"  {memory.wanted_model}; {named} finds more, and needs numpy: {how}")
        return
    if "model" not in call.arguments and not may_ask(call):
        setup.say(f"  {memory.wanted_model}; recairn init --model {named} pulls a better one")
        return
    if not setup.agrees(f"Pull {named} ({_SIZE}) and search with it instead of the shipped one?"):
        return
    from recairn.surfaces.cli.call import Bar

    try:
        with Bar(call.screen, f"pulling {named} (MB)", unit=1_000_000) as bar:
            memory.pull_model(named, bar)
        memory.use_model(named)
        with Bar(call.screen, f"embedding with {named}") as bar:
            memory.embed(report=bar)
        setup.say(f"  {named} answers from now on")
    except RecairnError as error:
        hint = f"\n  {error.hint}" if error.hint else ""
        call.screen.note(f"  {named} is not used: {error.message}{hint}")


def may_ask(call: Call) -> bool:
    """Whether somebody is there who wants to be asked."""
    ends = (sys.stdin, call.screen.err)
    typed = ("yes", "dry_run", "json")
    return not any(name in call.arguments for name in typed) and all(
        end is not None and end.isatty() for end in ends
    )


def _search(setup: Setup, memory: Recairn) -> None:
    """A search over what is there now, so that it is seen to be found."""
    from recairn.core.times import now_ms
    from recairn.surfaces.render.text import hits_text

    sample = None if memory.absent else _sample(memory, setup.imported)
    if sample is None:
        return
    words = _telling(sample)
    call = setup.call
    setup.say(f'\n$ recairn search "{words}"')
    result = memory.search(words, limit=3, tool="cli")
    if result.hits and not call.json:
        call.screen.write(hits_text(result, now=now_ms()))


def _sample(memory: Recairn, imported: Sequence[ImportSummary]) -> Memory | None:
    """One of the memories that came in, or else the newest."""
    ids = [id for summary in imported for id in summary.memories]
    if ids:
        return memory.get(ids[0])
    newest = memory.listing(limit=1)
    return newest[0] if newest else None


def _telling(sample: Memory) -> str:
    from recairn.core.words import STOP_WORDS, words

    text: Any = sample.title or sample.content
    telling = [word for word in words(text) if word not in STOP_WORDS and len(word) > 2]
    return " ".join(dict.fromkeys(telling[:_WORDS])) or text[:40]
