"""What every embedding model promises. Only type checkers import this module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence
    from typing import Protocol

    # A word of a question, what it adds to the question's vector, and how large a part that is:
    # the vectors add up to length one, the parts to one. "" is all that is none of the words.
    Share = tuple[str, array[float], float]

    class Embedder(Protocol):
        """A model that turns text into vectors of length one.

        Text without a single token becomes the zero vector, which is similar to nothing.
        Text beyond the window is not looked at, so whoever calls splits it first
        (`recairn.embed.pieces`). One without a window may have `in_pieces`: the characters beyond
        which a text is split too, and the tokens of a piece. One that can tell what each word of a
        question adds to its vector has `embed_question(text, words) -> (vector, shares)` too.
        """

        @property
        def name(self) -> str: ...

        @property
        def revision(self) -> str:
            """Changes whenever the same text would get another vector."""

        @property
        def dim(self) -> int: ...

        @property
        def window_tokens(self) -> int | None:
            """How much of a text the model sees; None is all of it."""

        def embed_query(self, text: str) -> array[float]:
            """The vector of one question, as quickly as a cold process can have it."""

        def embed_documents(self, texts: Sequence[str]) -> list[array[float]]:
            """One vector for each text, in the order of the texts."""

    class Reranker(Protocol):
        """A model that reads a question together with a text, and says how well it answers."""

        @property
        def name(self) -> str: ...

        @property
        def revision(self) -> str:
            """Changes whenever the same pair would get another number."""

        def weight_beside(self, model: str | None) -> float:
            """How much its word counts beside a score that was made with that embedding model:
            w in z(score) + w · z(reranker)."""

        def scores(
            self, question: str, texts: Sequence[str], until: float | None = None
        ) -> list[float]:
            """A number for each text, the greater the better, on a scale of its own.

            What cannot be read before the monotonic clock shows `until` is left out at the end.
            """
