"""Recovery phrases of wallets: twelve to twenty-four words of the English list of BIP-39.

The list is kept as one bit for each of its 2,048 words, at the place that the word's CRC-32 says,
in 32,768 bits. Another word is taken for one of the list once in sixteen times, which a row of
twelve makes good: few small words are among them, so that sentences break off early.
"""

from __future__ import annotations

from itertools import compress
from zlib import crc32

from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recairn.core.guard.values import Span

_FEWEST = 12  # words
_BITS = 1 << 15
# Words of three to eight letters, with a number before each or a comma behind.
_ROW = (
    r"(?<![A-Za-z0-9])(?:(?:[0-9]{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}+"
    r"(?:,[ \t\n]{0,2}|[ \t]{1,3}|[ \t]{0,2}\n[ \t]{0,4})){11,}+"
    r"(?:(?:[0-9]{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}(?![A-Za-z0-9]))?"
)
_WORD = r"[a-z]{3,8}"
_list: list[bytes] = []
# Words remembered, and letters of one.
_MOST_WORDS, _LONGEST_WORD = 50_000, 40
_PACKED = (
    "c-m!GOKxjL5Up-^LMLR<j>40fb)pDajLcg>$3)1?%#5Mg0ZZtFAQ_24#0rAM0$4(XSU{HWmO`CVbw3eK?7p{e-TK"
    "$5Y7yx#B3ZhmPz9eXCFl~QXR)0sEsMMq-Xy`(y?%QLwdvC9l27E(mhN<tD{g8Gu}R8&Pd}xo2#H161}TUAiE<0qF"
    "SSdLGW#g&B2j76m0lgQe3X_1B(Kym%OV<?bmdOgdEj7*KPJ<s-|M1}>Vf2kSkyM<uK#7-NqvboudtO8Ezs|YE8Np"
    "kdL0bAGb5F>Z|kTkeoHfPb)_zq9Yyp2Yx$F$fm$Sy^7?8rH~Xq8Cw)o()ol3<@76N2X(DaBN}HUD%JxT9%mq=Msj"
    "LnjkXFe>ciy^7IjOC|m2sv=xX_<dO74vkGo#gWQ!Y_A@@PGTGzp)}5Lhyp1+dm>uc-zxQscmPi-b%8yo)e^;V<q?"
    "swkHrxzIoyx4rv*9Ap=!ZlM~+QsfUQ=ZxE5Wl|&-X#H`f8WQUo7Y|TxDX|J^f@Svp*<71L(X?C-R;1{mh!Sy2g=5"
    "@UH1bimZf-kc5qdHsK27D&J91vDWWRAWE|hYMccT)OkBnRy!hG+();B|xuvM$h%s=jl@TNbj(;@w`{G(dc!F3?ga"
    "tIV4Ulc97(ya^-kOZ3CJUkVmU!*Rqw1XK5X&=Ze^G{Npc~Hqv<D|_g$-77J3)D{~ziQ$%Wg1f$sx!5q=7ljmHc-3"
    "oQ%LEd&GM*WZC=zJu3HsWyGJ2B>2lmD6~ylv-Y^jPJ2Um^!CK5Kft9<Wi4Spbn=Z+%W!WS|PbMT{QKvyE(|XkmC;"
    "P}`HM1YoQL6|#*DzqBvTX{ZT8OgUl(fw#Tc~dYpF?(8<S$uzxjftUiKKhV^4fq4vnNJ{^w-C_sqm=$??aW6dOdv4"
    "r(sj#{rG@ufjJ8O9hND_UwSjwgXE5R_7khh@LUt{8~TAYoLmWYM1$AO9#>o|tIB{}MJs7cI(5UNXU*<RUv64eLH3"
    "&WnuXyiTXo6^Tq!gQcJ;JqBSgThA>FycXc!OU!vx*79z$q{at&wH89ql1-Z75P@@I6CYlqo@rOSCXZeLmSlfneEx"
    "{sJIh!<^pGn}j0g{C2qxmI)pMO&r@pjEevd2m;Uh#Ve=l)Y8)H@JAxZqkdJ5jL(s2U>-pBPA83EYZ^RicwJ9ItBi"
    ">K!jv@9~CZ>jH!MtZi&f8M7(`P`5g_qz6Pkj+p5CpeQg8G;s+V=J(vW1UUX>Cx^Sc^v7&y04G}SF<puW_#ob|w5O"
    "!~P139BX%4jq+LpJEzNUo^4x4j?Zp1i^2$_h(^<G?xv%D!!YvOYm-7%Nf9Z+wF@4)gLiX=9ItE1v-K^cNuGu$I>4"
    "T??u1z4g?atppbMEuW#QsU3?ncD00M#$`D*^Q_qVE0K5$Wz?!@PG1=JGxNQUA&IF|dQ0RLY?AppdUO)|KD1k=F;D"
    "ww7Re0oeDlCUl?4dbj)IY}iSkI(#Bs%m<CtyZHgldSBlm8SI^AZ$;9My~&NWVSH--nbh2XX?Zyu-QN@>(qGbYg#z"
    "5muUX$F_t5;z4YWN3)nkMO}tr&d#;c($gStZ*KNgjbsLp@qfS9Hj(#7`{%%hvA4}%3w}sfF}v3Q<7Uq?zD@s%UlJ"
    "_r32J~LH5y^meh;B!-UaHJ$9&Fq34U=_tA^_wU#B2qSASR#uQn{*#y{LsfxFj3$1E6@QibUR5TgQ!*U7o^<KOMG5"
    "22HP?PO<Z#>F-+t>heCtx<6A1|rP6?<vu*$0Ne@aY4%YB$cKOda?%lt0HlWo}jSeLpnf6kEsCrP!})()_=y-Qf>B"
    "x*U#PlD5bEvGWFldOpif3*8&W>3YH5DD22}>gIZ}Ol<jnq=`0^s(X5ij%1(kVBv7^U=_r6u(3pnddM+;dw6B<rY~"
    "H=5n*h>=dQh5vd{>kiQK|7UJWIpHsoJAu!(8wVcZN}U8~dE{5)VKbZ!I3gkyhKCTnH7$q!kc%Sp}=Jhn2AfkUA0n"
    "AU;KPEIkYV(!K9>;?^hNU4!p#W5eXU|aR~caD_=A!|R`CI{B?QT7UXvU*y=73Y;53HIY61DCW=l7mJt0p<0ShZa^"
    ")n~jeqylFZ%o<de~2tTXHwTvez)!>kvzT+6czEMzLIC@^s-B^$wAs6(KOYgjfN^s|QyghS3<OwwnbF}r?ASXbzUI"
    "5FzBu{-ijR4*&nzErb4`a3D#|iteJS!}`zUv`%Y6A^*sLJlE&E-f~4Q}C_ny(B^^6a!3wsz)ZHTgWOBP8c99uo9X"
    "TPjv0pBLekQ<)B;01EjJJMa0O"
)


