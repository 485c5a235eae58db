"""A room's own checks get the arguments that they declare in translation.toml, and no others."""

from __future__ import annotations

import inspect

import pytest

from envwright.core.registry import rooms
from envwright.core.room import Room, load_attribute
from envwright.errors import MissingPackage
from envwright.verify.results import LevelResult
from envwright.verify.room import Probe, RoomChecks, load_room
from envwright.verify.run import Effort, room_level


def probe(seed, progress, **given):
    """A check that notes its arguments."""
    return LevelResult(3, notes=[str(given)])


@pytest.mark.parametrize(
    ("takes", "options", "given"),
    [
        ((), {"colour": "red"}, {}),
        (("episodes", "backend"), {}, {"episodes": 7, "backend": "rust"}),
        (("colour", "episodes"), {"colour": "red"}, {"colour": "red", "episodes": 7}),
        (("colour",), {}, {}),
    ],
)
def test_a_probe_gets_what_it_takes(takes, options, given):
    one = Probe(3, "tests.verify.test_probes:probe", takes=takes)
    checks = RoomChecks(Room("walk", 1, "Walk", ""), "rust", (), probes=(one,))
    result = room_level(3, checks, [], 0, Effort(episodes=7, options=options))
    assert result.notes == [str(given)]


@pytest.mark.parametrize("room", [room for room in rooms() if "probes" in room.translation()])
def test_rooms_declare_what_their_probes_take(room):
    # Options that need another one are for the room's own way to verify.
    options = {o.name for o in room.options if "verify" in o.verbs and not o.needs}
    for each in load_room(room.id).probes:
        try:
            accepted = set(inspect.signature(load_attribute(each.run)).parameters)
        except MissingPackage as error:
            pytest.skip(str(error))
        assert set(each.takes) == accepted & {"episodes", "backend", *options}, each.run
