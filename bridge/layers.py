"""One table of the settings in its layers: environment, the memex's file, the user's file.

A value of the wrong type is left out with one warning that names file and key.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symbolic.errors import ConfigurationError

_BETWEEN = re.compile(r",(?![^()]*\))|(?<=\))\s*(?=\()")
"""Commas outside of parentheses, and the seam of two pairs in parentheses."""


def table(whole: Mapping[str, object], name: str, file: str) -> Mapping[str, object]:
    """Return the table `name`; empty if absent. Raises ConfigurationError if it is no table."""
    found = whole.get(name, {})
    if not isinstance(found, dict):
        raise ConfigurationError(f"{file}: {name} is no table: write [{name}] on a line of its own")
    return found


@dataclass(frozen=True, slots=True)
class Layers:
    """A table of the memex's file over that of the user's file, under the environment.

    `name` is what the table is called; `warnings` collects what did not count.
    """

    environ: Mapping[str, str]
    own: Mapping[str, object]
    user: Mapping[str, object]
    own_file: str
    user_file: str
    warnings: list[str]
    name: str = "models"

    def below(self, name: str) -> Layers:
        """Return the layers of the table `name` in this one."""
        path = f"{self.name}.{name}"
        return Layers(
            self.environ, self._inner(self.own, name, self.own_file, path),
            self._inner(self.user, name, self.user_file, path),
            self.own_file, self.user_file, self.warnings, path,
        )  # fmt: skip

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables in this one."""
        named = [*self.own.items(), *self.user.items()]
        return tuple(dict.fromkeys(name for name, value in named if isinstance(value, dict)))

    def unknown(self, known: tuple[str, ...]) -> None:
        """Warn of every key that is none of `known`."""
        for file, values in ((self.own_file, self.own), (self.user_file, self.user)):
            for name in sorted(set(values) - set(known)):
                self.warnings.append(f"{file}: [{self.name}] has no setting '{name}'")

    def text(self, variable: str | None, name: str) -> str | None:
        """Return a text that is not blank, None if there is none."""
        for source, value in self._stated(variable, name):
            if not isinstance(value, str):
                self._warn(source, name, value, "a text")
            elif value.strip():
                return value.strip()
        return None

    def user_text(self, name: str) -> str | None:
        """Return a text that only the user's file may say, since a key goes with it."""
        if name in self.own:
            self.warnings.append(
                f"{self.own_file}: [{self.name}] {name} does not count: where a key comes from and "
                f"goes to is said in the user's settings, {self.user_file}"
            )
        value = self.user.get(name)
        return value.strip() or None if isinstance(value, str) else None

    def seconds(self, variable: str, name: str, default: float) -> float:
        """Return a positive number of seconds."""
        for source, value in self._stated(variable, name):
            try:
                number = float(value) if isinstance(value, str | int | float) else math.nan
            except ValueError:
                number = math.nan
            if not isinstance(value, bool) and 0 < number < math.inf:
                return number
            self._warn(source, name, value, f"a number of seconds; using {default:g}")
            return default
        return default

    def words(self, variable: str, name: str) -> tuple[str, ...] | None:
        """Return a list, given as one or as text with commas; None if nothing is stated."""
        for source, value in self._stated(variable, name):
            if isinstance(value, str):
                parts = [part.strip() for part in _BETWEEN.split(_unwrapped(value.strip()))]
                if any(parts):
                    return tuple(part for part in parts if part)
            elif isinstance(value, list) and all(isinstance(part, str) for part in value):
                return tuple(part.strip() for part in value if part.strip())
            else:
                self._warn(source, name, value, "a list of texts")
        return None

    def flag_of_memex(self, name: str) -> bool:
        """Return a yes or no that only the memex's file may say; anything but `true` is a no."""
        value = self.own.get(name, False)
        if not isinstance(value, bool):
            self._warn(self.own_file, name, value, "true or false; using false")
        return value is True

    def _stated(self, variable: str | None, name: str) -> Iterator[tuple[str, object]]:
        if variable is not None and self.environ.get(variable):
            yield variable, self.environ[variable]
        if name in self.own:
            yield self.own_file, self.own[name]
        if name in self.user:
            yield self.user_file, self.user[name]

    def _warn(self, source: str, name: str, value: object, wanted: str) -> None:
        what = source if "." not in source else f"{source}: [{self.name}] {name}"
        self.warnings.append(f"{what} is {_shown(value)}, not {wanted}")

    @staticmethod
    def _inner(
        values: Mapping[str, object], name: str, file: str, path: str
    ) -> Mapping[str, object]:
        found = values.get(name, {})
        if not isinstance(found, dict):
            raise ConfigurationError(
                f"{file}: {path} is no table: write [{path}] on a line of its own"
            )
        return found


def _unwrapped(text: str) -> str:
    """Return a list of pairs without the parentheses around the whole of it."""
    return text[1:-1].strip() if text.startswith("((") and text.endswith("))") else text


def _shown(value: object) -> str:
    """Return a value for a message; of a long one only its beginning."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
