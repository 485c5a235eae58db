"""The Rust battles: held to the recorded games of the reference, and what callers may rely on."""

from pathlib import Path

import numpy as np
import pytest

from envwright._native import PokemonBattles
from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.checks.compare import differences
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.native import NativeBattles, NativeEngine, played, supported
from envwright.zoo.pokemon.pool import load_pool
from envwright.zoo.pokemon.reference.trace import load
from envwright.zoo.pokemon.roster import encode
from envwright.zoo.pokemon.support import reasons, require
from envwright.zoo.pokemon.teams import read

TRACES = Path(__file__).parent / "traces"


def drawn(count: int = 64, threads: int = 1, seed: int = 3) -> NativeBattles:
    battles = NativeBattles(count, threads)
    battles.draw(load_pool(), seed)
    return battles


def play(battles: NativeBattles, steps: int, seed: int = 0) -> list[np.ndarray]:
    seen = []
    for step in range(steps):
        battles.step(battles.sample(seed + step))
        seen.append(battles.state()["rng"].copy())
    return seen


@pytest.mark.parametrize("kind", ["species", "moves", "abilities", "items", "natures", "types"])
def test_numbers_are_those_of_the_tables(kind):
    assert PokemonBattles.names(kind) == [name.lower() for name in NAMES.list(kind)[1:]]


@pytest.mark.parametrize("recorded", ["games.xz", "duels.xz"])
def test_recorded_games_of_the_reference_have_no_difference(recorded):
    traces = list(load(TRACES / recorded))
    assert [str(one) for one in differences(NativeEngine(), traces)] == []


def test_what_either_engine_once_played_otherwise_is_played_right():
    def known(team):
        return not any(reasons(one, played) for one in read(team))

    traces = [t for t in load(TRACES / "found.xz") if all(map(known, t.teams))]
    assert len(traces) > 30
    assert [str(one) for one in differences(NativeEngine(), traces)] == []


def test_results_do_not_depend_on_the_number_of_threads():
    one, two = drawn(threads=1), drawn(threads=2)
    for a, b in zip(play(one, 40), play(two, 40), strict=True):
        assert np.array_equal(a, b)


def test_a_snapshot_goes_on_as_the_battles_it_was_taken_of():
    battles = drawn()
    play(battles, 25)
    kept = battles.snapshot()
    first = play(battles, 40, seed=100)
    battles.restore(kept)
    for a, b in zip(first, play(battles, 40, seed=100), strict=True):
        assert np.array_equal(a, b)


def test_every_battle_always_leaves_somebody_a_choice():
    battles = drawn(256)
    for step in range(150):
        masks, rewards, ended = battles.step(battles.sample(step))
        assert masks.any(-1).all()
        assert not (masks[:, 0, 13] & masks[:, 1, 13]).any()
        assert (rewards.sum(-1) == 0).all()
        assert (rewards[~ended] == 0).all()


def test_ended_battles_are_followed_by_others():
    battles = drawn(128)
    ends = sum(int(battles.step(battles.sample(step))[2].sum()) for step in range(200))
    assert ends > 100
    assert (battles.state()["winner"] == 0).all()


def test_an_illegal_choice_is_refused_before_anything_is_played():
    battles = drawn(4)
    before = battles.snapshot()
    actions = battles.sample(0)
    actions[2, 1] = 13
    with pytest.raises(EnvwrightError, match=r"player 2 of battle 2 may not choose 13"):
        battles.step(actions)
    assert battles.snapshot() == before


def test_battles_that_have_not_begun_are_not_played():
    with pytest.raises(EnvwrightError, match="call reset first"):
        NativeBattles(2).step(np.full((2, 2), 13, np.int32))


@pytest.mark.parametrize("wrong", [b"", b"PKMNBTL2", b"EWSNAP", b"x" * 100])
def test_bytes_that_are_no_snapshot_are_refused(wrong):
    with pytest.raises(EnvwrightError, match="snapshot"):
        drawn(2).restore(wrong)


def test_every_changed_or_missing_byte_of_a_snapshot_is_noticed():
    battles = drawn(2)
    play(battles, 10)
    kept = battles.snapshot()
    for at in range(len(kept)):
        changed = kept[:at] + bytes([kept[at] ^ 0x41]) + kept[at + 1 :]
        for damaged in (changed, kept[:at]):
            with pytest.raises(EnvwrightError, match="snapshot"):
                battles.restore(damaged)
    assert battles.snapshot() == kept


def test_a_snapshot_of_another_number_of_battles_is_refused():
    with pytest.raises(EnvwrightError, match="the snapshot holds 2 environments"):
        drawn(3).restore(drawn(2).snapshot())


def _roster(text):
    return encode([read(text)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Snorlax\nAbility: Gluttony\n- Rest", "snorlax has the ability gluttony"),
        ("Snorlax @ Iapapa Berry\nAbility: Thick Fat\n- Rest", "snorlax has the item iapapaberry"),
        ("Snorlax\nAbility: Thick Fat\n- Rest\n- Copycat", "snorlax has the move copycat"),
    ],
)
def test_a_set_with_something_that_is_not_played_is_refused_before_the_battle(text, said):
    battles, roster = NativeBattles(1), _roster(text)
    with pytest.raises(EnvwrightError, match=f"battle 0: {said}, which is not played"):
        battles.begin(np.zeros((2, 1), np.uint32), roster, roster)
    with pytest.raises(EnvwrightError, match=f"team 0: {said}, which is not played"):
        battles.bring(roster)
    with pytest.raises(EnvwrightError, match="not supported yet: Snorlax"):
        require(read(text), played)


def test_numbers_that_stand_for_nothing_are_refused():
    roster = _roster("Snorlax\nAbility: Thick Fat\n- Rest")
    wrong = roster._replace(species=np.where(roster.species > 0, 30_000, 0).astype(np.int16))
    with pytest.raises(EnvwrightError, match="there is no species with number 30000"):
        NativeBattles(1).begin(np.zeros((2, 1), np.uint32), roster, wrong)


def test_whatever_the_pool_and_the_recorded_games_have_is_played():
    NativeBattles(1).bring(load_pool())
    for trace in load(TRACES / "games.xz"):
        for team in trace.teams:
            require(read(team), played)


def test_two_hundred_atoms_and_more_are_played_and_their_firing_counted():
    assert len(supported()) >= 389
    PokemonBattles.count_fired(True)
    play(drawn(256), 60)
    fired = PokemonBattles.fired()
    PokemonBattles.count_fired(False)
    assert fired["i:leftovers"] > 100
    assert sum(count > 0 for count in fired.values()) > 150
