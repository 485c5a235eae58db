"""Any program can be verified: this one plays MountainCar and speaks JSON lines.

    envwright verify --reference gymnasium:MountainCar-v0 \\
        --twin "command:python examples/command_simulator.py"

It needs nothing but Python, and could as well be written in C or TypeScript. The questions
and answers are described in `envwright.sim.command`.
"""

import json
import math
import random
import sys

LEFTMOST, RIGHTMOST = -1.2, 0.6
TOP_SPEED = 0.07
GOAL = 0.5
ENGINE, GRAVITY = 0.001, 0.0025
TIME_LIMIT = 200


def clip(x, low, high):
    return max(low, min(x, high))


def move(position, velocity, action):
    """One step of the car: 0 drives left, 1 rolls, 2 drives right."""
    velocity += (action - 1) * ENGINE + math.cos(3 * position) * -GRAVITY
    velocity = clip(velocity, -TOP_SPEED, TOP_SPEED)
    position = clip(position + velocity, LEFTMOST, RIGHTMOST)
    if position == LEFTMOST and velocity < 0:
        velocity = 0.0  # the wall on the left
    return position, velocity


class MountainCar:
    """Answers one question at a time."""

    def spaces(self):
        low, high = [LEFTMOST, -TOP_SPEED], [RIGHTMOST, TOP_SPEED]
        return {"action": {"n": 3}, "observation": {"low": low, "high": high}, "loads": True}

    def reset(self, seed):
        self.position, self.velocity = random.Random(seed).uniform(-0.6, -0.4), 0.0
        self.time = 0
        return {"obs": [self.position, self.velocity], "state": self.state()}

    def step(self, action):
        self.position, self.velocity = move(self.position, self.velocity, action)
        self.time += 1
        arrived = self.position >= GOAL and self.velocity >= 0
        return {
            "obs": [self.position, self.velocity],
            "reward": -1.0,
            "terminated": arrived,
            "truncated": self.time >= TIME_LIMIT,
            "state": self.state(),
        }

    def load(self, state):
        self.position, self.velocity = state["state"]
        self.time = state["time"]
        return {}

    def state(self):
        """Named as Gymnasium's attributes are, so that no bridge is needed."""
        return {"state": [self.position, self.velocity], "time": self.time}


def main():
    car = MountainCar()
    for line in sys.stdin:
        question = json.loads(line)
        answer = getattr(car, question.pop("op"))(**question)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
