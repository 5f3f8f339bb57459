"""Names: how two spellings are the same thing, and when they are not.

Only a name of kind ``name`` folds. Folding is NFC, case, and a run of blanks, hyphens or
underscores read as one space. A run is replaced and never deleted, and no symbol is dropped, so
``C``, ``C++`` and ``C#`` stay three names and no name can become empty. Every other kind (paths,
URLs, commands ...) compares as exact NFC: ``notes_a.org`` and ``notes-a.org`` are two files.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

_RUN = re.compile(r"[\s\-_\u2010\u2011]+")


def nfc(text: str) -> str:
    """Return `text` in Unicode normal form C."""
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Return the form in which two spellings of a `name` compare equal.

    Outer blanks are layout and go; inner runs of blanks, hyphens and underscores become one space.
    Case folding may leave NFC, so it is normalised again afterwards.
    """
    folded = nfc(nfc(text.strip()).casefold())
    return _RUN.sub(" ", folded)


def quote_form(text: str) -> str:
    """Return `text` as quotes compare: NFC, with every run of white space as one blank."""
    return " ".join(nfc(text).split())


def digest(*parts: str) -> str:
    """Return the sha256 hex digest of `parts`, joined so that no two lists of parts collide."""
    text = "".join([f"{len(part)}:{part}" for part in parts])
    if text.isascii():
        return hashlib.sha256(text.encode()).hexdigest()
    raws = [part.encode("utf-8", "surrogatepass") for part in parts]
    return hashlib.sha256(b"".join([b"%d:%b" % (len(raw), raw) for raw in raws])).hexdigest()
