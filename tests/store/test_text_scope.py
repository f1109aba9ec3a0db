"""Questions in the syntax of SQLite's full-text engine."""

from hypothesis import given
from hypothesis import strategies as st

from recairn.core.words import understand
from recairn.store.sqlite.text_index import Asked, quote

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)


@given(ANY_TEXT)
def test_every_word_of_an_expression_is_quoted(text):
    plan = understand(text)
    asked = Asked(plan, {word: [word] for word in plan.words + plan.parts})
    asked.longer = plan.words[:6]
    outside = "".join(" ".join([phrase for _, phrase in asked.phrases()]).split('"')[::2])
    assert set(outside) <= set(" *")


def test_a_quote_inside_a_word_is_doubled():
    assert quote('a"b') == '"a""b"'
