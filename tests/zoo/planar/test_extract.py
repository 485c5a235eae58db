"""Robots out of compiled MuJoCo models: which fit, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.halfcheetah.env import robot
from envwright.zoo.planar.engine import runner
from envwright.zoo.planar.extract import extract
from envwright.zoo.planar.model import Robot

mujoco = pytest.importorskip("mujoco")
ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"


def compiled(file):
    return mujoco.MjModel.from_xml_path(str(ASSETS / file))


def test_the_cheetah_in_the_package_is_the_one_that_mujoco_compiles():
    assert extract(compiled("half_cheetah.xml"), "halfcheetah") == robot()


def test_a_robot_is_hashable_and_has_the_sizes_of_its_model():
    cheetah = robot()
    assert isinstance(cheetah, Robot) and hash(cheetah) == hash(robot())
    assert (cheetah.size, len(cheetah.tips), len(cheetah.motors)) == (9, 16, 6)
    assert cheetah.limited == [1, 2, 3, 4, 5, 6]


def test_a_walker_is_planar_too():
    walker = extract(compiled("walker2d_v5.xml"), "walker2d")
    assert walker.size == 9 and walker.integrator == "rk4"
    assert {link.sign for link in walker.links} == {1.0, -1.0}


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("hopper.xml", "its capsules may touch each other"),
        ("ant.xml", "one hinge for each body"),
        ("swimmer.xml", "its second joint must slide along z"),
    ],
)
def test_what_is_more_than_planar_is_refused_with_its_reason(file, said):
    with pytest.raises(EnvwrightError, match=said):
        extract(compiled(file), file)


def test_a_robot_of_another_integrator_is_not_run_by_this_one():
    walker = extract(compiled("walker2d_v5.xml"), "walker2d")
    with pytest.raises(EnvwrightError, match="only euler is known"):
        runner(walker, 4)
