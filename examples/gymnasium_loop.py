"""A Gymnasium loop on a whole batch: every lane tries its own linear policy on CartPole.

    python examples/gymnasium_loop.py

Nothing here is specific to envwright but the id: the batch steps in one compiled program,
resets in the same step, and works under Gymnasium's own wrappers. It needs only NumPy.
"""

from __future__ import annotations

import gymnasium
import numpy as np

import envwright  # noqa: F401  registers the ids

LANES, GENERATIONS, ELITE = 64, 6, 8


def play_once(envs: gymnasium.vector.VectorEnv, weights: np.ndarray, seed: int) -> np.ndarray:
    """float[lanes]: the return of one episode of each lane under its own policy."""
    returns = np.full(LANES, np.nan)
    obs, _ = envs.reset(seed=seed)
    while np.isnan(returns).any():
        actions = (np.einsum("lo,lo->l", obs, weights) > 0).astype(np.int64)
        obs, _, terminated, truncated, infos = envs.step(actions)
        first_end = (terminated | truncated) & np.isnan(returns)
        if first_end.any():
            returns[first_end] = infos["episode"]["r"][first_end]
    return returns


def main() -> None:
    envs = gymnasium.make_vec("envwright/CartPole-v1", num_envs=LANES)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    rng = np.random.default_rng(0)
    mean, spread = np.zeros(4), np.ones(4)
    for generation in range(GENERATIONS):
        weights = mean + spread * rng.normal(size=(LANES, 4))
        returns = play_once(envs, weights, seed=1000 * generation)
        best = weights[np.argsort(returns)[-ELITE:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
        print(f"generation {generation}: mean {returns.mean():5.1f}, best {returns.max():5.1f}")
    envs.close()


if __name__ == "__main__":
    main()
