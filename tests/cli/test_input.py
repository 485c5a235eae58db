"""Numbers and names that no command can use: one sentence and exit code 2, before any work."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from envwright.cli import main

PAIR = ["--reference", "python:tests.verify.worlds:Marble", "--twin", "python:a:B"]
SEEDED = {
    "verify": ["verify", "cartpole"],
    "mutate": ["mutate", "cartpole"],
    "coverage": ["coverage", "cartpole"],
    "train": ["train", "cartpole"],
    "play": ["play", "gameboy"],
    "elo": ["elo", "tcgpocket"],
}


@pytest.fixture
def refused(capsys, tmp_path, monkeypatch):
    """Runs a command that is refused; its only sentence."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        out, err = capsys.readouterr()
        assert left.value.code == 2, err
        assert out == "" and err.count("\n") == 1 and err.startswith("envwright: "), err
        assert list(tmp_path.iterdir()) == []
        return err.removeprefix("envwright: ").rstrip()

    return run


@pytest.mark.parametrize("seed", ["-1", str(2**32), str(2**63), "1.5", "nan", "one", "9" * 5000])
@pytest.mark.parametrize("command", SEEDED.values(), ids=SEEDED)
def test_a_seed_is_a_number_of_32_bits_in_every_command(command, seed, refused):
    assert "'--seed'" in refused(*command, "--seed", seed)


SIZES = {
    "a wide network": (["train", "cartpole", "--network", "99999999999"], "too large"),
    "a network of many digits": (["train", "cartpole", "--network", "9" * 5000], "too large"),
    "a deep network": (["train", "cartpole", "--network", "x".join(["8"] * 65)], "64 layers"),
    "a network beyond the memory": (
        ["train", "cartpole", "--network", "65536x65536x65536x65536"],
        "choose a smaller network",
    ),
    "a wide convolution": (["train", "pong", "--network", "8@99999999/1x8"], "too large"),
    "a wide memory": (["train", "cartpole", "--set", "memory=99999999999"], "at most 65,536"),
    "many environments": (
        ["train", "cartpole", "--set", "num_envs=99999999999"],
        "num_envs must be at most",
    ),
    "a roll-out beyond the memory": (
        ["train", "cartpole", "--set", "num_envs=16777216", "--set", "rollout=1048576"],
        "GB are free",
    ),
    "environments in Python": (
        ["train", "cartpole", "--backend", "reference", "--set", "num_envs=100000"],
        "at most 65,536",
    ),
    "many seeds": (["train", "cartpole", "--seeds", "99999999999"], "'--seeds'"),
    "no steps": (["train", "cartpole", "--steps", "0"], "'--steps'"),
    "many steps": (["train", "cartpole", "--steps", "9" * 30], "'--steps'"),
    "a pause that is no number": (["train", "cartpole", "--every", "nan"], "'--every'"),
    "an endless pause": (["train", "cartpole", "--every", "inf"], "'--every'"),
    "a gradient that is no number": (["train", "cartpole", "--set", "clip=inf"], "finite"),
    "a weight that is no number": (["train", "cartpole", "--set", "entropy=nan"], "finite"),
    "many episodes": (["verify", "cartpole", "--episodes", "99999999999"], "'--episodes'"),
    "many lanes": (["verify", "cartpole", "--vector", "--lanes", "9" * 12], "'--lanes'"),
    "a margin that is no number": (
        ["verify", *PAIR, "--levels", "4", "--margin", "nan"],
        "margin of level 4 must be a finite number",
    ),
    "a tolerance that is no number": (["verify", *PAIR, "--atol", "nan"], "tolerance"),
    "a tolerance of any size": (["verify", *PAIR, "--ulp", "9" * 400], "tolerance"),
    "a large batch": (["bench", "cartpole", "--batch", "99999999999"], "a batch must be at most"),
    "many repeats": (["bench", "cartpole", "--repeats", "99999999999"], "repeats must be at most"),
    "endless measurements": (["bench", "cartpole", "--seconds", "inf"], "seconds per repeat"),
    "a large network to take apart": (["bench", "cartpole", "--sizes", "9" * 11], "sizes"),
    "a long film": (["play", "gameboy", "--steps", "99999999999"], "'--steps'"),
    "many games": (["elo", "tcgpocket", "--games", "99999999999"], "'--games'"),
    "many mutants": (["mutate", "cartpole", "--most", "99999999999"], "'--most'"),
    "dollars that are no number": (["translate", "x:y", "--budget", "nan"], "cap on dollars"),
    "endless minutes": (["translate", "x:y", "--minutes", "inf"], "cap on minutes"),
    "no turns": (["translate", "x:y", "--iterations", "-1"], "cap on iterations"),
    "frames of nothing": (["verify", "gameboy", "--rom", "x.gb", "--frames", "0"], "'--frames'"),
}


