"""Rows of the commands about projects."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

PROJECTS = (
    Command(
        name="project list",
        group="Work",
        about="the projects there are, and how much each remembers",
        handler="recairn.surfaces.cli.actions.projects:listing",
        examples=(
            "recairn project list",
            "recairn projects --json",
            "recairn recent --project bakery",
        ),
        aliases=("projects",),
    ),
    Command(
        name="project show",
        group="Work",
        about="a project: its names, where it lies, by what it is known, what was done to it",
        handler="recairn.surfaces.cli.actions.projects:show",
        examples=(
            "recairn project show",
            "recairn project show bakery",
            "recairn project show --json",
        ),
        arguments=(("[NAME]", "the project; without it the one of this folder"),),
    ),
    Command(
        name="project rename",
        group="Work",
        about="give a project another name; the old one goes on working",
        handler="recairn.surfaces.cli.actions.projects:rename",
        examples=(
            "recairn project rename bakery",
            "recairn project rename api backend",
            "recairn project rename private/api api-at-home --json",
        ),
        arguments=(("NAME+", "the new name; or the old and the new one"),),
    ),
    Command(
        name="project merge",
        group="Work",
        about="make one project of two: names, places and all that is remembered",
        handler="recairn.surfaces.cli.actions.projects:merge",
        examples=(
            "recairn project merge api-2",
            "recairn project merge main shop",
            "recairn project merge main shop --json",
        ),
        arguments=(("NAME+", "the project that ends; and the one it goes into, if not this"),),
        notes="Documents that both keep under one path are kept once.",
    ),
    Command(
        name="project split",
        group="Work",
        about="make this checkout or folder a project of its own",
        handler="recairn.surfaces.cli.actions.projects:split",
        examples=(
            "recairn project split",
            "recairn project split shop-from-template",
            "recairn project split --json",
        ),
        arguments=(("[NAME]", "what to call it; without it, it is named after its folder"),),
        notes="What sessions made in this folder goes along, the rest stays where it is: recairn"
        " edit ID --move-to NAME moves one memory. Other clones stay, too.",
    ),
    Command(
        name="project add",
        group="Work",
        about="make a folder of this project a part with a memory of its own",
        handler="recairn.surfaces.cli.actions.projects:add",
        creates=True,
        examples=(
            "recairn project add web --folder packages/web",
            "recairn project add backend --folder services/api",
            "recairn project add web --folder packages/web --json",
        ),
        arguments=(
            ("NAME", "what to call the part"),
            ("--folder FOLDER", "where it begins, told from the root of the project"),
        ),
        notes="Below that folder one sees what the part remembers and what the whole project does;"
        " the project does not see the part's. recairn project merge NAME gives it back.",
    ),
)
