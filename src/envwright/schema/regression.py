"""Tests made from divergences: a file of the run, of the workspace and of the finished package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from envwright.core.bridge import Fields
from envwright.core.files import plain
from envwright.schema.divergence import Divergence, Steps
from envwright.schema.tolerance import Tolerances


class RegressionTest(msgspec.Struct, kw_only=True, frozen=True):
    """A divergence with the reference's answers, in the twin's terms."""

    check: str  # the label of the check that it was found in
    divergence: dict[str, Any]
    options: dict[str, Any] = {}  # of the twin's constructor
    tolerances: dict[str, Any] = {}  # none: exact
    start: dict[str, Any] | None = None  # None: only the harness, with the reference, can run it
    expected: list[dict[str, Any]] = []  # a record per step; its `state` is a table

    @staticmethod
    def parse(data: bytes) -> RegressionTest:
        """Read what `encode` wrote. Raises `ValueError` if it is malformed."""
        return msgspec.convert(json.loads(data), RegressionTest)

    def encode(self) -> bytes:
        """Return the test as a file."""
        return (json.dumps(plain(structs.asdict(self)), indent=1, sort_keys=True) + "\n").encode()

    @property
    def steps(self) -> Steps:
        """The divergence that the test repeats."""
        found = Divergence.from_json(self.divergence)
        assert isinstance(found, Steps)
        return found

    @property
    def closeness(self) -> Tolerances:
        """How closely the fields must agree."""
        return Tolerances.from_json(self.tolerances)

    def records(self) -> Iterator[Fields]:
        """Yield the expected record of each step, the state's fields as `state.NAME`."""
        for step in self.expected:
            named = {name: value for name, value in step.items() if name != "state"}
            named |= {f"state.{name}": value for name, value in step["state"].items()}
            yield {name: np.asarray(value) for name, value in named.items()}
