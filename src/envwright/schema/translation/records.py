"""The tables of `translation.toml`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar

from msgspec import Meta, field, structs

from envwright.core.bridge import Bridge, Columns
from envwright.core.limits import EPISODES
from envwright.errors import EnvwrightError
from envwright.schema.tolerance import EXACT, Tol, Tolerances
from envwright.schema.toml_records import IDENTIFIER, MODULE_FILE, QUALIFIED, WORD, Record

ENDINGS = {"jax": ".py", "rust": ".rs"}
BACKENDS = tuple(ENDINGS)
ITERATIONS = 50  # repairs at one level before a person is asked: the paper's T
STRAY = 3.0

Backend = Literal["jax", "rust"]
Identifier = Annotated[str, Meta(pattern=IDENTIFIER)]
Word = Annotated[str, Meta(pattern=WORD)]
MOST = 10**6  # states or sequences of a level; a file of others must not exhaust the memory
Count = Annotated[int, Meta(ge=0, le=MOST)]
Episodes = Annotated[int, Meta(ge=1, le=EPISODES)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]


class Environment(Record, frozen=True):
    """`[environment]`."""

    id: Identifier
    version: AtLeastOne = 1


class Reference(Record, frozen=True):
    """`[reference]`: the environment whose behaviour counts."""

    simulator: str = ""  # gymnasium:ID, python:module:attribute, command:…; "" if only written
    source: str = ""  # module:Class whose code is shown
    package: str = ""  # pinned, for instance gymnasium==1.3.0
    specification: str = ""  # a file beside the toml: the rules in words


class Target(Record, frozen=True):
    """`[target]`: the environment to write."""

    backend: Backend
    package: Identifier  # the folder of the code, and in Rust the crate
    entry: Word  # the class of the environment, in the last module
    restarts: bool = False  # JAX: a step that ends a game begins the next one, as the reference's
    constraints: tuple[str, ...] = ()


class Tolerance(Record, frozen=True):
    """One entry of `tolerances`: a field's name or pattern, and how far it may be off."""

    field: str
    atol: float = 0.0
    ulp: int = 0
    why: str = ""

    def __post_init__(self) -> None:
        try:
            self.tol  # noqa: B018  it checks the numbers
        except EnvwrightError as error:
            raise ValueError(str(error)) from error

    @property
    def tol(self) -> Tol:
        """The tolerance without its field."""
        return Tol(self.atol, self.ulp, self.why)


def _tolerances(listed: tuple[Tolerance, ...]) -> Tolerances:
    fields = {entry.field: entry.tol for entry in listed}
    return Tolerances(fields.pop("*", EXACT), fields)


class Example(Record, frozen=True):
    """A pair of inputs and outputs taken from the written rules."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]


class Golden(Record, frozen=True, kw_only=True):
    """A function of the reference to record, and the written one that must equal it."""

    target: str = ""  # module:Class.method of the reference
    # A function of the module, or module:function: from the inputs of one call to its outputs.
    ours: Annotated[str, Meta(pattern=QUALIFIED)]
    attributes: tuple[str, ...] = ()  # of self, before and after
    outputs: tuple[str, ...] = ()  # those that ours returns; empty: all
    examples: tuple[Example, ...] = ()  # instead of a target
    listed_tolerances: tuple[Tolerance, ...] = field(default=(), name="tolerances")

    def __post_init__(self) -> None:
        module, _, name = self.target.partition(":")
        if not self.examples and not (module and name):
            raise ValueError(f"'target' must be module:Class.method, not {self.target!r}")
        names = [(example.inputs.keys(), example.outputs.keys()) for example in self.examples]
        if any(pair != names[0] or not all(pair) for pair in names):
            raise ValueError("every example must name inputs and outputs, the same in all of them")

    @property
    def tolerances(self) -> Tolerances:
        """How closely outputs must agree."""
        return _tolerances(self.listed_tolerances)


class Module(Record, frozen=True):
    """One of `[[modules]]`: a part that is translated and tested by itself."""

    name: Identifier
    file: Annotated[str, Meta(pattern=MODULE_FILE)]
    source: tuple[str, ...] = ()  # Class.method, function, or file.py:10-40
    contract: str = ""
    notes: str = ""
    golden: tuple[Golden, ...] = ()

    def __post_init__(self) -> None:
        structs.force_setattr(self, "contract", self.contract.strip())
        structs.force_setattr(self, "notes", self.notes.strip())

    @property
    def stem(self) -> str:
        """The module's name in imports."""
        return Path(self.file).stem


