"""What a person may do to what only follows from rules: refuse it, and nothing else.

It has no source to withdraw: it goes when a premise goes, or when a person refuses it everywhere,
which withholds it. docs/fold.md section 13.5.
"""

from __future__ import annotations

from bridge.decisions import EVERYWHERE, Entry
from symbolic.canon import canonical, to_json
from symbolic.deduced import Deduced, Premise, Triple
from symbolic.errors import Refused
from symbolic.records import Declarations, Name, Standing, Statement, Term, Value, Written
from symbolic.world import Bar, View


def follows(view: View, fid: str) -> Deduced | None:
    """Return what rules derive, withheld or not, whose id is `fid` or begins with it."""
    if len(fid) < 6:
        return None
    found = [d for d in view.deduced() if d.triple.statement().fid.startswith(fid)]
    return found[0] if len(found) == 1 else None


def stands(view: View, fid: str) -> bool:
    """Return whether somebody states the fact `fid`, whatever follows."""
    fact = view.fact(fid)
    return fact is not None and fact.standing is Standing.STANDING


def written_of(deduced: Deduced, declarations: Declarations, zone: str) -> Written:
    """Return a deduced fact as a person would write it: what reads back as the same fact."""
    triple = deduced.triple

    def spelt(value: str, entity: str) -> Written:
        return Written(
            entity=entity, entity_kind=triple.entity.kind.value, relation=triple.relation.canon,
            value=value, kind=triple.value.kind.value if isinstance(triple.value, Value) else (
                None if triple.value.kind.value == "name" else triple.value.kind.value
            ),
            polarity=triple.polarity, domain=triple.domain,
        )  # fmt: skip

    shown = spelt(triple.value.written, triple.entity.written)
    same = canonical(shown, declarations, zone).fid == triple.statement().fid
    return shown if same else spelt(triple.value.canon, triple.entity.canon)


def refusal(deduced: Deduced, reason: str | None, view: View) -> list[Entry]:
    """Return the `reject` line that withholds a deduced fact; none if one does already."""
    said = deduced.triple.statement()
    if any(refuses(bar, said.fid) for bar in view.bars(said.cls)):
        return []
    return [("reject", {
        "statement": to_json(written_of(deduced, view.declarations, view.zone)),
        "key": EVERYWHERE,
        "quote_hash": "",
        "text_hash": "",
        "scope": "everywhere",
        "reason": reason,
        "shown": None,
    })]  # fmt: skip


def refuses(bar: Bar, fid: str) -> bool:
    """Return whether a bar withholds the deduced fact `fid`."""
    return bar.kind == "reject" and bar.scope == "everywhere" and bar.statement.fid == fid


def unretractable(deduced: Deduced, view: View) -> Refused:
    """Return the refusal to retract what only follows: it names what it follows from."""
    fid = deduced.triple.statement().fid
    names = {rule.id: rule.name for rule in view.program().rules}
    supports = view.supports(fid)
    grounds = "; ".join(
        f"by {names.get(one.rule, one.rule)} from {_grounds(one.premises, view)}"
        for one in supports[:3]
    )
    more = f", and {len(supports) - 3} more" if len(supports) > 3 else ""
    return Refused(
        f"nobody states {fid} ({_said(deduced.triple)}): it follows {grounds}{more}. "
        f"Retract a premise, or `pp reject {fid}` to withhold it"
    )


def _grounds(premises: tuple[Premise, ...], view: View) -> str:
    return " and ".join(
        _said(premise.triple, "no ") if premise.absent
        else f"{premise.fid or premise.triple.statement().fid} ({_as_stated(premise, view)})"
        for premise in premises
    )


def _as_stated(premise: Premise, view: View) -> str:
    """Return a premise in the spelling of the fact it is, where it is one."""
    fact = view.fact(premise.fid) if premise.fid is not None else None
    return _said(fact.statement if fact is not None else premise.triple)


def _said(said: Statement | Triple, mark: str = "") -> str:
    words = f"{_word(said.entity)} {_word(said.relation)} {_word(said.value)}"
    return f"{mark}{'' if said.polarity else 'not '}{words}"


def _word(term: Term) -> str:
    return term.written if isinstance(term, Name) else term.canon
