"""Headings that stay on this machine, each for a reason of its own, and some that may leave it."""

from __future__ import annotations

from gates.content_tables import CONTENT_CATEGORIES
from memex.headings import read_document
from memex.nodes import Document, prose
from symbolic.records import ProseHeading

MARK = "zebra-sentence"
"""In the text of every heading that must not leave, with its number."""

SECRETS = {row.name: row.found[0] for row in CONTENT_CATEGORIES}
TOKEN = SECRETS["github-token"]

NOTES = {
    "own tag": "* Visit :@personal:\nMARK\n",
    "own tag in another case": "* Visit :@Health:\nMARK\n",
    "one tag of many": "* Visit :work:@finance:later:\nMARK\n",
    "the parent's tag": "* Doctors :@health:\n** Visit\nMARK\n",
    "the grandparent's tag": "* A :@FINANCE:\n** B :x:\n*** Visit :y:\nMARK\n",
    "the file's tag": "#+FILETAGS: :@personal:\n* Visit\nMARK\n",
    "the file's tag in another case": "#+filetags: @PERSONAL\n* A\n** Visit\nMARK\n",
    "a quoted heading's tag": "* Visit\n#+begin_example\n,* Old :@health:\nMARK\n#+end_example\n",
    **{f"{name} in the text": f"* Visit\nMARK\n{text}\n" for name, text in SECRETS.items()},
    "a secret in the title": f"* Visit {TOKEN}\nMARK\n",
    "a secret in a title above": f"* Desk {TOKEN}\n** A\n*** Visit\nMARK\n",
    "a secret in a property": f"* Visit\n:PROPERTIES:\n:LOGIN: {TOKEN}\n:END:\nMARK\n",
    "a secret that is not seen": f"* Visit\nMARK\n{TOKEN[:9]}\u200b{TOKEN[9:]}\n",
    "a secret in a drawer": f"* Visit\n:LOGBOOK:\n- {TOKEN}\n:END:\nMARK\n",
}

PUBLIC = "* Ada :work:@home:\n:PROPERTIES:\n:ROLE: engineer\n:END:\nAda works at Initech.\n"


def document(text: str, path: str = "notes/page.org") -> Document:
    read = read_document(path, text.encode())
    assert isinstance(read, Document)
    return read


def deepest(text: str, path: str = "notes/page.org") -> ProseHeading:
    """Return the last heading of an Org text, with what it inherits."""
    return prose(document(text, path).nodes[-1])


def private() -> dict[str, ProseHeading]:
    """Return the headings that must not leave, by their reason."""
    return {
        why: deepest(text.replace("MARK", f"{MARK}-{number}"))
        for number, (why, text) in enumerate(NOTES.items())
    }


def public() -> ProseHeading:
    """Return a heading that may leave."""
    return deepest(PUBLIC)
