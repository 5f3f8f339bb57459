"""What `pp status` and `pp doctor` tell: counts, what waits, what was lost, what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from bridge.app import App
from bridge.devices import BROKEN, Chain, ChainState, chains
from bridge.failures import replies, standing
from bridge.index import FACTS
from bridge.near import NearReport
from bridge.near_health import near_checks, near_state
from bridge.records import all_problems, records_of
from bridge.review import judged
from symbolic import faults
from symbolic.canon import from_json, sid
from symbolic.digest import digest_d
from symbolic.records import Outcome
from symbolic.status import Status, status
from symbolic.world import Queued

PACKAGES = ("memex", "neuro", "symbolic", "gates", "ontology", "skills", "bridge")
_AHEAD = timedelta(days=1)
_LARGEST = 12
"""How many tables and indices doctor lists with their sizes."""


@dataclass(frozen=True, slots=True)
class Lost:
    """What the journal rests on and the prose no longer holds; `key` is its last place."""

    statement: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Everything the status verb shows."""

    status: Status
    queue: Mapping[str, int]
    failed: int
    """Headings of which the last reply could not be read, whole or in part."""
    lost: tuple[Lost, ...]
    warnings: tuple[str, ...]
    chains: tuple[Chain, ...]
    divergences: tuple[str, ...]
    over: Mapping[str, int]
    """Rules that would derive too much and so derive nothing, with what they came to."""
    digest: str | None
    near: NearReport | None
    near_digest: str | None

    def json(self) -> dict[str, object]:
        """Return the status document."""
        known = self.status
        return {
            "schema": "pp.status/1",
            "line": known.line,
            "facts": {
                "standing": known.standing.get("standing", 0),
                "stale": known.standing.get("stale", 0),
                "retracted": known.standing.get("retracted", 0),
                "by_provenance": dict(known.provenance),
            },
            "shares": dict(zip(
                ("non_lossy", "llm_proposed", "imported"), known.shares, strict=True
            )),
            "sufficient": known.sufficient,
            "queue": dict(self.queue),
            "failed": self.failed,
            "conflicts": {
                "open": known.conflicts.get("open", 0),
                "settled": known.conflicts.get("settled", 0),
            },
            "headings": known.headings,
            "events": known.events,
            "lost": [{"statement": lost.statement, "key": lost.key} for lost in self.lost],
            "warnings": list(self.warnings),
            "divergences": list(self.divergences),
            "over": dict(self.over),
            "chains": [chain.json() for chain in self.chains],
            "digest": self.digest,
            "near": None if self.near is None else {**self.near.json(), "N": self.near_digest},
        }


def overview(app: App, *, digest: bool) -> Overview:
    """Return what there is to say about a memex; the digest only if asked, it reads all."""
    near, near_digest = near_state(app, digest=digest)
    return Overview(
        status=status(app.view, app.settings.threshold),
        queue=_queue(app),
        failed=len({heading.key for _, heading in standing(replies(app.view), app.view)}),
        lost=tuple(_lost(app)),
        warnings=tuple(_warnings(app)),
        chains=tuple(chains(app)),
        divergences=tuple(one.id for one in app.view.divergences()),
        over=app.store.over(),
        digest=digest_d(app.view, app.header()) if digest else None,
        near=near,
        near_digest=near_digest,
    )


def _lost(app: App) -> Iterator[Lost]:
    """Name what is nowhere in the prose, with its last place; not before the prose was read."""
    if not app.read_in:
        return
    undone = app.view.undone()
    last: dict[tuple[str, str], str] = {}
    for line in app.view.lines():
        counts = line.kind == "anchor" and line.body and line.hash not in undone
        if counts and line.body["new_key"] is not None:
            statement = line.body["statement"]
            assert isinstance(statement, Mapping)
            last[sid(from_json(statement)), str(line.body["key"])] = str(line.body["new_key"])
    for track in app.view.tracks():
        if track.resolved is None:
            said = track.statement
            yield Lost(
                f"{said.entity} {said.relation} {said.value}",
                last.get((sid(said), track.key), track.key),
            )


