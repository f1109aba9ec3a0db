"""What the reranker is trained on: texts as tokens on the device, lists of a question and its
candidates, and the candidates that are hard to tell from the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from reranker_network import Network, mean_of
from torch.nn import functional

CLS, SEP = 101, 102
MOST_TOKENS = 200
LIST = 8  # the answer and seven others
EASY = 2  # of the seven, texts drawn from everywhere: what is far must be said to be far
POOL = 32  # hard ones that are kept for a question
NOTHING = 0.1  # how often the answer is left out of a list
# How often the pairs of a source are asked in one sampling, where not once.
SHARES = {
    "squad": 1.5, "xquad": 1.5, "abstract": 0.5, "til": 1.5, "interview": 2.0, "chat": 2.0,
    "chat/said": 2.0, "memory": 2.0, "prompt": 6.0,
}  # fmt: skip
# The same for the second teacher, and who learns from it: what is not said by people counts less.
LATER_SHARES = {**SHARES, "abstract": 1.0, "claim": 0.5, "tldr": 0.7, "prompt": 5.0}
LATER_KINDS = {"commit": 0.35, "py": 0.5}
FEWEST, MOST = 40, 24_000  # pairs of a source that are looked through at a time
TOO_ALIKE, TOO_NEAR = 0.93, 0.08  # cosines beyond which a candidate may be an answer itself
NEIGHBOURS, NEAR = 20, 10  # sentences of a text around the one that answers, and how many are kept
BUCKETS = 16_384
MULTIPLIER = 2_654_435_761


class Texts:
    """All texts as one row of tokens on the device; pairs are put together there."""

    def __init__(self, spelling: Any, texts: Sequence[str], device: torch.device) -> None:
        self.device = device
        spelled = spelling.encode_batch(list(texts), add_special_tokens=False)
        self.tokens = [np.array(each.ids[:MOST_TOKENS], np.int64) for each in spelled]
        self.lengths = torch.tensor([len(each) for each in self.tokens], device=device)
        self._starts = torch.cumsum(self.lengths, 0) - self.lengths
        self._row = torch.from_numpy(np.concatenate(self.tokens)).to(device)

    def usage(self) -> torch.Tensor:
        """How often each token comes, as a share."""
        counts = np.ones(30_522)
        for each in self.tokens:
            np.add.at(counts, each, 1)
        return torch.from_numpy(counts / counts.sum()).float()

    def packed(
        self, questions: torch.Tensor, documents: torch.Tensor, window: int, most: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """`[CLS] question [SEP] text [SEP]` for each pair, and the types of the tokens."""
        asked = self.lengths[questions].clamp(max=most)
        said = torch.minimum(self.lengths[documents], window - 3 - asked)
        widest = -(-(int((asked + said).max()) + 3) // 16) * 16
        place = torch.arange(widest, device=self.device)[None]
        asked, said = asked[:, None], said[:, None]
        is_question = (place >= 1) & (place <= asked)
        is_text = (place >= asked + 2) & (place < asked + 2 + said)
        at = torch.where(
            is_question,
            self._starts[questions][:, None] + place - 1,
            self._starts[documents][:, None] + place - asked - 2,
        )
        tokens = self._row[at.clamp(0, len(self._row) - 1)] * (is_question | is_text)
        tokens[:, 0] = CLS
        tokens += SEP * ((place == asked + 1) | (place == asked + 2 + said))
        return tokens, ((place >= asked + 2) & (place <= asked + 2 + said)).long()


class Examples:
    """Questions with an answer and a pool of others; numbers are those of `Texts`."""

    def __init__(self, device: torch.device, seen: range, *, later: bool = False) -> None:
        """`seen` are the texts of which the easy ones are drawn."""
        self._device, self._seen, self._later = device, seen, later
        self._rows: list[tuple[int, list[int], np.ndarray, float]] = []

    def add_pairs(self, sources: Sequence[str], shift: int, pools: dict[int, np.ndarray]) -> None:
        for number, pool in pools.items():
            share = self._share(sources[number])
            self._rows.append((number, [number + shift], filled(pool + shift), share))

    def _share(self, source: str) -> float:
        """How often a pair is asked in one sampling."""
        if not self._later:
            return SHARES.get(source, 1.0)
        kind = source.partition(":")[0].partition("/")[0]
        return LATER_SHARES.get(source, 1.0) * LATER_KINDS.get(kind, 1.0)

    def add_question(self, source: str, number: int, answers: list[int], others: list[int]) -> None:
        """A question among candidates of its own; without an answer it teaches silence."""
        chance = np.random.default_rng(number)
        pool = filled(chance.permutation(others))
        self._rows.append((number, answers, pool, self._share(source)))

    def batches(
        self, seed: int, size: int
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Questions, texts, and of each list whether its first answers; the same of one seed."""
        chance = np.random.default_rng(seed)
        drawn = [row for row in self._rows for _ in range(int(row[3] + chance.random()))]
        chance.shuffle(drawn)
        answers = np.array(
            [row[1][chance.integers(len(row[1]))] if row[1] else -1 for row in drawn]
        )
        answers[chance.random(len(answers)) < NOTHING] = -1
        questions = torch.tensor([row[0] for row in drawn], device=self._device)
        pools = torch.from_numpy(np.stack([row[2] for row in drawn])).to(self._device)
        firsts = torch.from_numpy(answers).to(self._device)
        generator = torch.Generator(device=self._device).manual_seed(seed)
        for start in range(0, len(drawn) - size, size):
            part = slice(start, start + size)
            pool = pools[part]
            key = torch.rand(pool.shape, generator=generator, device=self._device) - 10.0 * (
                pool < 0
            )
            hard = pool.gather(1, key.topk(LIST - 1, 1).indices)
            easy = torch.randint(
                self._seen.start,
                self._seen.stop,
                (len(pool), EASY),
                generator=generator,
                device=self._device,
            )
            others = torch.cat([hard[:, : LIST - 1 - EASY], easy], 1)
            others = torch.where(others < 0, easy[:, :1], others)
            answered = firsts[part] >= 0
            first = torch.where(answered, firsts[part], hard[:, -1].clamp(min=self._seen.start))
            documents = torch.cat([first[:, None], others], 1).reshape(-1)
            asked = questions[part][:, None].expand(-1, LIST).reshape(-1)
            yield asked, documents, answered.float()


