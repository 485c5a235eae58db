"""The demo replaces what an earlier demo made, and nothing else."""

from __future__ import annotations

import pytest

from envwright.cli.demo import TRANSLATION, _clear
from envwright.errors import EnvwrightError

REFERENCE = "gymnasium:CartPole-v1"
TOML = """
[environment]
id = "cartpole"

[reference]
simulator = "{}"

[target]
backend = "jax"
package = "fast_cartpole"
entry = "CartPole"

[[modules]]
name = "env"
file = "env.py"

[[checks]]
label = "all"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of the demo, with the translation of an earlier one."""
    monkeypatch.chdir(tmp_path)
    (TRANSLATION / "runs/demo").mkdir(parents=True)
    (TRANSLATION / "translation.toml").write_text(TOML.format(REFERENCE))
    return TRANSLATION


def test_an_earlier_demo_is_removed(place):
    _clear(place, REFERENCE)
    assert not place.exists()
    _clear(place, REFERENCE)


def others(place):
    (place / "translation.toml").unlink()


def another_run(place):
    (place / "runs/20261119-120000-abcd").mkdir()


def another_simulator(place):
    (place / "translation.toml").write_text(TOML.format("gymnasium:Acrobot-v1"))


def a_link(place):
    place.rename("mine")
    place.symlink_to("../mine")


@pytest.mark.parametrize("change", [others, another_run, another_simulator, a_link])
def test_what_the_demo_did_not_make_stays(place, change):
    (place / "thesis.txt").write_text("years of work")
    change(place)
    with pytest.raises(EnvwrightError, match=r"is not of an earlier demo|translates gymnasium"):
        _clear(place, REFERENCE)
    assert (place / "thesis.txt").read_text() == "years of work"
