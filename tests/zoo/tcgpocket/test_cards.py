"""The committed facts: what they hold, and that they are what the script makes."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket import cards
from envwright.zoo.tcgpocket.cards import FACTS, LETTERS, Kind, Type, by_number, by_print, extract

DATA = os.environ.get("ENVWRIGHT_TCG_CARDS")
needs_data = pytest.mark.skipif(
    not DATA, reason="set ENVWRIGHT_TCG_CARDS to the file of card data to compare with it"
)
A1_NUMBERS, PA_NUMBERS = 286, 117  # prints of the two sets


def prints_of(name):
    found = [p for card in cards.load().values() for p in card.prints]
    return sorted(int(p.split()[1]) for p in found if p.split()[0] == name)


def test_every_print_of_a1_and_the_promos_is_there():
    assert prints_of("A1") == list(range(1, A1_NUMBERS + 1))
    missing = set(range(1, PA_NUMBERS + 1)) - set(prints_of("P-A"))
    assert missing == set()


def test_facts_hold_no_texts():
    allowed = {"number", "name", "prints", "kind", "type", "stage", "hp", "retreat", "attacks"}
    allowed |= {"weakness", "from", "ex", "ability", "effect"}
    for row in json.loads(FACTS.read_text()):
        assert set(row) <= allowed
        for cost, damage, effect in row.get("attacks", []):
            assert re.fullmatch("[GRWLPFDMC]*", cost) and isinstance(damage, int)
            assert re.fullmatch(r"([a-z_]+(:\w+)*)?", effect)


def test_a_card_as_it_is_printed():
    card = by_print("A1 036")
    assert (card.name, card.type, card.stage, card.hp) == ("Charizard ex", Type.FIRE, 2, 180)
    assert (card.retreat, card.weakness, card.evolves_from) == (2, Type.WATER, "Charmeleon")
    assert card.points == 2 and [attack.damage for attack in card.attacks] == [60, 200]
    assert card.attacks[1].cost == (0, 2, 0, 0, 0, 0, 0, 0, 2)
    assert card.attacks[1].effect.family == "discard_own"
    assert card.attacks[1].effect.arguments == (Type.FIRE, 2)
    assert by_print("P-A 022").hp == 60


def test_kinds_and_numbers():
    kinds = Counter(card.kind for card in cards.load().values())
    assert kinds[Kind.TOOL] == 2 and kinds[Kind.STADIUM] == 3
    assert all(number == card.number for number, card in cards.load().items())
    assert all(card.hp % 10 == 0 for card in cards.load().values())


def test_unknown_cards_are_named():
    with pytest.raises(EnvwrightError, match="there is no card 'A1 999'"):
        by_print("A1 999")
    with pytest.raises(EnvwrightError, match="there is no card 0"):
        by_number(0)


def test_a_file_that_is_no_card_data_is_refused(tmp_path, capsys):
    bad = tmp_path / "bad.json"
    bad.write_text("[1, 2]")
    assert extract.main([str(bad)]) == 2
    assert "is not a file of card data" in capsys.readouterr().err
    assert extract.main([]) == 2


def test_a_text_is_known_however_signs_are_written():
    ways = ("takes -20 damage from Pokémon’s", "takes −20 damage from  Pokemon's")
    assert len({extract.digest("attack", way) for way in ways}) == 1
    assert extract.digest("attack", ways[0]) != extract.digest("ability", ways[0])


@needs_data
def test_the_committed_facts_are_what_the_script_makes():
    assert extract.extract(Path(DATA)) == FACTS.read_text()


@needs_data
def test_all_pokemon_without_effects_of_every_set_are_there():
    for card in extract.read(Path(DATA)):
        if card["card_type"] == "pokemon" and not extract.texts_of(card):
            assert card["id"] in cards.load()


@needs_data
def test_numbers_and_types_of_effects_stand_in_their_texts():
    effects = extract.known_effects()
    seen = set()
    for card in extract.read(Path(DATA)):
        for kind, text in extract.texts_of(card):
            effect = effects.get(extract.digest(kind, text))
            if effect is None:
                continue
            seen.add(effect)
            for argument in effect.split(":")[1:]:
                if argument in LETTERS:
                    assert f"[{argument}]" in text, (effect, text)
                elif argument == "1":
                    assert re.search(r"\b(1|a|an|the top card|once)\b", text, re.I), (effect, text)
                else:
                    assert re.search(rf"\b{argument}\b", text), (effect, text)
    assert seen == set(effects.values())
