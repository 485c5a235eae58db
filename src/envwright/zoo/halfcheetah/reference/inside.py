"""Sub-steps with all intermediate results: MuJoCo's arrays beside ours.

A step here is one timestep of the physics with controls; its observation is a dictionary of
MuJoCo's data afterwards, or of our engine's results. So levels 1 to 3 compare each stage
separately, and a difference names the stage.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from envwright.sim.records import Fields, outcome
from envwright.sim.simulator import Simulator
from envwright.zoo.halfcheetah.env import robot
from envwright.zoo.halfcheetah.reference.simulator import make
from envwright.zoo.planar.dynamics import bias_forces, times_mass
from envwright.zoo.planar.engine import Motion, integrated, posed
from envwright.zoo.planar.kinematics import twists
from envwright.zoo.planar.solver import push, solve_constrained

NAMES = ("position", "velocity", "acceleration")
STAGES = {
    "centres": (7, 2),  # of mass, seen from the trunk's hinge
    "mass_matrix": (9, 9),
    "bias": (9,),  # forces of gravity and motion
    "smooth": (9,),  # all forces but the constraints'
    "contact_jacobian": (16, 2, 9),  # of each tip on the ground: normal, sliding; else 0
    "contact_weight": (16,),  # MuJoCo's efc_D; 0 for tips that do not touch
    "limit_weight": (6,),
    "push": (9,),  # forces of the constraints
    "acceleration": (9,),
}
LONGEST = 250  # sub-steps of an episode: to the ground and some strides
_ROWS = 4  # edges of a pyramid


class _Substeps(Simulator):
    """The shared part of both sides."""

    time: int
    loads = True
    time_limit = LONGEST

    def __init__(self) -> None:
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (6,), np.float32)
        self.observation_space = gymnasium.spaces.Dict(
            {k: gymnasium.spaces.Box(-np.inf, np.inf, s, np.float64) for k, s in STAGES.items()}
        )

    def reset(self, seed: int) -> Fields:
        rng = np.random.default_rng(seed)
        noise = rng.uniform(-0.1, 0.1, 9), 0.1 * rng.standard_normal(9), np.zeros(9)
        self.load({**dict(zip(NAMES, noise, strict=True)), "time": np.asarray(0)})
        return self._record(self.stages(np.zeros(6)))

    def step(self, action: Any) -> Fields:
        stages = self.stages(np.asarray(action, np.float64))
        self.advance(np.asarray(action, np.float64))
        self.time += 1
        return outcome(stages, np.zeros(()), False, self.time >= LONGEST, self.state())

    def _record(self, stages: Fields) -> Fields:
        shown = {f"obs.{name}": value for name, value in stages.items()}
        return shown | {f"state.{name}": value for name, value in self.state().items()}

    def stages(self, controls: np.ndarray) -> Fields:
        raise NotImplementedError

    def advance(self, controls: np.ndarray) -> None:
        raise NotImplementedError


class ReferenceInside(_Substeps):
    """MuJoCo's own arrays, with its solver running to convergence."""

    def __init__(self, tolerance: float = 1e-12) -> None:
        super().__init__()
        self.name = "MuJoCo's sub-steps"
        env = make().unwrapped
        self.model, self.data = env.model, env.data
        self.model.opt.tolerance = tolerance
        self.time = 0

    def state(self) -> Fields:
        parts = self.data.qpos, self.data.qvel, self.data.qacc_warmstart
        held = {name: part.copy() for name, part in zip(NAMES, parts, strict=True)}
        return held | {"time": np.asarray(self.time)}

    def load(self, state: Fields) -> None:
        self.time = int(state["time"])
        self.data.qpos[:] = state["position"]
        self.data.qvel[:] = state["velocity"]
        self.data.qacc_warmstart[:] = state["acceleration"]

    def stages(self, controls: np.ndarray) -> Fields:
        mujoco: Any = importlib.import_module("mujoco")  # its stubs lack names

        m, d = self.model, self.data
        warm = d.qacc_warmstart.copy()
        d.ctrl[:] = controls
        mujoco.mj_forward(m, d)
        d.qacc_warmstart[:] = warm
        mass = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, mass)
        centres = (d.xipos[1:] - d.xpos[1])[:, [0, 2]]
        jacobian, weight = self._contacts()
        return {
            "centres": centres,
            "mass_matrix": mass,
            "bias": d.qfrc_bias.copy(),
            "smooth": d.qfrc_smooth.copy(),
            "contact_jacobian": jacobian,
            "contact_weight": weight,
            "limit_weight": self._limits(),
            "push": d.qfrc_constraint.copy(),
            "acceleration": d.qacc.copy(),
        }

    def advance(self, controls: np.ndarray) -> None:
        mujoco: Any = importlib.import_module("mujoco")  # its stubs lack names

        self.data.ctrl[:] = controls
        mujoco.mj_step(self.model, self.data)

    def _contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of the tips in our order: normal and sliding from a pyramid's edges."""
        d, m = self.data, self.model
        dense = d.efc_J.reshape(-1, m.nv) if len(d.efc_J) == d.nefc * m.nv else _dense(m, d)
        jacobian, weight = np.zeros(STAGES["contact_jacobian"]), np.zeros(16)
        for contact in d.contact:
            geom, row = int(contact.geom[1]), int(contact.efc_address)
            forward, backward, left, right = dense[row : row + _ROWS]
            # One pair of edges slides along x; the other, sideways, is the normal twice.
            if np.abs(forward - backward).max() < np.abs(left - right).max():
                forward, backward = left, right
            slide = (forward - backward) / (2 * contact.friction[0])
            end = self._end(geom, contact)
            jacobian[end] = (forward + backward) / 2, slide * np.sign(slide[0])
            weight[end] = d.efc_D[row]
        return jacobian, weight

    def _end(self, geom: int, contact: Any) -> int:
        """Return the tip: the end of the capsule that is right above it."""
        radius, half = self.model.geom_size[geom][:2]
        along = half * self.data.geom_xmat[geom].reshape(3, 3)[:, 2]
        ball = contact.pos + np.array([0.0, 0.0, radius + contact.dist / 2])
        ends = [self.data.geom_xpos[geom] + sign * along for sign in (1, -1)]
        return 2 * (geom - 1) + int(np.argmin([np.abs(end - ball).max() for end in ends]))

    def _limits(self) -> np.ndarray:
        d, m = self.data, self.model
        weight = np.zeros(6)
        for row in range(d.nefc):
            if d.efc_type[row] == 3:  # mjCNSTR_LIMIT_JOINT
                weight[int(d.efc_id[row]) - 3] = d.efc_D[row]
        assert m.nv == 9
        return weight


