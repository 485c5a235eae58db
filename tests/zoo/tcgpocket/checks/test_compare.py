"""The comparison itself: equal engines are equal, wrong ones are found, in words, and kept."""

import random

import numpy as np
import pytest
from tests.zoo.tcgpocket.checks.stand_in import Broken, Forgetful, Raising, Seeing, StandIn

from envwright.verify.divergence import load_divergence
from envwright.zoo.tcgpocket.checks import games, levels, sequences, states, words
from envwright.zoo.tcgpocket.checks.compare import differences
from envwright.zoo.tcgpocket.checks.players import PLAYERS
from envwright.zoo.tcgpocket.checks.traces import Start, answers, record, replayed
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.state import STATE, unpack


@pytest.fixture(scope="module")
def played():
    return [games.play(0, number) for number in range(12)]


def test_the_reference_is_equal_to_itself(played):
    assert differences(StandIn, played) == []


def test_a_broken_rule_is_found_at_its_first_step_and_told_in_words(played):
    bent = list(sequences.traces(0, 60))
    found = differences(Broken, bent)
    assert found
    one = found[0]
    last = np.frombuffer(one.trace.records[one.step], STATE)[0]
    assert one.step == len(one.trace.actions) and last["turn"] > 0
    assert differences(StandIn, [one.trace]) == []
    assert one.trace.about in str(one) and " | " in str(one)


def test_an_engine_that_shows_too_much_is_found_by_its_observation(played):
    found = differences(Seeing, played)
    assert len(found) == len(played)
    assert "observation of player 0" in found[0].field and "next_energy" in found[0].field


def test_an_engine_that_draws_otherwise_is_found_by_its_draws(played):
    found = differences(Forgetful, played)
    assert found and found[0].field.startswith("draw 0 of the step")
    assert found[0].reference.startswith("FIRST") and found[0].ours == "no draw"


def test_an_engine_that_raises_is_found_for_those_alone_who_make_it_raise(played):
    found = differences(Raising, played)
    retreats = [any(25 <= a < 28 for a in trace.actions) for trace in played]
    assert [one.index for one in found] == np.flatnonzero(retreats).tolist() and found
    assert found[0].field == "raised" and "no retreat" in found[0].ours


def test_a_difference_is_kept_shortened_to_one_step_and_shows_again(tmp_path, monkeypatch):
    found = differences(Broken, list(sequences.traces(0, 60)))
    saved = levels.divergence(2, found[0], Broken).save(tmp_path)
    again = load_divergence(saved.path)
    assert len(again.actions) <= 1
    for name in ("on_numpy", "compiled"):
        monkeypatch.setattr(levels, name, Broken)
    assert levels.replay_game(again)
    for name in ("on_numpy", "compiled"):
        monkeypatch.setattr(levels, name, StandIn)
    assert levels.replay_game(again) == ""


def test_a_start_survives_a_file(tmp_path, played):
    found = differences(Forgetful, played[:1])
    saved = levels.divergence(3, found[0], Forgetful).save(tmp_path)
    assert levels.start_of(load_divergence(saved.path)) == played[0].start


def test_every_answer_to_a_question_is_given_once():
    asked = 0
    for number in range(40):
        start = Start(record=states.position(random.Random(number)).tobytes())
        game = start.open()
        for action in game.legal:
            ways = [tuple(trace.actions) for trace in answers(start, "x", action)]
            assert len(set(ways)) == len(ways) >= 1 and all(way[0] == action for way in ways)
            asked += len(ways) > 1
            for way in ways:
                trace = replayed(start, "x", way)
                end = unpack(trace.records[-1])
                free = end["ask"] in (Ask.NOTHING, Ask.MAIN)
                assert free or end["turn"] > unpack(trace.records[0])["turn"]
    assert asked > 10


def test_traces_are_the_same_again():
    start = Start(record=states.position(random.Random(5)).tobytes())
    once, twice = (record(start, "x", PLAYERS["fighter"], 7, 9) for _ in range(2))
    assert once == twice and len(once.actions) == 9


def test_places_are_named_with_cards():
    state = states.position(random.Random(1))
    other = state.copy()
    player = int(state["player"])
    other["players"][player]["slots"][0]["damage"] += 1
    (place,) = words.places(state[()], other[()])
    assert place.field == f"players[{player}].slots[0].damage"
    assert "(" in words.field_name(place.field, state[()])
    assert words.value("stage", 1, state[()]) == "1 (MAIN)"
    assert words.zone_name(12) == "TOOL 1" and words.zone_name(15) == "STADIUM"
    assert words.action_words(actions.PASS, state[()]) == "pass"
