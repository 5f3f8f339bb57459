"""Polarity: what a sentence states, denies, ends, asks or only supposes about a value."""

from __future__ import annotations

import pytest

from symbolic.quotes.mentions import Passage, form
from symbolic.quotes.polarity import Reading, Stance, read, sentence

ROWS = """
stated   | Oddny is allergic to [penicillin]
denied   | Oddny is not allergic to [shellfish] after all
denied   | Ada isn't at [Halden]
denied   | Ada isn’t at [Halden]
denied   | Ada never worked at [Halden]
denied   | Ada has not since worked at [Halden]
denied   | Ada has never, to my knowledge, worked at [Halden]
denied   | Ada works neither at [Halden] nor at Initech
denied   | Ada works neither at Halden nor at [Initech]
denied   | Neither Ada nor Bo works at [Halden]
denied   | No dogs are allowed in the [reading room]
denied   | dogs are not allowed in the [reading room]
denied   | Nobody at the Co-op sells [diesel]
denied   | [diesel] is not sold at Skarvik Co-op
denied   | Ada denies working at [Halden]
denied   | Ada refuses to join [Halden]
denied   | Ada drinks tea without [sugar]
denied   | There is no need to [restart]
denied   | Ada cannot join [Halden]
denied   | Ada is not allergic to nuts, shellfish or [milk]
denied   | Ada is not allergic to nuts or [shellfish]
denied   | Ada and [Bo] are not married
denied   | It is not true that Ada works at [Halden]
ended    | Bo Teig is no longer [lighthouse keeper]
ended    | Ada doesn't work at [Halden] any more
ended    | Ada stopped working at [Halden]
ended    | [Halden] is no longer her employer
stated   | Ada not only works at [Halden] but owns it
stated   | Ada did not join [Halden] until 2020
stated   | [Halden] did not hire Ada until 2020
stated   | No doubt Ada works at [Halden]
stated   | Ada eats nothing but [herring]
stated   | The book is due no later than [2024]
stated   | Ada is at [Halden], not at Initech
stated   | Ada does not sail, but she works at [Halden]
stated   | Ada, who never smoked, works at [Halden]
stated   | Ada does not sail. Ada works at [Halden]
stated   | Not being a sailor, Ada works at [Halden]
stated   | Ada works at [Halden] and does not like it
stated   | Ada works at [Halden], which does not pay well
stated   | [Never Let Me Go] is a novel by Ada
stated   | Room No. 5 is where Ada keeps [Halden]
asked    | Is Ada at [Halden]?
asked    | Does Ada work at [Halden], or does she not?
supposed | If Ada works at [Halden], Bo will be glad
supposed | Whenever Ada visits [Halden], it rains
supposed | Ada works at [Halden] unless it rains
supposed | I wonder whether Ada works at [Halden]
supposed | If it rains, Ada works at [Halden]
stated   | Even if it rains, Ada works at [Halden]
denied   | Ada arbeitet nicht bei [Halden]
denied   | Ada mag [Halden] nicht
denied   | Ada hat keinen [Hund]
denied   | Ada arbeitet weder bei [Halden] noch bei Initech
ended    | Ada arbeitet nicht mehr bei [Halden]
stated   | Ada arbeitet nicht nur bei [Halden], sondern auch zu Hause
stated   | Ada arbeitet bei [Halden], aber nicht gern
denied   | Ada ne travaille pas chez [Halden]
denied   | Ada n'est pas chez [Halden]
ended    | Ada ne travaille plus chez [Halden]
stated   | Ada travaille non seulement chez [Halden] mais aussi à la maison
denied   | Ada no trabaja en [Halden]
denied   | Ada nunca trabajó en el [Halden]
ended    | Ada ya no trabaja en [Halden]
denied   | Ada non lavora da [Halden]
ended    | Ada non lavora più per la [Halden]
denied   | Ada não trabalha na [Halden]
stated   | Ada trabalha no [Brasil] com a mãe
denied   | Ада не работает в [Халдене]
ended    | Ада больше не работает в [Халдене]
stated   | Ада работает не только в [Халдене]
stated   | Ада работает в [Халдене]
denied   | エイダは[ハルデン]で働いていない
denied   | エイダは[ハルデン]の社員ではありません。
stated   | エイダは[ハルデン]で働いている。
stated   | エイダは[ハルデン]だけでなく他社でも働いている。
stated   | エイダは[ハルデン]で働かなければならない。
asked    | エイダは[ハルデン]で働いていますか。
denied   | 艾达不在[成都]工作
stated   | 艾达不仅在[成都]工作
stated   | 艾达在[成都]工作
denied   | 아다는 [서울]에서 일하지 않는다
stated   | 아다는 [서울]에서 일한다
"""
SUBJECTS = ("ada", "bo teig", "oddny", "skarvik co op", "ада", "エイダ", "艾达", "아다")


def reading(row: str, own: frozenset[str] = frozenset()) -> Reading:
    """Read a sentence whose value stands in brackets."""
    before, value, after = row.replace("]", "[").split("[")
    text = form(before + value + after)
    start = len(form(before + "x")) - 1
    left, right = sentence(text, start)
    part = text[left:right]
    around = Passage(part)
    places = [span for name in SUBJECTS for span in around.places(name)]
    at = start - left
    assert part[at : at + len(form(value))] == form(value)
    return read(part, (at, at + len(form(value))), places, own)


@pytest.mark.parametrize("row", [row for row in ROWS.splitlines() if row])
def test_what_a_sentence_does(row: str) -> None:
    wanted, text = row.split("|")
    known = {"ended": Stance.ENDED}.get(wanted.strip()) or Stance(wanted.strip())
    assert reading(text.strip()).stance is known


@pytest.mark.parametrize(("text", "subject", "value", "stance"), [
    ("вера лапина is not переводчица.", "вера лапина", "переводчица", Stance.DENIED),
    ("вера лапина is no longer переводчица.", "вера лапина", "переводчица", Stance.ENDED),
    ("ada is not in 成都市武侯区.", "ada", "成都市武侯区", Stance.DENIED),
    ("ada is in 成都市武侯区.", "ada", "成都市武侯区", Stance.STATED),
    ("ada lovelace не живёт в rome.", "ada lovelace", "rome", Stance.DENIED),
    ("nina no vive en rome.", "nina", "rome", Stance.DENIED),
])  # fmt: skip
def test_a_name_of_another_script_hides_no_denial(
    text: str, subject: str, value: str, stance: Stance
) -> None:
    def place(part: str) -> tuple[int, int]:
        return text.index(part), text.index(part) + len(part)

    assert read(text, place(value), (place(subject),)).stance is stance