def find_seed_phrases(text: str, words: Sequence[str]) -> Iterator[Span]:
    """Rows of twelve and more words that are all of the list; `words` are its own, of ASCII.

    Such a row has one at every twelfth place: only around those is the list asked.
    """
    if not _may_hold_a_row(words):
        return
    for row in compiled(_ROW).finditer(text):
        places = [word.span() for word in compiled(_WORD).finditer(text, row.start(), row.end())]
        at = _FEWEST - 1
        while at < len(places):
            first = last = at
            if _is_listed(text, places[at]):
                while first and _is_listed(text, places[first - 1]):
                    first -= 1
                while last + 1 < len(places) and _is_listed(text, places[last + 1]):
                    last += 1
                found = places[first : last + 1]
                if len(found) >= _FEWEST and len({text[a:b] for a, b in found}) >= _FEWEST - 2:
                    start, end = found[0][0], found[-1][1]
                    yield start, end, "seed-phrase", text[start:end]
            at = last + _FEWEST


def _may_hold_a_row(words: Sequence[str]) -> bool:
    """Whether twelve words in a row are listed, whatever parts them; numbers count as well."""
    may_be_listed, count = _may_be_listed.__getitem__, len(words)
    twelfths = words[_FEWEST - 1 :: _FEWEST]
    for at in compress(range(_FEWEST - 1, count, _FEWEST), map(may_be_listed, twelfths)):
        first = end = at
        while end < count and may_be_listed(words[end]):
            end += 1
        while first and end - first < _FEWEST and may_be_listed(words[first - 1]):
            first -= 1
        if end - first >= _FEWEST:
            return True
    return False


class _Listed(dict[str, bool]):
    """Whether a word may be one of the list, or a number: text repeats its words."""

    def __missing__(self, word: str) -> bool:
        bits, bit = _bits(), crc32(word.encode()) % _BITS
        listed = bits[bit >> 3] >> (bit & 7) & 1 == 1 or word[0].isdigit()
        if len(self) < _MOST_WORDS and len(word) <= _LONGEST_WORD:
            self[word] = listed
        return listed


_may_be_listed = _Listed()


def _is_listed(text: str, place: tuple[int, int]) -> bool:
    bits, bit = _bits(), crc32(text[place[0] : place[1]].encode()) % _BITS
    return bool(bits[bit >> 3] >> (bit & 7) & 1)


def _bits() -> bytes:
    if not _list:
        from base64 import b85decode
        from zlib import decompress

        _list.append(decompress(b85decode(_PACKED)))
    return _list[0]