class Check(Record, frozen=True):
    """One of `[[checks]]`: a setting in which both are compared."""

    label: str = ""
    options: dict[str, Any] = field(default_factory=dict)  # of the entry's constructor
    reference: str = ""  # another than [reference] names, for instance with other options
    twin: str = ""  # another than the environment with these options
    backend: Backend | None = None  # None: the one of [target]
    listed_bridge: str | dict[str, str | tuple[str, ...]] | None = field(
        default=None, name="bridge"
    )
    listed_tolerances: tuple[Tolerance, ...] = field(default=(), name="tolerances")
    include_terminal: bool = False  # sample states in which the episode is over already
    free_running: bool | None = None  # None: judged where everything is exact, else only reported
    stray: float = STRAY  # how far beyond visited states fuzzed ones go, in widths of their range
    everyday: bool = False  # the setting that training uses

    @property
    def bridge(self) -> str | Bridge | None:
        """The bridge's name, or the bridge that a table of field names describes."""
        listed = self.listed_bridge
        return Columns(dict(listed)) if isinstance(listed, dict) else listed or None

    @property
    def tolerances(self) -> Tolerances:
        """How closely the fields of a step must agree."""
        return _tolerances(self.listed_tolerances)


class Marked(Protocol):
    """A comparison that may be marked as the one with the settings of training."""

    @property
    def everyday(self) -> bool: ...
    @property
    def tolerances(self) -> Tolerances: ...


M = TypeVar("M", bound=Marked)


def everyday(checks: Sequence[M]) -> M:
    """Return the setting that training uses: as marked, else the first that rounds, or any."""
    marked = [check for check in checks if check.everyday]
    rounding = [check for check in checks if not check.tolerances.exact]
    return (marked or rounding or list(checks))[0]


class Probe(Record, frozen=True):
    """One of `[[probes]]`: a room's own check, for what two simulators do not show."""

    level: int
    run: str  # "module:function" from (seed, progress) to a LevelResult
    # Sizes for a mutant; false: mutants skip it.
    mutants: dict[str, int | bool] | bool = field(default_factory=dict)
    takes: tuple[str, ...] = ()  # arguments beside (seed, progress): episodes, backend, options
    recalled: bool = False  # its references are asked through `verify.recall`

    def __post_init__(self) -> None:
        if self.mutants is True:
            raise ValueError("'mutants' must be a table of sizes or false, not true")

    @property
    def sizes(self) -> dict[str, int | bool]:
        """The probe's arguments when it judges a mutant."""
        return self.mutants if isinstance(self.mutants, dict) else {}


class Equivalent(Record, frozen=True, kw_only=True):
    """A mutant that no test can kill, and the proof; or several with the same proof."""

    mutant: str = ""
    mutants: tuple[str, ...] = ()
    proof: str


class Unreachable(Record, frozen=True):
    """An outcome that a decision cannot have, and the proof."""

    gap: str  # as `envwright coverage` prints it
    proof: str


