"""One history of a real memex, and the reference fold that it is held against.

`History` owns files, a journal and an opened App in a scratch folder. Every operation is one that
a person or a program could do. `compare` reads files and journal anew, folds them with
`symbolic.model` and demands that the store says the same, row by row; `judge` demands the same of
verdicts before anything is admitted.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from bridge import decisions, human, review
from bridge.app import App, open_app
from bridge.index import FACTS, remove_index
from bridge.rebuild import rebuild
from bridge.settings import ONTOLOGY, Settings, load
from bridge.setup import begin
from bridge.sync import Report, sync
from gates.tables import Tables
from memex.headings import claims, read_document, rekey
from memex.keys import resolve_ids
from memex.nodes import Document, prose
from memex.problems import Skipped
from neuro.candidates import Item
from neuro.extract import extract
from ontology.bootstrap import Seed, seed
from ontology.merge import load as load_ontology
from symbolic.admission import admit
from symbolic.assess import Assessed
from symbolic.canon import canonical, from_json
from symbolic.digest import digest_d
from symbolic.errors import PpError
from symbolic.journal.chain import read_tail
from symbolic.journal.marks import Mark
from symbolic.model.judge import judge
from symbolic.model.world import World, fold
from symbolic.records import (
    Candidate,
    Declarations,
    Grounding,
    Line,
    Policy,
    Provenance,
    Standing,
    Written,
)
from symbolic.values import BadValue
from symbolic.world import OPEN, Fact, Inputs, Proposal, View
from tests.laws.notes import Notes
from tests.laws.sides import declared, difference, rows, rows_of_world, verdict
from tests.laws.strategies import TABLES, Draft, Edit, Section, plist, rival

BEGUN = datetime(2025, 1, 1, 12, tzinfo=UTC)
_MEMORY = Path("/dev/shm")


@dataclass(slots=True)
class Ticking:
    """A clock that moves when it is told to."""

    moment: datetime = BEGUN

    def now(self) -> datetime:
        """Return the present of the history."""
        return self.moment

    def tick(self) -> None:
        """Let a minute pass."""
        self.moment += timedelta(minutes=1)


Thing = TypeVar("Thing")


class Differs(AssertionError):
    """The store, or admission, does not say what the reference says."""


class History:
    """A memex with a past. Close it, or use it as a context; the folder goes with it."""

    def __init__(
        self, *, files: Mapping[str, Sequence[Section]] | None = None,
        ontology: Iterable[Edit] = (), tables: Tables = TABLES, zone: str = "Europe/Berlin",
    ) -> None:
        self.home = Path(
            tempfile.mkdtemp(prefix="law-", dir=_MEMORY if _MEMORY.is_dir() else None)
        )
        self.notes = Notes(files or {}, ontology)
        self.clock = Ticking()
        self.tables = tables
        self.outcomes: Counter[str] = Counter()
        self._inputs = Inputs()
        self._marks: dict[str, Mark] = {}
        self._world: World | None = None
        self._folded: World | None = None
        self._compared = False
        root = self.home / "memex"
        root.mkdir()
        self.settings: Settings = load(
            memex=str(root), state=str(self.home / "state"), now=BEGUN.isoformat(),
            environ={"HOME": str(self.home), "USER": "ada", "PP_ZONE": zone},
        )
        begin(self.settings, None)
        self.app: App = self._opened()
        self.sync()

    def _opened(self) -> App:
        self._compared = False
        app = open_app(self.settings, tables=self.tables)
        app.clock = self.clock
        return app

    def close(self) -> None:
        """Let go of the memex and remove it."""
        self.app.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def root(self) -> Path:
        """The memex."""
        return self.settings.memex

    @property
    def view(self) -> View:
        """What the store says."""
        return self.app.view

    # --- sync -----------------------------------------------------------------------------------

    def sync(self) -> Report:
        """Save and sync; the reference reads the same files by itself."""
        self.clock.tick()
        self.notes.write(self.root)
        self._world, self._compared = None, False
        report = sync(self.app)
        self._inputs = replace(self._read(), lines=self._inputs.lines)
        return report

    def _read(self) -> Inputs:
        """Read the memex as the reference sees it: whole, with nothing remembered."""
        documents = list(_documents(self.root))
        identities = resolve_ids([c for document in documents for c in claims(document.nodes)])
        documents = [replace(d, nodes=rekey(d.nodes, identities)) for d in documents]
        made = _seed(self.tables)
        return Inputs(
            headings=tuple(prose(node) for d in documents for node in d.nodes),
            readings=tuple(
                reading for d in documents
                for reading in extract(d, zone=self.settings.zone).readings
            ),
            rows=made.rows,
            declarations=_declared((self.root / ONTOLOGY).read_bytes(), self.tables),
            zone=self.settings.zone,
        )

    # --- losing things --------------------------------------------------------------------------

    def reopen(self) -> None:
        """Let another process go on."""
        self.app.close()
        self.app = self._opened()

    def move(self, zone: str) -> None:
        """Go on in another zone."""
        self.settings = replace(self.settings, zone=zone)
        self.reopen()
        self.sync()

    def upgrade(self, tables: Tables) -> None:
        """Go on with other gate tables, as another version would ship them."""
        self.tables = tables
        self.reopen()
        self.sync()

    def lose_index(self) -> None:
        """Throw the index away: the next sync builds it again and finds the same D."""
        self._rebuilt(lambda: remove_index(self.app.state / FACTS))

    def verify(self) -> None:
        """Demand that `pp rebuild --verify` finds the same D."""
        self.clock.tick()
        self.app.close()
        made = rebuild(replace(self.settings, now=self.clock.moment), tables=self.tables)
        self.app = self._opened()
        self.sync()
        self.compare()
        if made.result != "equal" or made.after != self.digest():
            raise Differs(f"{made}, then {self.digest()}")

    def lose_state(self) -> None:
        """Throw the whole state folder away: a new device finds the same D."""
        self._rebuilt(lambda: shutil.rmtree(self.app.state))

    def _rebuilt(self, lose: Callable[[], object]) -> None:
        self.sync()
        self._marks = {}
        before, kept = self.digest(), rows(self.view)
        self.app.close()
        lose()
        self.app = self._opened()
        self.sync()
        self.compare()
        if self.digest() != before:
            raise Differs(difference(kept, rows(self.view), ("before", "rebuilt")) or "D alone")

    def rest(self) -> None:
        """Demand that one sync is enough: a second finds nothing to write."""
        self._marks = {}
        self.sync()
        before = self.digest()
        lines = sync(self.app).lines
        assert not lines, f"a second sync wrote {[(line.kind, dict(line.body)) for line in lines]}"
        assert self.digest() == before

    def digest(self) -> str:
        """Return D as the store has it."""
        return digest_d(self.view, self.app.header())

    # --- decisions ------------------------------------------------------------------------------

    @contextmanager
    def _deciding(self, verb: str, *, person: bool = True) -> Iterator[App]:
        """Hold the writer lock for one decision; what a person would be told is let go."""
        self.clock.tick()
        self._world, self._compared = None, False
        with suppress(PpError), self.app.writing(verb, person=person) as app:
            yield app

    def candidate(self, draft: Draft) -> Candidate:
        """Return the candidate of a draft: its heading and quote are picked of those that are."""
        known = None if draft.how == "new" else _pick(self._said(draft.how), draft.heading)
        written, key, quote = known or (draft.written, None, None)
        if draft.how == "moved":
            written = replace(
                written, valid_from=draft.written.valid_from, valid_to=draft.written.valid_to
            )
        elif draft.how in ("rival", "next") and known is not None:
            written, key, quote = rival(draft.written, written, draft.how == "next"), None, None
        heading = self.world.heading(key) if key is not None else None
        if heading is None:
            heading = _pick([h for h in self.world.headings() if h.text.strip()], draft.heading)
        if heading is not None and quote is None:
            quote = _pick([row for row in heading.text.splitlines() if row.strip()], draft.quote)
        return Candidate(
            written=written,
            grounding=Grounding(
                heading="lost.org#Lost#1" if draft.lost or heading is None else heading.key,
                quote=quote if draft.wrong == "right" else draft.wrong,
            ),
            proposer=Provenance.PROPOSED,
            confidence="0.5",
        )

    def statement(self, written: Written) -> str | None:
        """Return the fid of a statement today, None if it does not read."""
        try:
            return canonical(written, self.view.declarations, self.view.zone).fid
        except BadValue:
            return None

    def _said(self, how: str) -> list[tuple[Written, str | None, str | None]]:
        """Return statements said before, with heading and quote: bars first, then all else."""
        stated = [
            (f.assertions[0].written, f.assertions[0].heading, f.assertions[0].quote)
            for f in self.world.facts()
            if f.assertions[0].by != "program:bootstrap"
            and (how != "next" or self._one_at_a_time(f))
        ]
        if how in ("rival", "next"):
            return stated
        barred = [(b.written, b.resolved, None) for b in self.world.bars()]
        queued = [
            (p.candidate.written, p.resolved, p.candidate.grounding.quote)
            for p in self.world.proposals()
        ]
        return [*barred, *queued, *stated]

    def _one_at_a_time(self, fact: Fact) -> bool:
        """Return whether another value of a fact would follow it on a timeline."""
        decl = self.world.declarations.relations.get(fact.statement.relation.canon)
        timed = self.world.policy(fact.statement) is Policy.TEMPORAL
        return timed and decl is not None and decl.functional

    def propose(self, drafts: Sequence[Draft]) -> None:
        """Queue candidates, once both sides agree about them."""
        found = [self.candidate(draft) for draft in drafts]
        self.judge(found)
        with self._deciding("propose", person=False) as app:
            items = [Item(at, candidate) for at, candidate in enumerate(found)]
            review.enqueue(app, list(review.weigh(items, app.view, _by_quote)))

    def auto(self) -> None:
        """Let the machine decide what it may."""
        self.judge(self._waiting())
        with self._deciding("admit", person=False) as app:
            review.auto(app)

    def by_hand(self, pick: int) -> None:
        """Admit an open proposal as a person who was shown what stands there."""
        self.judge(self._waiting()[:2])
        proposal = _pick(self._open(), pick)
        if proposal is not None:
            with self._deciding("admit") as app:
                verdict = review.judged(proposal, app.view)
                review.by_hand(app, proposal.id, decisions.shown(proposal, verdict, app.view))

    def declare(self, written: Written) -> None:
        """State a fact."""
        with self._deciding("declare") as app:
            human.declare(app, plist(written))

    def restate(self, pick: int) -> None:
        """State what was refused or withdrawn all the same, or what notes say already."""
        said = [bar.written for bar in self.world.bars()]
        said += [
            a.written for fact in self.world.facts() for a in fact.live[:1]
            if a.provenance is Provenance.EXTRACTED
        ]
        if (written := _pick(said, pick)) is not None:
            self.declare(written)

    def reject_proposal(self, pick: int, everywhere: bool) -> None:
        """Refuse an open proposal for good."""
        proposal = _pick(self._open(), pick)
        if proposal is not None:
            self._reject(proposal.id, everywhere)

    def reject_fact(self, pick: int, everywhere: bool) -> None:
        """Refuse a fact for good."""
        if (fact := self._fact(pick)) is not None:
            self._reject(fact.fid, everywhere)

    def _reject(self, named: str, everywhere: bool) -> None:
        with self._deciding("reject") as app:
            human.reject(app, named, everywhere=everywhere, reason=None)

    def retract(self, pick: int, one: bool) -> None:
        """Withdraw a fact, from all its sources or from one heading."""
        if (fact := self._fact(pick)) is not None:
            keys = [a.heading or a.key for a in fact.assertions if a.heading or a.key]
            heading = keys[0] if one and keys else None
            with self._deciding("retract") as app:
                human.retract(app, fact.fid, heading=heading, reason="wrong")

    def topple(self, pick: int) -> None:
        """Withdraw a fact that others gave way to: an incumbent, a blocker, a successor."""
        kept = [fact.fid for fact in map(self._kept, self.view.lines()) if fact is not None]
        kept += [fid for p in self._open() for fid in p.blockers]
        kept += [fact.closed[1] for fact in self.world.facts() if fact.closed is not None]
        fid = _pick(kept, pick)
        if fid is not None:
            with self._deciding("retract") as app:
                human.retract(app, fid, heading=None, reason=None)

    def _kept(self, line: Line) -> Fact | None:
        if line.kind != "incumbent":
            return None
        body = line.body["kept"]
        assert isinstance(body, Mapping)
        fid = self.statement(from_json(body))
        return None if fid is None else self.view.fact(fid)

    def supersede(self, pick: int, by: Written | int, since: str | None) -> None:
        """Replace a fact by a statement, or by an open proposal picked by number."""
        fact = self._fact(pick)
        proposal = _pick(self._open(), by) if isinstance(by, int) else None
        new = plist(by) if isinstance(by, Written) else proposal.id if proposal else None
        if fact is not None and new is not None:
            with self._deciding("supersede") as app:
                human.supersede(app, fact.fid, new, since)

    def settle(self, pick: int, keep: int | None) -> None:
        """Close a conflict, keeping one of its members or all."""
        conflict = _pick(self.view.conflicts(), pick)
        if conflict is not None:
            kept = None if keep is None else _pick(conflict.members, keep)
            with self._deciding("settle") as app:
                human.settle(app, conflict.id, keep=kept)

    def undo(self, pick: int) -> None:
        """Take one of the last events back, an undo as well."""
        event = _pick([line.hash for line in self.view.lines()][::-1], pick)
        if event is not None:
            with self._deciding("undo") as app:
                human.undo(app, event)

    def _open(self) -> list[Proposal]:
        return [p for p in self.view.proposals() if p.state in OPEN]

    def _waiting(self) -> list[Candidate]:
        return [review.current(proposal) for proposal in self._open()][:4]

    def _fact(self, pick: int) -> Fact | None:
        """Return a fact of the memex's own, a gate row only where there is nothing else."""
        facts = list(self.view.facts())
        own = [f for f in facts if any(a.by != "program:bootstrap" for a in f.assertions)]
        standing = [fact for fact in own if fact.standing is Standing.STANDING]
        return _pick(standing or own or facts, pick)

    # --- the law --------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The reference: prose as of the last sync, the journal as it is now.

        Prose is read whole by every sync, the journal where it grew: each of its lines is there.
        The same inputs fold to the same world, so they are folded once.
        """
        if self._world is None:
            tail = read_tail(self.settings.journal, self._marks)
            lines = tail.lines if tail.whole else (*self._inputs.lines, *tail.lines)
            assert len(lines) == sum(
                file.read_bytes().count(b"\n") for file in self.settings.journal.rglob("*.jsonl")
            )
            self._marks = dict(tail.marks)
            self._inputs = replace(self._inputs, lines=lines)
            if self._folded is None or self._folded.inputs != self._inputs:
                self._folded = fold(self._inputs)
            self._world = self._folded
        return self._world

    def compare(self) -> None:
        """Demand that the store says what the reference says, unless nothing was done since."""
        if self._compared:
            return
        names = ("reference", "store")
        told = difference(rows_of_world(self.world), rows(self.view), names)
        if not told and self.world.declarations != self.view.declarations:
            told = difference(declared(self.world), declared(self.view), names)
        if told:
            raise Differs(told)
        self._compared = True

    def judge(self, found: Sequence[Candidate]) -> None:
        """Demand that admission and the reference give one verdict on each candidate."""
        for candidate in found:
            for by_person in (False, True):
                wanted = judge(self.world, candidate, by_person=by_person)
                given = admit(candidate, self.view, by_person=by_person)
                if verdict(given) != verdict(wanted):
                    raise Differs(
                        f"{candidate}\nby a person: {by_person}\n"
                        f"- reference: {verdict(wanted)}\n+ admission: {verdict(given)}\n"
                        f"{given.reasons}"
                    )
                if not by_person:
                    self.outcomes[wanted.outcome.value] += 1


def _by_quote(candidate: Candidate, view: View) -> Assessed:
    """Judge by the quote alone: histories speak of names that their notes need not mention."""
    return Assessed(candidate=candidate, verdict=admit(candidate, view))


def _pick(things: Sequence[Thing], at: int) -> Thing | None:
    return things[at % len(things)] if things else None


@lru_cache(maxsize=512)
def _document(path: str, data: bytes) -> Document | Skipped:
    """Read one file. The same bytes read the same, so the many unchanged ones cost nothing."""
    return read_document(path, data)


def _documents(root: Path) -> Iterator[Document]:
    for place in sorted(root.rglob("*.org")):
        path = place.relative_to(root).as_posix()
        if not path.startswith("system/"):
            found = _document(path, place.read_bytes())
            assert isinstance(found, Document), found
            yield found


@lru_cache(maxsize=8)
def _seed(tables: Tables) -> Seed:
    return seed(tables)


@lru_cache(maxsize=512)
def _declared(data: bytes, tables: Tables) -> Declarations:
    return load_ontology(data, _seed(tables).declarations).declarations
