"""What belongs to a reference, and what a translation must not have loaded."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import gymnasium
import pytest
from msgspec import structs

from envwright.core.package import FOLDER
from envwright.sandbox import packages, places_of
from envwright.translate.apart import jax_runtime, reference_places, strangers

ENVS = Path(gymnasium.envs.__file__).parent


def named(lamp, simulator):
    """The lamp's specification with another reference."""
    reference = structs.replace(lamp.reference, simulator=simulator, source="")
    return replace(lamp, reference=reference, modules=())


def test_a_reference_beside_its_specification_is_found(lamp):
    assert lamp.folder / "lamp.py" in reference_places(lamp)


@pytest.mark.parametrize("simulator", ["gymnasium:CartPole-v1", "gymnasium:Taxi-v3?is_rainy=true"])
def test_environments_of_gymnasium_are_kept_away_but_not_its_spaces(lamp, simulator):
    places = reference_places(named(lamp, simulator))
    assert {ENVS / "classic_control", ENVS / "toy_text", ENVS / "mujoco"} <= {*places}
    assert not any(Path(gymnasium.spaces.__file__).is_relative_to(place) for place in places)


def test_the_program_of_a_command_is_found_but_not_its_interpreter(lamp, tmp_path):
    program = tmp_path / "game.js"
    program.write_text("")
    places = reference_places(named(lamp, f"command:{sys.executable} {program} -m brax"))
    assert program in places and places_of("brax")[0] in places
    assert Path(sys.executable).resolve() not in places


def test_a_package_of_the_reference_is_hidden_whole(lamp):
    (place,) = places_of("gymnax")
    assert place in reference_places(named(lamp, "gymnax:CartPole-v1"))
    assert place in reference_places(named(lamp, "python:gymnax.environments:CartPole"))
    assert places_of("math") == () and places_of("no_such_package") == ()


def test_what_a_translation_sees_holds_no_environment():
    seen = jax_runtime()
    assert FOLDER / "core" in seen and FOLDER not in seen
    names = {path.name for path in seen}
    assert {"jax", "jaxlib", "numpy"} <= names
    assert names.isdisjoint(
        {"brax", "gymnax", "mujoco", "pyboy", "zoo", "__pycache__", "translate"}
    )
    assert not any(path.suffix == ".so" and path.parent == FOLDER for path in seen)
    assert {path.name for path in packages("jax")} < names


def test_what_was_loaded_is_told_apart(lamp, tmp_path):
    source = lamp.folder / "runs" / "a" / "workspace" / "src" / "fast_lamp"
    import jax

    own = {"jax": jax.__file__, "fast_lamp.heat": str(source / "heat.py"), "sys": ""}
    good = {"modules": own, "mapped": ["/usr/lib/libc.so.6", "/memfd:x (deleted)"]}
    assert strangers(good, lamp, source, True) == []

    def found(modules=None, mapped=(), safe=True):
        report = {"modules": own | (modules or {}), "mapped": [*good["mapped"], *mapped]}
        return strangers(report, lamp, source, safe)

    assert found({"lamp": ""}) == ["it has loaded lamp, which is the reference's"]
    assert "loaded x, which" in found({"x": str(lamp.folder / "lamp.py")}, safe=False)[0]
    assert "loaded y from /tmp/y.py" in found({"y": "/tmp/y.py"})[0]
    assert found({"y": "/tmp/y.py"}, safe=False) == []
    assert "/tmp/copy.so in its memory" in found(mapped=["/tmp/copy.so (deleted)"])[0]
