"""What a translation consists of: everything that the recipe reads."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.core.bridge import Bridge
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort
from envwright.verify.tolerance import Tolerances
from envwright.verify.transfer.plan import TransferPlan

FILE = "translation.toml"
ENDINGS = {"jax": ".py", "rust": ".rs"}
BACKENDS = tuple(ENDINGS)
ITERATIONS = 50  # at one level, before a person is asked: the paper's T


@dataclass(frozen=True)
class Reference:
    """The environment whose behaviour counts."""

    simulator: str  # gymnasium:ID, python:module:attribute, command:…; "" if only written
    source: str = ""  # module:Class whose code is shown
    package: str = ""  # pinned, for instance gymnasium==1.3.0
    specification: str = ""  # a file beside the toml: the rules in words


@dataclass(frozen=True)
class Target:
    """What is to be written."""

    backend: str
    package: str  # the folder of the code, and in Rust the crate
    entry: str  # the class of the environment, in the last module
    constraints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Golden:
    """A function of the reference to record, and the one to be written that must equal it."""

    target: str  # module:Class.method of the reference
    ours: str  # a function of the module: a dict of inputs to a dict of outputs
    attributes: tuple[str, ...] = ()  # of self, before and after
    outputs: tuple[str, ...] = ()  # those that ours gives back; empty: all
    # Instead of a target, pairs of inputs and outputs that somebody took from the rules.
    examples: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = ()
    tolerances: Tolerances = Tolerances()


@dataclass(frozen=True)
class Module:
    """A part that is translated and tested by itself."""

    name: str
    file: str
    source: tuple[str, ...] = ()  # Class.method, function, or file.py:10-40
    contract: str = ""
    notes: str = ""
    golden: tuple[Golden, ...] = ()


@dataclass(frozen=True)
class Check:
    """A setting in which both are compared."""

    label: str
    options: dict[str, Any] = field(default_factory=dict)  # of the entry's constructor
    reference: str = ""  # another than the spec's, for instance with other options
    bridge: str | Bridge | None = None
    tolerances: Tolerances = Tolerances()
    include_terminal: bool = False
    free_running: bool | None = None
    stray: float = PairSpec.stray  # how far beyond visited states fuzzed ones go


@dataclass(frozen=True)
class Budget:
    """Caps; None is without. Reaching one stops cleanly, with all work kept."""

    dollars: float | None = None
    tokens: int | None = None
    iterations: int | None = None  # turns of the agent in all
    minutes: float | None = None
    per_level: int = ITERATIONS  # repairs at one level before a person is asked


@dataclass(frozen=True)
class TranslationSpec:
    """Everything that the recipe reads."""

    path: Path
    id: str
    version: int
    reference: Reference
    target: Target
    modules: tuple[Module, ...]
    checks: tuple[Check, ...]
    interactions: tuple[str, ...] = ()  # between modules, that the agent is to write tests for
    effort: Effort = Effort()
    transfer: TransferPlan | None = None
    budget: Budget = Budget()

    @property
    def folder(self) -> Path:
        """Where the file stands."""
        return self.path.parent

    def make_reachable(self) -> None:
        """Let `python:` references be found that stand beside the file."""
        if str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        importlib.invalidate_caches()

    @property
    def everyday_check(self) -> Check:
        """The setting that training and races use: the first that rounds, else the first."""
        return next((c for c in self.checks if not c.tolerances.exact), self.checks[0])

    @property
    def levels(self) -> tuple[int, ...]:
        """What can be verified: of a written specification, its examples; level 4 where a margin
        was fixed."""
        if not self.reference.simulator:
            return (1,)
        return (1, 2, 3) if self.transfer is None else (1, 2, 3, 4)
