"""`translation.toml`: what is to be translated, into what, and what will count as the same.

[reference]   where the behaviour comes from
[target]      what is to be written
[[modules]]   in dependency order, each with source, contract and golden pairs
[[checks]]    in which settings both are compared, and how closely
[l1] [l3] [l4] [train] [budget]
"""

from __future__ import annotations

import importlib
import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from envwright.core.bridge import Bridge, Columns
from envwright.core.toml_file import TomlFile
from envwright.core.toml_table import Table
from envwright.train.config import PPOConfig, configure
from envwright.verify.l3_rollouts import POLICIES
from envwright.verify.policies import POLICIES as KNOWN_POLICIES
from envwright.verify.run import Effort
from envwright.verify.tolerance import EXACT, Tol, Tolerances
from envwright.verify.transfer.plan import TransferPlan, plan_from

FILE = "translation.toml"
BACKENDS = ("jax", "rust")
ENDINGS = {"jax": ".py", "rust": ".rs"}
# Names that neither a module nor a crate can have in Rust.
_RUST = """
abstract alloc as async await become box break const continue core crate do dyn else enum extern
false final fn for harness if impl in let loop macro match mod move mut override priv proc_macro
pub ref return self static std struct super test trait true try type typeof unsafe unsized use
virtual where while yield
"""
RUST_WORDS = frozenset(_RUST.split())
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
    def levels(self) -> tuple[int, ...]:
        """What can be verified: of a written specification, its examples; level 4 where a margin
        was fixed."""
        if not self.reference.simulator:
            return (1,)
        return (1, 2, 3) if self.transfer is None else (1, 2, 3, 4)


def load_spec(place: Path) -> TranslationSpec:
    """The specification of a folder, or in a file; a mistake is told with its line."""
    path = place / FILE if place.is_dir() else place
    file = TomlFile(path)
    top = Table(file, (), file.data)
    environment = top.table("environment")
    spec = TranslationSpec(
        path=path.resolve(),
        id=_identifier(environment, "id"),
        version=_count(environment, "version", 1, least=1),
        reference=_reference(top.table("reference")),
        target=_target(top.table("target")),
        modules=tuple(_module(m) for m in top.tables("modules")),
        checks=tuple(_check(c) for c in top.tables("checks")),
        budget=_budget(top.table("budget")),
        interactions=top.table("l2").texts("interactions"),
        effort=_effort(top),
        transfer=_transfer(top),
    )
    environment.end()
    top.end()
    return _whole(spec, file)


def _whole(spec: TranslationSpec, file: TomlFile) -> TranslationSpec:
    """What can be seen only with all of it read."""
    if not spec.modules:
        raise file.wrong((), "there are no [[modules]]; name at least one")
    for key in ("name", "file"):
        _unique(file, "modules", key, [getattr(m, key) for m in spec.modules])
    ending = ENDINGS[spec.target.backend]
    for index, module in enumerate(spec.modules):
        if not module.file.endswith(ending):
            raise file.wrong(
                ("modules", index, "file"),
                f"a file of {spec.target.backend} ends in {ending}, not {module.file!r}",
            )
        if ending == ".rs" and module.file.removesuffix(ending) in RUST_WORDS:
            place = ("modules", index, "file")
            raise file.wrong(place, f"a module cannot be called {module.file!r} in Rust")
        recorded = [golden for golden in module.golden if not golden.examples]
        if recorded and not spec.reference.simulator:
            raise file.wrong(
                ("modules", index, "golden", 0),
                "golden pairs are recorded from a simulator, and [reference] names none; "
                "write examples = [{ inputs = {…}, outputs = {…} }]",
            )
    if ending == ".rs" and spec.target.package in RUST_WORDS:
        place = ("target", "package")
        raise file.wrong(place, f"a crate cannot be called {spec.target.package!r}")
    if spec.reference.simulator and not spec.checks:
        raise file.wrong((), "there are no [[checks]]: say how closely both must agree")
    _unique(file, "checks", "label", [check.label for check in spec.checks])
    return spec


def _unique(file: TomlFile, table: str, key: str, values: list[str]) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            raise file.wrong((table, index, key), f"two of [[{table}]] have the {key} {value!r}")


def _reference(table: Table) -> Reference:
    reference = Reference(
        simulator=table.get("simulator", str, ""),
        source=table.get("source", str, ""),
        package=table.get("package", str, ""),
        specification=table.get("specification", str, ""),
    )
    table.end()
    if not reference.simulator and not reference.specification:
        raise table.wrong(
            "", "[reference] needs a simulator, such as gymnasium:ID, or a specification file"
        )
    if reference.specification:
        if not (table.file.path.parent / reference.specification).is_file():
            raise table.wrong(
                "specification", f"there is no file {reference.specification} beside {FILE}"
            )
    return reference


def _target(table: Table) -> Target:
    target = Target(
        backend=table.choice("backend", BACKENDS),
        package=_identifier(table, "package"),
        entry=_word(table, "entry"),
        constraints=table.texts("constraints"),
    )
    table.end()
    return target


def _module(table: Table) -> Module:
    module = Module(
        name=_identifier(table, "name"),
        file=_file(table),
        source=table.texts("source"),
        contract=table.get("contract", str, "").strip(),
        notes=table.get("notes", str, "").strip(),
        golden=tuple(_golden(g) for g in table.tables("golden")),
    )
    table.end()
    names = [golden.ours for golden in module.golden]
    for index, name in enumerate(names):
        if name in names[:index]:
            place = (*table.place, "golden", index, "ours")
            raise table.file.wrong(place, f"{name!r} is to equal two functions; name another")
    return module