def filled(pool: np.ndarray) -> np.ndarray:
    row = np.full(POOL, -1, np.int64)
    row[: min(POOL, len(pool))] = pool[:POOL]
    return row


def mined(
    pairs: Sequence[dict[str, Any]], shift: int, texts: Texts, model: Network
) -> dict[int, np.ndarray]:
    """For each pair the others of its source whose text words and the model's vectors hold for the
    answer; its own text is the one at its number and `shift`."""
    vectors = embedded(texts, model)
    groups: dict[str, list[int]] = {}
    for number, pair in enumerate(pairs):
        if "project" not in pair:
            groups.setdefault(pair["source"].split("/")[0], []).append(number)
    found: dict[int, np.ndarray] = {}
    for source, whole in groups.items():
        for start in range(0, len(whole), MOST):
            members = whole[start : start + MOST]
            if len(members) < FEWEST:
                continue
            for number, pool in hard_ones(members, shift, texts, vectors):
                own = pairs[number]["text"]
                others = [each for each in pool if pairs[each]["text"] != own]
                if source in ("squad", "xquad"):
                    others = [*others[: POOL - NEAR], *near(number, members, pairs)]
                found[number] = np.array(others, np.int64)
    return found


def near(number: int, members: list[int], pairs: Sequence[dict[str, Any]]) -> list[int]:
    """Some of the sentences that stand around the one that answers."""
    at = number - members[0]
    around = members[max(0, at - NEIGHBOURS) : at + NEIGHBOURS]
    others = [each for each in around if pairs[each]["text"] != pairs[number]["text"]]
    chance = np.random.default_rng(number)
    return [int(each) for each in chance.permutation(others)[:NEAR]]


@torch.no_grad()
def embedded(texts: Texts, model: Network, size: int = 1024) -> torch.Tensor:
    """The model's vector of every text."""
    model.eval()
    order = torch.argsort(texts.lengths).tolist()
    found = torch.empty(len(order), model.dim)
    for start in range(0, len(order), size):
        members = order[start : start + size]
        widest = max(len(texts.tokens[number]) for number in members) + 2
        tokens = np.zeros((len(members), widest), np.int64)
        for row, number in zip(tokens, members, strict=True):
            own = texts.tokens[number]
            row[: len(own) + 2] = [CLS, *own, SEP]
        on_device = torch.from_numpy(tokens).to(texts.device)
        with torch.autocast(texts.device.type, torch.bfloat16):
            states, real = model.states(on_device, torch.zeros_like(on_device))
        found[members] = functional.normalize(mean_of(states.float(), real), dim=1).cpu()
    return found


def hard_ones(
    members: list[int], shift: int, texts: Texts, vectors: torch.Tensor, size: int = 2048
) -> Iterator[tuple[int, list[int]]]:
    """Each member with the others that come first by BM25 and cosine together."""
    device = texts.device
    own = [texts.tokens[number + shift] for number in members]
    holding = np.zeros(30_522)
    for tokens in own:
        holding[np.unique(tokens)] += 1
    rarity = np.log(1 + (len(members) - holding + 0.5) / (holding + 0.5))
    said = weighed(own, rarity, device)
    means = vectors[[number + shift for number in members]].to(device)
    for start in range(0, len(members), size):
        part = members[start : start + size]
        asked = weighed([texts.tokens[number] for number in part], None, device)
        cosines = vectors[part].to(device) @ means.T
        rows = torch.arange(len(part), device=device)
        answers = cosines[rows, rows + start].clone()
        by_both = standard((asked @ said.T).float()) + standard(cosines)
        by_both[means[start : start + size] @ means.T > TOO_ALIKE] = -9.0
        by_both[cosines > answers[:, None] + TOO_NEAR] = -9.0
        best = by_both.topk(min(POOL, len(members)), 1).indices.tolist()
        for number, found in zip(part, best, strict=True):
            yield number, [members[each] for each in found if members[each] != number]


def standard(values: torch.Tensor) -> torch.Tensor:
    return (values - values.mean(1, keepdim=True)) / values.std(1, keepdim=True)


def weighed(
    texts: Sequence[np.ndarray], rarity: np.ndarray | None, device: torch.device
) -> torch.Tensor:
    """Texts as rows of BM25 weights, tokens hashed into buckets; questions have no rarity."""
    found = torch.zeros(len(texts), BUCKETS, dtype=torch.bfloat16, device=device)
    average = sum(map(len, texts)) / len(texts)
    for row, tokens in enumerate(texts):
        unique, counts = np.unique(tokens, return_counts=True)
        values = np.ones(len(unique))
        if rarity is not None:
            length = 1.2 * (0.25 + 0.75 * len(tokens) / average)
            values = rarity[unique] * counts * 2.2 / (counts + length)
        buckets = torch.from_numpy(unique * MULTIPLIER % BUCKETS).to(device)
        added = torch.from_numpy(values).to(device).bfloat16()
        found[row].index_add_(0, buckets, added)
    return found
