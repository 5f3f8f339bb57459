"""The worlds the laws play in: small alphabets, so that whatever is said soon meets what was said.

Four entities, four titles, two IDs and a relation for each constraint. Dates are of mixed
precision and overlap in every way; "?" bounds stand among them. Everything drawn is plain data:
`history.History` turns it into files and decisions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from gates.rows import PrivacyTag, SeedClass, SeedRelation, SeedWord, ShellPattern
from gates.seed_tables import SEED_PROVENANCES
from gates.tables import Tables
from neuro.plist import print_fact
from symbolic.records import Written
from symbolic.values import BadValue

# --- the gates --------------------------------------------------------------------------------

TABLES = Tables(
    protected_paths=(),
    path_exceptions=(),
    self_build_paths=(),
    content_categories=(),
    privacy_tags=(PrivacyTag("sealed", "private-content"),),
    shell_patterns=(ShellPattern("wipe", r"\bwipe\b", "wipe-command", "Bell", "dangerous"),),
    trusted_hosts=(),
    permissions=(),
    tools=(),
    classes=(SeedClass("private-content", "table-p"), SeedClass("wipe-command", "table-s")),
    relations=(
        SeedRelation("member-of-class", "table-p", shared=True),
        SeedRelation("classified-as", "table-s", functional=True),
    ),
    qualities=(SeedWord("dangerous", "table-s"), SeedWord("harmless", "table-s")),
    provenances=SEED_PROVENANCES,
)
"""Gate tables of a few rows: a fold of the shipped ones takes longer than a whole history."""

OTHER_TABLES = replace(
    TABLES,
    privacy_tags=(PrivacyTag("work", "private-content"),),
    shell_patterns=(ShellPattern("wipe", r"\bwipe\b", "wipe-command", "Bell", "harmless"),),
)
"""The tables of another version: one tag and one verdict are not as they were."""

ZONES = ("Europe/Berlin", "UTC", "Pacific/Auckland")

# --- the ontology -----------------------------------------------------------------------------

Ontology = dict[str, dict[str, str]]
"""{kind/Name: {PROPERTY: value}} of ontology.org, in file order."""

BASE: Ontology = {
    "class/person": {"DISJOINT": "robot", "ALIAS": "human"},
    "class/robot": {},
    "class/child": {"PARENT": "saint", "POLICY": "coexistent"},
    "class/saint": {"PARENT": "person", "POLICY": "exclusive"},
    "class/era": {"POLICY": "temporal"},
    "relation/employer": {"FUNCTIONAL": "t", "POLICY": "temporal", "ALIAS": "works-at"},
    "relation/home": {"FUNCTIONAL": "t"},
    "relation/born": {"FUNCTIONAL": "t", "POLICY": "exclusive"},
    "relation/likes": {"OPPOSITE": "hates"},
    "relation/hates": {"POLICY": "temporal"},
    "relation/owns": {"INVERSE_FUNCTIONAL": "t", "POLICY": "exclusive"},
    "relation/spouse": {"SYMMETRIC": "t", "FUNCTIONAL": "t", "POLICY": "temporal"},
    "relation/parent": {"INVERSE": "child-of", "ASYMMETRIC": "t", "POLICY": "exclusive"},
    "relation/part-of": {"ACYCLIC": "t"},
    "relation/badge": {"CARDINALITY": "1", "POLICY": "exclusive"},
    "relation/height": {"FUNCTIONAL": "t", "RANGE": "quantity", "UNIT": "m", "TOLERANCE": "1 cm"},
    "relation/leads": {"DOMAIN": "person", "RANGE": "robot", "POLICY": "exclusive"},
    "relation/visits": {"POLICY": "temporal"},
    "relation/claims": {"MIN_SOURCES": "2"},
    "relation/_rank": {"FUNCTIONAL": "t", "POLICY": "exclusive"},
    "entity/Rome": {"ALIAS": "Roma"},
}

_POLICIES = ("", "exclusive", "temporal", "coexistent")
_FLAGS = (
    "FUNCTIONAL", "INVERSE_FUNCTIONAL", "SYMMETRIC", "ASYMMETRIC", "IRREFLEXIVE", "ACYCLIC",
)  # fmt: skip
_VALUES: dict[str, tuple[str, ...]] = {
    "POLICY": _POLICIES,
    **{flag: ("", "t") for flag in _FLAGS},
    "OPPOSITE": ("", "likes", "hates"),
    "INVERSE": ("", "child-of", "owns"),
    "CARDINALITY": ("", "1", "2"),
    "DOMAIN": ("", "person", "era"),
    "RANGE": ("", "quantity", "integer", "text", "person", "person integer"),
    "UNIT": ("", "m", "cm"),
    "TOLERANCE": ("", "1 cm", "1", "5 %"),
    "MIN_SOURCES": ("", "2"),
    "ALIAS": ("", "works-at", "at"),
}
_CLASS_VALUES: dict[str, tuple[str, ...]] = {
    "POLICY": _POLICIES,
    "PARENT": ("", "person", "robot", "saint", "private-content"),
    "DISJOINT": ("", "robot", "child"),
    "ALIAS": ("", "human", "machine"),
}
_ENTITY_VALUES: dict[str, tuple[str, ...]] = {"ALIAS": ("", "Roma", "Acme")}
_BY_KIND = {"relation": _VALUES, "class": _CLASS_VALUES, "entity": _ENTITY_VALUES}


@dataclass(frozen=True, slots=True)
class Edit:
    """A property of a subject given another value; "" takes it out, property "" the subject."""

    subject: str
    field: str
    value: str


@st.composite
def ontology_edits(draw: st.DrawFn) -> Edit:
    """Draw a change of ontology.org, sensible or not."""
    subject = draw(st.sampled_from(sorted([*BASE, "entity/Ada", "relation/tagged"])))
    values = _BY_KIND[subject.partition("/")[0]]
    field_ = draw(st.sampled_from([*sorted(values), ""]))
    return Edit(subject, field_, draw(st.sampled_from(values[field_])) if field_ else "")


ontologies = st.lists(ontology_edits(), max_size=3)
"""How a history's first ontology differs from BASE."""