def _dense(m: Any, d: Any) -> np.ndarray:
    dense = np.zeros((d.nefc, m.nv))
    for row in range(d.nefc):
        start, count = d.efc_J_rowadr[row], d.efc_J_rownnz[row]
        dense[row, d.efc_J_colind[start : start + count]] = d.efc_J[start : start + count]
    return dense


class OursInside(_Substeps):
    """Our engine, in float64.

    Many states at once are computed operation by operation, which takes a tenth of the time that
    a compiler takes; one after another, by a compiled program.
    """

    def __init__(self) -> None:
        super().__init__()
        self.name = "our sub-steps"
        self.time = 0
        self._state = dict(zip(NAMES, np.zeros((3, 9)), strict=True))
        self._inside = jax.jit(_inside)

    def state(self) -> Fields:
        held = {name: value.copy() for name, value in self._state.items()}
        return held | {"time": np.asarray(self.time)}

    def load(self, state: Fields) -> None:
        self.time = int(state["time"])
        self._state = {name: np.asarray(state[name], np.float64) for name in NAMES}

    def step_many(self, states: Sequence[Fields], actions: Sequence[Any]) -> list[Fields]:
        held = [np.stack([state[name] for state in states]) for name in NAMES]
        controls = np.stack(actions).astype(np.float64)
        with jax.disable_jit(), jax.enable_x64(True):
            stages, after = jax.tree.map(np.asarray, _inside(held, jnp.asarray(controls)))
        records = []
        for i, state in enumerate(states):
            time = int(state["time"]) + 1
            following = {name: part[i] for name, part in zip(NAMES, after, strict=True)}
            following["time"] = np.asarray(time)
            shown = {name: value[i] for name, value in stages.items()}
            records.append(outcome(shown, np.zeros(()), False, time >= LONGEST, following))
        return records

    def stages(self, controls: np.ndarray) -> Fields:
        stages, _ = self._computed([value[None] for value in self._state.values()], controls[None])
        return {name: value[0] for name, value in stages.items()}

    def advance(self, controls: np.ndarray) -> None:
        _, after = self._computed([value[None] for value in self._state.values()], controls[None])
        self._state = {name: part[0] for name, part in zip(NAMES, after, strict=True)}

    def _computed(
        self, held: list[np.ndarray], controls: np.ndarray
    ) -> tuple[Fields, list[np.ndarray]]:
        with jax.enable_x64(True):
            return jax.tree.map(np.asarray, self._inside(held, controls))


