"""Deduction: our engine, supports written, against hand-written SQL that writes the same rows.

    python benchmarks/deduction.py [--facts N] [--pairs N] [--json] [--no-peers]

Facts are people, organisations, cities, countries and a hierarchy of 20,000 edges, depth 12. The
hand-written side fills the same table with the same indices and writes no supports. One edge, one
retraction and one proof are compared with deriving the closure of the hierarchy alone. Peers only
close the hierarchy, each in a process that is killed after a minute.
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.pairs import Row, compare, options, report
from symbolic.deduction import tables
from symbolic.deduction.engine import Engine
from symbolic.deduction.state import Known
from symbolic.deduction.tables import BEGINNING, END
from symbolic.records import Declarations, Name, NameKind, RelationDecl, RuleFile, Term
from symbolic.rules.program import Program, compile
from symbolic.rules.syntax import Predicate

EDGES, DEPTH = 20_000, 12
RULES = {
    "join": "country_of(X, C) <= works_for(X, Y) & located_in(Y, Z) & in_country(Z, C).",
    "native": "native(X, C) <= born_in(X, Y) & in_country(Y, C).",
    "local": "local(X, Y) <= works_for(X, Y) & located_in(Y, Z) & born_in(X, Z).",
    "negation": "migrant(X, C) <= works_for(X, C) & ~chairs(X, C).",
    "diamond": "sees(X, C) <= member_of(X, G) & visits(G, C).",
}
HAND = {
    "join": ("country of", "select a.e x, c.v y from piece a"
             " cross join piece b on b.p = {located in} and b.e = a.v"
             " cross join piece c on c.p = {in country} and c.e = b.v"
             " where a.p = {works for}"),
    "native": ("native", "select a.e x, c.v y from piece a cross join piece c on c.p = {in country}"
               " and c.e = a.v where a.p = {born in}"),
    "local": ("local", "select a.e x, a.v y from piece a cross join piece b on b.p = {located in}"
              " and b.e = a.v cross join piece c on c.p = {born in} and c.e = a.e and c.v = b.v"
              " where a.p = {works for}"),
    "negation": ("migrant", "select a.e x, a.v y from piece a where a.p = {works for}"
                 " and not exists (select 1 from piece n where n.p = {chairs} and n.e = a.e"
                 " and n.v = a.v)"),
    "diamond": ("sees", "select a.e x, b.v y from piece a cross join piece b on b.p = {visits}"
                " and b.e = a.v where a.p = {member of}"),
}  # fmt: skip
"""For each rule its head, and a query that a person would write for it."""

FIVE = ("join", "native", "local", "negation")
"""With the closure of the hierarchy these are the five rules."""

CLOSURE = (
    "with recursive c(x, y) as (select e, v from piece where p = {sub} union select c.x, f.v from c"
    " cross join piece f on f.p = {sub} and f.e = c.y)"
    " select x, y from c except select e, v from piece where p = {sub}"
)
SINGLE = 2.5
"""Times that a rule by itself may take where the hand-written query is next to nothing, or where
each row has several supports: the budget of deduction speaks of five rules together."""

LIMIT = 60
"""Seconds after which a peer is killed."""


class Terms:
    """Numbers as names: what a term is called is of no account here."""

    def id_of(self, term: Term) -> int:
        """Return no number: the rules have no constants."""
        raise AssertionError(f"a constant in a rule: {term}")

    def find(self, term: Term) -> int | None:
        """Return None."""
        return None

    def term(self, number: int) -> Term:
        """Return a name."""
        return Name(NameKind.NAME, str(number), str(number))


def hierarchy(random_: random.Random) -> tuple[list[tuple[int, int]], int]:
    """Return (child, parent) edges, 12 deep, and the next free number."""
    levels = [[1], *([] for _ in range(DEPTH))]
    edges: list[tuple[int, int]] = []
    for number in range(2, EDGES + 2):
        depth = number - 1 if number <= DEPTH + 1 else random_.randint(1, DEPTH)
        edges.append((number, random_.choice(levels[depth - 1])))
        levels[depth].append(number)
    return edges, EDGES + 2


def facts(count: int) -> Iterator[tuple[str, int, int]]:
    """Yield about `count` facts, each once."""
    draw = random.Random(7)
    edges, base = hierarchy(draw)
    yield from (("sub", e, v) for e, v in edges)
    people, organisations = max(40, (count - EDGES) // 4), max(10, count // 100)
    cities, groups = max(5, count // 1000), max(10, count // 200)
    organisation, city = base + people, base + people + organisations
    country, group = city + cities, city + cities + 50
    for number in range(base, base + people):
        works = organisation + draw.randrange(organisations)
        yield "works for", number, works
        yield "born in", number, city + draw.randrange(cities)
        if not draw.randrange(10):
            yield "chairs", number, works
        if number % 20 == 0:
            for one in draw.sample(range(groups), 6):
                yield "member of", number, group + one
    for number in range(organisations):
        yield "located in", organisation + number, city + draw.randrange(cities)
    for number in range(cities):
        yield "in country", city + number, country + number % 50
    for number in range(groups):
        for one in draw.sample(range(50), 5):
            yield "visits", group + number, country + one
    for number in range(max(0, count - EDGES - 2 * people)):
        yield "knows", base + number % people, base + draw.randrange(people)


@dataclass(slots=True)
class Ours:
    """A loaded database with the engine over it."""

    db: sqlite3.Connection
    engine: Engine
    places: dict[str, int]

    def run(self, program: Program) -> int:
        """Derive everything by `program`, and return the pieces that were made.

        The rows stand there already, so that a program which begins to read them gets none.
        """
        return self.engine.use(program, ["memex"], "UTC", lambda _: ()).derived

    def undone(self, work: Callable[[], object]) -> Callable[[], None]:
        """Return `work` in a transaction that is rolled back afterwards."""

        def run() -> None:
            self.db.execute("begin")
            try:
                work()
            finally:
                self.db.execute("rollback")
                self.engine.forget()

        return run

    def hand(self, names: Sequence[str], *, closure: bool) -> None:
        """Write what the rules give with plain SQL."""
        if closure:
            self._insert("closed", CLOSURE)
        for name in names:
            self._insert(*HAND[name])

    def _insert(self, head: str, sql: str) -> None:
        place = self.places[head]
        self.db.execute(
            "insert into piece(p, e, v, lo, hi, trust, imprecise, head, round)"
            f" select distinct {place}, x, y, {BEGINNING}, {END}, 2, 0, 1, 1"
            f" from ({sql.format_map(self.places)}) q where not exists"
            f" (select 1 from piece f where f.p = {place} and f.e = q.x and f.v = q.y)"
        )


def program(*names: str, closure: bool = False) -> Program:
    """Return the rules of these names."""
    words = {"sub": RelationDecl(name="sub", written="sub", transitive=True)} if closure else {}
    text = "\n".join(RULES[name] for name in names)
    found = compile([RuleFile(name="bench.dl", text=text)], Declarations(relations=words))
    assert not found.faults, found.faults
    return found


def loaded(path: Path, count: int) -> Ours:
    """Return a database at `path` with the facts that the rules read, and nothing derived."""
    db = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    for pragma in ("journal_mode=wal", "synchronous=normal", "cache_size=-65536",
                   "temp_store=memory", "wal_autocheckpoint=20000"):  # fmt: skip
        db.execute(f"pragma {pragma}").fetchone()
    tables.script(db, tables.TABLES + tables.SCRATCH)
    for _, text in tables.SUPPORT_INDICES:
        db.execute(text)
    engine = Engine(db, Terms())
    db.execute("begin")
    known: dict[str, Known] = {}
    rows = []
    for number, (relation, e, v) in enumerate(facts(count), start=1):
        if relation not in known:
            known[relation] = engine.numbers.of("memex", Predicate(relation))
            known[relation].trust = 2
        known[relation].stated += 1
        rows.append((number, number, known[relation].number * tables.KINDS, e, v))
    db.executemany(
        "insert into piece(id, fact, p, e, v, lo, hi, trust, imprecise, round)"
        f" values (?, ?, ?, ?, ?, {BEGINNING}, {END}, 2, 0, 0)",
        rows,
    )
    engine.numbers.save()
    db.execute("commit")
    db.execute("pragma wal_checkpoint(truncate)").fetchone()
    places = {relation: one.number * tables.KINDS for relation, one in known.items()}
    for at, head in enumerate(("closed", *(head for head, _ in HAND.values())), start=1):
        places[head] = (100 + at) * tables.KINDS
    return Ours(db, engine, places)


# --- changes and proofs ---------------------------------------------------------------------------


def timed(work: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def changes(ours: Ours, count: int) -> tuple[list[float], list[float], list[float]]:
    """Return the seconds of adding an edge, of retracting one, and of reading a proof."""
    draw = random.Random(3)
    place, db, engine = ours.places["sub"], ours.db, ours.engine

    def commit(fact: int, *rows: tables.Row) -> Callable[[], None]:
        def run() -> None:
            db.execute("begin immediate")
            engine.change([fact], rows)
            db.execute("commit")

        return run

    last = 10_000_000
    added = []
    for number in range(count):
        e, v = sorted(draw.sample(range(2, EDGES), 2), reverse=True)
        fact = last + number
        added.append(timed(commit(fact, tables.Row(fact, place, e, v, BEGINNING, END, 2))))
    proved = [timed(partial(proof, db, one)) for one in draw.sample([
        row[0] for row in db.execute("select id from piece where p = ? limit 50000", (place + 1,))
    ], count)]  # fmt: skip
    chosen = draw.sample(range(1, EDGES + 1), count)
    return added, [timed(commit(fact)) for fact in chosen], proved


def proof(db: sqlite3.Connection, piece: int) -> list[object]:
    """Return the whole tree below a piece: its first support, and the trees of its premises."""
    head = db.execute("select head from piece where id = ?", (piece,)).fetchone()[0]
    if head is None:
        return [piece]
    rule, *ids = db.execute(
        "select rule, p1, p2, p3 from support where head = ? limit 1", (head,)
    ).fetchone()
    return [piece, rule, *(proof(db, one) for one in ids if one)]


def share(what: str, times: Sequence[float], whole: Sequence[float], budget: float) -> Row:
    """Return a row that compares one change with the closure."""
    peer, own = statistics.median(whole), statistics.median(times)
    high = sorted(times)[int(len(times) * 0.99)] * 1e3
    return Row(
        what=f"{what}, p99 {high:.2f} ms", peer="the closure",
        pairs=len(times), seconds=own, peer_seconds=peer, ratio=own / peer,
        best=own / max(whole), worst=own / min(whole), budget=budget,
    )  # fmt: skip


# --- peers ----------------------------------------------------------------------------------------

PEERS = {
    "rdflib": """
