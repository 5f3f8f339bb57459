"""Strategies for Org-shaped text: lines that mean something, in orders that may not."""

from __future__ import annotations

from hypothesis import strategies as st

LINES = (
    "* Top", "* TODO Task :work:", "** Sub [1/2] :a:b:", "*** DONE [#A] Deep", "* TODO", "*",
    "*bold* text", "** COMMENT Aside", f"{'*' * 16} Inline", "* ", "*  Gap  :x: ", "* :tag:",
    "* ключ :тег:", ":PROPERTIES:", ":properties:", "  :PROPERTIES:  ", ":ID: abc", ":Key+: more",
    ":KEY:value", ":EMPTY:", ":a:b: c", ":END:", " :end: ", ":LOGBOOK:", ":logbook:", ":END: x",
    "CLOCK: [2024-01-01 Mon 10:00]--[2024-01-01 Mon 11:00] =>  1:00",
    "SCHEDULED: <2024-01-02 Tue +1w> DEADLINE: <2024-01-03 Wed>", "  CLOSED: [2024-01-04 Thu]",
    "scheduled: <2024-01-02>", "# comment", "#+TITLE: A title", "#+TODO: WAIT(w@) | STOP(s)",
    "#+filetags: :f:g:", "#+begin_src org", "#+end_src", "#+begin_quote", "#+end_quote",
    "#+STARTUP: odd", "#+PROPERTY: Lang en", "text with [2024-05-06 Mon] in it", "", "  ", "\t",
    ": fixed", "- State \"DONE\" from \"TODO\" [2024-02-02 Fri]", "\x00", "\u2028line", "\x0b\x0c",
)
ENDINGS = ("\n", "\r\n", "\r")

line = st.one_of(st.sampled_from(LINES), st.text(max_size=12).filter(lambda t: "\r" not in t))
lines = st.lists(line.map(lambda t: t.replace("\n", " ")), max_size=24)


@st.composite
def org_bytes(draw: st.DrawFn) -> bytes:
    """Org-shaped bytes: any line ends, mixed or not, with or without a mark and a final end."""
    mixed = draw(st.booleans())
    ending = st.sampled_from(ENDINGS) if mixed else st.just(draw(st.sampled_from(ENDINGS)))
    text = "".join(part + draw(ending) for part in draw(lines))
    if text and draw(st.booleans()):
        text = text[:-1]
    if draw(st.booleans()):
        text = "\ufeff" + text
    return text.encode("utf-8", "surrogatepass")
