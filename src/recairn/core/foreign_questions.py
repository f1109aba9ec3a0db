"""German, Spanish and French questions that name a time or a kind and nothing else, in English."""

from __future__ import annotations

from recairn.core.languages import language_of, stop_words
from recairn.core.lazy import compiled
from recairn.core.words import STOP_WORDS, words

# Times and kinds as they are said, and what they are in English; a word before its longer like.
_SAID = {
    "de": (
        ("letzten? woche|vergangenen? woche", "last week"),
        ("diese[rn]? woche", "this week"),
        ("letzte[nr]? monat|vergangene[nr]? monat", "last month"),
        ("diese[nmr]? monat", "this month"),
        ("letzte[sn] jahr|vergangene[sn] jahr", "last year"),
        ("diese[sm] jahr", "this year"),
        ("vorgestern", "the day before yesterday"),
        ("gestern", "yesterday"),
        ("heute", "today"),
        ("entscheidung(?:en)?|entschieden|beschlossen", "decisions"),
        ("regeln?", "rules"),
        ("fehler|gescheitert|fehlgeschlagen", "failures"),
        ("erkenntnisse|gelernt", "learnings"),
    ),
    "es": (
        ("semana pasada", "last week"),
        ("esta semana", "this week"),
        ("mes pasado", "last month"),
        ("este mes", "this month"),
        ("año pasado", "last year"),
        ("este año", "this year"),
        ("anteayer", "the day before yesterday"),
        ("ayer", "yesterday"),
        ("hoy", "today"),
        ("decisi[oó]n(?:es)?|decidimos|decidido", "decisions"),
        ("reglas?", "rules"),
        ("fallos?|errore?s?|fall[oó]", "failures"),
        ("aprendimos|aprendido", "learnings"),
    ),
    "fr": (
        ("semaine (?:derni[eè]re|pass[ée]e)", "last week"),
        ("cette semaine", "this week"),
        ("mois (?:dernier|pass[ée])", "last month"),
        ("ce mois(?:-ci)?", "this month"),
        ("(?:l.)?ann[ée]e derni[eè]re|l.an dernier", "last year"),
        ("cette ann[ée]e", "this year"),
        ("avant-hier", "the day before yesterday"),
        ("hier", "yesterday"),
        ("aujourd.hui", "today"),
        ("d[ée]cisions?|d[ée]cid[ée]e?s?", "decisions"),
        ("r[eè]gles?", "rules"),
        ("[ée]checs?|erreurs?|[ée]chou[ée]e?s?", "failures"),
        ("appris", "learnings"),
    ),
}
# What asks and names nothing, beside the stop words of each language.
_ASKING = frozenset(
    """
    gibt gab haben hatten hat wir uns unsere getroffen passiert geschehen gemacht zeig zeige zeigt
    mir alle in im was welche qué hemos tomado tomamos hay tenemos nuestras pasó hicimos todas todos
    muestra avons nous pris prises existe avez fait passé passe montre toutes tous nos quelles quels
    quoi que qu s l est il a y t
    """.split()
)


def in_english(question: str) -> str:
    """The question in English; "" where it is English, or names something beside time and kind."""
    listed = words(question)
    language = language_of(listed, sum(map(STOP_WORDS.__contains__, listed)))
    if language not in _SAID:
        return ""
    rest, english = question.lower(), list[str]()
    for said, meant in _SAID[language]:
        pattern = compiled(rf"(?<!\w)(?:{said})(?!\w)")
        if pattern.search(rest):
            rest = pattern.sub(" ", rest)
            english.append(meant)
    known = stop_words(language) | _ASKING
    return " ".join(reversed(english)) if english and known.issuperset(words(rest)) else ""
