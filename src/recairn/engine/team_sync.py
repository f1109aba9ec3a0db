"""The engine's way to a team's server: joining it, and bringing both sides to the same."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound, RecairnError, Refused
from recairn.engine.sharing import SERVER
from recairn.engine.team_exchange import TeamExchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from recairn.core.model import Memory
    from recairn.host.team_file import Team
    from recairn.sync.wire import Wire

# Pages of one round: a laptop that was away for years is done, and no fault runs for ever.
_MOST_PAGES = 10_000
# Records taken in by one transaction, where so many are new: a second, in which others who write
# here wait. With 2,000 a first sync costs 5 % more, with a page at a time a third.
TAKEN_AT_ONCE = 5_000


class TeamSync(TeamExchange):
    """A laptop in a team: join, share, sync, leave."""

    def team(self) -> Team:
        """The server this memory exchanges with; NotFound where it has joined none."""
        from recairn.host.team_file import teams

        server = self.config().get(SERVER)
        connected = teams().get(server) if server else None
        if server and connected is None:
            raise NotFound(
                f"this machine holds no token for {server}", f"recairn team join {server}"
            )
        if connected is None:
            raise NotFound(
                "this memory has joined no team", "recairn team join https://memory.example"
            )
        return connected

    def join_team(self, url: str, token: str) -> dict[str, Any]:
        """Joins the team of a server with the token of this machine; nothing is shared yet."""
        from recairn.host.team_file import Team, keep
        from recairn.sync.wire import Wire, address_of

        server = address_of(url)
        former = self.config().get(SERVER)
        if former not in (None, server):
            raise Refused(
                f"this memory is in the team at {former}", "leave it first: recairn team leave"
            )
        wire = Wire(server, token)
        try:
            said = wire.hello()
        finally:
            wire.close()
        keep(Team(server, str(said.get("member")), str(said.get("device")), token))
        self.set_config(SERVER, server)
        return {"server": server, **said}

    def share_with_team(self, name: str | None = None) -> dict[str, Any]:
        """Shares the project worked in under a name of the team's; what waits to be sent."""
        team = self.team()
        if not self.project:
            raise BadInput("this folder is in no project", "go to a checkout")
        name = name or self.project
        wire = self._wire(team)
        try:
            wire.share(name)
        finally:
            wire.close()
        waiting = self.share_project(self.project, name, team.server)
        return {"project": self.project, "name": name, "server": team.server, "waiting": waiting}

    def sync(self) -> dict[str, Any]:
        """Sends what waits and takes what others sent; how much of each.

        A page that was taken stays taken, so a round that breaks off is begun again anywhere.
        """
        team = self.team()
        wire = self._wire(team)
        summary: dict[str, Any] = {"server": team.server, "sent": 0, "refused": 0, "later": 0}
        summary |= {"added": 0, "updated": 0, "joined": 0, "erased": 0, "clashes": [], "faults": []}
        summary["policies"] = []
        try:
            self._push_outbox(wire, summary)
            for share in self.shares():
                self._pull_feed(wire, share, team.member, summary)
                summary["policies"] += self._follow_policies(wire, share)
            # What met a colleague's change here is news for them.
            self._push_outbox(wire, summary)
        finally:
            wire.close()
        if summary["added"]:
            # The server may have kept a text beside another one before this laptop heard of it.
            summary["clashes"] = [conflict["other"]["id"] for conflict in self.sync_conflicts()]
        return summary

    def _push_outbox(self, wire: Wire, summary: dict[str, Any]) -> None:
        for _ in range(_MOST_PAGES):
            page = self.outbox_page()
            if not page["records"]:
                return
            said = wire.push(page["records"])
            settled = self.outbox_answers(page["marks"], said["answers"])
            for name in ("sent", "refused", "later"):
                summary[name] += settled[name]
            if settled["later"] or not page["more"]:
                return

    def _pull_feed(
        self, wire: Wire, share: dict[str, Any], member: str, summary: dict[str, Any]
    ) -> None:
        for page in self._pages(wire, share["name"], share["cursor"]):
            taken = self.take_page(share["project"], page, member)
            for name in ("added", "updated", "joined"):
                summary[name] += taken[name]
            summary["erased"] += len(taken["erased"])
            summary["clashes"] += taken["clashes"]
            summary["faults"] += taken["faults"]
            gone = [record["uid"] for record in page["records"] if record.get("type") == "erased"]
            if gone:
                wire.acknowledge(self.replica(), gone)

    def _pages(self, wire: Wire, name: str, cursor: str) -> Iterator[dict[str, Any]]:
        """The pages of a feed after a cursor, some made one. What has come before a line breaks is
        not asked for again."""
        from recairn.sync.outbox import joined

        held: dict[str, Any] = {}
        try:
            for _ in range(_MOST_PAGES):
                page = wire.pull(name, cursor)
                is_last = not page["more"] or page.get("next") in (None, cursor)
                cursor = str(page.get("next"))
                held = joined(held, page) if held else page
                if is_last or len(held["records"]) >= TAKEN_AT_ONCE:
                    whole, held = held, {}
                    yield whole
                if is_last:
                    return
        except RecairnError:
            if held:
                yield held
            raise

    def _follow_policies(self, wire: Wire, share: dict[str, Any]) -> list[int]:
        """Lets what admins of the team made policy hold here; the rules that began to."""
        from recairn.sync.policies import follow, policies_from

        act = self._act("as the server says")
        return follow(
            self.store, share["project"], policies_from(wire.policies(share["name"])), act
        )

    def policies(self) -> list[dict[str, Any]]:
        """The team policies of the project worked in: who made each, and whether it holds here."""
        from recairn.core.author import POLICY, role_of
        from recairn.memory.authority import in_force
        from recairn.sync.policies import policies_from, wording

        wire, share = self._wire(self.team()), self._share()
        try:
            policies = policies_from(wire.policies(share["name"]))
        finally:
            wire.close()
        numbers = self.store.numbers_of([policy.uid for policy in policies])
        listed = []
        for policy in policies:
            memory = self.store.get(numbers.get(policy.uid, 0))
            entry = {"uid": policy.uid, "by": policy.by, "at": policy.at, "memory": memory}
            why = "not here yet: recairn sync"
            if memory is not None:
                is_policy = role_of(memory.author) == POLICY
                why = "holds" if is_policy else "your own rule" if in_force(memory) else "declined"
                if wording(memory) != policy.version:
                    why = "was rewritten since, and waits for an admin"
            listed.append({**entry, "state": why})
        return listed

    def set_policy(self, reference: int | str, *, on: bool = True) -> Memory:
        """As an admin of the team: makes a rule of the shared project team policy, or ends that."""
        from recairn.memory.authority import guard_person
        from recairn.memory.lookup import known_memory
        from recairn.sync.policies import wording

        guard_person(self._act(), "make a rule team policy", "policy add ID")
        memory = known_memory(self.store, self.resolve(reference, change=True))
        share = self._share()
        self.sync()  # so that the server knows the rule, and both mean the same words
        wire = self._wire(self.team())
        try:
            wire.set_policy(share["name"], memory.uid, wording(memory) if on else None)
        finally:
            wire.close()
        self.sync()
        return known_memory(self.store, memory.id)

    def decline_policy(self, reference: int | str) -> Memory:
        """Lets a team policy not hold here; the others are not told."""
        from recairn.memory.authority import guard_person
        from recairn.memory.lookup import known_memory
        from recairn.sync.policies import decline

        act = self._act()
        guard_person(act, "decline a team policy", "policy decline ID")
        memory = known_memory(self.store, self.resolve(reference, change=True))
        decline(self.store, memory, act)
        return known_memory(self.store, memory.id)

    def _share(self) -> dict[str, Any]:
        """The share of the project worked in."""
        own = next((share for share in self.shares() if share["project"] == self.project), None)
        if own is None:
            raise NotFound(f"{self.project or 'this folder'} is not shared", "recairn share")
        return own

    def wait_for_news(self) -> bool:
        """Whether the server has news, asked until it has or half a minute has passed."""
        places = [(share["name"], share["cursor"]) for share in self.shares()]
        if not places:
            raise NotFound("no project is shared with the team", "recairn share")
        wire = self._wire(self.team())
        try:
            return wire.wait(places)
        finally:
            wire.close()

    def erased_on(self) -> list[dict[str, Any]]:
        """What was destroyed in shared projects, and on how many machines of the team."""
        wire = self._wire(self.team())
        try:
            return [
                {"project": share["project"], "devices": said["devices"], **record}
                for share in self.shares()
                for said in [wire.erased(share["name"])]
                for record in said["erased"]
            ]
        finally:
            wire.close()

    def search_team(self, query: str, *, limit: int = 10) -> list[dict[str, Any]]:
        """What the server finds across the projects that are shared with it, best first."""
        wire = self._wire(self.team())
        try:
            said = wire.hello()
            names = said["projects"] if said.get("fenced") else ["*"]
            hits = [hit for name in names for hit in wire.search(query, name, limit)["hits"]]
        finally:
            wire.close()
        hits.sort(key=lambda hit: -float(hit.get("score") or 0.0))
        return hits[:limit]

    def leave_team(self, *, keep: bool) -> dict[str, Any]:
        """Leaves the team: the token is revoked, nothing is shared any more.

        Without `keep`, what others wrote is forgotten here; one's own memories always stay.
        """
        from recairn.host.team_file import drop

        team = self.team()
        wire = self._wire(team)
        try:
            wire.leave()
        finally:
            wire.close()
        shared = [share["project"] for share in self.shares()]
        for project in shared:
            self.unshare_project(project)
        from recairn.sync.policies import end_all

        end_all(self.store, shared, self._act("left the team"))
        forgotten = 0 if keep else self._forget_others(shared)
        self.set_config(SERVER, None)
        drop(team.server)
        return {"server": team.server, "projects": shared, "forgotten": forgotten}

    def _forget_others(self, projects: list[str]) -> int:
        from recairn.core.author import MEMBER
        from recairn.core.model import Filter
        from recairn.memory.lifecycle import forget

        forgotten = 0
        with self.store.transaction():
            for project in projects:
                everything = Filter(project=project, include_superseded=True)
                for memory in self.store.listing(everything, order="id", limit=-1):
                    if memory.author.partition(":")[0] == MEMBER and memory.project == project:
                        forget(self.store, memory.id, self._act("left the team"))
                        forgotten += 1
        return forgotten

    def _wire(self, team: Team) -> Wire:
        from recairn.sync.wire import Wire

        return Wire(team.server, team.token)
