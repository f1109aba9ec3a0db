"""Team policy: rules that an admin of the team lets hold for all who share a project.

Which rules those are the server alone says, in an answer of its own: no record, mirror or import
speaks of it. A policy names a memory and what it says; other words are a proposal again.
"""

from __future__ import annotations

from recairn.core.author import MEMBER, POLICY, author_named, role_of
from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.model import Filter
from recairn.core.record import record, replace
from recairn.memory.authority import RULE
from recairn.memory.lifecycle import event_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act, Event, Memory
    from recairn.store.contract.base import Store

# The setting in which a server keeps them, and how many a project may have: each costs every
# session of every member room.
KEPT = "team.policies"
MOST = 100
# What happens to a memory here when a policy begins to hold, ends, or is declined.
HOLDS, ENDED, DECLINED = "policy", "policy ended", "policy declined"


@record
class Policy:
    """A rule of a project that an admin made team policy, and the version of its words."""

    uid: str
    version: str
    by: str
    at: int


def wording(memory: Memory) -> str:
    """The version of what a rule says and where it holds."""
    from hashlib import sha256
    from json import dumps

    said = [memory.kind, memory.title, memory.content, dict(memory.fields), memory.scope]
    return sha256(dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]


# On a server


def policies_of(store: Store, project: str) -> list[Policy]:
    """The policies of a project, oldest first."""
    policies = [_policy(uid, raw) for uid, raw in _all_policies(store).get(project, {}).items()]
    return sorted(
        (policy for policy in policies if policy), key=lambda policy: (policy.at, policy.uid)
    )


def set_policy(store: Store, project: str, uid: str, version: str, member: str, at: int) -> None:
    """Makes a rule of a project team policy in the words that the admin saw."""
    number = store.numbers_of([uid]).get(uid)
    memory = None if number is None else store.get(number)
    if memory is None or memory.project != project or memory.deleted_at is not None:
        raise NotFound(f"the project {project} has no such memory here", "recairn sync, then again")
    if memory.kind != RULE:
        raise Refused(f"it is a {memory.kind}, and only a rule may be team policy")
    if wording(memory) != version:
        raise Refused("it says something else here by now", "recairn sync, read it, then again")
    with store.transaction():
        kept = _all_policies(store)
        of_project = {**kept.get(project, {})}
        of_project[uid] = {"version": version, "by": member, "at": at}
        if len(of_project) > MOST:
            raise Refused(f"{project} has {MOST} policies already", "recairn policy remove ID")
        _keep(store, {**kept, project: of_project}, at)


def end_policy(store: Store, project: str, uid: str, at: int) -> None:
    """Lets a rule be team policy no longer."""
    with store.transaction():
        kept = _all_policies(store)
        of_project = {**kept.get(project, {})}
        if of_project.pop(uid, None) is None:
            raise NotFound("it is no team policy", "recairn policy list")
        _keep(store, {**kept, project: of_project}, at)


def _all_policies(store: Store) -> dict[str, dict[str, Any]]:
    from json import loads

    value = loads(store.config().get(KEPT) or "{}")
    return value if isinstance(value, dict) else {}


def _keep(store: Store, kept: Mapping[str, Mapping[str, Any]], at: int) -> None:
    from json import dumps

    store.set_config(
        KEPT, dumps({name: policies for name, policies in kept.items() if policies}), at
    )


def _policy(uid: Any, said: Any) -> Policy | None:
    if not isinstance(uid, str) or not isinstance(said, dict):
        return None
    version, by, at = said.get("version"), said.get("by"), said.get("at")
    if not isinstance(version, str) or not isinstance(by, str) or type(at) is not int:
        return None
    return Policy(uid, version, by, at)


# On a laptop


def policies_from(answer: Any) -> list[Policy]:
    """The policies in a server's answer; what cannot be read is none."""
    listed = answer if isinstance(answer, list) else []
    policies = [_policy(raw.get("uid"), raw) for raw in listed if isinstance(raw, dict)]
    return [policy for policy in policies if policy is not None][:MOST]


def follow(store: Store, project: str, policies: Sequence[Policy], act: Act) -> list[int]:
    """Lets the policies of a project hold here, and those no longer that are none any more; what
    began to hold. What the person accepted, wrote or declined stays as they decided."""
    by_uid = {policy.uid: policy for policy in policies}
    everything = Filter(project=project, kinds=(RULE,), include_superseded=True)
    begun = []
    with store.transaction():
        for memory in store.listing(everything, order="id", limit=-1):
            policy = by_uid.get(memory.uid)
            meant = policy is not None and policy.version == wording(memory)
            if role_of(memory.author) == POLICY and not meant:
                _end(store, memory, act, ENDED)
            elif policy is not None and meant and _waits(store, memory, project):
                _begin(store, memory, policy, act)
                begun.append(memory.id)
    return begun


def _waits(store: Store, memory: Memory, project: str) -> bool:
    """Whether it is a colleague's proposal, of which the person has not said no."""
    if memory.project != project or memory.tier != "project" or memory.trust != "unverified":
        return False
    if role_of(memory.author) != MEMBER:
        return False
    version = wording(memory)
    return not any(
        event.event == DECLINED and event.reason == version for event in store.history(memory.id)
    )


def _begin(store: Store, memory: Memory, policy: Policy, act: Act) -> None:
    event = replace(
        event_of(HOLDS, memory.id, act, f"team policy of {policy.by}"),
        author=author_named(MEMBER, policy.by),
    )
    changes = {"trust": "verified", "author": author_named(POLICY, policy.by)}
    _change(store, memory, {**changes, "updated_at": act.at}, event)


def _end(store: Store, memory: Memory, act: Act, what: str, reason: str = "") -> None:
    """Makes it the proposal of who wrote it again."""
    begun = [event for event in store.history(memory.id) if event.event == HOLDS]
    author = str(begun[-1].before.get("author") or MEMBER) if begun else MEMBER
    changes = {"trust": "unverified", "author": author, "updated_at": act.at}
    _change(store, memory, changes, event_of(what, memory.id, act, reason))


def _change(store: Store, memory: Memory, changes: Mapping[str, Any], event: Event) -> None:
    """Changes how much it counts here. That is no word of this member's to the others, so the
    stamps stay: with one of ours they would hear that it left the team."""
    store.change(memory.id, changes, event, store.stamps_of([memory.id])[memory.id])


def decline(store: Store, memory: Memory, act: Act) -> None:
    """Lets a policy not hold here, as long as it says the same."""
    if role_of(memory.author) != POLICY:
        raise BadInput(f"#{memory.id} is no team policy that holds here", "recairn policy list")
    with store.transaction():
        _end(store, memory, act, DECLINED, wording(memory))


def end_all(store: Store, projects: Sequence[str], act: Act) -> None:
    """Lets no policy of some projects hold any more: who left is told no more what is one."""
    for project in projects:
        follow(store, project, (), act)
