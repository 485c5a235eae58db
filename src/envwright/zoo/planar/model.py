"""The model of a robot: all of its constants, and nothing of its state.

Coordinates are x (forward), z (up) and angles about y, positive where z turns towards x. The
first link is the trunk, which moves freely; each other link hangs on a hinge of one before it.
Places on a link are seen from its hinge, in the link's own frame.
"""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
from dataclasses import dataclass
from typing import Any

Place = tuple[float, float]  # x, z


@dataclass(frozen=True)
class Softness:
    """The softness of a constraint: MuJoCo's `solref` (of a spring) and `solimp`."""

    time_constant: float
    damping_ratio: float
    least: float  # impedance where the constraint just touches
    most: float  # impedance from `width` on
    width: float
    midpoint: float
    power: float


@dataclass(frozen=True)
class Limit:
    """The range of a hinge."""

    low: float
    high: float
    margin: float
    softness: Softness


@dataclass(frozen=True)
class Link:
    """A rigid body and the hinge that it hangs on."""

    name: str
    parent: int  # -1 for the trunk
    hinge: Place  # on the parent
    sign: float  # 1, or -1 for a hinge that turns the other way
    centre: Place  # of mass
    mass: float
    inertia: float  # about the centre
    armature: float
    damping: float
    stiffness: float
    rest: float  # of the spring
    reference: float  # the coordinate at which the link is not turned
    inverse_weight: float  # of the hinge, in the reference posture: scales its limit
    limit: Limit | None


@dataclass(frozen=True)
class Tip:
    """One end of a capsule: a ball that may touch the ground."""

    link: int
    place: Place
    radius: float
    friction: float
    margin: float
    inverse_weight: float  # of the link, in the reference posture: scales the contact
    softness: Softness


@dataclass(frozen=True)
class Motor:
    """Turns a hinge by `gear` times the control, which is cut to a range."""

    link: int
    gear: float
    low: float
    high: float


@dataclass(frozen=True)
class Robot:
    """A robot and the world that it is in."""

    name: str
    timestep: float
    integrator: str  # "euler" (with implicit damping) or "rk4"
    gravity: float  # downwards, as a positive number
    mean_inertia: float  # scales the solver's tolerance
    start: Place  # of the trunk's hinge at coordinates 0
    reference: Place  # coordinates at which it is there
    links: tuple[Link, ...]
    tips: tuple[Tip, ...]
    motors: tuple[Motor, ...]
    # Position, velocity and acceleration a timestep after the reference posture at rest.
    after_reset: tuple[tuple[float, ...], ...]

    @property
    def size(self) -> int:
        """The number of coordinates: the trunk's x, z and angle, and one for each hinge."""
        return 2 + len(self.links)

    @property
    def limited(self) -> list[int]:
        """The links whose hinges have a range."""
        return [i for i, link in enumerate(self.links) if link.limit is not None]

    def to_json(self) -> str:
        """Return plain data, as in files."""
        return json.dumps(dataclasses.asdict(self), indent=1) + "\n"


def load(package: str, file: str = "model.json") -> Robot:
    """Load the robot in a file of a package."""
    data = json.loads((importlib.resources.files(package) / file).read_text())
    return Robot(
        **{
            **data,
            "start": tuple(data["start"]),
            "reference": tuple(data["reference"]),
            "links": tuple(_link(link) for link in data["links"]),
            "tips": tuple(_tip(tip) for tip in data["tips"]),
            "motors": tuple(Motor(**motor) for motor in data["motors"]),
            "after_reset": tuple(tuple(part) for part in data["after_reset"]),
        }
    )


def _link(data: dict[str, Any]) -> Link:
    limit = data["limit"]
    return Link(
        **{
            **data,
            "hinge": tuple(data["hinge"]),
            "centre": tuple(data["centre"]),
            "limit": limit and Limit(**{**limit, "softness": Softness(**limit["softness"])}),
        }
    )


def _tip(data: dict[str, Any]) -> Tip:
    softness = Softness(**data["softness"])
    return Tip(**(data | {"place": tuple(data["place"]), "softness": softness}))
