"""Reads a room's `translation.toml`: what is compared with what, how, and how closely."""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from envwright.core.registry import find
from envwright.core.room import OPTIONS, Room
from envwright.errors import EnvwrightError
from envwright.verify.l3_rollouts import POLICIES
from envwright.verify.pair import PairSpec
from envwright.verify.tolerance import EXACT, Tol, Tolerances
from envwright.verify.transfer.plan import TransferPlan, plan_from


@dataclass(frozen=True)
class GoldenSpec:
    """A function of the reference to record, and ours that must do the same."""

    module: str
    target: str  # "module:Class.method"
    ours: str  # "module:function" from a table of inputs to a table of outputs
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probe:
    """A check of a room's own, of what two simulators do not show."""

    level: int
    run: str  # "module:function" from (seed, progress) to a LevelResult
    # Sizes where a mutant is asked; false: mutants are not.
    mutants: dict[str, int] | Literal[False] = field(default_factory=dict)
    takes: Sequence[str] = ()  # arguments beside (seed, progress): episodes, backend, options
    recalled: bool = False  # its references are asked through `verify.recall`


@dataclass(frozen=True)
class Equivalent:
    """A mutant that no test can kill, and the proof."""

    mutant: str
    proof: str


@dataclass(frozen=True)
class Unreachable:
    """An outcome that a decision cannot have, and the proof."""

    gap: str  # as `envwright coverage` tells it
    proof: str


@dataclass(frozen=True)
class RoomChecks:
    """Everything that verification knows about an environment of the zoo."""

    spec: Room
    backend: str
    checks: tuple[PairSpec, ...]
    golden: tuple[GoldenSpec, ...] = ()
    probes: tuple[Probe, ...] = ()
    policies: tuple[str, ...] = POLICIES
    episodes: int = 100
    mutate: tuple[str, ...] = ()  # files, as seen from the room: "env.py", "../planar/engine.py"
    exclude: tuple[str, ...] = ()  # functions in them that are not part of the game
    more_mutants: str = ""  # "module:function" that gives more of them, of tables say
    equivalent: tuple[Equivalent, ...] = ()
    unreachable: tuple[Unreachable, ...] = ()  # of the traced program
    crates: tuple[str, ...] = ()  # Rust crates of the room
    sizes: dict[str, int] = field(default_factory=dict)  # how many states level 1 samples
    transfer: TransferPlan | None = None  # level 4, where a margin was fixed
    everyday: int | None = None  # which of the checks is of what training uses
    trained: PairSpec | None = None  # what level 4 trains in, where that is no check
    asked: tuple[str, ...] = ()  # labels of the checks that mutants are put to; all if none
    adequacy_sizes: dict[str, int] = field(default_factory=dict)  # what a mutant is asked

    def module_of(self, file: str) -> str:
        """The module that one of the files to mutate holds."""
        package, rest = self.spec.package, file
        while rest.startswith("../"):
            package, rest = package.rpartition(".")[0], rest.removeprefix("../")
        return f"{package}.{rest.removesuffix('.py').replace('/', '.')}"

    @property
    def packages(self) -> tuple[str, ...]:
        """The room, what it is built on, and its probes: what is imported anew for a mutant."""
        inside = f"{self.spec.package}."
        probes = [probe.run.partition(":")[0] for probe in self.probes]
        modules = [*map(self.module_of, self.mutate), *probes]
        others = [m for m in modules if not m.startswith(inside)]
        return (self.spec.package, *dict.fromkeys(m.rpartition(".")[0] for m in others))

    def for_mutants(self) -> RoomChecks:
        """The room with those checks only that mutants are put to."""
        chosen = tuple(c for c in self.checks if not self.asked or c.label in self.asked)
        if self.checks and not chosen:
            raise EnvwrightError(
                f"[adequacy] of {self.spec.id} names no check of backend {self.backend!r}"
            )
        probes = tuple(probe for probe in self.probes if probe.mutants is not False)
        return replace(self, checks=chosen, probes=probes, everyday=None)

    @property
    def everyday_check(self) -> PairSpec:
        """What training uses: as `[l4]` or a check says, else the first that rounds, or any."""
        if self.trained is not None:
            return self.trained
        if self.everyday is not None:
            return self.checks[self.everyday]
        rounding = [c for c in self.checks if not c.tolerances.exact]
        return (rounding or list(self.checks))[0]


