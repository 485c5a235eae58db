"""Pokemon battles beside Showdown's own simulator; a step is one decision of a battle.

Both draw uniformly from the legal actions of both players and go on with the next battle between
teams of the pool when one has ended.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envwright.bench.implementation import Implementation, Kind, Prepared, Role
from envwright.bench.machine import available_cores
from envwright.bench.memory import pytree_bytes
from envwright.core.registry import make
from envwright.sim.actions import SEED
from envwright.zoo.pokemon import pool
from envwright.zoo.pokemon.native import NativeBattles
from envwright.zoo.pokemon.reference import Showdown, why_not
from envwright.zoo.pokemon.teams import packed

TICKS = 16  # decisions of every lane in one compiled scan
PAIRS = 200  # teams that Showdown's processes use in turn
WARM_UP = 4000  # decisions until Node.js has compiled its code


class BattleLoop(Implementation):
    """Our JAX battles: a batch in one scan, choices drawn inside it."""

    role = Role.OURS
    name = "envwright-jax"
    timed = (
        "step_batch and a uniform draw from the legal actions of both players inside one jitted "
        "lax.scan, battles follow each other; observations of both players made and summed"
    )

    @property
    def threads(self) -> int:
        return available_cores()

    def bytes_per_env(self, batch: int) -> float:
        keys = jax.random.split(jax.random.key(SEED), batch)
        _, states = jax.eval_shape(make("pokemon").reset_batch, keys)
        return pytree_bytes(states) / batch

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        env = make("pokemon")
        k_reset, key = jax.random.split(jax.random.key(SEED))
        began = time.perf_counter()
        _, states = jax.jit(env.reset_batch)(jax.random.split(k_reset, batch))
        play = jax.jit(lambda s, k: _played(env, s, k)).lower(states, key).compile()
        compiled = time.perf_counter() - began
        carried: list[Any] = [states, key]

        def run(steps: int) -> int:
            scans, checksum = -(-steps // (TICKS * batch)), None
            for _ in range(scans):
                carried[0], carried[1], checksum = play(*carried)
            jax.block_until_ready((carried, checksum))
            return scans * TICKS * batch

        return Prepared(run, compiled)


def _played(env: Any, states: Any, key: jax.Array) -> tuple[Any, jax.Array, jax.Array]:
    def tick(carry: Any, _: None) -> Any:
        states, key, checksum = carry
        key, k_choice, k_step = jax.random.split(key, 3)
        legal = states.legal  # int32[B, 2]
        noise = jax.random.bits(k_choice, (*legal.shape, 14), jnp.uint16).astype(jnp.int32)
        allowed = (legal[..., None] >> np.arange(14)) & 1 == 1
        actions = jnp.argmax(jnp.where(allowed, noise, -1), axis=-1).astype(jnp.int32)
        step = env.step_batch(k_step, states, actions)
        checksum = checksum + jnp.sum(step.obs) + jnp.sum(step.reward[:, 0])
        return (step.state, key, checksum), None

    return lax.scan(tick, (states, key, jnp.float32(0)), length=TICKS)[0]


class NativeBattleLoop(Implementation):
    """Our Rust battles: every battle of a batch in one call, choices drawn in another."""

    role = Role.OURS

    def __init__(self, cores: int | None = None) -> None:
        self.cores = available_cores() if cores is None else cores
        self.name = "envwright-rust" + ("" if cores is None else f"-{cores}")
        self.timed = (
            f"NativeBattles.sample and .step in a Python loop, {self.cores} threads; actions are "
            "checked, masks, rewards and ends written to NumPy buffers, battles follow each other; "
            "no observations"
        )

    @property
    def threads(self) -> int:
        return self.cores

    def bytes_per_env(self, batch: int) -> float:
        return len(NativeBattles(batch, self.cores).snapshot()) / batch

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        battles = NativeBattles(batch, self.cores)
        battles.draw(pool.load_pool(), SEED)
        actions = np.zeros((batch, 2), np.int32)
        drawn = itertools.count(SEED)

        def run(steps: int) -> int:
            ticks = -(-steps // batch)
            for _ in range(ticks):
                battles.step(battles.sample(next(drawn), actions))
            return ticks * batch

        return Prepared(run)


class ShowdownLoop(Implementation):
    """Showdown's Battle class driven natively, one Node.js process a core."""

    role = Role.REFERENCE
    name = "showdown-native"
    timed = (
        "@pkmn/sim 0.10.11: its Battle class in one Node.js process a core; no stream, no log "
        "parsing, no snapshots; choices made in the process"
    )

    @property
    def threads(self) -> int:
        return available_cores()

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return (1,)  # a process plays one battle after another

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        if why_not():
            raise ImportError(why_not())
        teams = [packed(team) for team in pool.teams()[: 2 * PAIRS]]
        pairs = list(zip(teams[::2], teams[1::2], strict=True))
        children = [Showdown() for _ in range(self.threads)]
        spent = 0.0

        def run(steps: int) -> int:
            nonlocal spent
            share = -(-steps // len(children))
            for number, child in enumerate(children):
                child.send(op="spin", steps=share, pairs=pairs, seed=SEED + number)
            answers = [child.receive() for child in children]
            spent = sum(answer["seconds"] for answer in answers)
            return sum(answer["decisions"] for answer in answers)

        def close() -> None:
            for child in children:
                child.close()

        processes = tuple(child.pid for child in children)
        run(WARM_UP)
        return Prepared(run, close=close, processor=lambda: spent, processes=processes)


IMPLEMENTATIONS = (ShowdownLoop(), NativeBattleLoop(), NativeBattleLoop(cores=1), BattleLoop())
