"""`envwright verify gameboy --rom`: exit codes and what is said."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyboy", reason="the reference: pip install envwright[reference]")

from envwright.cli import main
from envwright.zoo.gameboy import emberkeep


def run(*arguments) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    return int(left.value.code or 0)


def test_a_rom_that_equals_is_0_and_told_in_json(tmp_path):
    file = tmp_path / "result.json"
    options = ("--frames", 20, "--seeds", 2, "--json", file)
    assert run("verify", "gameboy", "--rom", emberkeep.ROM, *options) == 0
    result = json.loads(file.read_text())
    assert (result["passed"], result["compared"], result["title"]) == (True, 40, "EMBERKEEP")


def test_a_rom_that_differs_is_1_and_says_what(monkeypatch, capsys):
    from tests.zoo.gameboy.test_compare import Tampered

    from envwright.zoo.gameboy.checks import l3_frames

    defaults = (*l3_frames.verify_rom.__defaults__[:-1], Tampered)
    monkeypatch.setattr(l3_frames.verify_rom, "__defaults__", defaults)
    assert run("verify", "gameboy", "--rom", emberkeep.ROM, "--frames", 20, "--seeds", 1) == 1
    said = capsys.readouterr().out
    assert "they part at frame 10" in said
    assert "wram[C0B6]" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gameboy", "--rom", "nowhere.gb"), "there is no ROM nowhere.gb"),
        (("gameboy", "--rom", __file__), "is not a Game Boy ROM"),
        (("pong", "--rom", "nowhere.gb"), "--rom is for gameboy"),
        (("gameboy", "--frames", "3"), "--frames goes with --rom FILE"),
        (("gameboy", "--rom", "x.gb", "--levels", "1"), "--levels does not go with --rom"),
        (("gameboy", "--rom", "x.gb", "--episodes", "3"), "--episodes does not go with --rom"),
        (("gameboy", "--rom", "x.gb", "--vector"), "--vector does not go with --rom"),
        (("gameboy", "--rom", "x.gb", "--atol", "1"), "--atol does not go with --rom"),
        (("gameboy", "--rom", "x.gb", "--keep", "tests"), "--keep does not go with --rom"),
    ],
)
def test_bad_input_is_2_and_one_sentence(arguments, sentence, capsys):
    assert run("verify", *arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
