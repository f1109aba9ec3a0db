"""Pairs of talk: meetings, chat rooms, dialogues with a service, and what guests asked of hotels.

A question of one speaker asks for the reply of another; what was said is asked for later, by who
said it and what about; of a dialogue, one thing that was agreed on is asked for by another.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from reranker_code import sampled
from reranker_notes import SENTENCE, WORD, Pair, files_in, git, telling

Turn = tuple[str, str]  # who, what

MOST_WINDOW = 480  # characters of a few turns together
MOST = {"sgd": 16_000, "ami": 9_000, "irc": 8_000, "calls": 9_000}
LATER = (
    "what did {who} say about {what}?", "what does {who} think of {what}", "{who} on {what}",
    "when did {who} bring up {what}?", "did {who} mention {what}", "{who} {what}",
    "what was {who}'s point about {what}?", "who talked about {what}?",
    "what was said about {what}",
)  # fmt: skip
CHOSEN = (
    "what {slot} did {who} choose for {value}?", "which {slot} was it with {value}",
    "{who}'s {slot} for {value}?",
    "{slot} for {value}", "remind me of the {slot} for {value}", "what was the {slot}? ({value})",
    "when {who} talked about {value}, what {slot} was wanted?",
)  # fmt: skip
GUESTS = (
    "{who} {what}", "what do guests of {who} say about {what}?", "who complained of {what}?",
    "which place had {what}", "{what}, where was that?",
)  # fmt: skip
NAMES = """
Anna Ben Carla David Elena Farid Grace Hugo Ines Jonas Kemi Lars Mei Nadia Omar Petra Quentin Rosa
Sven Tara Umar Vera Wen Ximena Yusuf Zoe Alice Boris Chloe Dmitri Esther Felix Gita Hassan Irene
Jack Karin Leo Marta Nina Oscar Paula Rahul Sofia Tom Ursula Victor Wanda Yara Ali
""".split()
# Words that telling() lets pass and that make no topic.
COMMON = frozenset(
    "will going here then than only into need make makes made take want because still each every"
    " other these those while after before your yours theirs being such both over under again okay"
    " maybe actually basically kind sort lots said says look looks come back down using".split()
)
NOISE = re.compile(r"\{\w+\}|\s+(?=[.,?!;])")
LINE = re.compile(r"^\[[\d:]+\] <([^>]+)> (.*)$")
VTT = re.compile(r"^([A-Z][\w .'-]{1,40}): (.+)$", re.MULTILINE)
chance = random.Random(13)


def spoken_pairs(repositories: Path) -> Iterator[Pair]:
    yield from sampled(meeting_pairs(repositories / "Yale-LILY+QMSum"), MOST["ami"])
    service = repositories / "google-research-datasets+dstc8-schema-guided-dialogue"
    yield from sampled(service_pairs(service), MOST["sgd"])
    yield from sampled(room_pairs(repositories / "jkkummerfeld+irc-disentanglement"), MOST["irc"])
    yield from sampled(call_pairs(repositories / "ethereum+pm"), MOST["calls"])
    yield from guest_pairs(repositories / "alexa+alexa-with-dstc9-track1-dataset")
    yield from review_pairs(repositories / "alexa+dstc11-track5")


def turn_pairs(source: str, turns: Sequence[Turn], later: float) -> Iterator[Pair]:
    """A question and the reply to it; and, so often, what somebody said, asked for later."""
    for (who, said), (other, reply) in pairwise(turns):
        asked = [each for each in SENTENCE.split(said) if each.endswith("?")]
        if asked and who != other and len(reply) > 60:
            about = {word.lower() for word in telling(asked[-1])}
            if len(about) >= 3 and len(about & {word.lower() for word in telling(reply)}) >= 1:
                yield source, asked[-1][-250:], f"{other}: {reply}"
                continue
        if len(said) > 80 and chance.random() < later:
            some = topic_of(said)
            if some:
                asked_later = chance.choice(LATER).format(who=who, what=some)
                yield f"{source}/said", asked_later, f"{who}: {said}"


def topic_of(said: str) -> str:
    """Two to four words in a row of what was said that tell something."""
    runs = [run.split() for run in re.split(r"[^\w\s'-]+", said)]
    runs = [run for run in runs if len(run) > 3 and len(telling(" ".join(run))) > 2]
    if not runs:
        return ""
    words = chance.choice(runs)
    telling_at = [at for at, word in enumerate(words) if set(telling(word)) - COMMON]
    if not telling_at:
        return ""
    at = chance.choice(telling_at[:-1] or telling_at)
    last = max(each for each in telling_at if each < at + 4)
    return " ".join(words[at : last + 1]).lower() if last > at else ""


def windows(turns: Sequence[Turn]) -> Iterator[str]:
    """A few turns in a row, as much as a text holds, from every turn on."""
    for start in range(len(turns)):
        text = ""
        for who, said in turns[start : start + 6]:
            if text and len(text) + len(said) > MOST_WINDOW:
                break
            text += f"{who}: {said}\n"
        yield text.strip()


def meeting_pairs(repository: Path) -> Iterator[Pair]:
    """Meetings of researchers, designers and committees (QMSum, MIT)."""
    for _, _, written in files_in(repository, ".json", "data/ALL/"):
        meeting = json.loads(written)
        turns = [
            (turn["speaker"], " ".join(NOISE.sub("", turn["content"]).split()))
            for turn in meeting["meeting_transcripts"]
        ]
        for asked in meeting["specific_query_list"]:
            parts = [
                turns[int(first) : int(last) + 1] for first, last in asked["relevant_text_span"]
            ]
            wanted = {word.lower() for word in telling(asked["query"] + " " + asked["answer"])}
            found = [(shared(text, wanted), text) for part in parts for text in windows(part)]
            found.sort(reverse=True)
            for count, text in found[:2]:
                if count >= 4:
                    yield "ami/asked", asked["query"], text
            if found and found[0][0] >= 4 and chance.random() < 0.5:
                yield "ami/answer", SENTENCE.split(asked["answer"])[0], found[0][1]
        yield from turn_pairs("ami", turns, 0.12)


def shared(text: str, wanted: set[str]) -> int:
    return len(wanted & {word.lower() for word in telling(text)})


def service_pairs(repository: Path) -> Iterator[Pair]:
    """Dialogues with a service (Schema-Guided Dialogue, CC BY-SA 4.0)."""
    for path, _, written in files_in(repository, ".json", "."):
        if not re.match(r"(?:train|dev|test)/dialogues", path):
            continue
        for talk in json.loads(written):
            source = "sgd:" + talk["services"][0].split("_")[0].lower()
            who = chance.choice(NAMES)
            turns = [
                (who if turn["speaker"] == "USER" else "assistant", turn["utterance"])
                for turn in talk["turns"]
            ]
            yield from turn_pairs(source, turns, 0.02)
            yield from chosen_pairs(source, talk, turns)


def chosen_pairs(source: str, talk: dict[str, Any], turns: list[Turn]) -> Iterator[Pair]:
    """One thing that was agreed on, asked for by another that stands beside it."""
    agreed: dict[str, str] = {}
    for turn in talk["turns"]:
        for frame in turn["frames"]:
            for slot, values in frame.get("state", {}).get("slot_values", {}).items():
                agreed[slot] = values[0]
    named = {slot: value for slot, value in agreed.items() if len(value) > 4}
    texts = [text for text in windows(turns) if len(text) > 100]
    for slot in chance.sample(sorted(agreed), min(2, len(agreed))):
        others = [each for each in sorted(named) if each != slot]
        if not others or agreed[slot] in ("True", "False"):
            continue
        value = named[chance.choice(others)]
        holding = [text for text in texts if agreed[slot] in text and value in text]
        if holding:
            words = slot.replace("_", " ")
            asked = chance.choice(CHOSEN).format(slot=words, value=value, who=turns[0][0])
            yield source, asked, holding[-1]


def room_pairs(repository: Path) -> Iterator[Pair]:
    """A question in a chat room and what was replied to it, as people have linked the two
    (irc-disentanglement, CC BY 4.0)."""
    texts: dict[str, list[str]] = {}
    links: dict[str, list[tuple[int, int]]] = {}
    for path, _, written in files_in(repository, (".ascii.txt", ".annotation.txt"), "data/"):
        if path.startswith(("data/train/", "data/dev/", "data/test/", "data/new-domains/")):
            name = path.rsplit(".", 2)[0]
            if path.endswith(".ascii.txt"):
                texts[name] = written.split("\n")
            else:
                found = re.findall(r"^(\d+) (\d+) -", written, re.MULTILINE)
                links[name] = [(int(one), int(two)) for one, two in found if one != two]
    for name in sorted(texts.keys() & links.keys()):
        lines = texts[name]
        for one, two in links[name]:
            if max(one, two) >= len(lines):
                continue
            asked, reply = LINE.match(lines[min(one, two)]), LINE.match(lines[max(one, two)])
            if asked is None or reply is None or asked.group(1) == reply.group(1):
                continue
            question = re.sub(r"^[\w|^`-]{2,16}[:,] ", "", asked.group(2))
            said = re.sub(r"^[\w|^`-]{2,16}[:,] ", "", reply.group(2))
            if "?" not in question and chance.random() < 0.5:
                continue
            if len(telling(question)) >= 5 and len(telling(said)) >= 5:
                yield "irc", question, f"{reply.group(1)}: {said}"


def call_pairs(repository: Path) -> Iterator[Pair]:
    """Calls of the people who build Ethereum (ethereum/pm, CC BY-SA 3.0)."""
    for _, _, written in files_in(repository, "transcript_corrected.vtt"):
        turns: list[Turn] = []
        for who, said in VTT.findall(written):
            if turns and turns[-1][0] == who and len(turns[-1][1]) < 350:
                turns[-1] = (who, f"{turns[-1][1]} {said}")
            else:
                turns.append((who, said))
        yield from turn_pairs("calls", turns, 0.5)


def guest_pairs(repository: Path) -> Iterator[Pair]:
    """What guests ask of a place and its answer (DSTC9 track 1, Apache-2.0)."""
    for places in json.loads(git(repository, "show", "HEAD:data/knowledge.json")).values():
        for place in places.values():
            name = (place["name"] or "").title()
            for entry in place["docs"].values():
                asked = entry["title"]
                if name and name.lower() not in asked.lower():
                    asked = chance.choice((f"{asked} ({name})", f"{name}: {asked}"))
                yield "guest", asked, f"{name}: {entry['body']}" if name else entry["body"]


def review_pairs(repository: Path) -> Iterator[Pair]:
    """The first sentence of a review or its answer's subject asks for the rest (DSTC11 track 5,
    CDLA-Sharing-1.0)."""
    places = json.loads(git(repository, "show", "HEAD:data/knowledge.json"))
    for kind in places.values():
        for place in kind.values():
            for review in place.get("reviews", {}).values():
                said = list(review["sentences"].values())
                some = topic_of(chance.choice(said))
                if len(said) > 1 and some and len(WORD.findall(some)) > 1:
                    name = place["name"].title()
                    asked = chance.choice(GUESTS).format(who=name, what=some)
                    yield "review", asked, f"{name}: {' '.join(said)}"
    talks = json.loads(git(repository, "show", "HEAD:data/val/logs.json"))
    labels = json.loads(git(repository, "show", "HEAD:data/val/labels.json"))
    for talk, label in zip(talks, labels, strict=True):
        for told in label.get("knowledge", [])[:2]:
            place = places[told["domain"]][str(told["entity_id"])]
            name = place["name"].title()
            if told["doc_type"] == "faq":
                text = place["faqs"][str(told["doc_id"])]["answer"]
            else:
                text = " ".join(place["reviews"][str(told["doc_id"])]["sentences"].values())
            yield "review/asked", f"{name}: {talk[-1]['text']}", f"{name}: {text}"
