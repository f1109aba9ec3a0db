"""The engine's looks at the whole: rules in force, health, and another project to look from."""

from __future__ import annotations

import os

from recairn.core.record import record
from recairn.engine.base import MIRRORS, Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from recairn.recall.rules_in_force import RulesInForce
    from recairn.store.upkeep_rows import BackupInfo, Finding
    from recairn.store.work_rows import LastHook

    T = TypeVar("T")

# Characters that hooks hand out at the start of a session, unless hooks.start_chars says otherwise.
START_CHARS = 4000
_MANY_RULES = 500


@record
class MirrorFolder:
    """A folder kept in step with a project."""

    folder: str
    project: str


@record
class Health:
    """Whether everything works: the database, who calls, the model, copies.

    `findings` are those of `doctor`, only where a thorough look was asked for. `hooks` says when
    each agent last reported each event. `troubles` are (what, remedy) of mirrors and of the model.
    """

    database: str
    bytes: int
    memories: int
    waiting: int
    misses: int
    hooks: tuple[LastHook, ...]
    model: str | None
    to_embed: int
    backup_folder: str | None
    backups: tuple[BackupInfo, ...]
    mirrors: tuple[MirrorFolder, ...]
    troubles: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...] = ()


class Overview(Base):
    """The whole at a glance."""

    if TYPE_CHECKING:  # a part of the engine that is loaded when it is called

        def batch_left(self) -> int: ...
        def model_troubles(self) -> list[tuple[str, str]]: ...
        def stats(self) -> dict[str, Any]: ...
        def _counted(self, what: Any, count: Callable[[], T]) -> T: ...

    def visit(self, project: str | None) -> None:
        """Works in another project from now on, in its own folder instead of the process's.

        `folder` is then the first place of the project on this machine, "" where it has none. None
        leaves every project: what is asked for with `all_projects` is still seen.
        """
        from recairn.work.belonging import Home
        from recairn.work.projects import places_of

        self.settle()
        home = Home("", None) if project is None else self._home(project)
        self.project, self.parent, self._newcomer = home.name, home.parent, None
        places = places_of(self.store, home.name)
        self.folder = next((path for path in places if os.path.isdir(path)), "")

    def find_home(self, project: str | None = None) -> None:
        """Looks again which project is worked in, as at opening: others may have renamed it since,
        or joined it with another one."""
        from recairn.engine.base import home_of

        self.settle()
        home = home_of(self.store, os.getcwd(), project, self._clock)
        self.project, self.parent, self._newcomer = home.name, home.parent, home.newcomer
        self.home_notice, self._visited = home.notice, None

    def rules_in_force(
        self, *, project: str | None = None, agent: str = "", max_chars: int | None = None
    ) -> RulesInForce:
        """The standing rules of a project, in order, with what each costs and what does not fit.

        How often each was handed out is told of one `agent`, or of all.
        """
        from recairn.core.record import replace
        from recairn.recall.rules_in_force import RulesInForce, with_costs

        self.settle()
        now = self._clock()
        home = self._home(project).name
        visible = self._filter({"kind": "rule", "project": project}, now)
        rules = self.store.listing(
            replace(visible, trust="verified"), order="newest", limit=_MANY_RULES
        )
        characters = self._start_chars(home) if max_chars is None else max_chars
        budget = {"tokens": _tokens(self.store.config()), "characters": characters}
        rules_and_costs = with_costs(self.store, rules, **budget, agent=agent, now=now)
        cost = sum(rule.tokens for rule in rules_and_costs if rule.fits)
        return RulesInForce(home, agent, characters, cost, rules_and_costs)

    def _start_chars(self, project: str) -> int:
        config = self.store.config()
        value = config.get(f"{project}/hooks.start_chars", config.get("hooks.start_chars"))
        try:
            return int(float(value or START_CHARS))
        except (ValueError, OverflowError):
            return START_CHARS

    def health(self, *, thorough: bool = False) -> Health:
        """The state of database, hooks, model, backups and mirrors; `thorough` as doctor looks.

        That reads the whole database, which takes a while for a large one.
        """
        from json import loads

        from recairn.recall.query_log import Misses
        from recairn.store import is_on_server, maintenance
        from recairn.sync.mirror.follow import troubles

        self.settle()
        config = self.store.config()
        counted = self.stats()
        looks_after = None
        if not self.absent and not is_on_server(self.store.address):
            looks_after = maintenance(self.store.address)
        active = self.store.active_model()
        folders = loads(config.get(MIRRORS, "{}"))
        return Health(
            self.store.address,
            counted["bytes"],
            counted["memories"],
            counted["by"]["trust"].get("unverified", 0),
            Misses(self.store, ()).count(),
            tuple(self.store.last_hooks()),
            None if active is None else active.name,
            0 if active is None else self._counted("to embed", self.batch_left),
            None if looks_after is None else looks_after.backup_folder(),
            () if looks_after is None else looks_after.backups(),
            tuple(MirrorFolder(folder, name) for folder, name in folders.items()),
            (*troubles(config.get(MIRRORS)), *self.model_troubles()),
            self._findings() if thorough else (),
        )

    def _findings(self) -> tuple[Finding, ...]:
        """What doctor says of a file; on a server, what verify says."""
        from recairn.store import is_on_server, maintenance
        from recairn.store.upkeep_rows import Finding

        if not is_on_server(self.store.address):
            return maintenance(self.store.address).diagnose()
        report = self.store.verify()
        if not report.problems:
            return (Finding("ok", report.passed()),)
        return tuple(
            Finding("problem", f"{problem.check}: {problem.detail}", problem.remedy)
            for problem in report.problems
        )


def _tokens(config: dict[str, str]) -> int:
    from recairn.engine.context import MAX_TOKENS

    try:
        return int(float(config.get("context.max_tokens", MAX_TOKENS)))
    except (ValueError, OverflowError):
        return MAX_TOKENS
