"""What ranking assumes of an embedding model: the numbers that differ between models, in one table.

Measured with the shipped models (docs/ranking.md, decision 0026); `""` is words alone.
"""

from __future__ import annotations

from recairn.core.record import record


@record
class Assumptions:
    """`share` is the weight of meaning beside words. `floor` is the cosine from which on a memory
    without a word of the question may be an answer.

    An answer is clear where its cosine and `words` times the share of the question that it holds
    reach what chance does: the lower of the lines `few` and `many`, each a start and so much for
    every tenfold of memories. `by_chance` times ln n is what the nearest of n pieces is nearer.
    """

    share: float
    floor: float | None
    words: float
    few: tuple[float, float]
    many: tuple[float, float]
    by_chance: float


MODELS = {
    "static": Assumptions(0.5, 0.42, 0.6, (0.22, 0.10), (0.29, 0.06), 0.03),
    "minilm": Assumptions(0.55, 0.40, 0.6, (0.20, 0.06), (0.20, 0.06), 0.1),
    # Among a handful every word is frequent: there any of them is enough.
    "": Assumptions(0.0, None, 1.0, (-0.14, 0.14), (0.0, 0.07), 0.1),
}
# What is not known of another model is taken from the sentence encoder, but for its cosines: where
# those of strangers lie nobody has measured.
USUAL = Assumptions(0.5, None, 0.0, (0.0, 0.0), (0.0, 0.0), 0.1)


def assumed(model: str | None) -> Assumptions:
    """What holds for a model; None: words alone."""
    return MODELS.get(model or "", USUAL)
