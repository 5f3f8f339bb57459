"""The engine by itself: circles that lose their ground, what a change touches, what explodes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random

import pytest

from symbolic.canon import term_key
from symbolic.deduction import tables
from symbolic.deduction.engine import Engine
from symbolic.deduction.tables import BEGINNING, END, Row
from symbolic.names import fold
from symbolic.records import Declarations, Name, NameKind, RelationDecl, RuleFile, Term
from symbolic.rules.program import compile
from symbolic.rules.syntax import Predicate

REACH = "reach(X, Y) <= edge(X, Y).\nreach(X, Z) <= reach(X, Y) & edge(Y, Z)."
CLOSED = Declarations(relations={
    "edge": RelationDecl(name="edge", written="edge", transitive=True)
})  # fmt: skip

Edge = tuple[int, int, int, int]
"""From, to, and when: lo, hi."""


class Terms:
    """A dictionary of terms."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.ids: dict[str, int] = {}

    def id_of(self, term: Term) -> int:
        """Return the number of a term."""
        if term_key(term) not in self.ids:
            self.terms.append(term)
            self.ids[term_key(term)] = len(self.terms)
        return self.ids[term_key(term)]

    def find(self, term: Term) -> int | None:
        """Return the number of a term, None if it has none."""
        return self.ids.get(term_key(term))

    def term(self, number: int) -> Term:
        """Return a term."""
        return self.terms[number - 1]


class Graph:
    """An engine over edges between numbered nodes; a fact is an edge, its id its place + 1."""

    def __init__(
        self, text: str, declarations: Declarations | None = None, *, keep: int = 8,
        limit: int = 1_000_000,
    ) -> None:  # fmt: skip
        self.db = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
        tables.script(self.db, tables.TABLES + tables.SCRATCH)
        for _, index in tables.SUPPORT_INDICES:
            self.db.execute(index)
        self.terms = Terms()
        self.engine = Engine(self.db, self.terms, keep=keep, limit=limit)
        program = compile([RuleFile(name="a.dl", text=text)], declarations or Declarations())
        assert not program.faults
        self.engine.use(program, ["memex"], "UTC", lambda _: ())

    def node(self, number: int) -> int:
        """Return the number of a node's term."""
        return self.terms.id_of(Name(NameKind.NAME, f"n{number}", f"n{number}"))

    def say(self, *, fact: int, edges: Iterable[Edge], relation: str = "edge") -> int:
        """Let a fact feed these edges, or none; return the rows it took."""
        place = self.engine.place("memex", Predicate(relation))
        assert place is not None
        rows = [
            Row(fact, place, self.node(e), self.node(v), lo, hi, 2) for e, v, lo, hi in edges
        ]
        return self.engine.change([fact], rows).rows

    def pieces(self, relation: str) -> set[tuple[int, int, int, int]]:
        """Return (entity, value, lo, hi) of what is derived of a relation."""
        known = self.engine.numbers.find("memex", Predicate(fold(relation)))
        assert known is not None
        return set(self.db.execute(
            f"select e, v, lo, hi from piece where p / {tables.KINDS} = ? and head is not null",
            (known.number,),
        ))  # fmt: skip

    def at(self, relation: str, moment: int) -> set[tuple[int, int]]:
        """Return the (entity, value) that are derived at a moment."""
        return {(e, v) for e, v, lo, hi in self.pieces(relation) if lo <= moment < hi}


def reachable(edges: Sequence[tuple[int, int]], steps: int) -> set[tuple[int, int]]:
    """Return the pairs that `steps` edges or more connect."""
    ways = set(edges)
    found: set[tuple[int, int]] = set() if steps > 1 else set(ways)
    frontier = ways
    while frontier:
        frontier = {(a, d) for a, b in frontier for c, d in edges if b == c} - found
        found |= frontier
    return found


def edges_of(random: Random, *, timed: bool) -> list[Edge]:
    """Return the edges of a random digraph, with cycles and self-loops."""
    nodes = random.randint(3, 7)
    found: list[Edge] = []
    for _ in range(random.randint(nodes, 2 * nodes)):
        lo, hi = sorted(random.sample(range(6), 2)) if timed else (BEGINNING, END)
        if timed and random.random() < 0.3:
            lo, hi = random.choice(((BEGINNING, hi), (lo, END)))
        found.append((random.randrange(nodes), random.randrange(nodes), lo, hi))
    return found


@pytest.mark.parametrize("timed", [False, True], ids=["always", "timed"])
def test_no_circle_carries_itself_when_its_ground_is_lost(timed: bool) -> None:
    """300 random digraphs, three retractions each, both kinds of closure: counting fails here."""
    for seed in range(150):
        random = Random(f"{seed} {timed}")
        edges = edges_of(random, timed=timed)
        keep = random.choice((1, 2, 8))
        rules, closed = Graph(REACH, keep=keep), Graph("", CLOSED, keep=keep)
        standing = dict(enumerate(edges, start=1))
        for graph in (rules, closed):
            for fact, edge in standing.items():
                graph.say(fact=fact, edges=[edge])
        for _ in range(4):
            moments = (BEGINNING, *range(6)) if timed else (0,)
            for moment in moments:
                for graph, relation, steps in ((rules, "reach", 1), (closed, "edge", 2)):
                    now = [
                        (graph.node(e), graph.node(v)) for e, v, lo, hi in standing.values()
                        if lo <= moment < hi
                    ]  # fmt: skip
                    assert graph.at(relation, moment) == reachable(now, steps), (seed, moment)
            if standing:
                gone = random.choice(list(standing))
                del standing[gone]
                for graph in (rules, closed):
                    graph.say(fact=gone, edges=[])


