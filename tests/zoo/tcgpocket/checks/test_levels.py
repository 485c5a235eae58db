"""Levels 1 to 3 with the reference in the place of the fast engine, right and wrong."""

from collections import Counter

import pytest
from tests.zoo.tcgpocket.checks.stand_in import Broken, StandIn

from envwright.zoo.tcgpocket.cards import Kind, load
from envwright.zoo.tcgpocket.checks import effects, facts, games, levels, sequences
from envwright.zoo.tcgpocket.checks.compare import differences

FEW = 3


def test_every_effect_of_the_pool_can_be_made_to_act():
    for named, traces, acting in effects.everything(1, FEW):
        assert acting == FEW, str(named)
        assert traces


def test_effects_of_the_reference_are_its_own():
    families = ("recoil", "copy_any", "poison", "heal_self", "discard_own")
    named = [one for one in effects.all_effects() if one.effect.family in families]
    traces = [trace for one in named for trace in effects.traces_of(one, 0, 15)]
    assert differences(StandIn, traces) == []
    assert differences(Broken, traces)


@pytest.mark.parametrize(
    ("check", "more"),
    [
        (levels.check_cards, {"count": 8}),
        (levels.check_sequences, {"count": 50}),
        (levels.check_games, {"episodes": 6}),
    ],
)
def test_a_level_finds_a_wrong_rule_and_nothing_else(check, more):
    assert check(make=StandIn, **more).divergences == []
    wrong = check(make=Broken, **more)
    assert wrong.verdict == "different" and wrong.divergences[0].kind == "trace"


def test_sequences_go_through_everything_they_promise():
    seen = sum(map(sequences.events, sequences.traces(0, 400)), Counter())
    assert all(seen[name] for name in sequences.EVENTS)


def test_few_sequences_are_inconclusive():
    assert levels.check_sequences(make=StandIn, count=3).verdict == "inconclusive"


def test_decks_bring_in_every_card_in_612_games():
    forced = set()
    for number in range(0, 612, 9):
        decks = games.play(0, number).start.decks
        numbers = [games._turn(2 * number), games._turn(2 * number + 1)]
        assert all(n in cards for n, (cards, _) in zip(numbers, decks, strict=True))
    forced.update(games._turn(place) for place in range(2 * 612))
    assert forced == set(load())


def test_every_card_is_asked_about():
    few = [card for card in load().values() if card.number % 40 == 0]
    for card in few:
        asked = {trace.about.partition(": ")[2] for trace in facts.traces(0, [card])}
        assert any("in hand" in one for one in asked), card
        if card.kind == Kind.POKEMON:
            assert any("poison with 10 HP" in one for one in asked)
            assert any("retreats with 0" in one for one in asked)


def test_settings_other_than_the_default_are_all_met():
    for place, default in enumerate(sequences.DEFAULT):
        assert any(rules[place] != default for rules in sequences.OTHERWISE.values())
