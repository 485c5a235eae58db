"""Pictures of the moments of an episode, for environments with and without a drawing of their own.

The first of these that works: the environment's `render`, an observation that is an image, the
reference's own drawing of the same state, or bars of observation, action and reward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from envwright.core.bridge import Bridge, SameNames
from envwright.core.env import Env
from envwright.core.registry import load_attribute
from envwright.core.room import Room
from envwright.core.wrappers import has_picture
from envwright.schema.names import join_options, split_options
from envwright.schema.translation import Check, room_translation
from envwright.sim.records import Fields, flatten
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import Simulator

SMALLEST = 8  # pixels of an observation that is taken for an image
ROWS = 16  # numbers that bars show
SIZE = (360, 240)
BACKGROUND, INK, BAR, GRID = (255, 255, 255), (30, 30, 30), (58, 110, 165), (225, 225, 225)
ROOM_FOR_NAMES = 110  # pixels


@dataclass(frozen=True)
class Moment:
    """A state of an episode, and what led to it."""

    state: Any  # of the environment; None for a backend that draws nothing
    fields: Fields  # the state by name; {} if it is not shown
    obs: Any
    action: Any = None  # None at the start
    reward: float = 0.0


Painter = Callable[[Sequence[Moment]], list[np.ndarray]]


def draw(moments: Sequence[Moment], env: Env | None, room: Room | None, name: str) -> list:
    """Draw moments, uint8[height, width, 3] each. `name` is the simulator with its options."""
    if env is not None and has_picture(env):
        return [env.render(moment.state) for moment in moments]
    if _as_image(moments[0].obs) is not None:
        return [_as_image(moment.obs) for moment in moments]  # type: ignore[misc]
    drawn = None if room is None else _by_reference(moments, room, split_options(name)[1])
    return drawn or _bars(moments)


def _as_image(obs: Any) -> np.ndarray | None:
    """Return an observation as a picture, if it is one."""
    pixels = None if isinstance(obs, dict | tuple) else np.asarray(obs)
    if pixels is None or pixels.dtype != np.uint8 or pixels.ndim not in (2, 3):
        return None
    if min(pixels.shape[:2]) < SMALLEST or (pixels.ndim == 3 and pixels.shape[2] not in (1, 3)):
        return None
    return np.broadcast_to(pixels.reshape(*pixels.shape[:2], -1), (*pixels.shape[:2], 3))


def _by_reference(
    moments: Sequence[Moment], room: Room, options: dict[str, Any]
) -> list[np.ndarray] | None:
    """Let the reference draw the same states; None if it cannot."""
    with suppress(Exception):  # it may need packages, a screen, or another state
        check, reference = _check_for(room, options)
        bridge = _bridge_of(check)
        with open_simulator(_drawing(reference)) as simulator:
            return [_frame(simulator, bridge, moment) for moment in moments]
    return None


def _check_for(room: Room, options: dict[str, Any]) -> tuple[Check, str]:
    """Return the check with these options, dtype aside, and its reference."""
    translation = room_translation(room)
    assert translation is not None, f"{room.name} has no translation.toml"
    wanted = {name: value for name, value in options.items() if name != "dtype"}
    for check in translation.checks:
        if {k: v for k, v in check.options.items() if k != "dtype"} == wanted:
            return check, check.reference or translation.reference.simulator
    raise LookupError(f"no check of {room.name} has these options")


def _bridge_of(check: Check) -> Bridge:
    bridge: Any = check.bridge or SameNames()
    if isinstance(bridge, str):
        bridge = load_attribute(bridge.removeprefix("python:"))
        bridge = bridge() if isinstance(bridge, type) else bridge
    return bridge


def _drawing(reference: str) -> str:
    scheme, _, rest = reference.partition(":")
    target, options = split_options(rest)
    return f"{scheme}:{join_options(target, {**options, 'render_mode': 'rgb_array'})}"


def _frame(simulator: Simulator, bridge: Bridge, moment: Moment) -> np.ndarray:
    simulator.reset(0)
    simulator.load(bridge.to_reference(moment.fields))
    frame = np.asarray(simulator._env.render())  # type: ignore[attr-defined]
    if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
        raise ValueError(f"a picture of {frame.dtype}{frame.shape}")
    return frame


def _bars(moments: Sequence[Moment]) -> list[np.ndarray]:
    """Draw observation, action and reward as bars, each within the range of the episode."""
    tables = [_numbers(moment) for moment in moments]
    names = list(dict.fromkeys(name for table in tables for name in table))
    reach = {
        name: max((abs(t.get(name, 0.0)) for t in tables), default=0.0) or 1.0 for name in names
    }
    return [_chart(table, names, reach) for table in tables]


def _numbers(moment: Moment) -> dict[str, float]:
    obs: dict[str, float] = {}
    for name, value in flatten("obs", moment.obs).items():
        flat = np.ravel(value)
        several = flat.size > 1
        for i, number in enumerate(flat[: ROWS - len(obs)]):
            obs[f"{name}[{i}]" if several else name] = float(number)
    actions = [] if moment.action is None else np.ravel(moment.action)[:4]
    acted = {f"action[{i}]" if i else "action": float(a) for i, a in enumerate(actions)}
    shown = {**obs, **acted, "reward": moment.reward}
    return {name: value for name, value in shown.items() if np.isfinite(value)}


def _chart(table: dict[str, float], names: Sequence[str], reach: dict[str, float]) -> np.ndarray:
    picture = Image.new("RGB", SIZE, BACKGROUND)
    pen, height = ImageDraw.Draw(picture), SIZE[1] / max(len(names), 6)
    middle, half = (ROOM_FOR_NAMES + SIZE[0]) / 2, (SIZE[0] - ROOM_FOR_NAMES) / 2 - 8
    pen.line([(middle, 0), (middle, SIZE[1])], fill=GRID)
    for row, name in enumerate(names):
        top, value = row * height, table.get(name, 0.0)
        pen.text((6, top + height / 2 - 6), name[:16], fill=INK)
        end = middle + half * value / reach[name]
        edges = [(min(middle, end), top + 2), (max(middle, end), top + height - 2)]
        pen.rectangle(edges, fill=BAR)
    return np.asarray(picture)
