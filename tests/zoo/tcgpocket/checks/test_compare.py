"""The comparison itself: equal engines are equal, wrong ones are found, in words, and kept."""

import random

import numpy as np
import pytest
from tests.zoo.tcgpocket.checks.stand_in import Broken, Forgetful, Raising, Seeing, StandIn

from envwright.errors import EnvwrightError
from envwright.schema.divergence import load_divergence
from envwright.verify.replay import replay
from envwright.zoo.tcgpocket.checks import game_traces, games, levels, sequences, states, words
from envwright.zoo.tcgpocket.checks.compare import CardGames, differences
from envwright.zoo.tcgpocket.checks.game_traces import GAMES, Script
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
    trace = bent[one.trace]
    last = np.frombuffer(trace.records[one.step], STATE)[0]
    assert 0 < one.step <= trace.length and last["turn"] > 0
    assert differences(StandIn, [trace]) == []
    assert trace.about in str(one) and " | " in str(one)


def test_an_engine_that_shows_too_much_is_found_by_its_observation(played):
    found = differences(Seeing, played)
    assert len(found) == len(played)
    field = found[0].first.field
    assert "observation of player 0" in field and "next_energy" in field


def test_an_engine_that_draws_otherwise_is_found_by_its_draws(played):
    found = differences(Forgetful, played)
    assert found and found[0].first.field.startswith("draw 0 of the step")
    assert found[0].first.reference.startswith("FIRST") and found[0].first.twin == "no draw"


def test_an_engine_that_raises_is_found_for_those_alone_who_make_it_raise(played):
    found = differences(Raising, played)
    retreats = [any(25 <= a < 28 for a in trace.actions) for trace in played]
    assert sorted(one.trace for one in found) == np.flatnonzero(retreats).tolist() and found
    assert all("no retreat" in one.raised for one in found)
    assert all(25 <= played[one.trace].actions[one.step - 1] < 28 for one in found)


def test_a_difference_is_kept_shortened_to_one_step_and_shows_again(tmp_path, monkeypatch):
    bent = list(sequences.traces(0, 60))
    found = differences(Broken, bent)[0]
    saved = levels.divergence(2, found, bent[found.trace], Broken).save(tmp_path)
    again = load_divergence(saved.path)
    assert len(again.actions) <= 1
    for name in ("on_numpy", "compiled"):
        monkeypatch.setattr(game_traces, name, Broken)
    assert replay(again).shows
    for name in ("on_numpy", "compiled"):
        monkeypatch.setattr(game_traces, name, StandIn)
    assert not replay(again).shows


def test_a_start_survives_a_file(tmp_path, played):
    (found,) = differences(Forgetful, played[:1])
    saved = levels.divergence(3, found, played[0], Forgetful).save(tmp_path)
    again = load_divergence(saved.path)
    assert GAMES.script(again.start, again.actions).start == played[0].start


def test_fewer_decisions_are_looked_for_where_the_last_one_alone_shows_nothing(monkeypatch):
    class Late(StandIn):
        """Raises at a third decision, wherever the game began."""

        steps = 0

        def new(self, decks, seeds):
            self.steps = 0
            super().new(decks, seeds)

        load = StandIn.load

        def step(self, actions):
            self.steps += 1
            if self.steps == 3 and len(self.games) == 1:
                raise EnvwrightError("the third")
            super().step(actions)

    trace = games.play(0, 0)
    script = Script(trace.start, trace.actions, trace.about)
    with GAMES.recorder() as record:
        found, small = GAMES.smaller(script, CardGames(Late), record, budget=20)
    assert found.step == 3 and small.actions == trace.actions[:3]


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
