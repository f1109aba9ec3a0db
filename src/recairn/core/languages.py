"""Words of other languages than English: which one a text is in, its stop words, stems and parts.

The full-text index knows English stems and takes a run of Chinese or Japanese for one word. What
other languages need beside that goes where the parts of names go, into a column of its own: the
stems of a German, Spanish or French text, and of a script without spaces the words of katakana and
pairs of ideographs. A question asks for the same. Light stemmers, as Savoy's: endings of nouns and
adjectives, and the most usual ones of verbs, no dictionary.
"""

from __future__ import annotations

from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_STOP_WORDS = {
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber auch als am an
        auf aus bei beim bis da damit dann dass daß dein dir du durch er es für gegen hat haben
        hatte hier ich ihr im in ins ist ja jede jeder jedes kann kein keine keinen können mal
        man mehr mein mich mir mit muss müssen nach nicht noch nur ob ohne schon sein seine sich
        sie sind so soll sollen sollte über um uns unser unsere unter vom von vor wann war waren
        warum was weil welche welchem welchen welcher welches wenn wer werden wie wieso wir wird
        wo wofür wohin womit wurde wurden zu zum zur zwischen gibt geht macht machen bitte
    """,
    "es": """
        el la los las un una unos unas y o pero que qué de del al a en con por para sin sobre
        entre como cómo cuál cuáles cuándo cuanto cuánto cuántos dónde donde quién por qué
        porque si no se su sus lo le les me mi nos nuestro nuestra te tu es son era fue ser está
        están estar hay ha han he hemos tiene tienen debe deben puede pueden más muy ya también
        cada este esta estos estas ese esa eso cuando desde hasta hace hacer
    """,
    "fr": """
        le la les un une des du de d l au aux et ou mais que qu qui quoi quel quelle quels
        quelles où quand comment pourquoi combien dans en par pour sur sous avec sans entre vers
        chez ce cet cette ces c se s sa son ses leur leurs mon ma mes notre nos votre vos je j
        tu il elle on nous vous ils elles ne n pas plus est sont était être a ont avons avez as
        fait faire faut doit doivent peut peuvent y si comme aussi très tout tous toute toutes
    """,
}
# Endings that a light stem is without, beside the s of a plural; and how much must be left.
_ENDINGS = {
    "de": """
        ierungen ierung ungen ierten ierte ieren iert ung heiten heit keiten keit lichen licher
        liches liche lich ischen ischer isches ische isch enden ende ern ens em en er es est et st
        e n s t
    """,
    "es": """
        acione icione ucione acion icion ucion ione ion amiento imiento adora adore ador aron ieron
        ando iendo ada ida ado ido amo emo imo aban aba ian ia ara era ira aran eran iran arse erse
        irse ar er ir an en a e o
    """,
    "fr": """
        isation ation ition ion issement ement ite euse eur able ive if ante ant issent aient erait
        eront era ee e ait ez ent er ir
    """,
}
_LEAST = 4
# Accents are left out of stems, as the index leaves them out of words.
_PLAIN = str.maketrans("áàâäéèêëíìîïóòôöúùûüñç", "aaaaeeeeiiiioooouuuunc", "")
# A run of letters that are written without spaces, the words of katakana in it, and the ideographs.
_UNSPACED = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
_KATAKANA = r"[\u30a1-\u30fa\u30fc]{2,}"
_IDEOGRAPHS = r"[\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
_ALONE = r"[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"

_sets: dict[str, frozenset[str]] = {}
_plain_words: set[str] = set()
_endings: dict[str, list[str]] = {}


def stop_words(language: str) -> frozenset[str]:
    if language not in _sets:
        _sets[language] = frozenset(_STOP_WORDS[language].split())
    return _sets[language]


def language_of(spelled: Sequence[str], english: int) -> str:
    """The language of a text by its plain words: de, es, fr, or "" for English and all others.

    `english` is how many of its words are English stop words. Two plain words must speak for it,
    and more for it than for English: an English text may hold MIT, EST or a "die".
    """
    if not _plain_words:  # a single letter may be anything
        every = set().union(*map(stop_words, _STOP_WORDS))
        _plain_words.update([word for word in every if len(word) > 1])
    said = [*filter(_plain_words.__contains__, spelled)]
    spoken = {name: [*filter(stop_words(name).__contains__, said)] for name in _STOP_WORDS}
    best = max(spoken, key=lambda name: len(spoken[name]))
    words_known = spoken[best]
    return best if len(set(words_known)) >= 2 and len(words_known) > english else ""


def stem(word: str, language: str) -> str:
    """A word without its ending."""
    plain = word.translate(_PLAIN).replace("ß", "ss")
    if language != "de" and plain.endswith(("s", "x")) and len(plain) > _LEAST:
        plain = plain[:-1]
    if language not in _endings:
        _endings[language] = sorted(_ENDINGS[language].split(), key=len, reverse=True)
    for ending in _endings[language]:
        if plain.endswith(ending) and len(plain) - len(ending) >= _LEAST:
            return plain[: -len(ending)]
    return plain


def stems(spelled: Sequence[str], language: str) -> list[str]:
    """The stems of the words that have an ending; the others are their own."""
    plain = stop_words(language)
    made = [(word, stem(word, language)) for word in spelled if word not in plain]
    return [stemmed for word, stemmed in made if stemmed != word]


def unspaced_parts(text: str) -> list[str]:
    """What stands in the runs of a script without spaces: words of katakana, ideographs in pairs,
    and words of other scripts that are written into such a run."""
    parts: list[str] = []
    if compiled(_UNSPACED).search(text) is None:
        return parts
    for piece in compiled(r"\w+").findall(text):
        if compiled(_UNSPACED).search(piece) is None:
            continue
        parts += compiled(_KATAKANA).findall(piece)
        for run in compiled(_IDEOGRAPHS).findall(piece):
            parts += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        others = compiled(_ALONE).findall(piece)
        parts += [other.lower() for other in others if other != piece]
    return parts
