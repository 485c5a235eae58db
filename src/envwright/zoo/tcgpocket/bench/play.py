"""Random games on the fast engine, also as a process: ticks in, processor time out."""

from __future__ import annotations

import sys
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envwright.core.registry import make
from envwright.core.wrappers import AutoReset
from envwright.zoo.tcgpocket.contract.actions import PADDED

TICKS = 64  # decisions of every lane in one compiled scan
_BITS = np.arange(32, dtype=np.int32)


class RandomPlay:
    """Batches of games that follow each other, one batch for each key; compiled when made."""

    def __init__(self, lanes: int, views: bool, keys: jax.Array) -> None:
        self.env: Any = AutoReset(make("tcgpocket"), "compact")
        self.views = views
        reset = jax.jit(self.env.reset_batch)
        self.parts: list[Any] = []
        for k_part in keys:
            k_reset, key = jax.random.split(k_part)
            self.parts.append((reset(jax.random.split(k_reset, lanes))[1], key))
        self.scan = jax.jit(self._played).lower(*self.parts[0]).compile()

    def play(self, scans: int) -> None:
        """Play so many times TICKS decisions in every game."""
        checksums: list[Any] = []
        for _ in range(scans):
            for part, (states, key) in enumerate(self.parts):
                *self.parts[part], checksum = self.scan(states, key)
                checksums.append(checksum)
        jax.block_until_ready((self.parts, checksums))

    def _played(self, states: Any, key: jax.Array) -> tuple[Any, jax.Array, jax.Array]:
        def tick(carry: Any, _: None) -> Any:
            states, key, checksum = carry
            key, k_choice, k_step = jax.random.split(key, 3)
            legal = self.env.unwrapped.legal_words(states)
            step = self.env.step_batch(k_step, states, chosen(legal, k_choice))
            seen = jnp.sum(step.obs.astype(jnp.int32)) if self.views else 0
            checksum = checksum + seen + jnp.sum(step.reward[:, 0]).astype(jnp.int32)
            return (step.state, key, checksum), None

        return lax.scan(tick, (states, key, jnp.int32(0)), length=TICKS)[0]


def chosen(words: jax.Array, key: jax.Array) -> jax.Array:
    """Draw one of the actions whose bits are set in int32[B, 4]: int32[B]."""
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


def main() -> None:
    """Compile, report how long that took, and serve until the other end closes."""
    lanes, views, seed = map(int, sys.argv[1:])
    began = time.perf_counter()
    games = RandomPlay(lanes, bool(views), jax.random.key(seed)[None])
    print(time.perf_counter() - began, flush=True)
    for line in sys.stdin:
        busy = time.process_time()
        games.play(int(line) // TICKS)
        print(time.process_time() - busy, flush=True)


if __name__ == "__main__":
    main()
