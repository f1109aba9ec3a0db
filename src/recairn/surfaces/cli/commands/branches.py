"""Rows of the commands for branches that memories belong to."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

BRANCHES = (
    Command(
        name="branch list",
        group="Change",
        about="the branches that memories belong to, and which are merged",
        handler="recairn.surfaces.cli.actions.branches:listing",
        examples=("recairn branch", "recairn branch list", "recairn branch list --json"),
        notes="recairn add --branch . keeps something to the branch you are on: it is found"
        " elsewhere, marked, and handed to agents on that branch alone.",
    ),
    Command(
        name="branch promote",
        group="Change",
        about="let what belongs to a branch hold on all of them",
        handler="recairn.surfaces.cli.actions.branches:promote",
        examples=(
            "recairn branch promote feat/login",
            "recairn branch promote .",
            "recairn branch:promote feat/login --json",
        ),
        arguments=(("BRANCH", "its name; . is the current one"),),
        notes="For when it is merged. What did not make it: recairn list --branch NAME, and"
        " recairn forget. recairn undo takes a promotion back.",
    ),
)
