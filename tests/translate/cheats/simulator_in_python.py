"""Be a simulator in Python, which is asked instead of compiled."""

FILES = {
    "env": """
import gymnasium
import numpy as np

from envwright.sim.simulator import Simulator


class Lamp(Simulator):
    name, loads = "lamp", True
    action_space = gymnasium.spaces.Discrete(3)
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (2,), np.float32)

    def __init__(self, dtype="float32"):
        self.kept = {"level": np.int32(0), "heat": np.float64(0), "time": np.int32(0)}

    def seen(self):
        return {"obs": np.array([self.kept["level"], self.kept["heat"]], np.float32)}

    def reset(self, seed):
        rng = np.random.default_rng(seed)
        self.kept = {
            "level": np.int32(rng.integers(4)), "heat": rng.uniform(), "time": np.int32(0)
        }
        return {**self.seen(), **{f"state.{k}": np.asarray(v) for k, v in self.kept.items()}}

    def state(self):
        return {k: np.asarray(v) for k, v in self.kept.items()}

    def load(self, state):
        self.kept = {**self.kept, **state}

    def step(self, action):
        level = np.clip(self.kept["level"] + int(action) - 1, 0, 9)
        heat = 0.75 * self.kept["heat"] + 0.0625 * level * level
        self.kept = {"level": level, "heat": heat, "time": self.kept["time"] + 1}
        melted = np.bool_(heat > 6.0)
        over = np.bool_(self.kept["time"] >= 40) & ~melted
        reward = np.float64(-10.0 if melted else level)
        ends = {"reward": reward, "terminated": melted, "truncated": over}
        state = {f"state.{k}": np.asarray(v) for k, v in self.kept.items()}
        return {**self.seen(), **ends, **state}
"""
}