# --- statements -------------------------------------------------------------------------------

ENTITIES = ("Ada", "Bo", "Acme", "Rome")
_NAMES = ("Ada", "Bo", "Acme", "Rome", "Roma")
_WORDS: dict[str, tuple[str, ...]] = {
    "employer": ("Acme", "Bell"),
    "works-at": ("Acme", "Bell"),
    "home": ("Rome", "Roma", "Oslo"),
    "born": ("Rome", "Oslo", "1990"),
    "likes": ("Bo", "Acme"),
    "hates": ("Bo", "Acme"),
    "owns": ("Acme", "Bell"),
    "spouse": ("Ada", "Bo"),
    "parent": ("Ada", "Bo"),
    "child-of": ("Ada", "Bo"),
    "part-of": _NAMES,
    "badge": ("1", "2", "one"),
    "height": ("1.80 m", "181 cm", "1.80", "tall"),
    "leads": ("Bo", "Acme", "7"),
    "visits": ("Rome", "Oslo"),
    "claims": ("Acme",),
    "_rank": ("first", "second"),
    "tagged": ("sealed", "work"),
    "classified-as": ("dangerous", "harmless"),
    "member-of-class": ("person", "robot", "child", "saint", "era", "human", "private-content"),
}
_OFTEN = (
    "employer", "employer", "employer", "spouse", "home", "born", "born", "visits",
    "member-of-class",
)  # fmt: skip
_BOUNDS = (
    None, "2023", "2024", "2024-02", "2024-03", "2024-02-01", "2024-03-05", "2025",
    "2024-03-05T09:30:00Z", "?",
)  # fmt: skip

_starts = st.one_of(st.none(), st.sampled_from(_BOUNDS))
_ends = st.one_of(st.none(), st.none(), st.sampled_from(_BOUNDS))


@st.composite
def statements(draw: st.DrawFn) -> Written:
    """Draw a statement, seldom one whose end lies before its start."""
    relation = draw(st.sampled_from([*_OFTEN, *_WORDS]))
    entities = ("Bell", "Ada") if relation == "classified-as" else ENTITIES
    return Written(
        entity=draw(st.sampled_from(entities)),
        relation=relation,
        value=draw(st.sampled_from(_WORDS[relation])),
        kind=draw(st.sampled_from((None, None, None, None, "name", "text"))),
        polarity=draw(st.sampled_from((True, True, True, False))),
        valid_from=draw(_starts),
        valid_to=draw(_ends),
    )


