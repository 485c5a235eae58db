"""Deck lists, decks around cards, and opponents."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from tests.zoo.tcgpocket.states import check

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket import cards, deck_lists, decks, opponents
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.observation import flat
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.reference import Game

DOCS = Path(__file__).parents[3] / "docs"
HERE = Path(__file__).parent


def play(names, seed, pair):
    rng = random.Random(seed)
    game = Game.new(pair, seed)
    while not game.over:
        game.step(opponents.choose(names[game.mover], game.observe(), game.mask(), rng))
        check(game)
    return game


def wins(name, other, games):
    """Wins minus losses against another opponent: seats swapped, the same decks and seeds."""
    total = 0
    lists = [deck_lists.named(deck) for deck in deck_lists.LISTS]
    for seed in range(games):
        rng = random.Random(seed)
        pair = [rng.choice(lists), rng.choice(lists)]
        total += play((name, other), seed, pair).rewards[0]
        total += play((other, name), seed, pair).rewards[1]
    return total


def test_there_are_ten_decks_and_more_and_each_can_be_played():
    assert len(deck_lists.LISTS) >= 10
    kinds = set()
    for name in deck_lists.LISTS:
        deck = deck_lists.named(name)
        kinds |= set(deck.types)
        assert play(("greedy", "random"), 1, [deck, deck]).over
    assert kinds == set(range(8))


def test_an_unknown_deck_or_opponent_is_named():
    with pytest.raises(EnvwrightError, match="there is no deck 'x'; there are sparks"):
        deck_lists.named("x")
    game = Game.new([deck_lists.named("sparks")] * 2)
    with pytest.raises(EnvwrightError, match="there is no opponent 'x'; there are random"):
        opponents.choose("x", game.observe(), game.mask(), random.Random(0))
    with pytest.raises(EnvwrightError, match="no action is legal"):
        nothing = np.zeros(actions.PADDED, bool)
        opponents.choose("random", game.observe(), nothing, random.Random(0))


def test_a_deck_can_be_made_around_any_card():
    rng = random.Random(0)
    for number in sorted(cards.load())[::7]:
        deck = decks.around(number, rng, partners=("Latias",))
        assert number in deck.cards and len(deck.cards) == 20


@pytest.mark.parametrize("name", list(opponents.OPPONENTS))
def test_an_opponent_sees_only_the_vector_and_the_mask(name):
    game = Game.new([deck_lists.named("museum"), deck_lists.named("fumes")], 3)
    rng = random.Random(5)
    for _ in range(60):
        if game.over:
            break
        view, mask = game.observe(), game.mask()
        action = opponents.choose(name, view, mask, random.Random(1))
        assert action == opponents.choose(name, flat(view), mask, random.Random(1))
        assert action in game.legal
        game.step(rng.choice(game.legal))


def test_better_opponents_win():
    assert wins("weighted", "random", 4) > 0
    assert wins("evolution-rusher", "attach-attack", 4) > 0
    assert wins("greedy", "attach-attack", 4) > 4
    assert wins("greedy", "random", 5) > 6


def test_actions_have_names():
    assert actions.name(0) == "pass" and actions.name(20) == "play card 19"
    assert actions.name(36) == "use stadium" and actions.name(104) == "copy attack 3"
    assert actions.name(105) == "padding 105"


@pytest.mark.parametrize(
    "wrong", [{"max_turns": 0}, {"max_turns": 100}, {"opening": "x"}, {"retreat_payment": "x"}]
)
def test_settings_that_nobody_knows_are_refused(wrong):
    with pytest.raises(EnvwrightError, match=next(iter(wrong))):
        Settings(**wrong)


def test_every_rule_has_a_test():
    pages = [DOCS / "tcgpocket-rules.md", DOCS / "tcgpocket-contract.md"]
    rules = {
        rule for page in pages for rule in re.findall(r"^- \*\*(\w+)\*\*", page.read_text(), re.M)
    }
    source = "".join(file.read_text() for file in HERE.glob("test_rules_*.py"))
    tested = set(re.findall(r"^def test_([A-Z]\d+)_", source, re.M))
    assert len(rules) > 80 and rules == tested


def test_every_effect_is_told_in_words():
    page = (DOCS / "tcgpocket-rules.md").read_text()
    told = set(re.findall(r"`([a-z_]+)(?::[a-z:]+)?`", page))
    families = {card.effect.family for card in cards.load().values()}
    families |= {attack.effect.family for card in cards.load().values() for attack in card.attacks}
    assert families - {""} <= told


def test_every_setting_is_told():
    page = (DOCS / "tcgpocket-rules.md").read_text()
    assert all(f"| `{name}` |" in page for name in Settings.__dataclass_fields__)