def load_room(name: str, backend: str | None = None) -> RoomChecks:
    """The room of an environment, for one of its backends."""
    spec = find(name)
    backend = backend or spec.default_backend
    if backend not in spec.backends:
        raise EnvwrightError(
            f"{spec.name} has no backend {backend!r}; use {' or '.join(spec.backends)}"
        )
    try:
        text = (importlib.resources.files(spec.package) / "translation.toml").read_text()
        return _room(spec, backend, tomllib.loads(text))
    except FileNotFoundError as error:
        raise EnvwrightError(f"{spec.name} has no translation.toml") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise EnvwrightError(f"{spec.package}/translation.toml: {error}") from error


def _room(spec: Room, backend: str, data: dict[str, Any]) -> RoomChecks:
    listed = data.get("checks", ()) if "probes" in data else data["checks"]
    checks = [c for c in listed if c.get("backend", spec.default_backend) == backend]
    if not checks and "probes" not in data:
        raise EnvwrightError(f"{spec.package}/translation.toml has no check of backend {backend!r}")
    adequacy = data.get("adequacy", {})
    return RoomChecks(
        spec=spec,
        backend=backend,
        checks=tuple(_check(data["reference"]["simulator"], c) for c in checks),
        crates=tuple(adequacy.get("crates", ())),
        golden=tuple(
            GoldenSpec(m["name"], g["target"], g["ours"], tuple(g.get("attributes", ())))
            for m in data.get("modules", ())
            for g in m.get("golden", ())
        ),
        probes=tuple(Probe(**probe) for probe in data.get("probes", ())),
        policies=tuple(data.get("l3", {}).get("policies", POLICIES)),
        episodes=data.get("l3", {}).get("episodes", 100),
        mutate=tuple(adequacy.get("mutate", ())),
        exclude=tuple(adequacy.get("exclude", ())),
        more_mutants=adequacy.get("more", ""),
        equivalent=tuple(
            Equivalent(mutant, e["proof"])
            for e in adequacy.get("equivalent", ())
            for mutant in e.get("mutants", ()) or [e["mutant"]]
        ),
        unreachable=tuple(Unreachable(**u) for u in adequacy.get("unreachable", ())),
        sizes=data.get("l1", {}),
        transfer=_transfer(data),
        everyday=next((i for i, c in enumerate(checks) if c.get("everyday")), None),
        trained=PairSpec(*map(data["l4"].get, _SIDES)) if "twin" in data.get("l4", ()) else None,
        asked=tuple(adequacy.get("checks", ())),
        adequacy_sizes=adequacy.get("sizes", {}),
    )


_SIDES = ("reference", "twin")  # of `[l4]`, where no check has them


def _transfer(data: dict[str, Any]) -> TransferPlan | None:
    """Level 4 trains with the settings of `[train]`; the options there are the check's."""
    train = {name: value for name, value in data.get("train", {}).items() if name != OPTIONS}
    if "l4" not in data:
        return None
    return plan_from({k: v for k, v in data["l4"].items() if k not in _SIDES}, train)


def _check(reference: str, check: dict[str, Any]) -> PairSpec:
    tolerances = [dict(t) for t in check.get("tolerances", ())]
    fields = {t.pop("field"): Tol(**t) for t in tolerances}
    return PairSpec(
        check.get("reference", reference),
        check["twin"],
        check.get("bridge"),
        Tolerances(fields.pop("*", EXACT), fields),
        include_terminal=check.get("include_terminal", False),
        stray=float(check.get("stray", PairSpec.stray)),
        free_running=check.get("free_running"),
        label=check.get("label", ""),
    )
