"""Other languages than English: which one it is, its stems, and scripts without spaces."""

from __future__ import annotations

import pytest

from recairn.core.languages import stem, unspaced_parts
from recairn.core.words import foreign_parts, understand, words


def language(text):
    return foreign_parts(text, words(text))[0]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Wie wird die Verbindung wiederholt?", "de"),
        ("¿Cómo se reintenta la conexión?", "es"),
        ("Comment les connexions sont-elles rétablies ?", "fr"),
        ("How does the MIT licence die, and what is EST?", ""),
        ("A Comment on Optimal Tree Structures", ""),
        ("pour the des cipher into it", ""),
        ("Redis", ""),
        ("", ""),
    ],
)
def test_a_language_is_known_by_its_plain_words(text, known):
    assert language(text) == known


@pytest.mark.parametrize(
    ("spoken", "forms"),
    [
        ("de", ("Verbindung", "Verbindungen", "verbinden")),
        ("de", ("wiederholt", "wiederholen", "wiederhole")),
        ("es", ("conexión", "conexiones", "conexion")),
        ("es", ("reintenta", "reintentar", "reintentos")),
        ("fr", ("connexion", "connexions")),
        ("fr", ("relancé", "relancés", "relancer", "relance")),
    ],
)
def test_the_forms_of_a_word_have_one_stem(spoken, forms):
    assert len({stem(form.lower(), spoken) for form in forms}) == 1


def test_short_words_keep_their_endings():
    assert [stem(word, "de") for word in ("tor", "wert", "rate")] == ["tor", "wert", "rate"]


def test_a_run_without_spaces_has_parts():
    assert unspaced_parts("Redisの接続プールは設定ファイルで") == [
        *("プール", "ファイル", "接続", "設定", "redis")
    ]
    assert unspaced_parts("plain words") == []


def test_a_question_asks_for_stems_and_without_the_stop_words_of_its_language():
    plan = understand("Warum werden die Verbindungen wiederholt?")
    assert plan.words == ("verbindungen", "wiederholt")
    assert plan.parts == ("verbind", "wiederhol")
    assert plan.names == frozenset()  # every German noun has a capital


def test_an_english_question_stays_as_it_is():
    plan = understand("Why does the uploader retry after the storm?")
    assert (plan.words, plan.parts) == (("uploader", "retry", "after", "storm"), ())
