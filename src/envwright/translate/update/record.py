"""Record one version of a reference, in the environment that holds it.

    python -m envwright.translate.update.record TRANSLATION NAME==VERSION PLAN RESULT

The plan is made if it is not there yet, so that the first version that is recorded chooses it.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import msgspec
import numpy as np

from envwright.core.files import write_bytes
from envwright.core.pinned import read_pin, require_imported, require_own
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.translation import Module
from envwright.sim.actions import draw_action
from envwright.sim.records import Fields, flatten, is_over
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator
from envwright.translate.sources import excerpt
from envwright.translate.spec import TranslationSpec, load_spec
from envwright.translate.update.exact import (
    Texts,
    digest,
    exact,
    exact_fields,
    fields_of,
    value_of,
)
from envwright.translate.update.recorded import (
    Call,
    Episode,
    Function,
    Moment,
    Plan,
    Recorded,
    Source,
    read,
)
from envwright.verify.golden import Call as LiveCall
from envwright.verify.golden import instrumented
from envwright.verify.l3_rollouts import DEFAULT_POLICIES
from envwright.verify.pair import PairSpec
from envwright.verify.sampling import Case, Sampler

SEED = 2026
STARTS = 50
EPISODES = 12  # of random actions; more where they are short
PLAYED = 6  # episodes of policies, whose states are stepped from
MANY = 200  # episodes
STEPS, LONGEST = 2000, 1000  # of all episodes together, if MANY are enough; of one
VISITED, FUZZED, BOUNDARY = 600, 300, 60  # states
BEYOND = 20  # actions after an episode's end: another version may go on
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # in the representation of an object


def make_plan(spec: TranslationSpec) -> Plan:
    """Play the reference to choose states, and actions for whole episodes."""
    name = spec.reference.simulator
    with closing(PairSpec(name, name).open()) as pair:
        cases: list[Case] = []
        if pair.transplants:
            sampler = Sampler(pair, SEED, spec.effort.policies or DEFAULT_POLICIES)
            visited = sampler.visited(PLAYED)
            if len(visited) < VISITED:
                visited = sampler.visited(min(MANY, PLAYED * VISITED // len(visited)))
            cases += _some(visited, VISITED)
            if not pair.stochastic:
                cases += sampler.fuzzed(visited, FUZZED) + sampler.boundary(visited, BOUNDARY)
        return Plan(
            episodes=list(_episodes(pair.reference)),
            states=[exact_fields(case.state, most=None) for case in cases],
            actions=[exact(case.action, most=None) for case in cases],
            draws=pair.stochastic,
        )


def _some(cases: Sequence[Case], most: int) -> list[Case]:
    chosen = np.unique(np.linspace(0, len(cases) - 1, min(most, len(cases))).astype(int))
    return [cases[i] for i in chosen]


def _episodes(reference: Simulator) -> Iterator[Episode]:
    """Play random episodes: at least some, and until they have enough steps together."""
    steps, longest = 0, min(reference.time_limit or LONGEST, LONGEST)
    for number in range(MANY):
        if number >= EPISODES and steps >= STEPS:
            return
        rng = np.random.default_rng((SEED + number, 5))
        actions: list[str] = []
        reference.reset(SEED + number)
        over, left = False, BEYOND
        while left:
            action = draw_action(rng, reference.action_space)
            actions.append(exact(action, most=None))
            if over:
                left -= 1
            else:
                over = is_over(reference.step(action)) or len(actions) >= longest
                steps += 1
        yield Episode(SEED + number, actions)


def record(spec: TranslationSpec, plan: Plan) -> Recorded:
    """Do what the plan asks for, and return what the reference answered."""
    functions = {
        f"{module.name}-{golden.ours}": _function(golden.target)
        for module in spec.modules
        for golden in module.golden
        if not golden.examples
    }
    attributes = {f"{m.name}-{g.ours}": g.attributes for m in spec.modules for g in m.golden}
    with ExitStack() as opened:
        simulator = opened.enter_context(closing(open_simulator(spec.reference.simulator)))
        live = {
            name: opened.enter_context(instrumented(function.target, attributes[name]))
            for name, function in functions.items()
            if not function.missing
        }
        witness = Witness(simulator, functions, live)
        return Recorded(
            starts=[witness.reset(SEED + n) for n in range(STARTS)],
            steps=list(_steps(witness, plan)),
            episodes=[_played(witness, episode) for episode in plan.episodes],
            about=_about(simulator),
            sources={module.name: _sources(spec, module) for module in spec.modules},
            functions=functions,
            file=_file(spec),
        )


@dataclass
class Witness:
    """Drives a reference and writes down its answers, with the calls behind them."""

    simulator: Simulator
    functions: dict[str, Function]
    live: dict[str, list[LiveCall]]
    at: int = field(default=-1, init=False)
    over: bool = field(default=False, init=False)

    def reset(self, seed: int) -> Moment:
        """Begin an episode."""
        self.over = False
        return self._answer(lambda: self.simulator.reset(seed))

    def step(self, action: str, state: Texts | None = None) -> Moment:
        """Take a step, from a state if there is one."""

        def stepped() -> Fields:
            if state is not None:
                self.simulator.load(fields_of(state))
            return self.simulator.step(value_of(action))

        return self._answer(stepped)

    def _answer(self, act: Callable[[], Fields]) -> Moment:
        self.at += 1
        try:
            record = act()
        except Exception as error:
            return Moment(raised=f"{type(error).__name__}: {error}")
        finally:
            self._keep_calls()
        self.over = "terminated" in record and is_over(record)
        drawn = {f"draw {i}, {d.method}": d.value for i, d in enumerate(self.simulator.draws())}
        return Moment(exact_fields({**record, **drawn}), _info(self.simulator.info))

    def _keep_calls(self) -> None:
        for name, calls in self.live.items():
            self.functions[name].calls += [
                Call(self.at, exact_fields(inputs), exact_fields(outputs))
                for inputs, outputs in calls
            ]
            calls.clear()


def _steps(witness: Witness, plan: Plan) -> Iterator[Moment]:
    for number, (state, action) in enumerate(zip(plan.states, plan.actions, strict=True)):
        if plan.draws:  # each from the same numbers, however many the step before has drawn
            witness.reset(SEED + number)
        yield witness.step(action, state)


def _played(witness: Witness, episode: Episode) -> list[Moment]:
    moments = [witness.reset(episode.seed)]
    for action in episode.actions:
        if witness.over or moments[-1].raised:
            break
        moments.append(witness.step(action))
    return moments


def _info(info: Mapping[str, Any]) -> Texts:
    """Return what stands beside a record, without objects that have no value to compare."""
    texts: Texts = {}
    for name, value in info.items():
        if ADDRESS.search(repr(value)) is None:
            texts |= exact_fields(flatten(f"info.{name}", value))
    return texts


def _function(target: str) -> Function:
    try:
        parameters = inspect.signature(load_attribute(target)).parameters.values()
    except (EnvwrightError, TypeError, ValueError) as error:
        return Function(target, missing=str(error))
    told = [f"{p.kind.name.lower()} {p.name}{_default(p)}" for p in parameters]
    return Function(target, parameters=", ".join(told))


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return ""
    return f"={ADDRESS.sub('', repr(parameter.default))}"


def _about(simulator: Simulator) -> dict[str, str]:
    limit = simulator.time_limit
    told = {
        "observation space": _space(simulator.observation_space),
        "action space": _space(simulator.action_space),
        "time limit": "none" if limit is None else f"{limit} steps",
    }
    if simulator.loads:
        simulator.reset(SEED)
        fields = simulator.state().items()
        told["fields of the state"] = ", ".join(f"{k} {v.dtype}{list(v.shape)}" for k, v in fields)
    return told


def _space(space: gymnasium.Space[Any]) -> str:
    """Describe a space."""
    spaces = gymnasium.spaces
    if isinstance(space, spaces.Box):
        # Its text rounds the bounds.
        return f"{space} #{digest(exact(space.low) + exact(space.high))}"
    if isinstance(space, spaces.Dict):
        return f"Dict({', '.join(f'{k}: {_space(v)}' for k, v in space.items())})"
    if isinstance(space, spaces.Tuple):
        return f"Tuple({', '.join(map(_space, space))})"
    return str(space)


def _sources(spec: TranslationSpec, module: Module) -> list[Source]:
    found = []
    for span in module.source:
        try:
            found.append(Source(span, text=excerpt(spec, span).text))
        except EnvwrightError as error:
            found.append(Source(span, missing=str(error)))
    return found


def _file(spec: TranslationSpec) -> Source | None:
    """Return the file of the reference's class."""
    if not spec.reference.source:
        return None
    try:
        path = Path(inspect.getsourcefile(load_attribute(spec.reference.source)) or "")
        return Source(path.name, text=path.read_text(encoding="utf-8"))
    except (EnvwrightError, OSError, TypeError, ValueError):
        return None


def main(arguments: Sequence[str]) -> int:
    """Record, or print why not; return the exit code."""
    try:
        folder, asked, planned, result = arguments
        pin = read_pin(asked)
        if pin is None:
            raise EnvwrightError(f"{asked!r} does not name a package and its version")
        require_own(pin)
        spec = load_spec(Path(folder))
        spec.make_reachable()
        if not Path(planned).exists():
            write_bytes(planned, msgspec.json.encode(make_plan(spec)))
        recorded = record(spec, read(Path(planned), Plan))
        recorded.imported = require_imported(pin)
        write_bytes(result, msgspec.json.encode(recorded))
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