def test_a_change_touches_what_it_changes_where_each_fact_has_one_support() -> None:
    """In a tree nothing is removed to be put back: rows touched are a small multiple."""
    random = Random(5)
    graph = Graph("", CLOSED)
    parents = {n: random.randrange(max(0, n - 4), n) for n in range(1, 80)}
    for n, parent in parents.items():
        graph.say(fact=n, edges=[(n, parent, BEGINNING, END)])
    for n in random.sample(sorted(parents), 30):
        for edges in ([], [(n, parents[n], BEGINNING, END)]):
            before = graph.pieces("edge")
            rows = graph.say(fact=n, edges=edges)
            changed = len(before ^ graph.pieces("edge"))
            assert rows <= 20 * (changed + 1)
            assert rows <= 2 * changed + 2, "a tree needs no detour"


def test_a_retraction_stays_within_what_its_supports_lead_to() -> None:
    """Over-deletion never leaves the forward closure of the change over kept supports."""
    for seed in range(25):
        random = Random(seed)
        graph = Graph(REACH)
        edges = edges_of(random, timed=seed % 2 == 1)
        for fact, edge in enumerate(edges, start=1):
            graph.say(fact=fact, edges=[edge])
        fact = random.randint(1, len(edges))
        ahead = {row[0] for row in graph.db.execute("select id from piece where fact = ?", (fact,))}
        reached = set(ahead)
        while ahead:
            marks = ", ".join(map(str, ahead))
            ahead = {row[0] for row in graph.db.execute(
                "select q.id from support s join piece q on q.head = s.head"
                f" where s.p1 in ({marks}) or s.p2 in ({marks})"
            )} - reached  # fmt: skip
            reached |= ahead
        before = {row[0] for row in graph.db.execute("select id from piece")}
        graph.say(fact=fact, edges=[])
        after = {row[0] for row in graph.db.execute("select id from piece")}
        assert before - after <= reached


def test_a_component_over_the_limit_derives_nothing_nor_does_what_reads_it() -> None:
    """Facts stay, the rest of the program runs, and a smaller input is tried again."""
    text = REACH + "\nfar(X, Y) <= reach(X, Y).\nback(Y, X) <= edge(X, Y)."
    graph = Graph(text, limit=10)
    for n in range(1, 5):
        graph.say(fact=n, edges=[(n, n + 1, BEGINNING, END)])
    assert len(graph.pieces("reach")) == len(graph.pieces("far")) == 10
    graph.say(fact=9, edges=[(5, 6, BEGINNING, END)])
    assert not graph.pieces("reach") and not graph.pieces("far")
    assert len(graph.pieces("back")) == 5
    assert graph.db.execute("select count(*) from silent where count > 10").fetchone()[0] == 2
    graph.say(fact=9, edges=[])
    assert len(graph.pieces("reach")) == len(graph.pieces("far")) == 10
    assert graph.db.execute("select count(*) from silent").fetchone()[0] == 0


def test_a_comment_derives_nothing_again_and_a_rule_only_what_lies_above_it() -> None:
    """Equal rules touch no row; a rule that goes takes what it said, and no stratum below."""
    text = REACH + "\nfar(X, Y) <= reach(X, Y)."
    graph = Graph(text)
    for fact, edge in enumerate(pairwise(range(6)), start=1):
        graph.say(fact=fact, edges=[(*edge, BEGINNING, END)])

    def use(text: str) -> int:
        program = compile([RuleFile(name="a.dl", text=text)], Declarations())
        return graph.engine.use(program, ["memex"], "UTC", lambda _: ()).rows

    assert use("% a comment\n" + text) == 0
    below = graph.pieces("reach")
    assert use(REACH) == 2 * len(below)
    assert graph.pieces("reach") == below and not graph.pieces("far")


def test_the_cap_keeps_every_stretch_of_time() -> None:
    """Each piece keeps one earlier support whatever the cap; a lost one is looked for backward."""
    graph = Graph("p(X, Z) <= a(X, Y) & b(Y, Z).", keep=1)
    for n in range(4):
        graph.say(fact=10 + n, relation="a", edges=[(0, 1 + n, 10 * n, 10 * n + 10)])
        graph.say(fact=20 + n, relation="b", edges=[(1 + n, 9, BEGINNING, END)])
    for n in range(3):
        graph.say(fact=30 + n, relation="a", edges=[(0, 5 + n, 0, 40)])
        graph.say(fact=40 + n, relation="b", edges=[(5 + n, 9, BEGINNING, END)])
    assert {piece[2:] for piece in graph.pieces("p")} == {(n, n + 10) for n in (0, 10, 20, 30)}
    assert graph.db.execute("select count(*) from support").fetchone()[0] <= 4
    for n in range(4):
        graph.say(fact=10 + n, relation="a", edges=[])
    assert all(graph.at("p", moment) for moment in range(40))
    for n in range(3):
        assert graph.at("p", 20)
        graph.say(fact=30 + n, relation="a", edges=[])
    assert not graph.pieces("p")
