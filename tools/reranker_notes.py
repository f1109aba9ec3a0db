"""Pairs that are like a developer's memories: notes, rules, talk, and prompts of our own.

`tools/reranker_prompts` holds invented projects, written for this: `# project`, then lines
`m key | memory` and `p prompt => keys of the memories that help`, where nothing after the arrow
means that none does. Every fifth project of the files a to e is held out, for measuring alone, and
so is the file held.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

Pair = tuple[str, str, str]  # where it is from, question, text

PROMPTS = Path(__file__).parent / "reranker_prompts"
HELD_OUT, OF_WHICH = 5, "abcde"
AT_ONCE = 200  # files that are read at a time
WORD = re.compile(r"\w+")
SENTENCE = re.compile(r"(?<=[.?!])\s")
# Words of talk that say nothing of what is talked about.
IDLE = frozenset(
    "what which that this have with your you know like think about they them their there from just"
    " were been very really would could should does did when where also some more much because"
    " yeah well pretty good great love ever heard wonder right true guess sure thing things".split()
)
SAID = (
    "what did they say about {}?", "who talked about {}?", "when did we speak of {}?",
    "what does she think of {}?", "did he mention {}?",
)  # fmt: skip
BEFORE = (
    "", "", "", "please ", "can you ", "could you ", "hey, ", "I need to ", "we should ", "now ",
    "next: ", "ok, ", "help me ", "let us ",
)  # fmt: skip
AFTER = (
    "", "", "", "", " please", ", and keep it simple", " and run the tests", " today",
    ", what do you think?", " (customer is waiting)",
)  # fmt: skip
KINDS = ("", "", "", "Decision: ", "Rule: ", "Learned: ", "Note: ")
ASKS = re.compile(r"(?:why|what|where|which|how|should|can|did|is)\b")
TELLS = re.compile(r"[a-z]+ (?:a|an|the|our|all|it|that|this|to|for|in|on|with|from|two|ten)?\b")
chance = random.Random(5)


def git(repository: Path, *words: str) -> str:
    return git_bytes(repository, *words).decode("utf-8", "replace")


def git_bytes(repository: Path, *words: str, given: bytes = b"") -> bytes:
    folder = repository / ".git" if (repository / ".git").is_dir() else repository
    command = ["git", "--git-dir", str(folder), *words]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def files_in(repository: Path, ends: str | tuple[str, ...], under: str = "") -> Iterator[Pair]:
    """Path, number and text of the files of a repository that end so; absent ones are passed by."""
    tree = git(repository, "ls-tree", "-r", "HEAD", *([under] if under else [])).split("\n")
    found = [(path, about.split()[2]) for about, _, path in (line.partition("\t") for line in tree)
             if path.endswith(ends) and about.split()[1:2] == ["blob"]]  # fmt: skip
    for start in range(0, len(found), AT_ONCE):
        part = found[start : start + AT_ONCE]
        texts = blobs(repository, [number for _, number in part])
        for (path, number), text in zip(part, texts, strict=True):
            if text is not None:
                yield path, number, text


def blobs(repository: Path, numbers: list[str]) -> Iterator[str | None]:
    """The texts of these numbers; a snapshot may lack its largest."""
    said = git_bytes(repository, "cat-file", "--batch", given="\n".join(numbers).encode())
    at = 0
    for _ in numbers:
        end = said.index(b"\n", at)
        about = said[at:end].split()
        at = end + 1
        if about[1] == b"missing":
            yield None
            continue
        size = int(about[2])
        yield said[at : at + size].decode("utf-8", "replace")
        at += size + 1


def plain(text: str) -> str:
    """Markdown without its front matter, comments, links and templates."""
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->|\{\{[<%].*?[>%]\}\}", "", text, flags=re.DOTALL)
    return re.sub(r"[*_]{2,}", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text))


def learnt_pairs(repository: Path) -> Iterator[Pair]:
    """What somebody learnt today: its title, or a question for it, and the note."""
    for path, _, written in files_in(repository, ".md"):
        text = plain(written)
        titled = re.match(r"\s*# (.+)\n", text)
        if titled is None or path.count("/") != 1:
            continue
        title, body = titled.group(1), text[titled.end() :].strip()
        topic = path.split("/")[0].replace("-", " ")
        blocks = [block for block in re.split(r"\n\s*\n", body) if len(block) > 40]
        if not blocks:
            continue
        shape = chance.choice(("how to {} in {}", "{} {}", "how do I {} ({})?"))
        asked = shape.format(title[0].lower() + title[1:], topic)
        yield "til", title if chance.random() < 0.5 else asked, body
        if len(blocks) > 2:
            yield "til/inner", title, f"{blocks[0]}\n{blocks[-1]}"


def rule_pairs(repository: Path) -> Iterator[Pair]:
    """What a rule is about, by the heading it stands under, and the rule."""
    for path, _, written in files_in(repository, (".mdc", ".cursorrules", ".md"), "rules"):
        name = re.sub(r"-cursorrules.*|\.mdc$", "", path.split("/")[-1]).replace("-", " ")
        heading = ""
        for line in plain(written).split("\n"):
            if line.startswith("#"):
                heading = line.lstrip("# ").strip()
            rule = re.match(r"\s*(?:[-*]|\d+\.)\s+(.{40,400})$", line)
            if rule and heading and len(WORD.findall(f"{heading} {name}")) >= 3:
                first = chance.random() < 0.6
                asked = f"{heading} {name}" if first else f"{name}: {heading.lower()}"
                yield "rule", asked, rule.group(1)


def interview_pairs(repository: Path) -> Iterator[Pair]:
    shape = re.compile(
        r"^\s*\d+\.\s+### (.+?)\n(.*?)(?=\n\s*\d+\.\s+### |\Z)", re.DOTALL | re.MULTILINE
    )
    for question, answer in shape.findall(git(repository, "show", "HEAD:README.md")):
        text = re.sub(r"\*\*\[⬆.*", "", plain(answer), flags=re.DOTALL).strip()
        if len(text) > 80:
            yield "interview", question, text


def telling(text: str) -> list[str]:
    return [word for word in WORD.findall(text) if len(word) > 3 and word.lower() not in IDLE]


def talk_pairs(repository: Path) -> Iterator[Pair]:
    """A question of somebody and the answer to it; what was said, asked for later."""
    for _, _, written in files_in(repository, ".json", "conversations"):
        for talk in json.loads(written).values():
            turns = talk["content"]
            for turn, answer in pairwise(turns):
                said, reply = turn["message"], answer["message"]
                asked = [each for each in SENTENCE.split(said) if each.endswith("?")]
                if not asked or turn["agent"] == answer["agent"]:
                    continue
                about = {word.lower() for word in telling(asked[-1])}
                shared = about & {word.lower() for word in telling(reply)}
                words = telling(said)
                if len(about) >= 3 and len(shared) >= 2 and len(reply) > 50:
                    yield "chat", asked[-1], reply
                elif len(said) > 80 and chance.random() < 0.12 and len(words) > 5:
                    at = chance.randrange(len(words) - 3)
                    some = " ".join(words[at : at + chance.randint(2, 4)]).lower()
                    yield "chat/said", chance.choice(SAID).format(some), said


def projects_in(path: Path) -> Iterator[tuple[str, dict[str, str], list[tuple[str, list[str]]]]]:
    """The projects of a file: name, memories by key, and prompts with the keys that help."""
    for part in re.split(r"^# ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, *lines = part.split("\n")
        memories: dict[str, str] = {}
        prompts: list[tuple[str, list[str]]] = []
        for line in (each.replace("\\n", "\n") for each in lines):
            if line.startswith("m "):
                key, _, text = line[2:].partition("|")
                memories[key.strip()] = text.strip()
            elif line.startswith("p "):
                asked, _, keys = line[2:].rpartition("=>")
                helping = [key.strip() for key in keys.split(",") if key.strip() in memories]
                prompts.append((asked.strip(), helping))
        yield name.split(":")[0], memories, prompts


def prompt_rows() -> Iterator[dict[str, Any]]:
    """The prompts of our own with their project and all that answers; the held-out ones are not
    among them."""
    given = -1
    for path in sorted(PROMPTS.glob("*.txt")):
        for name, memories, prompts in projects_in(path):
            if path.stem == "phrased":
                yield from phrased_rows(name, memories, prompts)
                continue
            given += path.stem in OF_WHICH
            held_out = given % HELD_OUT == HELD_OUT - 1 if path.stem in OF_WHICH else False
            if not held_out and path.stem != "held":
                yield from labelled_rows(f"{path.stem}/{name}", memories, prompts)


def labelled_rows(
    project: str, memories: dict[str, str], prompts: list[tuple[str, list[str]]]
) -> Iterator[dict[str, Any]]:
    about = {"source": "prompt", "project": project}
    left = dict(memories)
    for asked, keys in prompts:
        answers = [memories[key] for key in keys]
        for text in answers or [next(iter(memories.values()))]:
            yield {**about, "question": asked, "text": text, "answers": answers}
        for key in keys:
            left.pop(key, None)
    # Every memory must be among the candidates, also one that no prompt asks for.
    for text in left.values():
        yield {**about, "question": text.split(".")[0], "text": text, "answers": [text]}


def phrased_rows(
    project: str, memories: dict[str, str], prompts: list[tuple[str, list[str]]]
) -> Iterator[dict[str, Any]]:
    """Each prompt as it is and in two other phrasings, its memory with and without a kind."""
    for asked, (key, *_) in prompts:
        text = memories[key]
        for number in range(3):
            question, kind = asked, ""
            if number:
                question, kind = phrased(asked), chance.choice(KINDS)
            yield {
                "source": "memory",
                "project": project,
                "question": question,
                "text": kind + text,
                "answers": [prefix + text for prefix in dict.fromkeys(KINDS)],
            }


def phrased(asked: str) -> str:
    if ASKS.match(asked):
        before = chance.choice(("", "hey, ", "quick question: ", "I wonder "))
        return before + asked + chance.choice(("?", "", "??", " in this project?"))
    if TELLS.match(asked):
        return chance.choice(BEFORE) + asked + chance.choice(AFTER)
    before = chance.choice(("", "fix this: ", "I see: ", "got this: "))
    return before + asked + chance.choice(("", "", ", any idea?", " again"))
