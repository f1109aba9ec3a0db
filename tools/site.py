"""The documentation as a site: pages of docs/ and of the root, a search, and no dead link.

    python3 run.py docs

The tool that makes it (docs/decisions says which and why) comes from requirements-docs.lock into an
environment of its own below .cache/docs; the site is beside it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WORK = ROOT / ".cache" / "docs"
LOCK = ROOT / "requirements-docs.lock"

# Pages of the root that the site has too, and what they are called there.
FROM_THE_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "AGENTS.md": "AGENTS.md",
    "SECURITY.md": "SECURITY.md",
}
# The way through the pages; what stands nowhere comes under "More", so that nothing is lost.
GROUPS = {
    "Begin": ["index.md", "install.md", "coming-from.md", "import.md", "projects.md"],
    "Use": [
        "page.md",
        "context.md",
        "capture.md",
        "learning.md",
        "lifecycle.md",
        "sessions.md",
        "tasks.md",
        "documents.md",
        "graph.md",
    ],
    "Agents": ["hooks.md", "mcp.md"],
    "Share": ["export.md", "mirror.md", "postgres.md", "team.md"],
    "How it works": ["ranking.md", "embeddings.md", "benchmarks.md", "security.md"],
    "Reference": ["cli.md", "json.md", "python.md", "compatibility.md", "CHANGELOG.md"],
}
PICTURES = frozenset((".png", ".svg"))
LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def assemble(folder: Path) -> None:
    """Puts all pages where the site is made from, with links that hold there."""
    for path in DOCS.rglob("*"):
        target = folder / path.relative_to(DOCS)
        if path.suffix == ".md":
            depth = len(path.relative_to(DOCS).parts) - 1
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_relinked(path.read_text(), "../" * (depth + 1), "../" * depth))
        elif path.suffix in PICTURES:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path)
    for name, page in FROM_THE_ROOT.items():
        text = (ROOT / name).read_text()
        (folder / page).write_text(_relinked(text, "", "").replace("](docs/", "]("))


def _relinked(text: str, root: str, top: str) -> str:
    """Links from `root`, where the repository begins, to where the site has that file."""

    def target(match: re.Match[str]) -> str:
        link = match.group(2)
        name, mark, anchor = link.removeprefix(root).partition("#")
        if not link.startswith(root) or name not in {*FROM_THE_ROOT, "docs/decisions/"}:
            return match.group()
        page = FROM_THE_ROOT.get(name, f"docs/decisions/{_decisions(DOCS)[0].name}")
        return f"{match.group(1)}{top}{page}{mark}{anchor}{match.group(3)}"

    return LINK.sub(target, text)


def _decisions(docs: Path) -> list[Path]:
    return sorted((docs / "decisions").glob("*.md"))


def navigation(folder: Path) -> list[dict[str, Any]]:
    """The groups of pages, each with the pages there are."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
    groups = {name: [page for page in pages if page in there] for name, pages in GROUPS.items()}
    decisions = [path.relative_to(folder).as_posix() for path in _decisions(folder)]
    working = ["CONTRIBUTING.md", "AGENTS.md", "SECURITY.md"]
    listed = {page for pages in groups.values() for page in pages} | {*decisions, *working}
    more = sorted(there - listed)
    if more:
        groups["More"] = more
    work: list[Any] = [*working, {"Decisions": decisions}]
    return [*({name: pages} for name, pages in groups.items()), {"Working on it": work}]


def pages_of(group: Any) -> list[str]:
    """The pages below an entry of the navigation."""
    if isinstance(group, str):
        return [group]
    entries = group.values() if isinstance(group, dict) else group
    return [page for entry in entries for page in pages_of(entry)]


def configuration(folder: Path) -> str:
    """What the tool is told. JSON is YAML, so no further package is needed to write it."""
    settings = {
        "site_name": "recairn",
        "site_description": "The memory a developer's coding agents share",
        "docs_dir": "pages",
        "site_dir": "site",
        "theme": {
            # No font, script or picture comes from elsewhere.
            "font": False,
            "features": ["navigation.sections", "navigation.top", "content.code.copy"],
            "palette": [_palette("light", "default", "dark"), _palette("dark", "slate", "light")],
        },
        "plugins": ["search"],
        "markdown_extensions": [
            "tables",
            {"toc": {"permalink": True, "slugify": "SLUGS"}},
            "pymdownx.highlight",
            "pymdownx.superfences",
        ],
        "nav": navigation(folder),
    }
    # Anchors as forges make them, so that a link holds in both places.
    slugs = '!!python/object/apply:pymdownx.slugs.slugify {"kwds": {"case": "lower"}}'
    return json.dumps(settings, indent=1).replace('"SLUGS"', slugs)


def _palette(scheme: str, colours: str, other: str) -> dict[str, Any]:
    toggle = {"icon": "material/brightness-6", "name": f"to {other}"}
    media = f"(prefers-color-scheme: {scheme})"
    return {"media": media, "scheme": colours, "primary": "blue grey", "toggle": toggle}


def program() -> Path:
    """The tool, installed where it is not there in the locked version."""
    environment = WORK / "environment"
    mark = environment / "lock.txt"
    if not mark.exists() or mark.read_text() != LOCK.read_text():
        shutil.rmtree(environment, ignore_errors=True)
        venv = [sys.executable, "-m", "venv", "--without-pip", str(environment)]
        pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python")]
        for command in (venv, [*pip, "install", "-q", "--require-hashes", "-r", str(LOCK)]):
            subprocess.run(command, check=True)
        mark.write_text(LOCK.read_text())
    return environment / "bin" / "zensical"


def main() -> None:
    tool = program()
    pages = WORK / "pages"
    for folder in (pages, WORK / "site"):
        shutil.rmtree(folder, ignore_errors=True)
    assemble(pages)
    (WORK / "mkdocs.yml").write_text(configuration(pages))
    # Strict: a link or an anchor that leads nowhere fails it.
    status = subprocess.call([tool, "build", "--strict", "--config-file", "mkdocs.yml"], cwd=WORK)
    if status:
        sys.exit(status)
    print(f"look at it: python3 -m http.server -d {WORK / 'site'}")


if __name__ == "__main__":
    main()
