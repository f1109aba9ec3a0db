"""Pairs of code and of the history of code: what a comment says and the function under it, what
somebody asked on Stack Overflow and the code of the answer, what a cheat sheet calls a command and
the command, and a line of the release notes and the commit behind it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from reranker_notes import SENTENCE, WORD, Pair, files_in, git

# Language, repository, folder, ends, and how many pairs are kept.
FUNCTIONS = (
    ("go", "golang+go", "src", ".go", 5_000),
    ("go", "prometheus+prometheus", "", ".go", 1_500),
    ("go", "etcd-io+etcd", "", ".go", 1_500),
    ("go", "cosmos+cosmos-sdk", "", ".go", 1_500),
    ("java", "spring-projects+spring-framework", "", ".java", 3_500),
    ("java", "apache+kafka", "", ".java", 2_500),
    ("java", "google+guava", "guava/src", ".java", 1_500),
    ("java", "google+error-prone", "", ".java", 1_000),
    ("java", "apache+commons-lang", "src/main", ".java", 1_000),
    ("js", "nodejs+node", "lib", ".js", 2_000),
    ("js", "eslint+eslint", "lib", ".js", 2_000),
    ("js", "angular+angular", "packages", ".ts", 2_500),
    ("js", "vuejs+core", "packages", ".ts", 500),
    ("php", "laravel+framework", "src", ".php", 3_000),
    ("rust", "tokio-rs+tokio", "", ".rs", 1_500),
    ("rust", "BurntSushi+ripgrep", "", ".rs", 1_500),
    ("ruby", "rails+rails", "", ".rb", 4_000),
    ("elixir", "elixir-lang+elixir", "lib", ".ex", 2_000),
    ("c", "git+git", "", ".c", 1_500),
    ("c", "postgres+postgres", "src", ".c", 4_000),
    ("c", "curl+curl", "lib", ".c", 800),
    ("c", "systemd+systemd", "src", ".c", 800),
    ("c", "neovim+neovim", "src", ".c", 1_500),
)  # fmt: skip
BLOCK = r"^[ \t]*/\*+((?:(?!\*/)[\s\S]){20,1500}?)\*/\n"
SHAPES = {
    "go": re.compile(r"((?:^//.*\n)+)^(func .*\{\n(?:[^}].*\n|\n)*\}?)", re.MULTILINE),
    "java": re.compile(
        BLOCK + r"((?:[ \t]*@.*\n)*[ \t]*[\w<][^;{}=]*\([^;{}]*\{\n(?:.*\n){1,18})", re.MULTILINE
    ),
    "js": re.compile(BLOCK + r"([ \t]*[\w#*][^;{}]*\([^;]*\{\n(?:.*\n){1,18})", re.MULTILINE),
    "php": re.compile(BLOCK + r"([ \t]*[\w ]*function .*\n(?:.*\n){1,18})", re.MULTILINE),
    "rust": re.compile(
        r"((?:^[ \t]*///.*\n)+)((?:[ \t]*#\[.*\n)*[ \t]*(?:pub[\w() ]* )?(?:async )?fn .*\n"
        r"(?:.*\n){1,18})",
        re.MULTILINE,
    ),
    "ruby": re.compile(r"((?:^[ \t]*#.*\n)+)([ \t]*def .*\n(?:.*\n){1,18})", re.MULTILINE),
    "elixir": re.compile(
        r'@doc """\n([\s\S]{20,1500}?)"""\n((?:.*\n){0,4}?[ \t]*def.*\n(?:.*\n){1,18})',
        re.MULTILINE,
    ),
    "c": re.compile(BLOCK + r"((?:^[\w].*\n){1,5}^\{\n(?:.*\n){1,18})", re.MULTILINE),
}
MARKS = re.compile(r"^[ \t]*(?:/{2,3}!?|\*+|#)[ \t]?", re.MULTILINE)
TAGS = re.compile(r"\{@\w+ ([^}]*)\}|</?\w+[^>]*>|\[([^\]]+)\](?:\([^)]*\))?|[`*]")
NAMED = re.compile(r"^[A-Za-z_][\w.:]*(?:\(\))?\s+(?:-+ )?(?=[a-z])")
# Comments that are of the law or of tools, and those that every constructor has.
EMPTY = re.compile(
    r"copyright|licen[sc]e|eslint|@internal|todo|see also|@param|"
    r"^(?:creates?|constructs?|new|a new)\b.{0,60}\binstance\.?$",
    re.IGNORECASE,
)
# Cheat sheets, and pages of Stack Overflow as codenn has them (title, then code).
CHEATS = (("cheat+cheatsheets", ""), ("chubin+cheat.sheets", "sheets/"))
ASKED = {"csharp": 8_000, "sql": 7_000, "python": 3_000}
# Repositories of which a line of the release notes names an issue that a commit names too.
NOTES = (
    ("django", "django+django", "docs/releases", ".txt"),
    ("pandas", "pandas-dev+pandas", "doc/source/whatsnew", ".rst"),
)
NUMBER = re.compile(r"#(\d{3,6})|:issue:`(\d+)`|:ticket:`(\d+)`|GH[- ]?(\d{3,6})")
MOST_NOTES = 3_000
chance = random.Random(11)


def sampled(pairs: Iterable[Pair], most: int) -> list[Pair]:
    found = list(pairs)
    return found if len(found) <= most else chance.sample(found, most)


def code_pairs(repositories: Path) -> Iterator[Pair]:
    for language, name, under, ends, most in FUNCTIONS:
        yield from sampled(function_pairs(repositories / name, language, under, ends), most)
    for language, most in ASKED.items():
        yield from sampled(asked_pairs(repositories / "sriniiyer+codenn", language), most)
    for name, under in CHEATS:
        yield from cheat_pairs(repositories / name, under)
    for project, name, under, ends in NOTES:
        yield from sampled(note_pairs(repositories / name, project, under, ends), MOST_NOTES)


def function_pairs(repository: Path, language: str, under: str, ends: str) -> Iterator[Pair]:
    """The first sentence of the comment above a function, and the function."""
    for path, _, written in files_in(repository, ends, under):
        if re.search(r"(?:^|/)(?:vendor|testdata|tests?|third_party|deps)/|_test\.|\.pb\.", path):
            continue
        for comment, code in SHAPES[language].findall(written[:150_000]):
            text = MARKS.sub("", comment).strip()
            text = TAGS.sub(lambda found: found[1] or found[2] or "", text)
            first = re.split(r"(?<=[.])\s|\n\s*\n|\n\s*@", text)[0]
            first = " ".join(first.split())
            if not 25 < len(first) < 220 or len(code) < 80 or EMPTY.search(first):
                continue
            if len(WORD.findall(first)) < 5:
                continue
            name = WORD.findall(first)[0]
            bare = NAMED.sub("", first) if re.search(rf"\b{name}\b", code[:300]) else first
            asked = bare if chance.random() < 0.7 and len(WORD.findall(bare)) > 4 else first
            yield f"code:{language}", asked, body_of(code)


def body_of(code: str) -> str:
    """The lines of a function, up to the one that closes it."""
    lines = code.rstrip().split("\n")
    edge = len(lines[0]) - len(lines[0].lstrip())
    for at, line in enumerate(lines[1:], 1):
        if line.strip() in ("}", "};", "end") and len(line) - len(line.lstrip()) <= edge:
            return "\n".join(lines[: at + 1])
    return "\n".join(lines)


def asked_pairs(repository: Path, language: str) -> Iterator[Pair]:
    for part in ("valid", "test"):
        path = f"HEAD:data/stackoverflow/{language}/{part}.txt"
        for line in git(repository, "show", path).split("\n"):
            fields = line.split("\t")
            if len(fields) < 4:
                continue
            code = fields[3].replace("\\n", "\n").strip()
            if 40 < len(code) < 1_200 and 15 < len(fields[2]) < 200:
                yield f"so:{language}", fields[2], code


def cheat_pairs(repository: Path, under: str) -> Iterator[Pair]:
    """What a cheat sheet says of a command, and the command."""
    for path, _, written in files_in(repository, "", under):
        name = path.split("/")[-1]
        if name.startswith((".", "_")) or path.startswith(".") or len(written) > 60_000:
            continue
        for said, command in re.findall(
            r"^# ?(.{15,150})\n((?:(?!#)\S.*\n){1,4})", written, re.MULTILINE
        ):
            asked = re.sub(r"^To ", "", said).rstrip(":. ")
            named = f" with {name}" if chance.random() < 0.4 else ""
            yield "cheat", asked + named, f"{name}: {command.strip()}"


def note_pairs(repository: Path, project: str, under: str, ends: str) -> Iterator[Pair]:
    """A line of the release notes, and the commit that names the same issue."""
    commits: dict[str, str] = {}
    for entry in git(repository, "log", "--no-merges", "--format=%s%n%b%x1e").split("\x1e"):
        numbers = {number for found in NUMBER.findall(entry) for number in found if number}
        subject, _, body = entry.strip("\n").partition("\n")
        if len(numbers) == 1 and len(body) > 80 and not subject.startswith("Revert"):
            commits.setdefault(numbers.pop(), f"{subject}\n{body.strip()}")
    for _, _, written in files_in(repository, ends, under):
        for line in re.split(r"\n\s*\n|\n(?=\s*[-*] )", written):
            found = {number for each in NUMBER.findall(line) for number in each if number}
            said = [commits[number] for number in sorted(found) if number in commits]
            asked = re.sub(r"\[?\(?\[?(?:#\d+|:(?:issue|ticket):`\d+`|GH-?\d+).*", "", line)
            asked = re.sub(r":\w+:`~?\.?([^`]*)`", r"\1", asked)
            asked = SENTENCE.split(" ".join(re.sub(r"[`*\[\]]", "", asked).split()))[0]
            if len(said) == 1 and 30 < len(asked) < 280:
                yield f"note:{project}", asked.strip("-( "), said[0]
