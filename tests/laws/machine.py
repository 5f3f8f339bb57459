"""The rules of the state machines, by what they change: prose, decisions, declarations, indices.

A machine is a choice of these mixins. After every step the store is compared with the reference;
at the end the index is thrown away, and at random points before.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from symbolic.records import Written
from tests.laws import strategies as s
from tests.laws.history import History


class Machine(RuleBasedStateMachine):
    """A history under way, and the two laws that hold after every step."""

    histories: ClassVar[list[Counter[str]]] = []
    """Outcomes met in each history, for the test that counts them."""

    def __init__(self) -> None:
        super().__init__()
        self.history: History | None = None
        self.steps = 0

    @property
    def h(self) -> History:
        """The history, begun."""
        assert self.history is not None
        return self.history

    @initialize(files=s.memexes(), ontology=s.ontologies)
    def begin(
        self, files: dict[str, tuple[s.Section, ...]], ontology: Sequence[s.Edit]
    ) -> None:
        """Begin with some files and an ontology."""
        self.history = History(files=files, ontology=ontology)

    @invariant()
    def the_store_is_the_fold(self) -> None:
        """After any history the store says what one fold of the whole says."""
        if self.history is not None:
            self.history.compare()

    @invariant()
    def both_judges_agree(self) -> None:
        """In any world admission and the reference give one verdict on a candidate."""
        if self.history is not None:
            self.steps += 1
            self.history.judge([self.history.candidate(d) for d in s.probes(self.steps)])

    @rule(batch=s.batches)
    def judge(self, batch: Sequence[s.Draft]) -> None:
        """Both judges give one verdict."""
        self.h.judge([self.h.candidate(draft) for draft in batch])

    def teardown(self) -> None:
        """End with a sync that leaves nothing to do, and with an index built anew."""
        if self.history is None:
            return
        if sys.exc_info()[0] is not None:
            # A law is broken already; what follows from that would hide it.
            self.history.close()
            return
        try:
            self.history.rest()
            h = self.history
            lose = (h.lose_state, h.verify, h.lose_index, h.lose_index, h.lose_index)
            lose[self.steps % len(lose)]()
            for outcome in self.history.outcomes:
                event(f"outcome: {outcome}")
            self.histories.append(self.history.outcomes)
        finally:
            self.history.close()


class Prose(Machine):
    """What people do to notes: edit, move, rename, duplicate, delete, restore."""

    @rule(path=st.sampled_from(s.PATHS), section=s.sections, sync=st.booleans())
    def write_heading(self, path: str, section: s.Section, sync: bool) -> None:
        """Write a new heading."""
        self.h.notes.add(path, section)
        self._saved(sync)

    @rule(pick=s.picks, section=s.sections, what=st.integers(0, 6), sync=st.booleans())
    def edit_heading(self, pick: int, section: s.Section, what: int, sync: bool) -> None:
        """Give a heading another text, title, ID, date, fact, property or author."""
        fields = (
            {"lines": section.lines}, {"title": section.title}, {"ident": section.ident},
            {"stamp": section.stamp}, {"facts": section.facts},
            {"properties": section.properties, "tags": section.tags},
            {"agent": section.agent, "deep": section.deep},
        )  # fmt: skip
        self.h.notes.change(pick, lambda old: replace(old, **fields[what]))
        self._saved(sync)

    @rule(pick=s.picks, path=st.sampled_from(s.PATHS), front=st.booleans(), sync=st.booleans())
    def refile_heading(self, pick: int, path: str, front: bool, sync: bool) -> None:
        """Move a heading within its file or to another."""
        self.h.notes.refile(pick, path, front)
        self._saved(sync)

    @rule(pick=s.picks, path=st.sampled_from(s.PATHS), sync=st.booleans())
    def copy_heading(self, pick: int, path: str, sync: bool) -> None:
        """Duplicate a heading, with its title, its quotes and its ID."""
        self.h.notes.copy(pick, path)
        self._saved(sync)

    @rule(pick=s.picks, sync=st.booleans())
    def delete_heading(self, pick: int, sync: bool) -> None:
        """Delete a heading."""
        self.h.notes.drop(pick)
        self._saved(sync)

    @rule(old=st.sampled_from(s.PATHS), new=st.sampled_from(s.PATHS), sync=st.booleans())
    def rename_file(self, old: str, new: str, sync: bool) -> None:
        """Rename a file."""
        if old != new:
            self.h.notes.rename(old, new)
            self._saved(sync)

    @rule(path=st.sampled_from(s.PATHS))
    def delete_file(self, path: str) -> None:
        """Delete a file, sync, and write it again."""
        kept = list(self.h.notes.files.get(path, ()))
        self.h.notes.remove(path)
        self.h.sync()
        self.h.compare()
        if kept:
            self.h.notes.files[path] = kept
            self.h.sync()

    def _saved(self, sync: bool) -> None:
        if sync:
            self.h.sync()


class Decisions(Machine):
    """What persons and the program decide."""

    @rule(batch=s.batches)
    def propose(self, batch: Sequence[s.Draft]) -> None:
        """Queue candidates."""
        self.h.propose(batch)

    @rule()
    def auto(self) -> None:
        """Let the machine decide what it may."""
        self.h.auto()

    @rule(batch=s.batches)
    def propose_and_auto(self, batch: Sequence[s.Draft]) -> None:
        """Queue candidates and decide at once."""
        self.h.propose(batch)
        self.h.compare()
        self.h.auto()

    @rule(pick=s.picks)
    def by_hand(self, pick: int) -> None:
        """Admit what waits."""
        self.h.by_hand(pick)

    @rule(written=s.statements())
    def declare(self, written: Written) -> None:
        """State a fact."""
        self.h.declare(written)

    @rule(pick=s.picks, refused=st.booleans())
    def restate(self, pick: int, refused: bool) -> None:
        """State in one's own name what was refused or read, or refuse it everywhere."""
        if refused:
            self.h.restate(pick)
        else:
            self.h.reject_fact(pick, everywhere=True)

    @rule(pick=s.picks, everywhere=st.booleans(), queued=st.booleans())
    def reject(self, pick: int, everywhere: bool, queued: bool) -> None:
        """Refuse for good what waits, or what stands."""
        if queued:
            self.h.reject_proposal(pick, everywhere)
        else:
            self.h.reject_fact(pick, everywhere)

    @rule(pick=s.picks, one=st.booleans())
    def retract(self, pick: int, one: bool) -> None:
        """Withdraw a fact."""
        self.h.retract(pick, one)

    @rule(pick=s.picks)
    def topple(self, pick: int) -> None:
        """Withdraw what keeps others out."""
        self.h.topple(pick)

    @rule(
        pick=s.picks, by=st.one_of(s.statements(), s.picks),
        since=st.sampled_from((None, None, "2024-02", "2024-03-05")),
    )
    def supersede(self, pick: int, by: Written | int, since: str | None) -> None:
        """Replace a fact."""
        self.h.supersede(pick, by, since)

    @rule(pick=s.picks, keep=st.one_of(st.none(), s.picks))
    def settle(self, pick: int, keep: int | None) -> None:
        """Close a conflict."""
        self.h.settle(pick, keep)

    @rule(pick=s.picks)
    def undo(self, pick: int) -> None:
        """Take an event back."""
        self.h.undo(pick)


