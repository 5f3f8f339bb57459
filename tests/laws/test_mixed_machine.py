"""The one law under everything at once; `make laws` runs it by the thousand."""

from __future__ import annotations

import os

import pytest

from tests.laws.machine import Decisions, Losses, Ontology, Prose


class MixedMachine(Prose, Decisions, Ontology, Losses):
    """Notes, decisions and declarations change in any order."""


TestMixed = pytest.mark.law(
    pytest.mark.skipif(
        os.environ.get("HYPOTHESIS_PROFILE") != "laws",
        reason="each kind of change has a machine of its own; the mix of them is for `make laws`",
    )(MixedMachine.TestCase)
)