import rdflib
graph, sub = rdflib.Graph(), rdflib.URIRef("x:sub")
for line in open(PATH):
    graph.add((rdflib.URIRef("x:" + line.split()[0]), sub, rdflib.URIRef("x:" + line.split()[1])))
print(sum(1 for _ in graph.query("select ?a ?b where { ?a <x:sub>+ ?b }")))
""",
    "pyDatalog": """
from pyDatalog import pyDatalog, pyEngine
for line in open(PATH):
    pyDatalog.assert_fact("sub", *map(int, line.split()))
pyDatalog.load("anc(X, Y) <= sub(X, Y)\\nanc(X, Y) <= anc(X, Z) & sub(Z, Y)")
print(len(pyDatalog.ask("anc(X, Y)").answers))
""",
    "clingo": """
import clingo
facts = "".join("sub(%s,%s)." % tuple(line.split()) for line in open(PATH))
control = clingo.Control(["--warn=none"])
control.add("base", [], facts + "anc(X,Y) :- sub(X,Y). anc(X,Y) :- anc(X,Z), sub(Z,Y).")
control.ground([("base", [])])
print(sum(1 for _ in control.symbolic_atoms.by_signature("anc", 2)))
""",
    "nemo": """
import nmo_python
facts = "".join("sub(%s,%s)." % tuple(line.split()) for line in open(PATH))
rules = "anc(?X,?Y) :- sub(?X,?Y). anc(?X,?Y) :- anc(?X,?Z), sub(?Z,?Y). @export anc :- csv{}."
engine = nmo_python.NemoEngine(nmo_python.load_string(facts + rules))
engine.reason()
print(sum(1 for _ in engine.result("anc")))
""",
}


def peer(name: str, path: Path) -> str:
    """Return what a peer takes for the closure, in a process that is killed after a minute."""
    code = f"PATH = {str(path)!r}\n{PEERS[name]}"
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return f"killed after {LIMIT} s"
    if done.returncode:
        return f"failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
    return f"{time.perf_counter() - start:.2f} s, {done.stdout.strip()} pairs"


# --- the run --------------------------------------------------------------------------------------


def rows(folder: Path, count: int, pairs: int) -> list[Row]:
    """Measure everything over `count` facts."""
    five = program(*FIVE, closure=True)
    found = []
    ours = loaded(folder / "facts.db", count)
    with closing(ours.db) as db:
        for what, own, names, closed, budget in (
            ("five rules", five, FIVE, True, 1.5),
            ("the closure alone", program(closure=True), (), True, 1.5),
            ("three-way join", program("join"), ("join",), False, 1.5),
            ("negation", program("negation"), ("negation",), False, SINGLE),
            ("diamonds", program("diamond"), ("diamond",), False, SINGLE),
        ):
            found.append(compare(
                f"{what}, {count} facts", ours.undone(partial(ours.run, own)),
                "hand-written SQL",
                ours.undone(partial(ours.hand, names, closure=closed)),
                pairs=pairs, budget=budget,
            ))  # fmt: skip
        closure = ours.undone(lambda: ours.run(program(closure=True)))
        whole = [timed(closure) for _ in range(max(3, pairs))]
        db.execute("begin")
        ours.run(five)
        db.execute("commit")
        db.execute("pragma wal_checkpoint(truncate)").fetchone()
        added, fell, proved = changes(ours, 200)
    return [
        *found, share("one edge added", added, whole, 1 / 500),
        share("one edge retracted", fell, whole, 1 / 400),
        share("one proof tree", proved, whole, 1 / 2000),
    ]  # fmt: skip


def main() -> int:
    """Measure and print; exit 1 if a row is over its budget."""
    parser = options(__doc__.splitlines()[0] if __doc__ else "")
    parser.set_defaults(pairs=3)
    parser.add_argument("--facts", type=int, default=1_000_000, help="in all (default 1000000)")
    parser.add_argument("--no-peers", action="store_true", help="leave the other engines out")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        worst = report("deduction", rows(Path(name), asked.facts, asked.pairs), as_json=asked.json)
        if not asked.no_peers:
            path = Path(name) / "edges"
            edges, _ = hierarchy(random.Random(7))
            path.write_text("".join(f"{e} {v}\n" for e, v in edges))
            told = {one: peer(one, path) for one in PEERS}
            text = json.dumps(told) if asked.json else "\n".join(
                f"closure by {one}: {took}" for one, took in told.items())
            print(text, file=sys.stderr if asked.json else sys.stdout)
    return worst


if __name__ == "__main__":
    sys.exit(main())
