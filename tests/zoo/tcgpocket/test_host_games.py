"""Games of the reference as lanes for training, and as tables for tournaments."""

from functools import partial

import numpy as np
import pytest

import envwright
from envwright.errors import EnvwrightError
from envwright.sim.targets import open_target, simulator_name
from envwright.train import RunSpec, train
from envwright.train.arena import ScriptedPlayer, play_pairing
from envwright.train.arena.invite import open_table, scripted_players
from envwright.train.config import PPOConfig
from envwright.zoo.tcgpocket import features, players
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.reference.host_games import ReferenceGames

SEEDS = list(range(8))


def playing(lanes, steps, seed=0):
    """Random legal play: every view and step on the way."""
    rng = np.random.default_rng(seed)
    view = lanes.reset(SEEDS)
    for _ in range(steps):
        assert view.legal.any(1).all()
        step = lanes.step((rng.random(view.legal.shape) * view.legal).argmax(1))
        yield view, step
        view = step.view


def test_against_an_opponent_only_pass_is_legal_while_it_decides():
    lanes = ReferenceGames(opponent="greedy").lanes(8)
    waits = 0
    for view, _ in playing(lanes, 60):
        movers = np.array([s.game.mover == s.learner for s in lanes.seats])
        assert (lanes._view().legal[~movers].sum(1) == 1).all()
        waits += int((view.legal.sum(1) == 1).sum())
        assert view.legal[view.legal.sum(1) == 1][:, actions.PASS].all()
    assert waits > 60


def test_both_seats_are_played_and_each_ending_pays_the_learner():
    lanes = ReferenceGames(opponent="random").lanes(8)
    learners, endings = set(), 0
    for _, step in playing(lanes, 300):
        learners |= {seat.learner for seat in lanes.seats}
        assert (step.reward[~step.terminated] == 0).all()
        endings += int(step.terminated.sum())
    assert learners == {0, 1} and endings > 4


def test_self_play_pays_one_what_the_other_loses_and_tells_who_acts():
    lanes = ReferenceGames().lanes(8)
    assert lanes.players == 2 and len(lanes.reset(SEEDS).obs) == 8
    ended = 0
    for view, step in playing(lanes, 250):
        assert (view.acting.reshape(4, 2).sum(1) == 1).all()
        assert (step.reward.reshape(4, 2).sum(1) == 0).all()
        ended += int(step.terminated.sum())
    assert ended >= 2


def test_a_snapshot_goes_on_to_the_same_end():
    lanes = ReferenceGames(opponent="weighted", view="raw").lanes(8)
    list(playing(lanes, 20))
    kept = lanes.snapshot()
    view = lanes.restore(kept)
    told = [lanes.step(np.argmax(view.legal, 1)).view.obs.copy() for _ in range(3)]
    lanes.restore(kept)
    again = [lanes.step(np.argmax(view.legal, 1)).view.obs.copy() for _ in range(3)]
    assert np.array_equal(told, again)


def test_features_are_those_of_the_raw_view():
    raw = ReferenceGames(view="raw").lanes(8).reset(SEEDS).obs
    seen = ReferenceGames(view="features").lanes(8).reset(SEEDS).obs
    assert np.array_equal(seen, features.features(np, raw))


def test_named_decks_are_played():
    lanes = ReferenceGames(decks="sparks,dojo").lanes(2)
    lanes.reset([1, 2])
    kinds = [player.types for player in lanes.seats[0].game.table.players]
    assert kinds == [[3], [5]]


@pytest.mark.parametrize(
    "options, said",
    [
        ({"opponent": "x"}, "there is no opponent 'x'"),
        ({"view": "x"}, "view is raw or features"),
        ({"decks": "sparks"}, "between two decks, not 1"),
        ({"decks": "sparks, x"}, "there is no deck 'x'"),
        ({"decks": 5}, "decks are two, such as 'sparks,dojo', not 5"),
        ({"opponent": ["x"]}, "there is no opponent"),
        ({"max_turns": "abc"}, "max_turns is 'abc'; give a whole number from 1 to 99"),
        ({"max_turns": 40.5}, "max_turns is 40.5"),
        ({"same_stadium": "no"}, "same_stadium is 'no'; give true or false"),
        ({"turns": 3}, "there is no setting 'turns'"),
    ],
)
@pytest.mark.parametrize("make", [ReferenceGames, partial(envwright.make, "tcgpocket")])
def test_what_there_is_not_is_named(make, options, said):
    with pytest.raises(EnvwrightError, match=said):
        make(**options)


def test_settings_hold_on_the_reference_too():
    lanes = ReferenceGames(opponent="random", max_turns=2).lanes(8)
    lengths = [int(seat.game.table.turn) for _ in playing(lanes, 60) for seat in lanes.seats]
    assert max(lengths) == 2
    kept = lanes.snapshot()
    lanes.restore(kept)
    assert {seat.game.table.settings.max_turns for seat in lanes.seats} == {2}
    assert open_table("tcgpocket?max_turns=2", "reference").about.settings.max_turns == 2


def test_tables_that_there_are_not_are_refused():
    with pytest.raises(EnvwrightError, match="leave out the opponent"):
        open_table("tcgpocket?opponent=greedy", "reference")
    with pytest.raises(EnvwrightError, match="has no tables"):
        open_table("cartpole", "reference")
    with pytest.raises(EnvwrightError, match="there is no player 'greedy'; there are random"):
        scripted_players("cartpole", ["greedy"])


@pytest.mark.parametrize("option", ["", "?opponent=greedy"])
def test_ppo_trains_on_the_reference(option):
    name = simulator_name(f"tcgpocket{option}", "reference")
    config = PPOConfig(steps=64, num_envs=8, rollout=8, network="8", epochs=1)
    result = train(RunSpec(name, config), target=open_target(name))
    assert result.curve[-1]["steps"] == 64


def test_a_table_of_the_reference_rates_greedy_above_random():
    table = open_table("tcgpocket", "reference")
    by_name = {player.name: player for player in scripted_players("tcgpocket")}
    scores = play_pairing(table, by_name["greedy"], by_name["random"], 8)
    assert scores.mean() > 0.7
    assert isinstance(by_name["greedy"], ScriptedPlayer)


def test_agents_see_through_the_eyes_they_were_trained_with():
    raw = ReferenceGames(view="raw").lanes(4).reset(SEEDS[:4]).obs
    assert np.array_equal(players.eyes({"view": "raw"})(raw), raw)
    assert players.eyes({"view": "features"})(raw).shape == (4, features.SIZE)