def _queue(app: App) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for proposal in app.view.proposals(closed=False):
        state = proposal.state.value
        if proposal.state is Queued.PENDING:
            outcome = judged(proposal, app.view).outcome
            if outcome is Outcome.NEEDS_REVIEW:
                state = outcome.value
        counts[state] += 1
    names = ("pending", "needs-review", "blocked", "lapsed")
    return {name: counts[name] for name in names}


def _warnings(app: App) -> Iterator[str]:
    limit = datetime.now(UTC) + _AHEAD
    newest = app.journal.newest
    if newest and datetime.fromisoformat(newest) > limit:
        yield f"the journal's newest line is of {newest}, more than a day ahead of the clock"


# --- doctor -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    ok: bool
    detail: str

    def json(self) -> dict[str, object]:
        """Return the check as JSON."""
        return {"check": self.name, "ok": self.ok, "detail": self.detail}


def checks(app: App) -> list[Check]:
    """Look at packages, journal, both indices and prose."""
    return [
        *_packages(), *_journal(app), *_index(app),
        *(Check(*found) for found in near_checks(app)), *_prose(app), _faults(),
    ]


def _packages() -> Iterator[Check]:
    here = Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        spec = find_spec(name)
        places = list(spec.submodule_search_locations or ()) if spec else []
        place = Path(places[0]).resolve() if places else None
        ok = place is not None and place.parent == here
        yield Check(f"package {name}", ok, str(place) if place else "not found")


def _journal(app: App) -> Iterator[Check]:
    from symbolic.journal.chain import read_journal  # doctor alone reads the chains whole

    state = read_journal(app.settings.journal)
    for fault in state.faults:
        yield Check("journal", fault.kind not in BROKEN, str(fault))
    for torn in state.torn.values():
        yield Check("journal", True, f"{torn.file}:{torn.line}: a torn last line: {torn.excerpt}")
    for chain in chains(app):
        yield Check("chain", ChainState.BROKEN not in chain.states, chain.text)
    if not state.faults:
        told = f"{len(state.lines)} lines in {len(state.heads)} chains verify"
        yield Check("journal", True, told)
    missing = [line for line in state.lines if app.view.line(line.hash) is None]
    yield Check("index at the journal's head", not missing, f"{len(missing)} lines behind")


def _index(app: App) -> Iterator[Check]:
    path = app.state / FACTS
    size = path.stat().st_size if path.exists() else 0
    sizes = app.store.sizes()
    free = sizes.pop("free")
    yield Check("index", size > 0, f"{path}: {size} bytes")
    if sizes:
        largest = ", ".join(f"{name} {held}" for name, held in list(sizes.items())[:_LARGEST])
        yield Check("index sizes", True, f"bytes by table and index: {largest}")
    told = f"{free} of {size} bytes are left over from deleted rows"
    if free > size // 5:
        told += ": `pp doctor --vacuum` gives them back"
    yield Check("index free space", True, told)
    damage = app.store.check()
    yield Check("index sound", damage is None, damage or "ok")


def _prose(app: App) -> Iterator[Check]:
    problems = all_problems(records_of(app.store.stats()).values())
    for problem in problems:
        yield Check(
            "prose", False,
            f"{problem.path}:{problem.line}: {problem.message} | {problem.excerpt} | "
            f"{problem.remedy}",
        )
    if not problems:
        yield Check("prose", True, "every line that should be read is read")
    lost = [track for track in app.view.tracks() if track.resolved is None]
    yield Check("groundings", True, f"{len(lost)} keys of the journal are lost")


def _faults() -> Check:
    return Check("fail points", not faults.ARMED, "PP_FAULTS is set" if faults.ARMED else "off")