def _examples(table: Table) -> tuple[tuple[dict[str, Any], dict[str, Any]], ...]:
    """Pairs from the rules; all of them name the same inputs and outputs."""
    pairs = []
    for entry in table.tables("examples"):
        pairs.append((entry.raw("inputs"), entry.raw("outputs")))
        entry.end()
        alike = all(a.keys() == b.keys() for a, b in zip(pairs[0], pairs[-1], strict=True))
        if not alike or not all(pairs[-1]):
            raise entry.wrong("", "an example names inputs and outputs, the same in all of them")
    return tuple(pairs)


def _golden(table: Table) -> Golden:
    examples = _examples(table)
    golden = Golden(
        target="" if examples else _target_of_pairs(table),
        examples=examples,
        ours=_word(table, "ours"),
        attributes=table.texts("attributes"),
        outputs=table.texts("outputs"),
        tolerances=_tolerances(table),
    )
    table.end()
    return golden


def _check(table: Table) -> Check:
    check = Check(
        label=table.get("label", str, ""),
        options=table.raw("options"),
        reference=table.get("reference", str, ""),
        bridge=_bridge(table),
        tolerances=_tolerances(table),
        include_terminal=table.get("include_terminal", bool, False),
        free_running=table.get("free_running", bool, None),  # type: ignore[arg-type]
    )
    table.end()
    return check


def _bridge(table: Table) -> str | Bridge | None:
    """A name of a bridge, or a table from fields of the reference to the target's."""
    if not isinstance(table.data.get("bridge"), dict):
        return table.get("bridge", str, "") or None
    pairs: dict[str, str | tuple[str, ...]] = {}
    for name, ours in table.raw("bridge").items():
        if isinstance(ours, list) and all(isinstance(o, str) for o in ours):
            pairs[name] = tuple(ours)
        elif isinstance(ours, str):
            pairs[name] = ours
        else:
            raise table.wrong("bridge", f"{name!r} is a field's name or a list of names")
    return Columns(pairs)


def _tolerances(table: Table) -> Tolerances:
    fields: dict[str, Tol] = {}
    for entry in table.tables("tolerances"):
        name = entry.get("field", str)
        if name in fields:
            raise entry.wrong("field", f"two tolerances are of {name!r}")
        numbers = {
            "atol": entry.get("atol", float, 0.0),
            "ulp": entry.get("ulp", int, 0),
            "why": entry.get("why", str, ""),
        }
        entry.end()
        fields[name] = entry.build(lambda numbers=numbers: Tol(**numbers))
    return Tolerances(fields.pop("*", EXACT), fields)


def _budget(table: Table) -> Budget:
    caps = {
        "dollars": table.get("dollars", float, None),  # type: ignore[arg-type]
        "tokens": table.get("tokens", int, None),  # type: ignore[arg-type]
        "iterations": table.get("iterations", int, None),  # type: ignore[arg-type]
        "minutes": table.get("minutes", float, None),  # type: ignore[arg-type]
        "per_level": table.get("per_level", int, ITERATIONS),
    }
    table.end()
    for name, value in caps.items():
        if value is not None and not value > 0:
            raise table.wrong(name, f"{name!r} must be above 0")
    return Budget(**caps)


_SIZES = ("visited", "fuzzed", "boundary", "starts")


def _effort(top: Table) -> Effort:
    l1, l2, l3 = top.table("l1"), top.table("l2"), top.table("l3")
    effort = Effort()
    sizes = {k: _count(l1, k, getattr(effort, k)) for k in _SIZES}
    effort = replace(
        effort,
        **sizes,
        examples=_count(l2, "examples", effort.examples),
        policies=_policies(l3),
    )
    l2.texts("interactions")
    episodes = l3.get("episodes", int, 100)
    for table in (l1, l2, l3):
        table.end()
    return l3.build(lambda: replace(effort, episodes=episodes))


def _policies(table: Table) -> tuple[str, ...]:
    for name in table.texts("policies"):
        if name not in KNOWN_POLICIES and not name.startswith(("python:", "trained:")):
            known = ", ".join(KNOWN_POLICIES)
            raise table.wrong(
                "policies", f"there is no policy {name!r}; use {known} or python:module:attribute"
            )
    return table.texts("policies") or POLICIES


def _transfer(top: Table) -> TransferPlan | None:
    plan, train = top.raw("l4"), top.raw("train")
    top.table("train").build(lambda: configure(PPOConfig(), train))  # told with its own line
    return top.table("l4").build(lambda: plan_from(plan, train)) if plan else None


def _count(table: Table, key: str, default: int, least: int = 0) -> int:
    value = table.get(key, int, default)
    if value < least:
        raise table.wrong(key, f"{key!r} must be at least {least}, not {value}")
    return value


def _word(table: Table, key: str) -> str:
    value = table.get(key, str)
    if not value.isidentifier():
        raise table.wrong(key, f"{key!r} is a name in the code, not {value!r}")
    return value


def _target_of_pairs(table: Table) -> str:
    value = table.get("target", str)
    module, _, name = value.partition(":")
    if not module or not name:
        raise table.wrong("target", f"'target' is module:Class.method, not {value!r}")
    return value


def _identifier(table: Table, key: str) -> str:
    value = table.get(key, str)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", value):
        raise table.wrong(key, f"{key!r} is small letters, digits and _, not {value!r}")
    return value


def _file(table: Table) -> str:
    name = table.get("file", str)
    if not re.fullmatch(r"[a-z][a-z0-9_]*\.(py|rs)", name):
        raise table.wrong("file", f"'file' is a name such as rules.py, not {name!r}")
    return name
