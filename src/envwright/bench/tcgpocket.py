"""TCG Pocket beside its Python reference; a step is one decision of a game.

All draw uniformly from the legal actions of who decides, between decks of `deck_lists`, and go on
with the next game when one has ended.
"""

from __future__ import annotations

import math
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envwright.bench.actions import SEED
from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.bench.memory import pytree_bytes
from envwright.bench.tcgpocket_ppo import TcgFusedPPO, TcgReferencePPO
from envwright.bench.tcgpocket_reference import ReferenceProcesses
from envwright.core.registry import make
from envwright.core.wrappers import AutoReset
from envwright.zoo.tcgpocket.contract.actions import PADDED

TICKS = 64  # decisions of every lane in one compiled scan
WARM_UP = 2000
_BITS = np.arange(32, dtype=np.int32)


class GameLoop(Implementation):
    """Ours: a part of the batch for every core, each in one scan, choices drawn inside it.

    The rules are a loop over tiles of lanes, which XLA runs on one core; parts that do not wait for
    each other are computed side by side.
    """

    role = Role.OURS

    def __init__(self, views: bool = True) -> None:
        self.views = views
        self.name = "envwright-jax" + ("" if views else "-no-views")
        self.timed = (
            "step_batch and a uniform draw from the legal actions in one jitted lax.scan, called "
            "for a part of the batch per core; games follow each other; the view of who decides is "
            + ("made and summed" if views else "not made")
        )

    @property
    def threads(self) -> int:
        return available_cores()

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return wanted

    def bytes_per_env(self, batch: int) -> float:
        keys = jax.random.split(jax.random.key(SEED), batch)
        _, states = jax.eval_shape(make("tcgpocket").reset_batch, keys)
        return pytree_bytes(states) / batch

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        env = AutoReset(make("tcgpocket"), "compact")
        parts = math.gcd(batch, available_cores())
        began = time.perf_counter()
        reset = jax.jit(env.reset_batch)
        carried: list[Any] = []
        for k_part in jax.random.split(jax.random.key(SEED), parts):
            k_reset, key = jax.random.split(k_part)
            carried.append((reset(jax.random.split(k_reset, batch // parts))[1], key))
        play = jax.jit(lambda s, k: self._played(env, s, k)).lower(*carried[0]).compile()
        compiled = time.perf_counter() - began

        def run(steps: int) -> int:
            scans = -(-steps // (TICKS * batch))
            checksums: list[Any] = []
            for _ in range(scans):
                for part, (states, key) in enumerate(carried):
                    *carried[part], checksum = play(states, key)
                    checksums.append(checksum)
            jax.block_until_ready((carried, checksums))
            return scans * TICKS * batch

        return Prepared(run, compiled)

    def _played(self, env: Any, states: Any, key: jax.Array) -> tuple[Any, jax.Array, jax.Array]:
        def tick(carry: Any, _: None) -> Any:
            states, key, checksum = carry
            key, k_choice, k_step = jax.random.split(key, 3)
            legal = env.unwrapped.legal_words(states)
            step = env.step_batch(k_step, states, chosen(legal, k_choice))
            seen = jnp.sum(step.obs.astype(jnp.int32)) if self.views else 0
            checksum = checksum + seen + jnp.sum(step.reward[:, 0]).astype(jnp.int32)
            return (step.state, key, checksum), None

        return lax.scan(tick, (states, key, jnp.int32(0)), length=TICKS)[0]


def chosen(words: jax.Array, key: jax.Array) -> jax.Array:
    """int32[B]: any of the actions whose bits are set in int32[B, 4]."""
    if words.shape[1] != PADDED // 32:
        raise ValueError(f"legal actions are {PADDED // 32} words, not {words.shape[1]}")
    counts = lax.population_count(words)
    before = jnp.cumsum(counts, axis=1)
    draws = jax.random.bits(key, words.shape[:1], jnp.uint16).astype(jnp.int32)
    wanted = (draws * before[:, -1]) >> 16
    word = jnp.sum(wanted[:, None] >= before, axis=1)
    passed = jnp.where(word > 0, jnp.take_along_axis(before, word[:, None] - 1, 1)[:, 0], 0)
    bits = (jnp.take_along_axis(words, word[:, None], 1) >> _BITS) & 1
    return word * 32 + jnp.argmax(jnp.cumsum(bits, axis=1) > (wanted - passed)[:, None], axis=1)


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
        processes = ReferenceProcesses(self.count)
        processes.play(WARM_UP * self.count)
        return Prepared(
            processes.play,
            close=processes.close,
            processor=lambda: processes.spent,
            processes=processes.pids,
        )


IMPLEMENTATIONS = (
    ReferenceLoop(),
    ReferenceLoop(1),
    GameLoop(views=False),
    GameLoop(),
    TcgReferencePPO(),
    TcgFusedPPO(),
)
