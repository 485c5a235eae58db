"""A game's file is read as it is meant, and a mistake in it is reported with its line."""

from __future__ import annotations

import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.gameboy.buttons import described, mask_of, names_of
from envwright.zoo.gameboy.roms import FOLDER, find_rom, read_rom, why_not
from envwright.zoo.gameboy.settings import find_game, games, read_settings

GAME = """
title = "A game"
roms = ["a.gb"]
frame_skip = 12
press = 2
actions = [["up"], ["a", "b"], []]

[start]
script = [{ frames = 60 }, { buttons = ["start"], frames = 4 }]

[start.seed]
address = 0xC000

[[reward]]
address = 0xC0A0
bytes = 2
encoding = "big"
scale = 0.5

[[done]]
address = 0xC0AC
test = "!="
value = 0
"""


def written(tmp_path, text: str):
    file = tmp_path / "game.toml"
    file.write_text(text)
    return file


def test_every_key_of_a_file_is_read(tmp_path):
    settings = read_settings(written(tmp_path, GAME))
    assert settings.actions == (4, 48, 0)
    assert (settings.frame_skip, settings.press, settings.max_steps) == (12, 2, 1000)
    assert [(press.buttons, press.frames) for press in settings.start.script] == [(0, 60), (128, 4)]
    assert settings.start.seed.bytes == 2
    (term,) = settings.reward
    assert (term.address, term.encoding, term.scale) == (0xC0A0, "big", 0.5)
    assert settings.done[0].test == "!="


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ('["up"]', '["upp"]', 6, "there is no button 'upp'"),
        ("press = 2", "press = 13", 1, "press is 13; choose one from 1 to 12"),
        ("frame_skip = 12", "frameskip = 12", 4, "did you mean 'frame_skip'?"),
        ('"big"', '"huge"', 17, "'encoding' must be bcd-big or bcd-little"),
        ("address = 0xC0AC", "address = 0x1000", 21, "from 0x8000 to 0xffff"),
        ('test = "!="', 'test = "=>"', 22, "'test' must be != or"),
        ("value = 0", "", 20, "needs 'value'"),
        ("value = 0", "value = -1", 23, "'value' must be at least 0, not -1"),
        ("frames = 4", "frames = 0", 9, "'frames' must be at least 1, not 0"),
        ('["start"]', '"start"', 9, "write a list of buttons such as ['up', 'a'], not 'start'"),
        ('title = "A game"', "", 1, "needs 'title'"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, old, new, line, sentence):
    file = written(tmp_path, GAME.replace(old, new))
    with pytest.raises(EnvwrightError) as raised:
        read_settings(file)
    assert sentence in str(raised.value)
    assert str(raised.value).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize("name", games())
def test_games_that_come_with_envwright_can_be_read(name):
    assert find_game(name).title
    assert find_game(f"gameboy/{name}") == find_game(name)


def test_an_unknown_game_names_those_that_there_are():
    with pytest.raises(EnvwrightError, match="use 2048, emberkeep"):
        find_game("tetris")


def test_buttons_held_for_a_whole_step_still_are_with_another_frame_skip():
    assert find_game("emberkeep").changed(frame_skip=24).press == 24
    assert find_game("2048").changed(frame_skip=24).press == 2
    assert find_game("2048").changed(frame_skip=1).press == 1


def test_buttons_are_bits():
    assert mask_of(["right", "start"]) == 0x81
    assert names_of(0x81) == ("right", "start")
    assert described(0) == "none"


def test_a_rom_that_is_missing_says_how_to_supply_it(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER, raising=False)
    with pytest.raises(EnvwrightError, match=r"set ENVWRIGHT_ROMS .* or give rom=FILE"):
        find_rom(find_game("pokemon-red").roms)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    with pytest.raises(EnvwrightError, match=r"there is no PokemonRed\.gb"):
        find_rom(find_game("pokemon-red").roms)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "PokemonRed.gb").write_bytes(b"")
    assert find_rom(find_game("pokemon-red").roms).name == "PokemonRed.gb"


def test_what_is_no_rom_is_refused_in_one_sentence(tmp_path):
    file = tmp_path / "x.gb"
    file.write_bytes(bytes(100))
    with pytest.raises(EnvwrightError, match="it has 100 bytes"):
        read_rom(file)
    assert "checksum" in why_not(bytes([1]) * 32768)
    rom = bytearray(32768)
    rom[0x149] = 6
    rom[0x14D] = -sum(byte + 1 for byte in rom[0x134:0x14D]) & 0xFF
    assert "size of RAM, 06, is not known" in why_not(bytes(rom))
    with pytest.raises(EnvwrightError, match="there is no ROM"):
        read_rom(tmp_path / "y.gb")
