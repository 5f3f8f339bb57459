"""The user's settings without what opens a door: for a backup, which travels."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping

from gates.secrets import secret_shapes

_NAMES = re.compile(r"key|token|secret|passw", re.IGNORECASE)
_INNOCENT = frozenset(("key_variable",))
"""Settings that are named like a key and hold the name of a variable."""


def keyless(data: bytes) -> bytes | None:
    """Return settings (TOML) with the values of keys made empty; None if that cannot be made sure.

    A value counts as a key by the name of its setting, or by having the shape of a secret.
    """
    try:
        for value in sorted(set(_keys(tomllib.loads(data.decode()))), key=len, reverse=True):
            data = data.replace(value.encode(), b"")
        left = list(_keys(tomllib.loads(data.decode())))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    # A secret in a comment is in no value; one spelled with escapes is still there.
    return None if left or secret_shapes(data.decode()) else data


def _keys(table: object, named: bool = False) -> Iterator[str]:
    """Yield every text in `table` that is a key; `named` says that the setting's name says so."""
    if isinstance(table, Mapping):
        for name, value in table.items():
            yield from _keys(value, name not in _INNOCENT and (named or bool(_NAMES.search(name))))
    elif isinstance(table, list):
        for value in table:
            yield from _keys(value, named)
    elif isinstance(table, str) and table and (named or secret_shapes(table)):
        yield table
