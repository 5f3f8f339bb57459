"""Settings: flags > environment > `.passepartout.toml` in the memex > the user's file > default."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from symbolic.errors import ConfigurationError, Usage
from symbolic.values import tz

JOURNAL = Path("system") / "journal"
ONTOLOGY = "system/ontology.org"
OWN_FILE = ".passepartout.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one command runs under. `state` is None until the memex id is known."""

    memex: Path
    state: Path | None
    state_home: Path
    now: datetime | None
    zone: str
    person: str
    threshold: float
    warnings: tuple[str, ...] = ()
    break_lock: bool = False
    """A person says that whoever holds the lease of the writer lock is gone."""

    @property
    def journal(self) -> Path:
        """The journal's folder."""
        return self.memex / JOURNAL


def load(
    memex: str | None = None,
    state: str | None = None,
    now: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """Return the settings of one command.

    Raises Usage on a `--now` that is no instant, ConfigurationError on an unreadable file.
    """
    warnings: list[str] = []
    root = _root(memex or environ.get("PP_MEMEX") or environ.get("MEMEX_DIR"))
    own, user = files(root, environ)

    def setting(name: str, default: str) -> str:
        for value in (environ.get(f"PP_{name.upper()}"), own.get(name), user.get(name)):
            if value not in (None, ""):
                return str(value)
        return default

    where = state or environ.get("PP_STATE")
    return Settings(
        memex=root,
        state=Path(where).expanduser().absolute() if where else None,
        state_home=_xdg(environ, "XDG_STATE_HOME", ".local/state") / "passepartout",
        now=_instant(now or environ.get("PP_NOW")),
        zone=_zone(setting("zone", "UTC"), warnings),
        person=setting("person", _login(environ)),
        threshold=_threshold(
            environ.get("SUFFICIENCY_THRESHOLD") or setting("sufficiency_threshold", "0.7"),
            warnings,
        ),
        warnings=tuple(warnings),
    )


def files(
    memex: Path, environ: Mapping[str, str] = os.environ
) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return what the memex's file and the user's own say; an absent one says nothing.

    Raises ConfigurationError on a file that cannot be read.
    """
    return _toml(memex / OWN_FILE), _toml(user_file(environ))


def user_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where the user's own settings stand."""
    return _xdg(environ, "XDG_CONFIG_HOME", ".config") / "passepartout" / "config.toml"


def _root(given: str | None) -> Path:
    if given:
        return Path(given).expanduser().absolute()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / JOURNAL).is_dir():
            return folder
    return here


def _xdg(environ: Mapping[str, str], name: str, default: str) -> Path:
    value = environ.get(name)
    return Path(value) if value else Path(environ.get("HOME") or Path.home()) / default


def _toml(path: Path) -> Mapping[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _unread(path, error) from error
    import tomllib  # most memexes have no such file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unread(path, error) from error


def _unread(path: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(f"{path}: {error}; mend the file or move it away")


def _instant(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Usage(f"--now {text}: no instant; write 2024-02-01T09:30:00Z") from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _zone(name: str, warnings: list[str]) -> str:
    try:
        tz(name)
    except (KeyError, ValueError):
        warnings.append(f"zone '{name}' is unknown; using UTC")
        return "UTC"
    return name


def _threshold(text: str, warnings: list[str]) -> float:
    try:
        value = float(text)
    except ValueError:
        warnings.append(f"SUFFICIENCY_THRESHOLD '{text}' is no number; using 0.7")
        return 0.7
    return value


def _login(environ: Mapping[str, str]) -> str:
    name = environ.get("USER") or environ.get("LOGNAME")
    if name:
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "me"
