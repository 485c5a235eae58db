"""Teams survive every form they are written in, and what is wrong is said in one sentence."""

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon import pool, support
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.roster import encode, stats
from envwright.zoo.pokemon.teams import PokemonSet, export, packed, read

PACKED = (
    "Cacturne||LifeOrb|WaterAbsorb|swordsdance,drainpunch,suckerpunch,seedbomb||"
    "85,85,85,85,85,85|M|||92|,,,,,Poison]Rotom|RotomFrost|HeavyDutyBoots|Levitate|"
    "willowisp,voltswitch,thunderbolt,blizzard||85,,85,85,85,85|N|,0,,,,||87|,,,,,Electric"
)
EXPORT = """
Sparky (Raichu-Alola) (F) @ Choice Specs
Ability: Surge Surfer
Level: 83
Tera Type: Psychic
EVs: 252 SpA / 4 SpD / 252 Spe
Timid Nature
IVs: 0 Atk
- Thunderbolt
- Psyshock
"""


def test_packed_text_is_read():
    cacturne, rotom = read(PACKED)
    assert cacturne.species == "cacturne" and cacturne.level == 92 and cacturne.gender == "M"
    assert rotom.species == "rotomfrost" and rotom.ivs[1] == 0 and rotom.evs[1] == 0
    assert rotom.tera == "Electric" and rotom.name == "Rotom"


def test_export_text_is_read():
    (raichu,) = read(EXPORT)
    assert raichu.species == "raichualola" and raichu.name == "Sparky"
    assert raichu.evs == (0, 0, 0, 252, 4, 252) and raichu.nature == "timid"
    assert raichu.moves == ("thunderbolt", "psyshock")


@pytest.mark.parametrize("form", [packed, export])
def test_teams_of_the_pool_survive_being_written_and_read(form):
    for team in pool.teams()[:300]:
        assert read(form(team)) == team


def test_gender_and_tera_are_filled_in():
    (one,) = read("Magnezone\n- Thunderbolt")
    assert one.gender == "N" and one.tera == "Electric"
    assert read("Snorlax\n- Rest")[0].gender == "M"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a team is text"),
        ("Pikachuu\n- Tackle", "did you mean 'pikachu'"),
        ("Pikachu\n- Tackl", "Pikachu: unknown move 'tackl'"),
        ("Pikachu @ Leftoverz\n- Tackle", "unknown item"),
        ("Pikachu\nAbility: Statik\n- Tackle", "unknown ability"),
        ("Pikachu\nAbility: Static", "has no moves"),
        ("Pikachu\n- A\n- B\n- C\n- D\n- E", "5 moves"),
        ("Pikachu\n- Tackle\n- Tackle", "a move twice"),
        ("Pikachu\nLevel: 101\n- Tackle", "levels are 1 to 100"),
        ("Pikachu\nLevel: high\n- Tackle", "a whole number"),
        ("Pikachu\nEVs: 300 Atk\n- Tackle", "each is 0 to 255"),
        ("Pikachu\nEVs: 252 Atk / 252 Spe / 252 HP\n- Tackle", "510 are the most"),
        ("Pikachu\nIVs: 40 Atk\n- Tackle", "each is 0 to 31"),
        ("Pikachu\nEVs: much\n- Tackle", "is not like '252 SpA'"),
        ("Pikachu\nFavourite food: ketchup\n- Tackle", "means nothing"),
        ("Pikachu|||Static|tackle|||||||]Pikachu|x", "12 fields"),
        ("]".join(["Pikachu|||Static|tackle|||||||"] * 7), "1 to 6 Pokemon, not 7"),
        ("Pikachu\nTera Type: Sound\n- Tackle", "unknown type"),
    ],
)
def test_what_is_wrong_with_a_team_is_said(text, said):
    with pytest.raises(EnvwrightError, match=said):
        read(text)


def test_an_unsupported_set_is_named_with_its_reason():
    team = read("Pikachu @ Light Ball\nAbility: Static\n- Metronome\n- Thunderbolt")
    with pytest.raises(EnvwrightError, match=r"Pikachu \(item Light Ball, move Metronome\)"):
        support.require(team)
    good = read(PACKED.split("]")[0])
    assert support.require(good) is good


def test_the_pool_holds_supported_teams_without_a_species_twice():
    for team in pool.teams():
        assert len(team) == 6
        assert len({one.species for one in team}) == 6
        assert not any(support.reasons(one) for one in team)


def test_stats_follow_level_growth_and_nature():
    garchomp = NAMES.one_species("garchomp")
    jolly = NAMES.number("natures", "jolly")
    assert stats(garchomp, 100, [31 + 1, 31 + 63, 31, 31, 31, 31 + 63], jolly) == [
        358, 359, 226, 176, 206, 333,
    ]  # fmt: skip


def test_zacian_with_its_sword_starts_crowned():
    zacian = PokemonSet(
        "zacian", ("ironhead",), "intrepidsword", "rustedsword", gender="N", tera="Fairy"
    )
    roster = encode([(zacian,)])
    assert NAMES.species[roster.species[0, 0]] == "zaciancrowned"
    assert NAMES.moves[roster.moves[0, 0, 0]] == "behemothblade"
    assert np.count_nonzero(roster.species) == 1
