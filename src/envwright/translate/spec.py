"""A `translation.toml` as the recipe uses it."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from envwright.core.room import TRANSLATION as FILE
from envwright.errors import EnvwrightError
from envwright.schema.toml_file import Place, TomlFile
from envwright.schema.translation import (
    Budget,
    Check,
    Module,
    Reference,
    Target,
    Translation,
    everyday,
    read_translation,
)
from envwright.sim.registered import (
    is_registered,
    is_registered_bridge,
    is_registered_code,
    is_registered_policy,
)
from envwright.train.config import PPOConfig, configure
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.policies import KNOWN_POLICIES
from envwright.verify.run import Effort
from envwright.verify.transfer.plan import TransferPlan, plan_from

T = TypeVar("T")
# A span of source in a file; without lines, it may also be `Class.method`.
LINES = re.compile(r"^(?P<file>[^:]+\.[a-z]+)(:(?P<first>\d+)-(?P<last>\d+))?$")


@dataclass(frozen=True)
class TranslationSpec:
    """The tables that the recipe uses, with the effort and the plan of level 4 made of them."""

    path: Path
    id: str
    version: int
    reference: Reference
    target: Target
    modules: tuple[Module, ...]
    checks: tuple[Check, ...]  # checks of the target's backend
    interactions: tuple[str, ...] = ()  # between modules, that the agent is to write tests for
    effort: Effort = Effort()
    transfer: TransferPlan | None = None
    budget: Budget = Budget()
    tests: Path | None = None  # the user's own, which must pass on the translation too

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self.path.parent

    @property
    def gymnasium_id(self) -> str:
        """The id of the translation's package in Gymnasium."""
        return f"{self.target.package}/{self.target.entry}-v{self.version}"

    def make_reachable(self) -> None:
        """Make `python:` references importable that stand beside the file.

        Where it names none, nothing in its folder can stand in for another module.
        """
        if self.own_code and str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        importlib.invalidate_caches()

    @property
    def own_code(self) -> list[str]:
        """The names of code in the file that nothing registers."""
        simulators = [self.reference.simulator, *(c.reference for c in self.checks)]
        bridges = [c.bridge for c in self.checks if isinstance(c.bridge, str)]
        policies = [p for p in self.effort.policies or () if p not in KNOWN_POLICIES]
        targets = [
            self.reference.source,
            *(s for s in self._spans if ":" in s and not LINES.match(s)),
        ]
        targets += [golden.target for module in self.modules for golden in module.golden]
        return [
            *(name for name in simulators if name and not is_registered(name)),
            *(name for name in bridges if not is_registered_bridge(name)),
            *(name for name in policies if not is_registered_policy(name)),
            *(name for name in targets if name and not is_registered_code(name)),
        ]

    @property
    def files_elsewhere(self) -> list[str]:
        """The files that it names outside of its folder."""
        names = [found["file"] for span in self._spans if (found := LINES.match(span))]
        names.append(self.reference.specification)
        return [name for name in names if not _lies_in(self.folder, name)]

    @property
    def links_elsewhere(self) -> list[str]:
        """The entries of its folder, which may be written to, that lead out of it."""
        names = sorted(entry.name for entry in os.scandir(self.folder) if entry.is_symlink())
        return [name for name in names if not _lies_in(self.folder, name)]

    @property
    def _spans(self) -> list[str]:
        return [span for module in self.modules for span in module.source]

    @property
    def everyday_check(self) -> Check:
        """The setting that training and races use."""
        return everyday(self.checks)

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels that can be verified.

        A written specification can only be judged by its examples; level 4 needs a margin.
        """
        if not self.reference.simulator:
            return (1,)
        return (1, 2, 3) if self.transfer is None else (1, 2, 3, 4)


def _lies_in(folder: Path, name: str) -> bool:
    try:
        return Path(os.path.realpath(folder / name)).is_relative_to(os.path.realpath(folder))
    except ValueError:  # not the name of a file
        return False


def load_spec(place: Path) -> TranslationSpec:
    """Read a specification from its folder or file. Raises with the line of a mistake."""
    return read_spec(TomlFile(place / FILE if place.is_dir() else place))


def read_spec(file: TomlFile) -> TranslationSpec:
    """Read a specification. Raises with the line of a mistake."""
    read = read_translation(file)
    return TranslationSpec(
        path=file.path.resolve(),
        id=read.environment.id,
        version=read.environment.version,
        reference=read.reference,
        target=read.target,
        modules=tuple(_module(module) for module in read.modules),
        checks=read.checks_of(read.target.backend),
        interactions=read.l2.interactions,
        effort=_effort(read, file),
        transfer=_transfer(read, file),
        budget=read.budget,
    )


def _module(module: Module) -> Module:
    """Drop module names from golden functions: it does not matter which one has them now."""
    golden = tuple(structs.replace(g, ours=g.ours.rpartition(":")[2]) for g in module.golden)
    return structs.replace(module, golden=golden)


def _effort(read: Translation, file: TomlFile) -> Effort:
    for name in read.l3.policies:
        if name not in KNOWN_POLICIES and not name.startswith(("python:", "trained:")):
            known = ", ".join(KNOWN_POLICIES)
            raise file.wrong(
                ("l3", "policies"),
                f"there is no policy {name!r}; use {known} or python:module:attribute",
            )
    policies = read.l3.policies or DEFAULT_POLICIES
    return replace(Effort(), episodes=read.l3.episodes, policies=policies, **read.sizes)


def _transfer(read: Translation, file: TomlFile) -> TransferPlan | None:
    train = read.training
    _with_line(file, ("train",), lambda: configure(PPOConfig(), train))
    if read.l4 is None:
        return None
    l4 = read.l4
    return _with_line(file, ("l4",), lambda: plan_from(l4, train))


def _with_line(file: TomlFile, place: Place, make: Callable[[], T]) -> T:
    try:
        return make()
    except EnvwrightError as error:
        raise file.wrong(place, str(error)) from error
