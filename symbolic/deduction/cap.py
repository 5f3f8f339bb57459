"""Which supports of a head are kept when there are more than the cap allows.

First, whatever the cap, one for each piece of the head that covers it and whose premises all came
in an earlier round: without these a circle could hide that a ground is lost, or a stretch of time
would go with the others. Then those with the smallest hashes. A head that does not keep all is
noted in `capped`: when it loses one, its rules are run backward.
"""

from __future__ import annotations

from symbolic.deduction.state import Run
from symbolic.deduction.tables import PREMISES

_KEY = ", ".join(("head", "rule", *PREMISES, "lo"))
_MIX = " + ".join(f"s.{one} * {1000003 + 2 * 7919 * at}" for at, one in enumerate(PREMISES))
_HASH = f"((s.rule * 999983 + s.lo * 31 + {_MIX}) * 2654435761 & 1099511627775)"


def trim(run: Run, cap: int) -> None:
    """Drop what the heads in `touched` have above `cap`, and empty `touched`."""
    db = run.db
    db.execute(
        "delete from touched where (select count(*) from (select 1 from support s"
        " where s.head = touched.head limit ?)) <= ?",
        (cap + 1, cap),
    )
    if db.execute("select 1 from touched limit 1").fetchone() is not None:
        _drop(run, cap)
    db.execute("delete from touched")


def _drop(run: Run, cap: int) -> None:
    db = run.db
    earlier = " and ".join(
        f"(s.{one} = 0 or (select b.round from piece b where b.id = s.{one}) < q.round)"
        for one in PREMISES[: run.width]
    )
    own = ", ".join(f"s.{one.strip()}" for one in _KEY.split(","))
    db.execute("delete from kept")
    db.execute(
        f"insert or ignore into kept select {_KEY} from (select {own}, row_number() over ("
        f"partition by q.id order by {_HASH}) as nth from touched t"
        " cross join piece q indexed by piece_head on q.head = t.head"
        " cross join support s on s.head = q.head and s.lo <= q.lo and s.hi >= q.hi"
        f" and s.trust >= q.trust and s.imprecise <= q.imprecise and {earlier}) where nth = 1"
    )
    same = " and ".join(f"k.{one.strip()} = s.{one.strip()}" for one in _KEY.split(","))
    first = f"exists (select 1 from kept k where {same})"
    db.execute(
        f"insert into dropped select {_KEY} from (select {own}, {first} as first,"
        f" row_number() over (partition by s.head order by {first} desc, {_HASH}) as nth"
        " from touched t cross join support s on s.head = t.head) where nth > ? and not first",
        (cap,),
    )
    fell = db.execute(
        f"delete from support where ({_KEY}) in (select {_KEY} from dropped)"
    ).rowcount
    run.touched.supports -= fell
    db.execute("insert or ignore into capped select distinct head from dropped")
    db.execute("delete from dropped")
    db.execute("delete from kept")
