"""Texts embedded per second by each model, beside other programs that run the same network.

    python3 run.py bench embed [COUNT]

`minilm` must have been pulled (recairn model pull minilm; RECAIRN_MODELS names another folder).
sentence-transformers is measured where it is installed, with MINILM_FOLDER naming its files.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import os
import time

from corpus import memories

from recairn.core.errors import ModelMissing
from recairn.embed.minilm import MiniLM
from recairn.embed.models import load
from recairn.host.project import models_folder

# Texts of the slow models; the static one gets all.
FEW = 300


def report(label: str, embed, texts: list[str]) -> None:
    """One line: texts per second of wall and of CPU time."""
    embed(texts[:4])
    wall, cpu = time.perf_counter(), time.process_time()
    embed(texts)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    count = len(texts)
    print(f"{label:36s} {count / wall:9.0f} texts/s   {count / cpu:9.0f} per CPU second")


def others(texts: list[str]) -> None:
    folder = os.environ.get("MINILM_FOLDER")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        print("sentence-transformers                is not installed")
        return
    if folder is None:
        print("sentence-transformers                MINILM_FOLDER names no folder")
        return
    model = SentenceTransformer(folder, device="cpu")
    report("sentence-transformers", lambda some: model.encode(some, batch_size=32), texts)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    texts = [draft["content"] for draft in memories(count)]
    print(f"texts of 20 to 80 words; {count:,} for static, {FEW} for the others")
    static = load("static", models_dir="")
    report("static", static.embed_documents, texts)
    folder = os.path.join(models_folder(), "minilm")
    for threads in (1, 2):
        try:
            minilm = MiniLM(folder, threads=threads)
        except ModelMissing as error:
            print(f"minilm                               {error.message}")
            break
        report(f"minilm, {threads} thread(s)", minilm.embed_documents, texts[:FEW])
    others(texts[:FEW])


if __name__ == "__main__":
    main()
