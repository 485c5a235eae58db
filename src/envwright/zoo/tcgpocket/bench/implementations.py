"""TCG Pocket beside its Python reference; a step is one decision of a game.

All draw uniformly from the legal actions of who decides, between decks of `deck_lists`, and go on
with the next game when one has ended.
"""

from __future__ import annotations

import math
import os
import time

import jax

from envwright.bench.children import Child, prepared, shares
from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.bench.memory import pytree_bytes
from envwright.core.registry import make
from envwright.sim.actions import SEED
from envwright.zoo.tcgpocket.bench.play import TICKS, RandomPlay
from envwright.zoo.tcgpocket.bench.ppo import TcgFusedPPO, TcgReferencePPO

CHILD = "envwright.zoo.tcgpocket.bench.play"
REFERENCE = "envwright.zoo.tcgpocket.bench.reference"
WARM_UP = 2000
# Loops whose arrays are below this many bytes are compiled as one function.
ONE_KERNEL = "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=4000000"


class Ours(Implementation):
    """The fast engine on all cores."""

    role = Role.OURS

    @property
    def threads(self) -> int:
        return available_cores()

    def bytes_per_env(self, batch: int) -> float:
        keys = jax.random.split(jax.random.key(SEED), batch)
        _, states = jax.eval_shape(make("tcgpocket").reset_batch, keys)
        return pytree_bytes(states) / batch


class GameLoop(Ours):
    """Our engine: a part of the batch for every core, each in one scan, choices drawn inside it.

    The rules are a loop over tiles of lanes, which XLA runs on one core; parts that do not wait for
    each other are computed side by side.
    """

    def __init__(self, views: bool = True) -> None:
        self.views = views
        self.name = "envwright-jax-one-process" + _suffix(views)
        self.timed = f"{_timed(views)}, called for a part of the batch per core in one process"

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        parts = math.gcd(batch, available_cores())
        began = time.perf_counter()
        games = RandomPlay(
            batch // parts, self.views, jax.random.split(jax.random.key(SEED), parts)
        )
        compiled = time.perf_counter() - began

        def run(steps: int) -> int:
            scans = -(-steps // (TICKS * batch))
            games.play(scans)
            return scans * TICKS * batch

        return Prepared(run, compiled)


class GameProcesses(Ours):
    """Our engine in as many processes as the reference has: one a core, each with its share.

    XLA divides small operations among threads, and these take longer to wake up than to compute. In
    a process with one thread nobody waits. `one_kernel` has XLA compile the loop over tiles as a
    single function, where it else starts every operation by itself.
    """

    def __init__(self, views: bool = True, one_kernel: bool = False) -> None:
        self.views, self.one_kernel = views, one_kernel
        self.name = "envwright-jax" + "-one-kernel" * one_kernel + _suffix(views)
        self.timed = (
            f"{_timed(views)}, one process a core with PJRT_NPROC=1, its share of the batch"
        )
        self.timed += f" and XLA_FLAGS={ONE_KERNEL}" if one_kernel else ""

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch >= self.threads)

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        flags = f"{os.environ.get('XLA_FLAGS', '')} {ONE_KERNEL}" if self.one_kernel else None
        surroundings = {"PJRT_NPROC": "1"} | ({"XLA_FLAGS": flags} if flags else {})
        children = [
            Child(CHILD, share, int(self.views), SEED + number, surroundings=surroundings)
            for number, share in enumerate(shares(batch, self.threads))
        ]
        return prepared(children, batch, compiles=True, at_once=TICKS)


def _suffix(views: bool) -> str:
    return "" if views else "-no-views"


def _timed(views: bool) -> str:
    return (
        "step_batch and a uniform draw from the legal actions in one jitted lax.scan; games follow "
        f"each other; the view of who decides is {'made and summed' if views else 'not made'}"
    )


class ReferenceLoop(Implementation):
    """The reference engine in plain Python, one process a core, or one process."""

    def __init__(self, processes: int | None = None) -> None:
        self.count = available_cores() if processes is None else processes
        self.role = Role.REFERENCE if processes is None else Role.PEER
        self.name = "reference" + ("" if processes is None else f"-{processes}")
        self.timed = (
            f"the reference in {self.count} process{'es' * (self.count > 1)}: Game.step and a "
            "choice from its list of legal actions in a Python loop, games follow each other; no "
            "views, no records"
        )

    @property
    def threads(self) -> int:
        return self.count

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return (1,)  # a process plays one game after another

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        children = [Child(REFERENCE, SEED + number) for number in range(self.count)]
        ready = prepared(children, self.count, compiles=False)
        ready.run(WARM_UP * self.count)
        return ready


IMPLEMENTATIONS = (
    ReferenceLoop(),
    ReferenceLoop(1),
    GameProcesses(views=False),
    GameProcesses(),
    GameProcesses(views=False, one_kernel=True),
    GameProcesses(one_kernel=True),
    GameLoop(views=False),
    GameLoop(),
    TcgReferencePPO(),
    TcgFusedPPO(),
)
