"""Load the checks of a room from its `translation.toml`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from envwright.core.registry import find
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.schema.names import join_options
from envwright.schema.translation import (
    Check,
    Equivalent,
    Golden,
    Module,
    Probe,
    Translation,
    everyday,
    room_translation,
)
from envwright.schema.translation.records import Adequacy
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.pair import PairSpec
from envwright.verify.transfer.plan import TransferPlan, plan_from


@dataclass(frozen=True)
class RoomChecks:
    """Everything that verification knows about an environment of the zoo."""

    spec: Room
    backend: str
    checks: tuple[PairSpec, ...]
    golden: tuple[Golden, ...] = ()
    probes: tuple[Probe, ...] = ()
    policies: tuple[str, ...] = DEFAULT_POLICIES
    episodes: int = 100
    adequacy: Adequacy = Adequacy()
    sizes: dict[str, int] = field(default_factory=dict)  # how many states level 1 samples
    transfer: TransferPlan | None = None  # level 4, where a margin was fixed
    trained: PairSpec | None = None  # the pair for level 4, if that is not a check
    reference: str = ""  # its simulator, or the package of one that only probes can drive

    def module_of(self, file: str) -> str:
        """Return the module in one of the files to mutate."""
        package, rest = self.spec.package, file
        while rest.startswith("../"):
            package, rest = package.rpartition(".")[0], rest.removeprefix("../")
        return f"{package}.{rest.removesuffix('.py').replace('/', '.')}"

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages to import anew for a mutant: the room, its bases, and its probes."""
        inside = f"{self.spec.package}."
        probes = [probe.run.partition(":")[0] for probe in self.probes]
        modules = [*map(self.module_of, self.adequacy.mutate), *probes]
        others = [m for m in modules if not m.startswith(inside)]
        return (self.spec.package, *dict.fromkeys(m.rpartition(".")[0] for m in others))

    def for_mutants(self) -> RoomChecks:
        """Return the room with only the checks that judge mutants."""
        asked = self.adequacy.checks
        chosen = tuple(c for c in self.checks if not asked or c.label in asked)
        if self.checks and not chosen:
            raise EnvwrightError(
                f"[adequacy] of {self.spec.id} names no check of backend {self.backend!r}"
            )
        probes = tuple(probe for probe in self.probes if probe.mutants is not False)
        return replace(self, checks=chosen, probes=probes)

    @property
    def equivalent(self) -> tuple[Equivalent, ...]:
        """The proofs about mutants, one for each mutant."""
        return tuple(
            Equivalent(mutant=mutant, proof=entry.proof)
            for entry in self.adequacy.equivalent
            for mutant in entry.mutants or (entry.mutant,)
        )

    @property
    def everyday_check(self) -> PairSpec:
        """The check with the settings that training uses, unless `[l4]` names another pair."""
        return everyday(self.checks) if self.trained is None else self.trained


def load_room(name: str, backend: str | None = None) -> RoomChecks:
    """Load the checks of an environment, for one of its backends."""
    room = find(name)
    backend = room.check_backend(backend)
    translation = room_translation(room)
    if translation is None:
        raise EnvwrightError(f"{room.name} has no translation.toml")
    checks = translation.checks_of(backend)
    if not checks and not translation.probes:
        raise EnvwrightError(f"{room.package}/translation.toml has no check of backend {backend!r}")
    l4 = translation.l4
    return RoomChecks(
        spec=room,
        backend=backend,
        checks=tuple(pair_spec(check, translation, room, backend) for check in checks),
        golden=tuple(
            _qualified(golden, room, module)
            for module in translation.modules
            for golden in module.golden
            if module.file.endswith(".py")  # Rust is called through the judge's program alone
        ),
        probes=translation.probes,
        policies=translation.l3.policies or DEFAULT_POLICIES,
        episodes=translation.l3.episodes,
        adequacy=_adequacy(translation),
        sizes=translation.sizes,
        transfer=plan_from(l4, translation.training) if l4 else None,
        trained=PairSpec(l4.reference, l4.twin) if l4 and l4.twin else None,
        reference=room.reference or translation.reference.package,
    )


def _qualified(golden: Golden, room: Room, module: Module) -> Golden:
    """Name the function in full, where the file names one of the module itself."""
    ours = golden.ours if ":" in golden.ours else f"{room.package}.{module.stem}:{golden.ours}"
    return structs.replace(golden, ours=ours)


def _adequacy(translation: Translation) -> Adequacy:
    """Mutate all modules of the translation, or its crate, unless the file names others."""
    adequacy, target = translation.adequacy, translation.target
    if not adequacy.mutate:
        adequacy = structs.replace(adequacy, mutate=tuple(m.file for m in translation.modules))
    if target.backend == "rust" and not adequacy.crates:
        adequacy = structs.replace(adequacy, crates=(target.package,))
    return adequacy


def pair_spec(check: Check, translation: Translation, room: Room, backend: str) -> PairSpec:
    """Build the comparison of a room's environment with its reference."""
    chosen = {} if backend == room.default_backend else {"backend": backend}
    twin = check.twin or join_options(f"envwright:{room.id}", {**chosen, **check.options})
    return compared(check, translation.reference.simulator, twin)


def compared(check: Check, reference: str, twin: str | Callable[[], Any]) -> PairSpec:
    """Build the comparison of a check, with its own reference if it names one."""
    return PairSpec(
        check.reference or reference,
        twin,
        check.bridge,
        check.tolerances,
        check.include_terminal,
        check.free_running,
        check.label,
        stray=check.stray,
        everyday=check.everyday,
    )