class Adequacy(Record, frozen=True):
    """`[adequacy]`: how the levels themselves are tested."""

    mutate: tuple[str, ...] = ()  # files, relative to the room: "env.py", "../planar/engine.py"
    exclude: tuple[str, ...] = ()  # functions in them that are not part of the game
    more: str = ""  # "module:function" that returns more mutants, for instance of tables
    crates: tuple[str, ...] = ()  # Rust crates of the room
    checks: tuple[str, ...] = ()  # labels of the checks that judge mutants; empty: all
    sizes: dict[str, Count] = field(default_factory=dict)  # how much of each level a mutant meets
    equivalent: tuple[Equivalent, ...] = ()
    unreachable: tuple[Unreachable, ...] = ()


class PropertySizes(Record, frozen=True):
    """`[l1]`: how many states level 1 samples; None is the default of the level."""

    visited: Count | None = None
    fuzzed: Count | None = None
    boundary: Count | None = None
    starts: Count | None = None


class Interactions(Record, frozen=True):
    """`[l2]`."""

    examples: Count | None = None
    interactions: tuple[str, ...] = ()  # between modules, for which the agent writes tests


class Rollouts(Record, frozen=True):
    """`[l3]`."""

    episodes: Episodes = 100
    policies: tuple[str, ...] = ()


class Transfer(Record, frozen=True):
    """`[l4]`: None is the default of the level."""

    margin: float
    why: str
    reference: str = ""  # what level 4 trains in, where that is not a check
    twin: str = ""
    seeds: int | None = None
    reference_seeds: int | None = None
    stages: tuple[float, ...] | None = None
    episodes: int | None = None
    horizon: int | None = None
    alpha: float | None = None
    train: dict[str, Any] = field(default_factory=dict)  # settings of PPO for level 4 alone

    @property
    def sizes(self) -> dict[str, Any]:
        """The sizes that the table sets."""
        names = ("seeds", "reference_seeds", "stages", "episodes", "horizon", "alpha")
        return _set_in(self, names)


class Budget(Record, frozen=True):
    """`[budget]`: caps; None is without. Reaching one stops cleanly, with all work kept."""

    dollars: Positive | None = None
    tokens: AtLeastOne | None = None
    iterations: AtLeastOne | None = None  # turns of the agent in all
    minutes: Positive | None = None
    per_level: AtLeastOne = ITERATIONS  # repairs at one level before a person is asked


class Translation(Record, frozen=True):
    """A whole `translation.toml`."""

    environment: Environment
    reference: Reference
    target: Target
    modules: tuple[Module, ...] = ()  # in dependency order
    checks: tuple[Check, ...] = ()
    probes: tuple[Probe, ...] = ()
    l1: PropertySizes = PropertySizes()
    l2: Interactions = Interactions()
    l3: Rollouts = Rollouts()
    l4: Transfer | None = None  # level 4 is verified where a margin was fixed
    # Settings of PPO, and `options` of the environment.
    train: dict[str, Any] = field(default_factory=dict)
    budget: Budget = Budget()
    adequacy: Adequacy = Adequacy()

    def checks_of(self, backend: str) -> tuple[Check, ...]:
        """The checks of a backend."""
        return tuple(c for c in self.checks if (c.backend or self.target.backend) == backend)

    @property
    def sizes(self) -> dict[str, int]:
        """How much levels 1 and 2 sample, as far as the file sets it."""
        l1 = _set_in(self.l1, ("visited", "fuzzed", "boundary", "starts"))
        return {**l1, **_set_in(self.l2, ("examples",))}

    @property
    def training(self) -> dict[str, Any]:
        """Settings of PPO: `[train]` without the options of the environment."""
        return {name: value for name, value in self.train.items() if name != "options"}

    def training_options(self, given: Collection[str] = ()) -> dict[str, Any]:
        """Return the options of the environment to train with: `[train.options]`.

        There are none if `given` includes the one that the table names as `unless`: options that
        fit a room's own game do not fit another.
        """
        options = dict(self.train.get("options", {}))
        return {} if options.pop("unless", None) in given else options


def _set_in(record: Record, names: tuple[str, ...]) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}
