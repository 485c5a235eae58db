"""Levels 1 to 3 of Pokemon battles."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from envwright.core.progress import Progress, quiet
from envwright.errors import EnvwrightError
from envwright.schema.divergence import Divergence
from envwright.verify.recall import recorded_once
from envwright.verify.results import LevelResult
from envwright.verify.tally import Tally
from envwright.verify.traces.compare import Difference
from envwright.zoo.pokemon import native, support
from envwright.zoo.pokemon.checks import duels
from envwright.zoo.pokemon.checks.battle_traces import BATTLES, JAX, RUST, TWINS, Script
from envwright.zoo.pokemon.checks.compare import Battles, differences
from envwright.zoo.pokemon.checks.drills import beyond, drills, twins, wild
from envwright.zoo.pokemon.checks.engines import JaxEngine
from envwright.zoo.pokemon.checks.games import MOST_MIRRORED, mirror_specs, natural_games
from envwright.zoo.pokemon.checks.golden import pool_specs, record_duels
from envwright.zoo.pokemon.reference import Showdown, why_not
from envwright.zoo.pokemon.reference.trace import Spec, Trace, record_all

CHUNK = 1000  # games compared at once: their records take 200 MB
MIRRORS = 60
TWINS_MET = 100
WILD = 500
EPISODES = 200
TEAMS = ("pool", "natural")
MOST_SHOWN = 5


def check_duels(
    seed: int = 0,
    progress: Progress = quiet,
    engine: Battles | None = None,
    mutant: bool = False,
    backend: str = JAX,
    names: Sequence[str] = (),
) -> LevelResult:
    """Run level 1: a scripted duel for each effect with its own rules, or for `names`."""
    result = LevelResult(1, Tally(), inconclusive=why_not())
    if result.inconclusive:
        return result
    listed = [duel for duel in duels.all_duels() if not names or duel.name in names]
    if not listed:
        raise EnvwrightError(f"there is no duel of {', '.join(names)}")

    def record() -> list[tuple[str, Trace]]:
        recorded = []
        with Showdown() as showdown:
            for duel in listed:
                recorded += [(duel.atom, trace) for _, trace in record_duels(showdown, [duel])]
                progress("duels recorded", len(recorded), sum(d.seeds for d in listed))
        return recorded

    recorded = recorded_once(("pokemon duels", *names), record) if mutant else record()
    traces = [trace for _, trace in recorded]
    engine = engine or _engine(backend, mutant)
    found = _compare(engine, traces, progress, "duels compared", 1 if mutant else len(traces))
    result.tally.steps = sum(trace.decisions for trace in traces)
    result.tally.cases = len(traces)
    wrong = {recorded[one.trace][0] for one in found}
    for one in found[:MOST_SHOWN]:
        atom, trace = recorded[one.trace]
        result.divergences.append(_divergence(1, one, trace, f"duel of {atom}", engine))
    result.notes.append(
        f"{len(listed) - len(wrong)} of {len(listed)} duels agree, each with several seeds: "
        "random numbers, requests, masks and every field after every decision"
    )
    return result


def check_games(
    seed: int = 0,
    progress: Progress = quiet,
    engine: Battles | None = None,
    episodes: int = EPISODES,
    teams: str = "",
    mutant: bool = False,
    backend: str = JAX,
) -> LevelResult:
    """Run level 3: whole games between supported teams, of the pool or of the generator."""
    kind = teams or TEAMS[0]
    if kind not in TEAMS:
        raise EnvwrightError(f"--teams is {' or '.join(TEAMS)}, not '{kind}'")
    result = LevelResult(3, Tally(), inconclusive=why_not())
    if result.inconclusive:
        return result
    if kind == "natural":
        with Showdown() as showdown:
            plays = native.played if backend == RUST else support.supported
            made = natural_games(showdown, episodes, seed + 1, plays)
        specs = made.specs
        result.notes.append(f"{made}; those are played")
    else:
        specs = pool_specs(episodes, seed + 1)
    asked = _Asked(seed, progress, engine, mutant, backend)
    differing = asked.play(result, f"{kind} teams", specs)
    result.tally.episodes = len(specs)
    result.notes.append(
        f"{len(specs)} whole games between {kind} teams, {result.tally.steps} decisions, random "
        f"legal choices: {len(specs) - differing} identical to the end"
    )
    return result


def _engine(backend: str, mutant: bool) -> Battles:
    """Return the compiled program; for a mutant its rules on NumPy, since it runs only once."""
    if backend == RUST:
        return native.NativeEngine()
    if not mutant:
        return _program()
    # imported now, so that it is the mutant's
    return importlib.import_module("envwright.zoo.pokemon.checks.engines").NumpyEngine()


@cache
def _program() -> JaxEngine:
    return JaxEngine()


@dataclass(frozen=True)
class _Asked:
    """The arguments of a check."""

    seed: int
    progress: Progress
    engine: Battles | None
    mutant: bool
    backend: str

    def play(self, result: LevelResult, what: str, specs: Sequence[Spec]) -> int:
        """Record and compare; return how many games differ, for a mutant at most one."""
        engine = self.engine or _engine(self.backend, self.mutant)

        def recorded() -> Iterator[list[Trace]]:
            with Showdown() as showdown:
                yield from _chunks(record_all(showdown, specs), len(specs), self.progress)

        key = ("pokemon", what, len(specs), self.seed)
        differing = 0
        for traces in recorded_once(key, lambda: list(recorded())) if self.mutant else recorded():
            most = 1 if self.mutant else len(traces)
            found = _compare(engine, traces, self.progress, "games compared", most)
            differing += len(found)
            result.tally.steps += sum(trace.decisions for trace in traces)
            room = MOST_SHOWN - len(result.divergences)
            result.divergences += [
                _divergence(result.level, one, traces[one.trace], what, engine)
                for one in found[:room]
            ]
            if found and self.mutant:
                break
        return differing


@dataclass(frozen=True)
class Cases:
    """A check whose battles are cases, which are made only if Showdown is installed."""

    level: int
    what: str
    said: str
    make: Callable[..., Sequence[Spec]]  # of a seed and a backend

    def __call__(
        self,
        seed: int = 0,
        progress: Progress = quiet,
        engine: Battles | None = None,
        mutant: bool = False,
        backend: str = JAX,
        **sizes: int,
    ) -> LevelResult:
        """Compare the battles; `sizes` are for `make`."""
        result = LevelResult(self.level, Tally(), inconclusive=why_not())
        if result.inconclusive:
            return result
        specs = self.make(seed, backend, **sizes)
        _Asked(seed, progress, engine, mutant, backend).play(result, self.what, specs)
        result.tally.cases = len(specs)
        result.notes.append(f"{len(specs)} {self.said}")
        return result


def _drilled(seed: int, backend: str) -> list[Spec]:
    if backend == RUST:  # which has rules for all that may occur
        return drills(seed, moves=native.played("moves"))
    return [*drills(seed), *beyond()]


# Level 1: every supported move used in battles made from the tables, and every two types.
check_drills = Cases(
    1,
    "drill",
    "battles in which every supported move is used, and whatever else the rules know",
    _drilled,
)
# Level 2: a team against itself, so that speeds tie wherever they can.
check_mirrors = Cases(
    2,
    "a team against itself",
    f"times a team against itself, up to {MOST_MIRRORED} decisions: speed ties",
    lambda seed, backend: [*mirror_specs(MIRRORS, seed), *twins(TWINS_MET, seed)],
)
# Level 2: Pokemon with any moves, ability and item, as no generator would put together.
check_wild = Cases(
    2,
    "wild",
    "battles of Pokemon with any moves, ability and item",
    lambda seed, backend, count=WILD: wild(count, seed),
)


def _chunks(traces: Iterable[Trace], total: int, progress: Progress) -> Iterator[list[Trace]]:
    waiting: list[Trace] = []
    for done, trace in enumerate(traces, 1):
        waiting.append(trace)
        progress("games recorded", done, total)
        if len(waiting) == CHUNK or done == total:
            yield waiting
            waiting = []


def _compare(
    engine: Battles, traces: list[Trace], progress: Progress, what: str, most: int
) -> list[Difference]:
    return differences(engine, traces, most, lambda done: progress(what, done, len(traces)))


def _divergence(
    level: int, one: Difference, trace: Trace, origin: str, engine: Battles
) -> Divergence:
    script = Script(trace.seed, trace.teams, trace.actions[: one.step].tolist())
    twin = TWINS[RUST if isinstance(engine, native.NativeEngine) else JAX]
    return BATTLES.divergence(level, one, script, twin, origin)