class Ontology(Machine):
    """What declarations say, changed under everything that stands."""

    @rule(edits=st.lists(s.ontology_edits(), min_size=1, max_size=3))
    def declare_words(self, edits: Sequence[s.Edit]) -> None:
        """Change system/ontology.org."""
        for edit in edits:
            self.h.notes.edit(edit)
        self.h.sync()

    @rule()
    def restore_words(self) -> None:
        """Go back to the first ontology."""
        self.h.notes.restore()
        self.h.sync()

    @rule(zone=st.sampled_from(s.ZONES))
    def move(self, zone: str) -> None:
        """Compare dates in another zone."""
        self.h.move(zone)

    @rule(other=st.booleans())
    def upgrade(self, other: bool) -> None:
        """Ship other gate tables."""
        self.h.upgrade(s.OTHER_TABLES if other else s.TABLES)


class Losses(Machine):
    """What happens to indices and processes."""

    @rule()
    def sync(self) -> None:
        """Sync, whether or not there is something to take in."""
        self.h.sync()

    @rule(what=st.sampled_from(("process", "process", "index", "state")))
    def lose(self, what: str) -> None:
        """End the process, throw the index away, or the state folder with it."""
        if what == "process":
            self.h.reopen()
        elif what == "index":
            self.h.lose_index()
        else:
            self.h.lose_state()
