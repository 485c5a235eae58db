"""A training process on several devices, or one of several processes.

python -m tests.train.sharded '{"folder": …, "devices": 2}'
python -m tests.train.sharded '{"folder": …, "coordinator": "127.0.0.1:1234", "process": 0}'
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ENVS = 8


def main(told: dict[str, Any]) -> None:
    import jax

    from envwright.sim.targets import open_target
    from envwright.train import Keeping, PPOConfig, RunSpec, train
    from envwright.train.devices import join_hosts, make_mesh
    from envwright.train.run import open_runner

    if "coordinator" in told:
        join_hosts(told["coordinator"], 2, told["process"])
    config = PPOConfig(steps=ENVS * 16 * told.get("updates", 10), num_envs=ENVS, rollout=16)
    spec = RunSpec("envwright:cartpole", config, tuple(told.get("seeds", [0])))
    mesh = make_mesh(told.get("devices"))
    state = open_runner(spec, open_target(spec.simulator), mesh).init()
    held = [shard.data.shape for shard in state.play.view.obs.addressable_shards]
    keeping = Keeping(Path(told["folder"]), told.get("resume", False), every_seconds=0)
    result = train(spec, keeping, mesh=mesh)
    about = {"held": held, "devices": jax.device_count(), "returns": result.returns}
    print(json.dumps(about))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
