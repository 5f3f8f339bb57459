"""What turns a sentence from a statement into something else, language by language: one table.

Each row holds regular expressions over folded text (lower case, blanks for hyphens):

- `safe`: says no, and denies nothing ("not only", "no doubt", "pas seulement"); read first.
- `ended`: denies the present alone ("no longer").
- `cue`: denies. `aux` are those that deny a whole clause with its subject ("is not", "never").
- `supposed`: opens a condition or an indirect question.
- `stops`: begins another clause, where a negation ends.
- `marks`: words by which the language is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from symbolic.quotes.mentions import unspaced


class Order(StrEnum):
    """Where what is denied stands."""

    AFTER = "after the cue, or as subject before it"
    BEFORE = "before the cue: the verb ends the sentence"
    AROUND = "anywhere in the clause of the cue"


@dataclass(frozen=True, slots=True)
class Language:
    """How one language denies, supposes and asks. `spaced`: its words stand between blanks."""

    code: str
    order: Order
    spaced: bool
    marks: frozenset[str]
    pattern: re.Pattern[str]
    asked: re.Pattern[str]


_MARKS = (
    r"|(?P<strong>[;:]|\s—\s|…)|(?P<comma>[,、，])|(?P<open>[(\[（「『])|(?P<close>[)\]）」』])"
)
_ASKED = r"[?？][\"'»”)\]]*$"


def _language(
    code: str, order: Order, marks: str = "", *, safe: str, ended: str, cue: str, supposed: str,
    stops: str, aux: str = r"(?!)", joins: str = r"(?!)", relative: str = r"(?!)",
    until: str = r"(?!)", asked: str = _ASKED, spaced: bool = True,
) -> Language:
    kinds = {
        "safe": safe, "ended": ended, "aux": aux, "cue": cue, "supposed": supposed,
        "until": until, "relative": relative, "stop": stops, "join": joins,
    }  # fmt: skip
    edge = (r"(?<![^\W_])", r"(?![^\W_])") if spaced else ("", "")
    rows = [f"(?P<{kind}>{edge[0]}(?:{text}){edge[1]})" for kind, text in kinds.items()]
    return Language(
        code, order, spaced, frozenset(marks.split()), re.compile("|".join(rows) + _MARKS),
        re.compile(asked),
    )


_HELP = (
    r"(?:is|are|was|were|am|be|been|do|does|did|has|have|had|can|could|will|would|shall|should"
    r"|may|might|must|need)"
)
_HELP_NT = (
    r"(?:is|are|was|were|ai|do|does|did|has|have|had|ca|could|wo|would|sha|should|must|need)n'?t"
)

ENGLISH = _language(
    "en", Order.AFTER,
    "the of is was are were and to at with for by from has have had that this not it as be his her "
    "an which does did been will he she they",
    safe=(
        r"not (?:only|just|merely|simply|solely|exclusively|least|to mention|without|unlike|until"
        r"|later than|earlier than|less than|more than|fewer than|infrequently|uncommon(?:ly)?)"
        r"|no (?:doubt|matter|sooner|wonder|question|less than|fewer than|more than|later than"
        r"|earlier than|other than|one but)|no(?:ne|body|where|thing) (?:but|other than|else than)"
        r"|nothing (?:short of|less than)|(?:cannot|can't|could not|couldn't) (?:but|help)"
        r"|whether or not|or not|if not|if any|if only|why not|even if|even though|even when|as if"
        r"|(?:(?:do|does|did|can|could) ?n[o']t|never) (?:deny|doubt|fails?|failed)|never fails?"
        r"|no\.? ?(?=\d)|, (?:however|of course|though|in fact|at least|to my knowledge"
        r"|as far as i know|therefore|strictly speaking|i think),|if (?:you|we) (?:will|like)"
    ),
    ended=(
        r"no longer|no more|(?:not|\w+n't) (?:any ?more|any longer)"
        r"|(?:stopped|ceased|quit|gave up|has stopped) \w+ing|ceased to"
    ),
    aux=rf"(?:{_HELP} (?:\w+ ?ly )?(?:not|never)(?: since)?|{_HELP_NT}|cannot|never)",
    cue=(
        r"not|no|none|nobody|no one|nothing|nowhere|neither|nor|without|lack(?:s|ed|ing)?"
        r"|den(?:y|ies|ied|ying)|refus(?:e|es|ed) to|fail(?:s|ed)? to|unable to|hardly|scarcely"
        r"|instead of|rather than|far from being|it is false that|untrue"
    ),
    supposed=(
        r"if|unless|whenever|in case|provided that|providing that|assuming|suppose|supposing"
        r"|as long as|whether|wonder(?:s|ed|ing)?|imagine|pretend(?:s|ed)?"
    ),
    until=r"until|till",
    stops=r"but|although|though|whereas|while|because|since|so|yet|however|when|after|where|instead",
    joins=r"and|or|&",
    relative=r"who|whom|whose|which",
)

GERMAN = _language(
    "de", Order.AROUND,
    "der die das und ist nicht kein keine keinen ein eine bei mit von zu auf für war hat sind auch "
    "den dem des im am arbeitet wohnt nie weder ohne",
    safe=r"nicht nur|nicht zuletzt|nicht bloß|nichts als|nicht ohne|kein wunder|ohne zweifel"
    r"|ob oder nicht|nicht wahr|selbst wenn|auch wenn|als ob",
    ended=r"nicht mehr|kein\w* \w+ mehr|nie mehr|nie wieder",
    cue=r"nicht|kein(?:e[nrms]?)?|nie|niemals|niemand(?:em|en)?|nirgends|nichts|ohne|weder",
    supposed=r"wenn|falls|sofern|ob|angenommen",
    stops=r"aber|sondern|doch|jedoch|obwohl|weil|da|dass|der|die|das(?= )|wobei|während",
    joins=r"und|oder",
)
_ROMANCE_STOP = r"(?:mais|parce|car|pero|sino|aunque|porque|ma|però|anche se|mas|embora|quando)"

FRENCH = _language(
    "fr", Order.AFTER,
    "le la les des est une dans qui et du avec pour chez au aux ne pas il elle sur par travaille "
    "n'est habite jamais n'a",
    safe=r"non seulement|pas seulement|(?:ne|n')[^,;.]{1,40}? que|sans doute|pas moins de|même si"
    r"|comme si|sans conteste",
    ended=r"(?:ne |n')(?:\S+ ){1,3}?plus",
    aux=r"(?:ne |n')(?:\S+ ){0,2}?\S+ (?:pas|jamais|rien|aucun\w*|personne|guère)",
    cue=r"ne|pas|jamais|sans|aucun\w*|ni|non",
    supposed=r"si|s'il\w*|à moins que|au cas où",
    stops=_ROMANCE_STOP, joins=r"et|ou", relative=r"qui|dont",
)
SPANISH = _language(
    "es", Order.AFTER,
    "el los las del en es una por con su fue para que trabaja vive y nunca está son al ella él",
    safe=r"no s[oó]lo|no solamente|no obstante|sin embargo|sin duda|no menos de|aun si|como si"
    r"|nada menos",
    ended=r"ya no",
    aux=r"no|nunca|jamás",
    cue=r"tampoco|ning[uú]n(?:a|o)?|sin|nadie|nada|ni|niega",
    supposed=r"si|a menos que|en caso de",
    stops=_ROMANCE_STOP, joins=r"y|o", relative=r"quien|cual|que",
)
ITALIAN = _language(
    "it", Order.AFTER,
    "il lo gli di che è una nel nella della con per da lavora vive sono ha al non e dei le",
    safe=r"non solo|non soltanto|non solamente|senza dubbio|come se|anche se|non meno di",
    ended=r"non (?:\S+ ){1,3}?più|non più",
    aux=r"non|mai",
    cue=r"nessun[oa]?|senza|niente|nulla|né|nega",
    supposed=r"se|a meno che",
    stops=_ROMANCE_STOP, joins=r"e|o", relative=r"cui|quale",
)
PORTUGUESE = _language(
    "pt", Order.AFTER,
    "o os as do da em é uma no na com para que por não trabalha mora vive e foi dos das ao",
    safe=r"não só|não somente|não apenas|sem dúvida|como se|mesmo se|não menos de",
    ended=r"já não|não (?:\S+ ){1,3}?mais|não mais",
    aux=r"não|nunca|jamais",
    cue=r"nenhum[a]?|sem|ninguém|nada|nem|nega",
    supposed=r"se|a menos que|caso",
    stops=_ROMANCE_STOP, joins=r"e|ou", relative=r"quem|qual|que",
)
RUSSIAN = _language(
    "ru", Order.AFTER,
    safe=r"не только|не менее|не позднее|не раньше|не без|не иначе как|не считая",
    ended=r"больше не|уже не|более не",
    aux=r"не|нет|никогда(?: не)?",
    cue=r"никто|ничего|ничто|ни|без|нельзя|отрицает",
    supposed=r"если|ли|разве",
    stops=r"но|а|зато|однако|хотя|потому|так как", joins=r"и|или", relative=r"котор\w+",
)
JAPANESE = _language(
    "ja", Order.BEFORE, spaced=False,
    safe=(
        r"少な[いく]|な(?:ければ|くては|いと)(?:なら|いけ)(?:ない|ません|なかった)|なくちゃ"
        r"|かもしれ(?:ない|ません)|違いな[いく]|違いありません|(?:過ぎ|すぎ)(?:ない|ません)|しかな[いく]|しかありません"
        r"|(?:だけ|ばかり|のみ)(?:で|じゃ)は?なく|のみならず|危な[いく]|切な[いく]|汚な[いく]|もったいな[いく]"
        r"|とんでもな[いく]|仕方な[いく]|得な[いく]|てやまない|間もなく|まもなく|限りなく|なんとなく|何となく"
    ),
    ended=r"なくな(?:った|る|り)|なくなって",
    cue=r"な(?:い|かった|くて|く(?=[、。])|ければ)|ません|ずに|ではなく|でなく|じゃなく|(?<=ら)ぬ(?=[、。])|無い|無く",
    supposed=r"もし|としたら|とすれば|場合(?=[はに、])|たら(?=、)|れば(?=、)|なら(?=[ば、])|かどうか",
    stops=r"が、|けれど|けど|ものの|一方|ので、|から、|し、",
    asked=r"[?？]|(?:です|ます|でしょう|だろう|ない|ません|の)か[。．]?$",
)
CHINESE = _language(
    "zh", Order.AFTER, spaced=False,
    safe=r"不仅|不僅|不但|不只|不过|不過|不同|不少|不断|不斷|不久|不得不|非常|非洲|未来|未來|没错|不错|除非|不可或缺|无线|無線"
    r"|南非|是非|对不起|無論|无论|不论|不論|差不多",
    ended=r"不再|已不",
    cue=r"不|没有?|沒有?|未(?!知)|并非|並非|从未|無法|无法|否认|否認",
    supposed=r"如果|假如|要是|倘若|是否",
    stops=r"但是?|然而|而是|可是|因为|因為|所以",
    asked=r"[?？]|[吗嗎呢][。]?$",
)
KOREAN = _language(
    "ko", Order.BEFORE, spaced=False,
    safe=r"뿐만? ?아니라|않으면 안|없이는|틀림없|어쩔 수 없|수밖에 없",
    ended=r"더 ?이상",
    cue=r"않|없[다는었습을이]|아니[다라며었]|아닙니다|아닌|못[하했한합]|(?<= )안 ",
    supposed=r"만약|만일|[으라]면(?= )",
    stops=r"지만|그러나|반면",
    asked=r"[?？]|(?:까|나요|가요)[.]?$",
)

BY_WORDS = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE)
"""Languages in Latin letters: the one most of whose marks stand in the sentence, else the first."""

_SHORT = """
dr mr mrs ms st prof jr sr no vs etc e.g i.e ca cf al inc ltd co corp dept fig vol approx jan
feb mar apr jun jul aug sep sept oct nov dec bzw z.b usw nr hr fr sra dra ed gen col capt lt sgt
rev hon mt ft rd ave blvd u.s u.k
"""
ABBREVIATIONS = frozenset(_SHORT.split())
"""Words whose full stop ends no sentence."""

_WORD = re.compile(r"[^\W_]+")


def language(text: str) -> Language:
    """Return the language by whose table the folded `text` is read: by its script, then words."""
    count = {"kana": 0, "han": 0, "hangul": 0, "cyrillic": 0, "other": 0}
    for char in text:
        if char.isalpha():
            count[_script(char)] += 1
    others = count["other"] / 3
    if count["kana"] + count["han"] > others and count["kana"] > 1:
        return JAPANESE
    if count["han"] > others:
        return CHINESE
    if count["hangul"] > others:
        return KOREAN
    if count["cyrillic"] > others:
        return RUSSIAN
    words = _WORD.findall(text)
    return max(BY_WORDS, key=lambda row: (sum(w in row.marks for w in words), row is ENGLISH))


def _script(char: str) -> str:
    if "\u3040" <= char <= "\u30ff":
        return "kana"
    if "\uac00" <= char <= "\ud7a3":
        return "hangul"
    if "\u0400" <= char <= "\u052f":
        return "cyrillic"
    return "han" if unspaced(char) else "other"
