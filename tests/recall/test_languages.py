"""Questions in other languages find what was said in other forms of the words."""

from __future__ import annotations

import pytest

SAID = (
    "Die Verbindungen werden nach einem Fehler wiederholt, und nicht die ganze Anfrage",
    "Las conexiones se reintentan después de un fallo",
    "Les connexions sont relancées après une panne",
    "接続エラーの後はRedisの設定を再読み込みする",
    "The lamp is wiped after every storm",
)


@pytest.fixture
def spoken(memory):
    for text in SAID:
        memory.remember(text)
    return memory


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Wann muss ich eine Verbindung wiederholen?", 1),
        ("¿Cuándo reintentar una conexión?", 2),
        ("Quand relancer une connexion ?", 3),
        ("設定の再読み込みはいつですか", 4),
        ("Redis", 4),
    ],
)
def test_another_form_of_the_words_is_found(spoken, question, found):
    assert spoken.search(question).hits[0].id == found