def _motion(state: list) -> Motion:
    """Make a motion from arrays [B, 9]."""
    return Motion(*(list(jnp.asarray(part).T) for part in state))


def _inside(state: list, controls: jax.Array) -> tuple[dict[str, jax.Array], list[jax.Array]]:
    """Return the stages of a sub-step, and the motion after it."""
    cheetah, motion = robot(), _motion(state)
    problem = posed(cheetah, motion, list(controls.T), jnp.int32(0))
    at, contacts = problem.pose, problem.rows.contacts
    moving = twists(cheetah, at, motion.velocity)
    acceleration = solve_constrained(cheetah, problem, motion.acceleration)
    units = [
        [jnp.full_like(at.height, float(i == j)) for j in range(cheetah.size)]
        for i in range(cheetah.size)
    ]
    columns = [times_mass(cheetah, at, problem.inertia, unit) for unit in units]
    touching = jnp.stack([contact.weight > 0 for contact in contacts])
    stages = {
        "centres": jnp.stack([jnp.stack(centre) for centre in at.centres]),
        "mass_matrix": jnp.stack([jnp.stack(column) for column in columns], 1),
        "bias": jnp.stack(bias_forces(cheetah, at, moving)),
        "smooth": jnp.stack(problem.forces),
        "contact_jacobian": jnp.where(touching[:, None, None], _jacobian(problem, units), 0.0),
        "contact_weight": jnp.stack([contact.weight for contact in contacts]),
        "limit_weight": jnp.stack([limit.weight for limit in problem.rows.limits]),
        "push": jnp.stack(push(cheetah, problem, acceleration)),
        "acceleration": jnp.stack(acceleration),
    }
    after = integrated(cheetah, motion, problem, acceleration)
    shown = {name: jnp.moveaxis(stage, -1, 0) for name, stage in stages.items()}
    return shown, [jnp.stack(part, -1) for part in after]


def _jacobian(problem: Any, units: list[list[jax.Array]]) -> jax.Array:
    """Return how each tip's speed up and forwards depends on each coordinate's: [16, 2, 9, B]."""
    cheetah = robot()
    columns = []
    for unit in units:
        moving = twists(cheetah, problem.pose, unit)
        at = [
            moving[tip.link].at(contact.place)
            for tip, contact in zip(cheetah.tips, problem.rows.contacts, strict=True)
        ]
        columns.append(jnp.stack([jnp.stack([point.z, point.x]) for point in at]))
    return jnp.stack(columns, 2)
