"""Trains our own reranker: a teacher of MiniLM's six layers, and from it the small one that ships.

    python tools/train_reranker.py --pairs pairs.jsonl.xz --candidates hits.jsonl.xz \
        --minilm FOLDER --out reranker.bin

`reranker_pairs.py` gathers the pairs. Candidates are questions of freely licensed sets with the
best 30 of a search, one JSON object a line: {"question", "hits": [{"text", "answers": true}, …]}; a
question of which no hit answers teaches silence. FOLDER holds model.safetensors and vocab.txt, as
`recairn model pull minilm` leaves them. The shipped one took ten minutes on an H200 (torch 2.11);
another device or torch gives a comparable model, not the same bytes.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from reranker_file import pack_reranker
from reranker_network import Encoder, bert_names, minilm_weights
from reranker_texts import EASY, LIST, Examples, Texts, mined
from tokenizers import BertWordPieceTokenizer
from torch.nn import functional

WINDOW, QUESTION = 128, 42
LISTS_AT_ONCE = 64
WARM_UP = 0.06
TEACHER_RATE, STUDENT_RATE = 1.2e-4, 5e-4
# A student sees each of two samplings three times: the teacher's word on them is asked once.
TEACHER_SAMPLINGS, STUDENT_SAMPLINGS = (11,), (1, 2, 1, 2, 1, 2)
STUDENT = {"layers": (0, 1, 2), "wide": 768, "rank": 96, "first": True}
# How often the question of a set is asked in one sampling, beside the pairs once.
REPEATS = 4


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def trained(
    model: Encoder,
    texts: Texts,
    examples: Examples,
    samplings: tuple[int, ...],
    rate: float,
    teacher: Encoder | None = None,
) -> Encoder:
    """The model after it saw the examples in each of the samplings, one after the other."""
    model.train()
    vectors = [each for each in model.parameters() if each.ndim < 2]
    matrices = [each for each in model.parameters() if each.ndim >= 2]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=rate)
    heard: dict[int, list[torch.Tensor]] = {}
    step = 0
    for sampling in samplings:
        words = heard.setdefault(sampling, [])
        batches = examples.batches(sampling, LISTS_AT_ONCE)
        for number, (total, questions, documents, answered) in enumerate(batches):
            for group in optimiser.param_groups:
                group["lr"] = rate * slope(step / (total * len(samplings)))
            tokens, types = texts.packed(questions, documents, WINDOW, QUESTION)
            with torch.autocast(texts.device.type, torch.bfloat16):
                scores = model(tokens, types).float().view(-1, LIST)
            if teacher is not None and number == len(words):
                with torch.no_grad(), torch.autocast(texts.device.type, torch.bfloat16):
                    words.append(teacher(tokens, types).float().view(-1, LIST))
            told = None if teacher is None else words[number]
            optimiser.zero_grad(set_to_none=True)
            loss = loss_of(scores, answered, told)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            step += 1
        sys.stderr.write(f"sampling {sampling}: {step} steps, loss {loss.item():.4f}\n")
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
        return by_list + 0.5 * by_pair
    shape = functional.kl_div(
        functional.log_softmax(scores, 1), functional.softmax(told, 1), reduction="batchmean"
    )
    return 0.3 * by_list + shape + 0.1 * functional.mse_loss(scores, told) + 0.15 * by_pair


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    for name in ("pairs", "candidates", "minilm", "out"):
        options.add_argument(f"--{name}", type=Path, required=True)
    options.add_argument("--device", default="cuda")
    chosen = options.parse_args()
    torch.manual_seed(1)
    device = torch.device(chosen.device)
    weights = minilm_weights(chosen.minilm)
    pairs = list(read_lines(chosen.pairs))
    asked = [row for row in read_lines(chosen.candidates) if len(row["hits"]) > LIST - EASY]
    questions = [row["question"] for row in pairs] + [row["question"] for row in asked]
    documents = [row["text"] for row in pairs] + [h["text"] for row in asked for h in row["hits"]]
    spelling = BertWordPieceTokenizer(str(chosen.minilm / "vocab.txt"), lowercase=True)
    texts = Texts(spelling, questions + documents, device)
    examples = Examples(device, seen=range(len(questions), len(questions) + len(pairs)))
    pools = mined(pairs, len(questions), texts, weights)
    examples.add_pairs([row["source"] for row in pairs], len(questions), pools)
    at = len(questions) + len(pairs)
    for number, row in enumerate(asked, start=len(pairs)):
        answers = [at + i for i, hit in enumerate(row["hits"]) if hit["answers"]]
        others = [at + i for i, hit in enumerate(row["hits"]) if not hit["answers"]]
        examples.add_question(number, answers, others, REPEATS)
        at += len(row["hits"])
    teacher = Encoder(weights).to(device)
    trained(teacher, texts, examples, TEACHER_SAMPLINGS, TEACHER_RATE)
    student = Encoder(bert_names(teacher), usage=texts.usage(), **STUDENT).to(device)
    trained(student, texts, examples, STUDENT_SAMPLINGS, STUDENT_RATE, teacher)
    vocabulary = (chosen.minilm / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")
    kept = [at for at, token in enumerate(vocabulary) if not token.startswith("[unused")]
    arrays = {name: np.asarray(array) for name, array in bert_names(student).items()}
    words, places = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
    arrays[words], arrays[places] = arrays[words][kept], arrays[places][:WINDOW]
    about = {"segments": True, "pooling": "first", "question": QUESTION, "window": WINDOW}
    chosen.out.write_bytes(pack_reranker(arrays, [vocabulary[at] for at in kept], about))


if __name__ == "__main__":
    main()
