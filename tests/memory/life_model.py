"""Memories as plain dictionaries: what the engine must agree with after every step."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

from recairn.core.times import DAY

# Share of salience lost per day, by the kinds the machine uses.
RATE = {"fact": 0.005, "failure": 0.02, "rule": 0.01}
IMPORTANCE = {"fact": 0.5, "failure": 0.5, "rule": 0.8}
TIERS = ("session", "project", "global")
LINKS = ("linked", "unlinked")
STRENGTH = ("salience", "decayed_at")


class Refusal(Exception):
    """The engine must refuse this, and change nothing."""


class Model:
    """All memories, every change with before and after, and the edges between memories."""

    def __init__(self) -> None:
        self.memories: dict[int, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []
        # (source, target, relation) → whether it holds; False is an edge that was ended.
        self.edges: dict[tuple[int, int, str], bool] = {}
        self.sessions: set[str] = set()

    # Changing

    def create(self, memory: int, row: dict[str, Any], now: int) -> None:
        assert memory not in self.memories
        usual = {
            "category": "",
            "importance": IMPORTANCE[row["kind"]],
            "pinned": False,
            "immutable": False,
            "created_at": now,
            "deleted_at": None,
            "expires_at": None,
            "superseded_by": None,
            "valid_until": None,
            "helpful": 0.0,
            "harmful": 0.0,
            "outcome_score": None,
            "salience": 1.0,
            "decayed_at": now,
            "usage_count": 0,
            "last_used_at": None,
        }
        self.memories[memory] = {**usual, **row}
        if row["session_id"] is not None:
            self.sessions.add(row["session_id"])
        self.record(memory, "created", now, row["session_id"])

    def record(self, memory, name, now, session, *, moved=({}, {}), undo_of=None) -> None:
        """Appends an event; `moved` is what it changed, before and after."""
        self.events.append(
            {
                "id": len(self.events),
                "memory": memory,
                "event": name,
                "at": now,
                "session": session,
                "before": moved[0],
                "after": moved[1],
                "undo_of": undo_of,
            }
        )

    def change(self, memory, changes, name, now, session, undo_of=None) -> None:
        known = self.memories[memory]
        after = {each: value for each, value in changes.items() if known[each] != value}
        before = {each: known[each] for each in after}
        known.update(after)
        self.record(memory, name, now, session, moved=(before, after), undo_of=undo_of)

    def supersede(self, old: int, new: int, now: int, session: str | None) -> None:
        known = self.memories[old]
        until = max(known["created_at"], min(now, known["valid_until"] or now))
        before = known["superseded_by"]
        changes = {"superseded_by": new, "valid_until": until}
        self.change(old, changes, "superseded", now, session)
        if before is not None:
            self.edges.pop((before, old, "supersedes"), None)
        self.edges[new, old, "supersedes"] = True

    def erase(self, memory: int, now: int, session: str | None) -> None:
        for each, known in self.memories.items():
            if known["superseded_by"] == memory:
                freed = {"superseded_by": None, "valid_until": None}
                self.change(each, freed, "restored", now, session)
        del self.memories[memory]
        self.edges = {edge: held for edge, held in self.edges.items() if memory not in edge[:2]}
        self.record(memory, "erased", now, session)

    def link(self, edge: tuple[int, int, str], held: bool, now: int, session: str | None) -> None:
        before = self.edges.get(edge)
        self.edges[edge] = held
        name = LINKS[0] if held else LINKS[1]
        moved = ({"edge": edge, "held": before}, {"edge": edge, "held": held})
        self.record(edge[0], name, now, session, moved=moved)

    def end_session(self, session: str, now: int) -> None:
        for memory, known in list(self.memories.items()):
            mine = known["session_id"] == session and known["tier"] == "session"
            if not mine or known["deleted_at"] is not None or self.expired(known, now):
                continue
            if known["pinned"] or self.salience(known, now) > 0.7:
                self.change(memory, {"tier": "project"}, "promoted", now, session)
            else:
                self.change(memory, {"expires_at": now}, "expired", now, session)

    # Asking

    @staticmethod
    def expired(known: dict[str, Any], now: int) -> bool:
        return known["expires_at"] is not None and known["expires_at"] <= now

    def visible(self, now: int, session: str | None) -> set[int]:
        return {
            memory
            for memory, known in self.memories.items()
            if known["deleted_at"] is None
            and not self.expired(known, now)
            and (known["valid_until"] is None or known["valid_until"] > now)
            and (known["tier"] != "session" or known["session_id"] == session)
        }

    @staticmethod
    def salience(known: dict[str, Any], now: int) -> float:
        days = max(0.0, (now - known["decayed_at"]) / DAY)
        use = 1.0 + 0.2 * math.log1p(known["usage_count"])
        slowing = (1.5 - known["importance"]) / use
        return known["salience"] * math.exp(-RATE[known["kind"]] * days * slowing)

    def leads_to(self, start: int, goal: int) -> bool:
        seen: set[int] = set()
        following: int | None = start
        while following is not None and following not in seen:
            if following == goal:
                return True
            seen.add(following)
            following = self.memories[following]["superseded_by"]
        return False

    # Taking back

    def undoable(self) -> list[dict[str, Any]]:
        undone = {each["undo_of"] for each in self.events}
        return [
            each
            for each in self.events
            if each["undo_of"] is None and each["id"] not in undone and each["event"] != "erased"
        ]

    def undo(self, wanted: list[dict[str, Any]], now: int, session: str | None) -> Model:
        """The model after the events were taken back; Refusal when they cannot be."""
        after = copy.deepcopy(self)
        chosen = {each["id"]: each for each in wanted}
        for event in wanted:
            if event["event"] == "created":
                chosen.update({each["id"]: each for each in after._replaced_by(event["memory"])})
        for _, event in sorted(chosen.items(), reverse=True):
            if event["memory"] in after.memories:
                after._take_back(event, now, session)
        return after

    def _replaced_by(self, memory: int) -> list[dict[str, Any]]:
        found = []
        for each, known in self.memories.items():
            if known["superseded_by"] == memory:
                ended = [
                    event
                    for event in self.undoable()
                    if event["memory"] == each
                    and event["event"] == "superseded"
                    and event["after"].get("superseded_by") == memory
                ]
                found += ended[-1:]
        return found

    def _take_back(self, event: dict[str, Any], now: int, session: str | None) -> None:
        memory, known = event["memory"], self.memories[event["memory"]]
        if event["event"] in LINKS:
            self._take_back_link(event, now, session)
            return
        if event["event"] == "created":
            gone = {"deleted_at": known["deleted_at"] or now}
            self.change(memory, gone, "forgotten", now, session, event["id"])
            return
        changes = self._reversed(event, known)
        successor = changes.get("superseded_by")
        if successor is not None and successor not in self.memories:
            changes.update(superseded_by=None, valid_until=None)
        elif successor is not None and self.leads_to(successor, memory):
            raise Refusal
        self.change(memory, changes, "restored", now, session, event["id"])
        if "superseded_by" in changes:
            for relation in ("supersedes", "corrects"):
                self.edges.pop((event["after"].get("superseded_by"), memory, relation), None)
            if changes["superseded_by"] is not None:
                self.edges[changes["superseded_by"], memory, "supersedes"] = True

    @staticmethod
    def _reversed(event: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        changes = {}
        for name, before in event["before"].items():
            after = event["after"][name]
            if name in STRENGTH:
                continue
            if known[name] == after:
                changes[name] = before
            elif name in ("helpful", "harmful"):
                changes[name] = max(0.0, known[name] + before - after)
        moved = {name: event["before"][name] for name in STRENGTH if name in event["before"]}
        if all(known[name] == pytest.approx(event["after"][name], abs=1e-12) for name in moved):
            changes.update(moved)
        elif "salience" in moved:
            left = Model.salience({**known, **moved}, event["at"])
            changes["salience"] = min(
                1.0, max(0.0, known["salience"] - event["after"]["salience"] + left)
            )
        return changes

    def _take_back_link(self, event: dict[str, Any], now: int, session: str | None) -> None:
        edge, before = event["before"]["edge"], event["before"]["held"]
        if edge[1] not in self.memories:
            raise Refusal
        if before is None:
            self.edges.pop(edge, None)
        else:
            self.edges[edge] = before
        name = LINKS[1] if event["event"] == LINKS[0] else LINKS[0]
        self.record(edge[0], name, now, session, undo_of=event["id"])
