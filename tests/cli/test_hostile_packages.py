"""Packages whose parts are damaged: every command reports them in one sentence."""

from __future__ import annotations

import itertools
import shutil
import sys
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.core import registry
from envwright.core.outside_rooms import FOLDERS, GROUP
from envwright.zoo import cartpole

ROOM = """
from envwright.core import Room

ROOM = Room(id="fast_pole", version=1, title="Pole", summary="", package="fast_pole",
            backends={"jax": "fast_pole.env:Pole"}, reference="gymnasium:CartPole-v1",
            env_id="cartpole", namespace="fast_pole", MORE)
"""
ENV = "from envwright.zoo.cartpole.env import CartPole as Pole\n"
RAISES = "raise ValueError('\\x1b[2J' + 'x' * 10000)\n"
# What is written into the package, by path; an empty name ends the list of a case.
DAMAGES = {
    "code that raises": {"env.py": RAISES},
    "code that needs another package": {"env.py": "import nowhere_at_all\n"},
    "code that is none": {"env.py": "def\n"},
    "code that ends the process": {"env.py": "raise SystemExit(0)\n"},
    "no such class": {"env.py": ""},
    "a class that raises": {"env.py": "class Pole:\n    def __init__(self): 1 / 0\n"},
    "a class that is no environment": {"env.py": "class Pole: pass\n"},
    "an environment of no class": {"env.py": "Pole = 7\n"},
    "a native library that is none": {"env.py": "", "_native.so": "\x7fELF", "MORE": "native"},
    "a toml that is none": {"translation.toml": "[" * 5000},
    "a toml of another version": {"translation.toml": "[colour]\nred = 1\n"},
    "no toml": {"translation.toml": None},
    "no bench": {"MORE": "bench='bench'"},
    "a bench that raises": {"MORE": "bench='bench'", "bench.py": RAISES},
    "players that raise": {"MORE": "players='players'", "players.py": RAISES},
    "players without players": {"MORE": "players='players'", "players.py": ""},
    "pictures that raise": {"MORE": "play='play'", "play.py": RAISES},
    "pictures without pictures": {"MORE": "play='play'", "play.py": ""},
    "a handler that is not there": {
        "MORE": "handlers={'verify': __import__('envwright.core.room').core.room.Handler('no:no')}"
    },
}
NATIVE = """
from envwright.sim.native_game import NativeGame


class Pole(NativeGame):
    id, version, library = "cartpole", 1, "fast_pole._native"
"""
COMMANDS = (
    *(("list",), ("verify", "--levels", "1"), ("verify", "--vector"), ("train", "--steps", "64")),
    *(("play", "--steps", "3"), ("bench", "--seconds", "0.01", "--batch", "2", "--repeats", "1")),
    *(("elo", "--games", "2"), ("report",), ("mutate", "--most", "1"), ("coverage",)),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write a package that is CartPole under another name, with damage; it is named by its path."""
    monkeypatch.setattr(registry, "_ROOMS", dict(registry._ROOMS))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(FOLDERS, "")
    monkeypatch.chdir(tmp_path)

    def write(damage):
        code = tmp_path / "pole/src/fast_pole"
        code.mkdir(parents=True)
        shutil.copy(Path(cartpole.__file__).parent / "translation.toml", code)
        more = damage.get("MORE", "")
        room = ROOM.replace(", MORE)", f", {more})" if "=" in more else ")")
        room = room.replace('"jax"', '"rust"') if more == "native" else room
        files = {"__init__.py": "", "_room.py": room, "env.py": ENV}
        for name, text in {**files, **damage}.items():
            if text is None:
                (code / name).unlink()
            elif name != "MORE":
                (code / name).write_text(text)
        if more == "native":
            (code / "env.py").write_text(NATIVE)
        table = f'[project.entry-points."{GROUP}"]\nfast_pole = "fast_pole._room:ROOM"\n'
        (tmp_path / "pole/pyproject.toml").write_text(table)
        return "./pole"

    yield write
    for name in [name for name in sys.modules if name.split(".")[0] == "fast_pole"]:
        del sys.modules[name]


def cases():
    """Every command with every damage; the quick ones have each command and most damages once."""
    for number, (words, kind) in enumerate(itertools.product(COMMANDS, DAMAGES)):
        marks = () if number % (len(DAMAGES) + 1) == 0 else pytest.mark.slow
        yield pytest.param(words, DAMAGES[kind], id=f"{words[0]}, {kind}", marks=marks)


@pytest.mark.parametrize(("words", "damage"), [*cases()])
def test_a_damaged_package_is_one_sentence(words, damage, folder, capsys):
    place = folder(damage)
    command, *options = words
    named = [] if command == "list" else [place]
    with pytest.raises(SystemExit) as left:
        main([command, *named, *options])
    err = capsys.readouterr().err
    assert left.value.code in (0, 1, 2, 3), err
    assert "Traceback" not in err and "\x1b" not in err and "defect" not in err
    if left.value.code == 2:
        (said,) = [line for line in err.splitlines() if not line.startswith("  ")]
        assert said.startswith("envwright: ") and len(said) < 4000
