"""Word lists of the sentence patterns. They are closed: what is in none of them is just a word."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


PRONOUNS = words("""
    anybody anyone anything everybody everyone everything he her here him how i it me mine one ones
    ours she somebody someone something that theirs them there these they this those us we what
    where which who whom whose why you yours
""")

DETERMINERS = words("""
    a all an another any both each either every few her his its many more most much my other our
    same several some such that their these this those your
""")

PREPOSITIONS = words("""
    about above across after against along among around as at before behind below between beyond by
    despite during for from in inside into like near of on onto outside over per since than through
    till to toward towards under unlike until upon versus via vs with within
""")

LINKS = words("""
    again also although and because besides but currently even furthermore hence however instead
    just meanwhile moreover now once only or so still then therefore though thus today tomorrow too
    whereas while yesterday yet
""")
"""Words that tie a sentence to the one before."""

STARTERS = words("""
    abstract answer are be been btw can caution did do does edit example examples finally first fyi
    given goal had has have hello idea is last let nb next note notes ok okay p.s please point
    problem ps question reason result second see solution sorry summary thanks third tip update use
    using warning was welcome well were yes
""")
"""What else begins a sentence with a capital and is no name."""

COMMON_NOUNS = words("""
    air anger art bad bank beauty best better bird block body book brain bread buffer case cat
    change child children church city class code coffee cold color colour command consciousness cost
    country data day death default documentation dog earth easy emphasis end export failure family
    father fear feedback file files fire fish font food format frame freedom friend function good
    group habit hard hardware heading headline health heart heat help history home hope house image
    import joy key kind knowledge land language learning library life light line link list logic
    love man market markup math memory method milk mind mode module money moon mother music name
    names nature new night node note number object old option outline package page pain part
    patience peace people performance person philosophy picture power practice price program
    programming progress rain reading reason rice school science sea search security self sentence
    set side simple sleep snow software sort soul source start state style success sun support
    syntax table tag tags task tasks tea testing text theme theory thing time title todo tool town
    trade tree truth type value variable war water window wine woman word work world worse worst
    writing year
""")
"""Of one word alone at the start of a sentence these are no names."""

PARTICLES = words("""
    & 'n al bin da de del della den der di du el für ibn la le of the und van von y zu zum zur
""")
"""Small words inside names."""

TITLES = words("""
    capt col dr gen lt mr mrs ms mx prof rev sir st
""")
"""Abbreviations before a name; their full stop belongs to it."""

VAGUE = words("""
    alternative amount area aunt bad barrier beginning bit blast blessing brother bug bunch
    candidate case cause challenge chance child choice clone collection combination compromise
    consequence copy couple cousin curse daughter day descendant dream end example fact factor
    failure fan father favorite favourite feature few first fork form friend game-changer given goal
    good granddaughter grandson guess hack half hassle hint husband idea instance issue joke kind
    lie list little lot matter member mess mistake mix mixture mother must must-have native need
    nephew niece nightmare no-brainer note number one option pain parent part person piece pity
    place placeholder plan point prerequisite priority problem property quarter question range
    reason relative reminder replacement requirement result risk second series set shame side sign
    sister son sort start step student style subject subset substitute success superset surprise
    test thing things third time topic trade-off tradeoff treat trick truth type uncle value variant
    variety version waste way widow wife work
""")
"""Nouns that say nothing as a class, or nothing without what follows."""

EVALUATIVE = words("""
    amazing awesome bad beautiful best better big bit brilliant certain clear common complete
    convenient cool decent different difficult easy elegant excellent fairly false fantastic fine
    good great handy hard horrible huge important interesting key large least less likely little
    long lovely major minor more most much must natural neat new nice non-empty obvious old
    particular perfect possible powerful pretty proper quite rather real really same separate short
    similar simple single small so solid special strong suitable terrible too total true typical
    ugly useful useless valid very viable weak whole wonderful worse worst worthwhile
""")
"""Adjectives by which a sentence gives an opinion or a degree."""

FORMER = words("""
    erstwhile ex ex- former one-time onetime
""")
"""What was and is no more."""

FORMER_ADVERBS = words("""
    formerly once previously
""")

ING_NOUNS = words("""
    banking building computing cooking drawing editing engineering evening fishing flying
    functioning gaming hosting housing king layering learning living logging manufacturing marketing
    meeting mining modeling modelling morning mountain networking note-taking opening operating
    outlining painting planning processing programming publishing racing reading recording rendering
    ring running sailing scripting shipping spring static-typing streaming string swimming teaching
    testing thing tracking trading training typing wedding wing writing
""")
"""Words in -ing that stand inside a noun phrase without opening a clause."""

PARTICIPLES = words("""
    based born bought built called driven given kept known led left made meant named owned put seen
    sent sold spoken sung taken used written
""")
"""Irregular participles."""

CLAUSE_WORDS = words("""
    allows although and are based because but called can did do does gives had has have helps is
    known lets makes means named or provides runs so though used uses was were whereas while works
    yet
""")
"""Words that end a noun phrase."""

GOES_ON = words("""
    a also although an and born but during e.g from has he her his i.e in is it its later not she
    since so the then they though till until was where which who whose
""")
"""After a comma, "and" or "or" these leave the noun phrase before as it is."""

NO_RELATION = words("""
    absence act aim amount analog analogue art back basis beginning best bottom case center centre
    choice concept content contents core cost counterpart day default definition edge end epitome
    equivalent essence example fact first fourth front future goal half heart idea job key kind lack
    last length list majority meaning middle most name names next notion number one ones only
    opposite part parts past point presence present price problem process product purpose question
    reason rest result role same second set side sides size sort start state status sum task third
    time title top type use value way work worst year
""")
"""Nouns of "the N of Y" that name no relation."""

AFTER_NAME = words("""
    seit depuis desde
    after again and as at because before between but by during for from in last now on since this
    through till to today tomorrow until where which who whose with yesterday
""")
"""Words that may follow a name without being a part of it."""

ADVERBS = words("""
    actually allegedly already also apparently currently formerly likely maybe now once originally
    perhaps possibly presumably previously probably reportedly still supposedly
""")
"""What may stand between a subject and its verb, or after a copula."""

BARE_PREPOSITIONS = words("""
    at by for from in near of on over to under with
""")
"""A saying of one of these alone needs a copula before it."""

OPENING = words("""
    acquired acquires adopted adopts arrived arrives became becomes began begins bought buys entered
    enters founded founds hired hires joined joins married marries moved moves opened opens settled
    settles started starts
    written founded directed composed built designed painted created published invented discovered
    produced recorded launched named
""")
"""Verbs and participles that begin what holds from then on: "joined in 2021" goes on after 2021."""
