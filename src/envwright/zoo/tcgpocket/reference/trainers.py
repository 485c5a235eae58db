"""Items, Supporters, Tools and Stadiums: when they can be played and what they do."""

from __future__ import annotations

from envwright.zoo.tcgpocket.cards import Card, Kind
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.abilities import bars_supporters, look
from envwright.zoo.tcgpocket.reference.attack_damage import heads_until_tails
from envwright.zoo.tcgpocket.reference.damage import attach_from_zone
from envwright.zoo.tcgpocket.reference.state import Table

RECALLED = ("Muk", "Weezing")
ROCKS = ("Golem", "Onix")
GATHERERS = ("Raichu", "Electrode", "Electabuzz")
TARGETED = ("potion", "heal_type", "flip_charge", "rock_charge")


def playable(table: Table, card: Card) -> bool:
    """[P1-P5] Return whether a trainer card in hand can be played now: it would do something."""
    match card.kind:
        case Kind.SUPPORTER:
            barred = table.me.no_supporter == table.turn or bars_supporters(table.foe.active)
            return not table.supporter and not barred and _useful(table, card)
        case Kind.TOOL:
            return bool(toolless(table))
        case Kind.STADIUM:
            return not table.stadium_played and (
                table.settings.same_stadium or _stadium_name(table) != card.name
            )
    return _useful(table, card)


def _stadium_name(table: Table) -> str:
    if table.stadium is None:
        return ""
    owner, card = table.stadium
    return table.players[owner].cards[card].name


def toolless(table: Table) -> list[int]:
    """[D1] Return own slots whose Pokemon has no Tool."""
    return [slot for slot in table.me.taken if table.me.at(slot).tool is None]


def targets(table: Table, card: Card) -> list[int]:
    """Return own slots that a trainer card can be played on."""
    effect = card.effect
    there = [(slot, table.me.at(slot)) for slot in table.me.taken]
    match effect.family:
        case "potion":
            return [slot for slot, p in there if p.damage]
        case "heal_type":
            return [slot for slot, p in there if p.damage and p.card.type == effect.arguments[0]]
        case "flip_charge":
            return [slot for slot, p in there if p.card.type == effect.arguments[0]]
        case "rock_charge":
            return [slot for slot, p in there if p.card.name in ROCKS]
    return []


def _useful(table: Table, card: Card) -> bool:
    me, foe = table.me, table.foe
    active = me.at(0)
    match card.effect.family:
        case "potion" | "heal_type" | "flip_charge" | "rock_charge":
            return bool(targets(table, card))
        case "recall":
            return active.card.name in RECALLED and bool(me.benched)
        case "drive_off":
            return bool(foe.benched)
        case "gather":
            kind = card.effect.arguments[0]
            return active.card.name in GATHERERS and any(
                me.at(slot).energy[kind] for slot in me.benched
            )
        case "fetch_basic" | "draw" | "scan":
            return bool(me.deck)
        case "reveal_hand" | "redraw":
            return bool(foe.hand)
    return True  # press, blaze, speed


def play(table: Table, card_id: int) -> None:
    """Play a trainer card; those with a target ask for it first."""
    card = table.me.cards[card_id]
    if card.kind == Kind.TOOL:
        table.ask(Ask.TOOL, table.player, card=card_id)
    elif card.kind == Kind.STADIUM:
        _build(table, card_id)
    elif card.effect.family in TARGETED:
        table.ask(Ask.TRAINER, table.player, card=card_id)
    else:
        _discard(table, card_id)
        _resolve(table, card)


def _discard(table: Table, card_id: int) -> None:
    """[P2] Discard a trainer card before it does anything."""
    zones.from_hand(table.me, card_id)
    table.me.discard.append(card_id)
    card = table.me.cards[card_id]
    table.fired.append(card.effect.family)
    if card.kind == Kind.SUPPORTER:
        table.supporter = True


def play_on(table: Table, card_id: int, slot: int) -> None:
    """Play a trainer card on its chosen target."""
    _discard(table, card_id)
    effect = table.me.cards[card_id].effect
    pokemon = table.me.at(slot)
    match effect.family:
        case "potion" | "heal_type":
            zones.heal(pokemon, effect.arguments[-1])
        case "flip_charge":
            for _ in range(heads_until_tails(table)):
                attach_from_zone(table, table.me, pokemon, effect.arguments[0])
        case "rock_charge":
            attach_from_zone(table, table.me, pokemon, effect.arguments[0])


def attach_tool(table: Table, card_id: int, slot: int) -> None:
    """[D1] Attach a Tool to a Pokemon."""
    zones.from_hand(table.me, card_id)
    table.me.at(slot).tool = card_id
    table.fired.append(table.me.cards[card_id].effect.family)


def _build(table: Table, card_id: int) -> None:
    """[D2] Replace the Stadium in play, which its owner discards."""
    zones.from_hand(table.me, card_id)
    if table.stadium:
        owner, old = table.stadium
        table.players[owner].discard.append(old)
    table.stadium = (table.player, card_id)
    table.stadium_played = True
    table.fired.append(table.me.cards[card_id].effect.family)


def stadium_usable(table: Table) -> bool:
    """[D4] Return whether the Stadium in play can be used in this turn."""
    return (
        table.stadium_effect("academy") is not None
        and not table.stadium_used
        and bool(table.me.deck)
    )


def use_stadium(table: Table) -> None:
    """[D4] Flip a coin: on heads a random Pokemon of the deck comes to hand."""
    table.stadium_used = True
    if table.chance.heads(Purpose.COIN):
        zones.fetch(table, table.me, zones.is_pokemon)


def _resolve(table: Table, card: Card) -> None:
    me, foe, arguments = table.me, table.foe, card.effect.arguments
    match card.effect.family:
        case "press":
            table.press += arguments[0]
        case "blaze":
            table.blaze += arguments[0]
        case "speed":
            table.speed += arguments[0]
        case "draw":
            zones.draw(me, arguments[0])
        case "fetch_basic":
            zones.fetch(table, me, lambda card: card.basic)
        case "scan":
            look(table, arguments[0])
        case "reveal_hand":
            foe.revealed = set(foe.hand)
        case "drive_off":
            table.ask(Ask.SWITCH_OUT, 1 - table.player)
        case "recall":
            for part in zones.leave_play(me, 0):
                zones.to_hand(me, part, revealed=True)
        case "gather":
            kind = arguments[0]
            for slot in me.benched:
                me.at(0).energy[kind] += me.at(slot).energy[kind]
                me.at(slot).energy[kind] = 0
        case "redraw":
            foe.deck += foe.hand
            foe.hand, foe.revealed = [], set()
            zones.shuffle(table, foe)
            zones.draw(foe, arguments[0])