@pytest.mark.parametrize(("words", "said"), SIZES.values(), ids=SIZES)
def test_an_absurd_size_is_refused_before_any_work(words, said, refused):
    assert said in refused(*words)


NAMES = {
    "level 0": (["verify", "cartpole", "--levels", "0"], "no level"),
    "level 9": (["verify", "cartpole", "--levels", "9"], "no level"),
    "no levels": (["verify", "cartpole", "--levels", ""], "takes numbers"),
    "a level twice": (["verify", "cartpole", "--levels", "1,1"], "twice"),
    "no levels to translate": (["translate", "x:y", "--levels", ""], "takes numbers"),
    "an agent that there is not": (["translate", "gymnasium:CartPole-v1", "--agent", "nope"],
                                   "unknown agent 'nope'"),
    "teams that there are not": (["verify", "pokemon", "--teams", "nope"], "'--teams'"),
    "a backend that there is not": (["verify", "pokemon", "--backend", "nope"], "use jax or rust"),
    "a backend to seed bugs in": (["mutate", "pong", "--backend", "nope"], "use jax or rust"),
    "a backend to train on": (["train", "pong", "--backend", "nope"], "use jax or rust"),
    "a backend to cover": (["coverage", "pong", "--backend", "nope"], "use jax or rust"),
    "a backend to play on": (["elo", "tcgpocket", "--backend", "nope"], "use jax"),
    "a target that there is not": (["init", "gymnasium:CartPole-v1", "x", "--backend", "nope"],
                                   "use jax or rust"),
    "an option that it does not take": (["train", "pong?color=red"], "no option 'color'"),
    "an option without a value": (["train", "pong?frame_skip"], "does not name options"),
    "an option of no value": (["train", "pong?frame_skip="], "whole number, not ''"),
    "an option twice": (["train", "pong?frame_skip=1&frame_skip=2"], "twice"),
    "an option of another type": (["train", "pong?frame_skip=[[1]]"], "whole number"),
    "an option that is nested too deep": (["train", "pong?frame_skip=" + "[" * 5000],
                                          "whole number"),
    "an option of Python's": (["train", "pong?self=1"], "'self'"),
    "a backend that is no text": (["verify", "--reference", "envwright:pong?backend=[1]", "--twin",
                                   "envwright:pong"], "no backend [1]"),
    "a map that there is not": (["verify", "--reference", "gymnasium:FrozenLake-v1?map_name=9x9",
                                 "--twin", "python:a:B"], "could not be made: KeyError"),
    "decks by number": (["train", "tcgpocket?decks=[1,2]"], "named by a text, such as 'sparks'"),
    "a deck in a deck": (['train', 'tcgpocket?decks=["sparks",["dojo"]]'], "not ['dojo']"),
    "teams by number": (["train", "pokemon?teams=[1,2]"], "a team is text"),
    "code that ends the process": (["verify", "--reference", "python:sys:exit", "--twin", "a:b"],
                                   "ended the process"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "said"), NAMES.values(), ids=NAMES)
def test_a_wrong_name_is_refused_before_any_work(words, said, refused):
    assert said in refused(*words)


def test_teams_are_refused_before_a_battle_is_set_up(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "envwright.zoo.pokemon.checks.levels", None)
    assert "pool" in refused("verify", "pokemon", "--teams", "nope")


@pytest.mark.parametrize(
    ("rom", "said"),
    [
        ("folder", "is not a file"),
        ("pipe", "is not a file"),
        ("/dev/zero", "is not a file"),
        ("none.gb", "there is no ROM"),
        ("empty.gb", "has 0 bytes"),
        ("huge.gb", "more than 8,388,608 bytes"),
        ("x" * 300, "cannot be read"),
    ],
)
def test_a_rom_that_is_no_rom_is_named(rom, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("empty.gb").write_bytes(b"")
    with open("huge.gb", "wb") as file:
        file.truncate(2**40)
    os.mkfifo("pipe")
    for words in (["verify", "gameboy", "--rom", rom], ["play", "gameboy", "--rom", rom]):
        with pytest.raises(SystemExit) as left:
            main(words)
        err = capsys.readouterr().err
        assert left.value.code == 2 and said in err and err.count("\n") == 1
    assert not Path("play.webp").exists()


def test_a_name_cannot_write_to_the_terminal_or_a_second_line(refused):
    said = refused("verify", "\x1b[31mred\nenvwright: fine\u202e")
    assert "\x1b" not in said and "\u202e" not in said and "\\x1b[31mred" in said


def test_a_mistyped_option_is_one_sentence_that_says_where_to_look(refused):
    assert refused("verify", "cartpole", "--episode", "3").endswith("; see envwright verify --help")
