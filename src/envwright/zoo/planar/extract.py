"""Read a robot from a compiled MuJoCo model, or report why it is not planar."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.planar.model import Limit, Link, Motor, Place, Robot, Softness, Tip

_SLIDE, _HINGE = 2, 3  # mjtJoint
_PLANE, _CAPSULE = 0, 3  # mjtGeom
_INTEGRATORS = {0: "euler", 1: "rk4"}
_SMALL = 1e-9


def extract(model: Any, name: str) -> Robot:
    """Read an `mujoco.MjModel`. Raises EnvwrightError if it is not planar."""
    _refuse_what_is_not_known(model, name)
    start = model.body_pos[1] + _turned(model.body_quat[1], model.jnt_pos[2])
    return Robot(
        name=name,
        timestep=float(model.opt.timestep),
        integrator=_INTEGRATORS[int(model.opt.integrator)],
        gravity=float(-model.opt.gravity[2]),
        mean_inertia=float(model.stat.meaninertia),
        start=_place(start),
        reference=(float(model.qpos0[0]), float(model.qpos0[1])),
        links=tuple(_link(model, body) for body in range(1, model.nbody)),
        tips=tuple(tip for geom in range(1, model.ngeom) for tip in _tips(model, geom)),
        motors=tuple(_motor(model, i) for i in range(model.nu)),
        after_reset=_after_reset(model),
    )


def _after_reset(model: Any) -> tuple[tuple[float, ...], ...]:
    mujoco: Any = importlib.import_module("mujoco")  # its own stubs lack both names
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    parts = data.qpos, data.qvel, data.qacc_warmstart
    return tuple(tuple(float(number) for number in part) for part in parts)


def _refuse_what_is_not_known(m: Any, name: str) -> None:
    def need(condition: Any, what: str) -> None:
        if not np.all(condition):
            raise EnvwrightError(f"{name} is not a planar robot: {what}")

    bodies = list(range(1, m.nbody))
    need(m.nv == m.nq == m.nbody + 1, "it needs one hinge for each body, and three for the trunk")
    need(list(m.jnt_bodyid) == [1, 1, *bodies], "its joints must come in the order of its bodies")
    need(list(m.jnt_type) == [_SLIDE, _SLIDE, *[_HINGE] * len(bodies)], "wrong kinds of joints")
    need(m.jnt_axis[0] == [1, 0, 0], "its first joint must slide along x")
    need(m.jnt_axis[1] == [0, 0, 1], "its second joint must slide along z")
    need(np.abs(m.jnt_axis[2:, 1]) > 1 - _SMALL, "its hinges must turn about y")
    need(np.abs(m.body_pos[1:, 1]) < _SMALL, "a body is out of the plane")
    need(np.abs(m.body_ipos[1:, 1]) < _SMALL, "a centre of mass is out of the plane")
    need(m.body_quat[1:] == [1, 0, 0, 0], "a body is turned against its parent")
    need(m.dof_armature[:3] == 0, "its trunk has armature")
    need(m.dof_damping[:3] == 0, "its trunk is damped")
    need(m.jnt_stiffness[:3] == 0, "its trunk hangs on a spring")
    need(m.dof_frictionloss == 0, "it has friction in its joints")
    need(~m.jnt_limited[:3].astype(bool), "its trunk is limited")
    wide = m.jnt_range[3:, 1] - m.jnt_range[3:, 0] > 2 * m.jnt_margin[3:]
    need(wide | ~m.jnt_limited[3:].astype(bool), "both ends of a hinge's range may be met at once")
    need(m.jnt_solref > 0, "its limits are given by stiffness and damping")
    need(m.geom_solref > 0, "its contacts are given by stiffness and damping")
    need(m.geom_priority == m.geom_priority[0], "some of its geoms have priority")
    need(m.geom_gap == 0, "its contacts have gaps")
    need(m.body_gravcomp == 0, "gravity is compensated")
    need(m.opt.gravity[:2] == 0, "its gravity is not along z")
    need(m.opt.density == 0 and m.opt.viscosity == 0, "it is in a fluid")
    need(m.opt.cone == 0 and m.opt.impratio == 1, "its friction cones are not plain pyramids")
    need(int(m.opt.integrator) in _INTEGRATORS, "its integrator is neither Euler nor RK4")
    need(m.opt.disableflags == 0 and m.opt.enableflags == 0, "it switches parts of MuJoCo")
    need(m.geom_type[0] == _PLANE and m.geom_bodyid[0] == 0, "its first geom must be the ground")
    need(m.geom_pos[0] == 0, "its ground must lie at 0")
    need(m.geom_type[1:] == _CAPSULE, "it has geoms other than capsules")
    touch = (m.geom_contype[1:, None] & m.geom_conaffinity[None, 1:]) != 0
    need(~touch, "its capsules may touch each other")
    need(m.geom_condim[0] == 3, "its contacts have no friction, or more than sliding friction")
    need(m.npair == 0 and m.nexclude == 0, "it lists pairs of geoms")
    need(m.neq == 0 and m.ntendon == 0, "it has equality constraints or tendons")
    need(m.actuator_trntype == 0, "its motors do not drive joints")
    need(m.actuator_gaintype == 0, "its motors have no fixed gain")
    need(m.actuator_biastype == 0, "its motors have a bias")
    need(m.actuator_dyntype == 0, "its motors have a state")
    need(m.actuator_ctrllimited.astype(bool), "its controls have no limits")
    need(~m.actuator_forcelimited.astype(bool), "the forces of its motors are limited")


def _link(m: Any, body: int) -> Link:
    joint = body + 1
    parent = int(m.body_parentid[body]) - 1
    parent_hinge = m.jnt_pos[parent + 2] if parent >= 0 else np.zeros(3)
    hinge = m.body_pos[body] + m.jnt_pos[joint] - parent_hinge
    frame = _matrix(m.body_iquat[body])
    return Link(
        name=m.body(body).name,
        parent=parent,
        hinge=_place(hinge) if parent >= 0 else (0.0, 0.0),
        sign=float(np.sign(m.jnt_axis[joint][1])),
        centre=_place(m.body_ipos[body] - m.jnt_pos[joint]),
        mass=float(m.body_mass[body]),
        inertia=float((frame @ np.diag(m.body_inertia[body]) @ frame.T)[1, 1]),
        armature=float(m.dof_armature[joint]),
        damping=float(m.dof_damping[joint]),
        stiffness=float(m.jnt_stiffness[joint]),
        rest=float(m.qpos_spring[joint]),
        reference=float(m.qpos0[joint]),
        inverse_weight=float(m.dof_invweight0[joint]),
        limit=_limit(m, joint) if m.jnt_limited[joint] else None,
    )


def _limit(m: Any, joint: int) -> Limit:
    low, high = m.jnt_range[joint]
    softness = _softness(m, m.jnt_solref[joint], m.jnt_solimp[joint])
    return Limit(float(low), float(high), float(m.jnt_margin[joint]), softness)


def _tips(m: Any, geom: int) -> list[Tip]:
    """Return both ends of a capsule, with parameters mixed with the ground's as MuJoCo does."""
    body = int(m.geom_bodyid[geom])
    if not (m.geom_contype[0] & m.geom_conaffinity[geom]) and not (
        m.geom_contype[geom] & m.geom_conaffinity[0]
    ):
        return []
    along = _matrix(m.geom_quat[geom])[:, 2] * m.geom_size[geom][1]
    centre = m.geom_pos[geom] - m.jnt_pos[body + 1]
    share = m.geom_solmix[0] / (m.geom_solmix[0] + m.geom_solmix[geom])
    solref = share * m.geom_solref[0] + (1 - share) * m.geom_solref[geom]
    solimp = share * m.geom_solimp[0] + (1 - share) * m.geom_solimp[geom]
    return [
        Tip(
            link=body - 1,
            place=_place(centre + end * along),
            radius=float(m.geom_size[geom][0]),
            friction=float(max(m.geom_friction[0][0], m.geom_friction[geom][0])),
            margin=float(max(m.geom_margin[0], m.geom_margin[geom])),
            inverse_weight=float(m.body_invweight0[body][0]),
            softness=_softness(m, solref, solimp),
        )
        for end in (1, -1)
    ]


def _softness(m: Any, solref: Any, solimp: Any) -> Softness:
    # A time constant below two timesteps is raised to it: MuJoCo's `refsafe`.
    time_constant = max(float(solref[0]), 2 * float(m.opt.timestep))
    return Softness(time_constant, float(solref[1]), *(float(number) for number in solimp))


def _motor(m: Any, i: int) -> Motor:
    low, high = m.actuator_ctrlrange[i]
    gear = float(m.actuator_gear[i][0] * m.actuator_gainprm[i][0])
    return Motor(int(m.actuator_trnid[i][0]) - 2, gear, float(low), float(high))


def _place(vector: Any) -> Place:
    return float(vector[0]), float(vector[2])


def _matrix(quaternion: Any) -> np.ndarray:
    w, x, y, z = (float(part) for part in quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _turned(quaternion: Any, vector: Any) -> np.ndarray:
    return _matrix(quaternion) @ np.asarray(vector)
