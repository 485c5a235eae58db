"""Run the crates' own tests on a bug that no level noticed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.verify.adequacy.mutation.mutants import Mutant
from envwright.verify.adequacy.mutation.rust.workspace import Workspace

PATIENCE = 5  # multiple of their time without a bug, when everything is compiled
LEAST = 60.0  # seconds


@dataclass(frozen=True)
class UnitTests:
    """The tests that pass without a bug, and how long they may take with one."""

    workspace: Workspace
    crates: Sequence[str]
    limit: float  # seconds

    @classmethod
    def that_pass(cls, workspace: Workspace, crates: Sequence[str]) -> UnitTests:
        """Run the crates' tests once. Raises EnvwrightError if they fail as they are."""
        began = time.monotonic()
        if not workspace.passes_tests(crates, limit=3600.0):
            command = " ".join(("cargo test", *(f"-p {crate}" for crate in crates)))
            raise EnvwrightError(f"{command} fails without any bug; repair that first")
        return cls(workspace, crates, max(LEAST, PATIENCE * (time.monotonic() - began)))

    def notice(self, path: Path, mutant: Mutant) -> bool:
        """Return whether a test fails, panics, hangs or does not compile with this bug."""
        with self.workspace.with_mutant(path, mutant):
            return not self.workspace.passes_tests(self.crates, self.limit)