def rival(written: Written, of: Written, dated: bool) -> Written:
    """Return `written` as another value of the slot that `of` stands in; `dated` gives it a start.
    """
    values = _WORDS.get(of.relation, (of.value,))
    value = values[(values.index(of.value) + 1) % len(values)] if of.value in values else values[0]
    start, end = written.valid_from, written.valid_to
    if dated:
        start, end = start if start not in (None, "?") else "2024-02", None
    return replace(of, value=value, kind=None, polarity=True, valid_from=start, valid_to=end)


FREE = ("employer", "home", "likes", "hates", "spouse", "part-of", "height", "visits")
"""Relations of BASE that are coexistent or temporal, whatever the order of admission."""


@st.composite
def free_statements(draw: st.DrawFn) -> Written:
    """Draw a statement of a relation in which no order of admission may show."""
    relation = draw(st.sampled_from(FREE))
    return Written(
        entity=draw(st.sampled_from(ENTITIES[:2])),
        relation=relation,
        value=draw(st.sampled_from(_WORDS[relation])),
        polarity=draw(st.sampled_from((True, True, True, False))),
        valid_from=draw(_starts),
        valid_to=draw(_ends),
    )


def plist(written: Written) -> str:
    """Return the line of a knowledge block that says `written`; a wrong line if none can."""
    try:
        return print_fact(written)
    except BadValue:
        return f"(:entity {written.entity})"


# --- prose ------------------------------------------------------------------------------------

PATHS = ("a.org", "b.org", "sub/c.org", "2024-03-05.org")
TITLES = ("Ada", "ada", "Bo", "Plan")
IDENTS = ("k1", "k2")
STAMPS = ("", "[2024-02-10]", "[2024-03-05 Tue 10:00]", "<2023-06-01>")
SENTENCES = (
    "Ada was at Acme that winter.",
    "Bo came from *Rome* by train.",
    "Nothing is settled.",
    "Seen: [[https://example.org/x][the page]].",
)
PROPERTIES = (
    ("employer", "Acme"), ("employer", "Bell"), ("visits", "Rome"), ("home", "Rome"),
    ("born", "Oslo"), ("born", "Rome"), ("badge", "1"), ("badge", "2"), ("height", "180 cm"),
    ("member-of-class", "robot"), ("claims", "Acme"), ("CREATED", "[2023-01-02]"),
)  # fmt: skip
ITEMS = ("- home :: Rome", "- born :: Oslo", "- see [[*Plan]] or [[file:b.org][b]]")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading to be written: everything of it but its stars."""

    title: str
    ident: str = ""
    tags: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    stamp: str = ""
    lines: tuple[str, ...] = ()
    facts: tuple[Written, ...] = ()
    deep: bool = False
    agent: bool = False

    def text(self) -> str:
        """Return the heading as Org."""
        tags = f" :{':'.join(self.tags)}:" if self.tags else ""
        rows = [f"{'**' if self.deep else '*'} {self.title}{tags}"]
        drawer = [*self.properties]
        if self.ident:
            drawer.insert(0, ("ID", self.ident))
        if self.agent:
            drawer.append(("AGENT", "t"))
        if drawer:
            rows += [":PROPERTIES:", *(f":{key}: {value}" for key, value in drawer), ":END:"]
        if self.stamp:
            rows.append(self.stamp)
        rows += self.lines
        if self.facts:
            rows += ["#+begin_src knowledge", *map(plist, self.facts), "#+end_src"]
        return "\n".join(rows) + "\n"

    def quotes(self) -> tuple[str, ...]:
        """Return texts that stand in the heading, as somebody would quote them."""
        return (self.title, *self.lines, *map(plist, self.facts))


sections = st.builds(
    Section,
    title=st.sampled_from(TITLES),
    ident=st.sampled_from(("", "", *IDENTS)),
    tags=st.sampled_from(((), (), ("work",), ("sealed", "work"))),
    properties=st.lists(st.sampled_from(PROPERTIES), max_size=2).map(tuple),
    stamp=st.sampled_from(STAMPS),
    lines=st.lists(st.sampled_from([*SENTENCES, *ITEMS]), max_size=2, unique=True).map(tuple),
    facts=st.lists(statements(), max_size=2).map(tuple),
    deep=st.booleans(),
    agent=st.sampled_from((False, False, False, False, True)),
)


CONTENDED = (
    Section("Ada", properties=(("born", "Oslo"), ("born", "Rome"), ("tagged", "work"))),
    Section("Plan", stamp="[2024-02-10]", lines=SENTENCES[:2], facts=(
        Written(entity="Ada", relation="born", value="Rome", valid_to="2024"),
        Written(entity="Bo", relation="employer", value="Acme", valid_from="2023", valid_to="2024"),
        Written(entity="Ada", relation="employer", value="Acme", valid_from="2023"),
        Written(entity="Ada", relation="employer", value="Bell"),
        Written(entity="Bo", relation="badge", value="1", valid_to="2024-02"),
        Written(entity="Bo", relation="likes", value="Acme"),
        Written(entity="Bo", relation="hates", value="Acme", valid_from="2024"),
        Written(entity="Ada", relation="height", value="180 cm"),
        Written(entity="Ada", relation="member-of-class", value="child"),
        Written(entity="Ada", relation="leads", value="Bo"),
        Written(entity="Bo", relation="_rank", value="first"),
    )),
)  # fmt: skip
"""Headings that contradict themselves, and facts that end where others begin."""


@st.composite
def memexes(draw: st.DrawFn) -> dict[str, tuple[Section, ...]]:
    """Draw the files that a history begins with."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True))
    files = {path: tuple(draw(st.lists(sections, max_size=3))) for path in paths}
    if draw(st.booleans()):
        files["b.org"] = CONTENDED
    return files


