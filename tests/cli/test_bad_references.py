"""References that cannot be translated: one sentence, exit code 2, and nothing half-written."""

from __future__ import annotations

import errno
import sys

import pytest

from envwright.cli.app import main
from envwright.core import files
from envwright.translate.proposal import played

WORLDS = '''
import gymnasium
import numpy as np


class World(gymnasium.Env):
    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Box(0, 10, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.where = 0
        return np.array([self.where], np.float32), {}

    def step(self, action):
        self.where += int(action)
        return np.array([self.where], np.float32), 1.0, self.where > 5, False, {}


class Sized(World):
    def __init__(self, size):
        super().__init__()


class Unmade(World):
    def __init__(self):
        self.size = 1 / 0


class Raising(World):
    def step(self, action):
        return {}["missing"]


class InWords(World):
    def step(self, action):
        obs, _, *rest = super().step(action)
        return obs, "one", *rest


class InNothing(World):
    def step(self, action):
        obs, _, *rest = super().step(action)
        return obs, float("nan") if self.where > 3 else float("inf"), *rest


class Listed(World):
    def __init__(self):
        super().__init__()
        self.action_space = gymnasium.spaces.Sequence(gymnasium.spaces.Discrete(2))


class Called(World):
    def __init__(self, name, thing, target):
        super().__init__()
        assert (name, thing, target) == ("a", 2, [3])


class Unseeded(World):
    rng = np.random.default_rng()

    def step(self, action):
        self.where += int(self.rng.integers(3))
        return np.array([self.where], np.float32), 1.0, self.where > 5, False, {}


exec("""
class Sourceless(World):
    def step(self, action):
        self.where += 1
        return np.array([self.where], np.float32), 1.0, self.where > 5, False, {}
""")
not_a_world = 3
'''
BAD = {
    "python:bad_worlds:Sized": "missing 1 required positional argument: 'size'",
    "python:bad_worlds:Unmade": "ZeroDivisionError: division by zero",
    "python:bad_worlds:Raising": "KeyError",
    "python:bad_worlds:InWords": "a step pays 'one', which is not a number",
    "python:bad_worlds:Listed": "declares Sequence(Discrete(2), stack=False), which has no fixed",
    "python:bad_worlds:Unseeded": "does not reproduce itself",
    "python:bad_worlds:Sourceless": "has no Python source",
    "python:bad_worlds:Nowhere": "bad_worlds has no attribute 'Nowhere'",
    "python:bad_worlds:not_a_world": "is not a simulator",
    "python:no_such_worlds:World": "there is no module 'no_such_worlds'",
    "gymnasium:Nowhere-v0": "Nowhere",
    "gymnasium:CartPole-v1?wheels=4": "wheels",
    "nowhere": "there is no folder nowhere, and it is not the name of a simulator",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, beside one with the worlds on the path."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code/bad_worlds.py").write_text(WORLDS)
    (tmp_path / "here").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "code")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(played, "STEPS", 100)
    yield tmp_path / "here"
    sys.modules.pop("bad_worlds", None)


def refused(capsys, *words):
    """What a command says when it ends with 2: one line."""
    with pytest.raises(SystemExit) as left:
        main([*words])
    said = capsys.readouterr().err.strip()
    assert left.value.code == 2 and len(said.splitlines()) == 1, said
    return said


@pytest.mark.parametrize("name", BAD)
def test_a_reference_that_cannot_be_translated(name, here, capsys):
    assert BAD[name] in refused(capsys, "translate", name)
    assert not [*here.iterdir()]


@pytest.mark.parametrize("name", [*list(BAD)[:4], "python:no_such_worlds:World"])
def test_init_refuses_the_same(name, here, capsys):
    assert BAD[name] in refused(capsys, "init", name, "out")
    assert not [*here.iterdir()]


@pytest.mark.parametrize("name", ["Called?name=a&thing=2&target=[3]", "InNothing"])
def test_init_takes_any_name_of_an_option_and_any_number_as_a_reward(name, here):
    with pytest.raises(SystemExit) as left:
        main(["init", f"python:bad_worlds:{name}", "out"])
    assert left.value.code == 0
    assert (here / "out/translation.toml").is_file()


def test_a_folder_with_other_files_is_refused_before_any_work(here, capsys):
    (here / "mine").mkdir()
    (here / "mine/README.md").write_text("mine")
    said = refused(capsys, "translate", "python:bad_worlds:World", "-o", "mine")
    assert "mine already contains README.md, which envwright did not write" in said
    assert [path.name for path in (here / "mine").iterdir()] == ["README.md"]


def test_a_full_disk_is_one_sentence_and_leaves_nothing(here, monkeypatch, capsys):
    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    said = refused(capsys, "init", "python:bad_worlds:World", "out")
    assert "cannot write out/translation.toml: no space left on device" in said
    assert not [path for path in here.rglob("*") if path.is_file()]
