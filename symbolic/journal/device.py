"""Who this device is: `device.json` in the state folder, with the runs that wrote its chain.

It is no index: `rebuild` keeps it. No state folder means a new device; a chain that is already in
the journal is never adopted, since another machine may be writing it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from symbolic.errors import ConfigurationError
from symbolic.journal.disk import make_folder, replace_file, state_error

FILE = "device.json"

_DEV = re.compile(r"[0-9a-f]{12}")
_RUN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Device:
    """A device and the runs (one a process that writes) known to be its own."""

    dev: str
    runs: tuple[str, ...] = ()


def new_device(journal: Path) -> Device:
    """Return a device whose chain does not exist in the folder `journal`."""
    while (journal / (dev := os.urandom(6).hex())).exists():
        continue
    return Device(dev)


def new_run(device: Device) -> Device:
    """Return `device` with one more run, the last of its runs."""
    return replace(device, runs=(*device.runs, os.urandom(8).hex()))


def read_device(state: Path) -> Device | None:
    """Return the device of the folder `state`, None if it has none.

    Raises ConfigurationError if the file does not read: guessing would fork a chain.
    """
    path = state / FILE
    try:
        parsed = json.loads(path.read_bytes())
        dev, runs = parsed["dev"], tuple(parsed["runs"])
        sound = all(isinstance(run, str) and _RUN.fullmatch(run) for run in runs)
        if not sound or _DEV.fullmatch(dev) is None:
            raise ValueError("a device id or run does not read")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigurationError(
            f"{path} does not read ({error}); if it is lost, move it away: this machine then "
            "starts as a new device and the old chain still counts",
            key="device",
        ) from error
    return Device(dev, runs)


def write_device(state: Path, device: Device) -> None:
    """Write `device` to the folder `state`, fsynced.

    Raises DiskRefused or ConfigurationError if that fails; then the old one stands.
    """
    body = json.dumps({"dev": device.dev, "runs": list(device.runs)}, indent=1) + "\n"
    try:
        make_folder(state)
        replace_file(state / FILE, body.encode(), "device.write")
    except OSError as error:
        raise state_error(state, error) from error
