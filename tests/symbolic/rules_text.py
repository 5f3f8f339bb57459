"""Clauses as Hypothesis draws them: whatever the language can say, in printed form or not."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from symbolic.names import fold
from symbolic.records import NameKind, Term, ValueKind
from symbolic.rules.printing import mentioned
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Clause,
    Compare,
    Constant,
    Literal,
    Operator,
    Order,
    Relating,
    Variable,
)
from symbolic.values import literal, name

CHARACTERS = st.characters(exclude_categories=("Cs",))
WORDS = st.text(CHARACTERS, min_size=1, max_size=8).filter(lambda text: text.strip() != "")
RELATIONS = st.one_of(
    st.sampled_from(["p", "q", "works at", "text", "before", "member of class", "is a", "true"]),
    WORDS.map(fold),
).filter(lambda text: text.strip() != "" and fold(text) == text)


def variables(prefix: str = "X") -> st.SearchStrategy[str]:
    """Draw the name of a variable."""
    return st.sampled_from([f"{prefix}{n}" for n in range(4)] + [f"_{prefix}", f"{prefix}é_9"])


NAMES: st.SearchStrategy[Term] = st.builds(
    name, WORDS, st.sampled_from([
        NameKind.NAME, NameKind.PATH, NameKind.URL, NameKind.HOST, NameKind.COMMAND,
    ])
)  # fmt: skip


def values() -> st.SearchStrategy[Term]:
    """Draw a literal of any kind."""
    numbers = st.integers(-10**9, 10**9)
    return st.one_of(
        st.text(CHARACTERS, max_size=8).map(lambda text: literal(text, ValueKind.TEXT)),
        numbers.map(lambda n: literal(str(n), ValueKind.INTEGER)),
        numbers.map(lambda n: literal(f"{n}.25", ValueKind.DECIMAL)),
        numbers.map(lambda n: literal(f"{n}.0", ValueKind.DECIMAL)),
        st.dates().map(lambda day: literal(day.isoformat(), ValueKind.DATE)),
        st.datetimes().map(lambda t: literal(f"{t.isoformat()}Z", ValueKind.DATE)),
        st.sampled_from(["2024", "2024-02"]).map(lambda text: literal(text, ValueKind.DATE)),
        st.sampled_from(["8848 m", "1.5 km", "-3 °C", "7 m²"]).map(
            lambda text: literal(text, ValueKind.QUANTITY)
        ),
        st.sampled_from(["true", "false"]).map(lambda text: literal(text, ValueKind.BOOLEAN)),
    )


ENTITIES: st.SearchStrategy[Argument] = st.one_of(
    variables().map(Variable), NAMES.map(Constant)
)
ARGUMENTS: st.SearchStrategy[Argument] = st.one_of(ENTITIES, values().map(Constant))


def atoms(*, spells: bool = True) -> st.SearchStrategy[Atom]:
    """Draw an atom, with a spell or without."""
    spell = st.none() | variables("S") if spells else st.none()
    return st.builds(
        Atom, relation=RELATIONS, entity=ENTITIES, value=ARGUMENTS, denied=st.booleans(),
        spell=spell,
    )


LITERALS: st.SearchStrategy[Literal] = st.one_of(
    atoms(),
    st.builds(Absent, atom=atoms(spells=False)),
    st.builds(Compare, operator=st.sampled_from(Operator), left=ARGUMENTS, right=ARGUMENTS),
    st.builds(
        Order, relating=st.sampled_from(Relating), left=variables("S"), right=variables("S")
    ),
)

CLAUSES: st.SearchStrategy[Clause] = st.builds(
    Clause,
    name=st.from_regex(r"\A[a-z][a-z0-9_-]{0,6}\Z"),
    head=st.none() | atoms(),
    body=st.lists(LITERALS, min_size=1, max_size=5).map(tuple),
)

SCRAPS = st.sampled_from([
    "p", "q", "(", ")", ",", ".", "<=", "&", "~", "@", "X", "_", "S", "'a'", "'", '"', '"t"',
    "text(", "date(2024-02)", "q(5, 'm')", "denied(", "before(S, T)", "5", "1.5", "-", "=", "!=",
    "% name: x\n", "% domain: d\n", "%", "\n", "\r", "\r\n", "\0", "`ls`", ";", "__import__",
    "('os')", "\ufeff", "\\", "é", "ß", "\u2028", "{", "p(X, Y) <= q(X, Y).",
])  # fmt: skip
GARBAGE = st.one_of(st.text(max_size=60), st.lists(SCRAPS, max_size=25).map(" ".join),
                    st.lists(SCRAPS, max_size=25).map("".join))




def made_safe(clause: Clause) -> Clause:
    """Return `clause` with its variables found by atoms, and its spells bound once or left out."""
    head = clause.head
    assert head is None or isinstance(head, Atom)
    bound: set[str | None] = {None}
    body: list[Literal] = []
    for one in clause.body:
        if isinstance(one, Atom):
            body.append(replace(one, spell=None) if one.spell in bound else one)
            bound.add(one.spell)
        elif not isinstance(one, Order):
            body.append(one)
    body += [
        one for one in clause.body
        if isinstance(one, Order) and {one.left, one.right} <= bound
    ]
    if head is not None and head.spell not in bound:
        head = replace(head, spell=None)
    names = sorted({
        name for one in (*body, *((head,) if head else ())) for name in mentioned(one)
    } - bound) or ["X0"]
    pairs = zip(names, [*names[1:], names[0]], strict=True)
    found = [
        Atom(relation="seen", entity=Variable(one), value=Variable(other))
        for one, other in list(pairs)[::2]
    ]
    if len(names) > 1:
        found.append(Atom(relation="seen", entity=Variable(names[-1]), value=Variable(names[0])))
    return replace(clause, head=head, body=(*found, *body))


SAFE = st.builds(
    Clause,
    name=st.from_regex(r"\A[a-z][a-z0-9_-]{0,6}\Z"),
    head=st.none() | atoms(),
    body=st.lists(LITERALS, min_size=1, max_size=3).map(tuple),
).map(made_safe)