# --- candidates -------------------------------------------------------------------------------

WRONG_QUOTES = (
    "ada WAS at acme that winter.", "Nobody wrote this.", "", None, "Bo came from Rome by train.",
)  # fmt: skip
"""Quotes that stand nowhere, and one that stands only where markup is looked through."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate to be: heading and quote are picked by number once the headings are known.

    `how` is `new`, `again` (what was proposed, refused or stated before, where it was), `moved`
    (the same with other bounds), `rival` (another value of what stands) or `next` (another value
    on a timeline, with a date).
    """

    written: Written
    heading: int
    quote: int
    how: str = "new"
    wrong: str | None = "right"
    lost: bool = False


MALFORMED = (
    Written(entity=" ", relation="home", value="Rome"),
    Written(entity="Ada", relation="home", value="Rome", valid_from="2024", valid_to="2023"),
    Written(entity="Ada", relation="height", value="tall", kind="quantity"),
)


_HOW = ("new", "new", "again", "again", "moved", "rival", "rival", "next", "next", "next")


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Draw a candidate: most are grounded, well formed, and about something said before."""
    odd = draw(st.integers(0, 24))
    return Draft(
        written=draw(st.sampled_from(MALFORMED)) if odd == 1 else draw(statements()),
        heading=draw(st.integers(0, 11)),
        quote=draw(st.integers(0, 5)),
        how="new" if odd == 1 else draw(st.sampled_from(_HOW)),
        wrong=draw(st.sampled_from(WRONG_QUOTES)) if odd == 2 else "right",
        lost=odd == 3,
    )


_SLOTS = (
    ("Ada", "employer", "Bell"), ("Bo", "born", "Oslo"), ("Ada", "home", "Roma"),
    ("Ada", "born", "Rome"), ("Rome", "visits", "Oslo"), ("Ada", "member-of-class", "robot"),
    ("Bo", "leads", "Acme"), ("Bo", "badge", "2"), ("Bo", "hates", "Acme"),
    ("Ada", "height", "181 cm"), ("Bo", "part-of", "Bo"),
    ("Ada", "claims", "Acme"), ("Bo", "_rank", "second"),
)  # fmt: skip
_SPANS = (
    ("2024-02", None), (None, None), ("2023", "2024-03"), ("2024-02-01", None), (None, "2024-02"),
    ("?", None), ("2024", None), (None, "2024-02-01"), ("2025", None), ("2024-03-05", "?"),
)  # fmt: skip


def probes(step: int) -> list[Draft]:
    """Return the candidates that are judged after a step, whatever the step was."""
    start, end = _SPANS[step % len(_SPANS)]
    plain, dated = (
        Written(entity=entity, relation=relation, value=value, valid_from=since, valid_to=until)
        for (entity, relation, value), since, until in (
            (_SLOTS[step % len(_SLOTS)], None if step % 3 else start, None if step % 2 else end),
            (_SLOTS[step * 3 % len(_SLOTS)], start, end),
        )
    )
    way = ("next", "rival", "next", "again", "moved")[step % 5]
    return [Draft(plain, step, step), Draft(dated, step // 2, step + 1, way)]


batches = st.lists(drafts(), min_size=1, max_size=4)
picks = st.integers(0, 11)
"""Which of several things is meant, by number; too large a number starts again from the first."""
