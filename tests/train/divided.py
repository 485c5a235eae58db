"""Trains on one device and on two, in a process that was given two, and tells the difference.

XLA_FLAGS=--xla_force_host_platform_device_count=2 python -m tests.train.divided NAME …
"""

from __future__ import annotations

import json
import sys
from typing import Any

import jax
import numpy as np
from tests.games import TicTacToe
from tests.train.loops import leaves
from tests.train.worlds import Recall

from envwright.errors import EnvwrightError
from envwright.sim.targets import open_target
from envwright.train import PPOConfig
from envwright.train.devices import make_mesh
from envwright.train.runners import FusedRunner

UPDATES = 6
SMALL = dict(num_envs=8, rollout=16, network="16", learning_rate=1e-3, minibatches=2)
CASES: dict[str, tuple[Any, dict, tuple[int, ...]]] = {
    "perceptron": (lambda: open_target("envwright:cartpole"), {"normalise_obs": True}, (0,)),
    "memory, two seeds": (lambda: Recall(3), {"memory": 8}, (0, 1)),
    "self-play": (TicTacToe, {"normalise_reward": True}, (3,)),
}
COMPILED: list[str] = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **_: COMPILED.append(event) if "backend_compile" in event else None
)
ULP = 2.0**-23  # of numbers from one to two, as most parameters are below


def compare(name: str) -> dict[str, Any]:
    make, settings, seeds = CASES[name]
    config = PPOConfig(**SMALL, **settings)
    runs = [run(make(), config, seeds, devices) for devices in (None, 1, 2)]
    bare, one, two = runs
    return {
        "undivided is one device": all(map(np.array_equal, bare["params"], one["params"])),
        "ulps": max(float(np.abs(a - b).max()) for a, b in pairs(one, two)) / ULP,
        "moved": max(float(np.abs(a - b).max()) for a, b in pairs(one, {"params": one["fresh"]})),
        "gradients": [one["gradients"], two["gradients"]],
        "first episodes equal": all(map(np.array_equal, one["play"], two["play"])),
        "shards": two["shards"],
        "copies": two["copies"],
        "compiled later": two["compiled later"],
    }


def pairs(a: dict, b: dict) -> Any:
    return zip(a["params"], b["params"], strict=True)


def run(env: Any, config: PPOConfig, seeds: tuple[int, ...], devices: int | None) -> dict:
    runner = FusedRunner(env, config, seeds, None if devices is None else make_mesh(devices))
    state = runner.init()
    told: dict[str, Any] = {"fresh": leaves(runner.agent(state).params), "gradients": []}
    for number in range(UPDATES):
        before = len(COMPILED)
        state, metrics = runner.chunk(state, 1, number)
        told["compiled later"] = len(COMPILED) - before
        told["gradients"].append(metrics.losses["gradient"].tolist())
        if number == 0:
            told["play"] = leaves((state.play.states, state.play.view, state.play.running))
    told["params"] = leaves(runner.agent(state).params)
    axis = int(len(seeds) > 1)
    told["shards"] = [
        (x.shape[axis], [part.data.shape[axis] for part in x.addressable_shards])
        for x in jax.tree.leaves(state.play)
    ]
    told["copies"] = all(x.is_fully_replicated for x in jax.tree.leaves(state.agent))
    return told


def odd_number() -> str:
    env = open_target("envwright:cartpole")
    try:
        FusedRunner(env, PPOConfig(**SMALL | {"num_envs": 9}), (0,), make_mesh(2))
    except EnvwrightError as error:
        return str(error)
    return "nothing was said"


if __name__ == "__main__":
    found = {name: compare(name) for name in sys.argv[1:]}
    print(json.dumps({"devices": jax.device_count(), "odd": odd_number(), "found": found}))
