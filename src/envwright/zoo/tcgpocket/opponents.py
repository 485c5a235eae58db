"""Players without learning. They see observations and masks, so they play on any engine.

    worth = opponents.worth("greedy", np, observations, masks)        # float32[B, 128]
    actions = opponents.answer("greedy", jnp, observations, masks, words)
    action = opponents.choose("greedy", view, mask, random.Random(0))

Observations are int16[B, 382], masks bool[B, 128], words uint32[B]: one random word decides among
equally good actions. Both modules of arrays give the same answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from envwright.core.arrays import Array
from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import ENERGIES, Kind
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.observation import flat
from envwright.zoo.tcgpocket.contract.state import CARDS, SLOTS
from envwright.zoo.tcgpocket.observation_reader import ATTACKS, OTHER, OWN, ObservationReader, Role

NEVER = np.float32(-1e9)  # worth of illegal actions
_BLOCKS = {  # where actions of a kind begin, and how many there are
    "pass_": (actions.PASS, 1),
    "play": (actions.PLAY, CARDS),
    "attach": (actions.ATTACH, SLOTS),
    "retreat": (actions.RETREAT, SLOTS - 1),
    "ability": (actions.ABILITY, SLOTS),
    "attack": (actions.ATTACK, ATTACKS),
    "stadium": (actions.STADIUM, 1),
    "fossil": (actions.DISCARD_FOSSIL, SLOTS),
    "slot": (actions.CHOOSE_SLOT, 2 * SLOTS),
    "energy": (actions.CHOOSE_ENERGY, ENERGIES),
}


def choose(name: str, view: np.ndarray, mask: np.ndarray, rng: random.Random) -> int:
    """Return the action of an opponent in one game; `view` is a record or a vector."""
    if not mask.any():
        raise EnvwrightError("no action is legal; do not ask an opponent once a game is over")
    vector = flat(view) if view.dtype.names else np.asarray(view)
    word = np.array([rng.getrandbits(32)], np.uint32)
    return int(answer(name, np, vector[None], mask[None], word)[0])


def answer(name: str, xp: ModuleType, observations: Array, masks: Array, words: Array) -> Array:
    """Return one action per game, int32[B]; 0 where none is legal."""
    worths = worth(name, xp, observations, masks)
    if name == "weighted":
        weights = xp.where(masks, worths, 0).astype(np.uint32)
    else:
        best = worths == worths.max(-1, keepdims=True)
        weights = (masks & best).astype(np.uint32)
    upto = xp.cumsum(weights, axis=-1, dtype=np.uint32)
    drawn = _below(words, upto[:, -1])
    return xp.argmax(upto > drawn[:, None], axis=-1).astype(np.int32)


def worth(name: str, xp: ModuleType, observations: Array, masks: Array) -> Array:
    """Return an opponent's worth of each action, float32[B, 128]; `NEVER` where it is illegal.

    Of `weighted` these are whole weights; all others take one of the best.
    """
    check(name)
    return xp.where(masks, OPPONENTS[name](ObservationReader(xp, observations)), NEVER)


def check(name: str) -> None:
    """Reject a name that is not an opponent's."""
    if name not in list(OPPONENTS):
        raise EnvwrightError(f"there is no opponent '{name}'; there are {', '.join(OPPONENTS)}")


def _below(words: Array, n: Array) -> Array:
    """Scale each word to a number below n (which has 16 bits), as the contract's chance does."""
    half = np.uint32(16)
    return ((words >> half) * n + (((words & np.uint32(0xFFFF)) * n) >> half)) >> half


def _spread(seen: ObservationReader, rest: float = 0.0, **blocks: Any) -> Array:
    """Spread worths of kinds of actions to float32[B, 128]; `rest` for kinds that are not named."""
    xp, lanes = seen.xp, seen.observations.shape[0]
    parts, at = [], 0

    def fill(upto: int) -> None:
        if upto > at:
            parts.append(xp.full((lanes, upto - at), np.float32(rest)))

    for name, (first, count) in _BLOCKS.items():
        if name not in blocks:
            continue
        fill(first)
        given = xp.asarray(blocks[name], np.float32)
        parts.append(xp.broadcast_to(given, (lanes, count)))
        at = first + count
    fill(actions.PADDED)
    return xp.concatenate(parts, -1)


def _asks(seen: ObservationReader, *asked: Ask) -> Array:
    """Return whether one of these is asked, bool[B, 1]."""
    found = seen("ask") == asked[0]
    for one in asked[1:]:
        found = found | (seen("ask") == one)
    return found[:, None]


def _random(seen: ObservationReader) -> Array:
    return _spread(seen)


def _weighted(seen: ObservationReader) -> Array:
    """Prefer actions that advance the game."""
    kinds = {"attack": 100, "attach": 60, "play": 50, "ability": 50, "retreat": 5, "fossil": 1}
    main = _spread(seen, 10, **kinds)
    return seen.xp.where(_asks(seen, Ask.MAIN), main, np.float32(10))


def _attach_attack(seen: ObservationReader) -> Array:
    """Attach energy to the Active Pokemon, then use its strongest attack, and little else."""
    xp = seen.xp
    active = np.array([1000, 0, 0, 0], np.float32)
    basics = 1001 * seen.hand.basic
    main = _spread(seen, pass_=1, play=basics, attach=active, attack=100 + seen.hits[:, OWN, 0])
    return xp.where(_asks(seen, Ask.MAIN), main, _spread(seen, 1, pass_=0))


def _evolution_rusher(seen: ObservationReader) -> Array:
    """Evolve and look for cards first; then act like attach-attack."""
    xp, hand = seen.xp, seen.hand
    grows = (hand.kind == Kind.POKEMON) & (hand.stage > 0)
    plays = xp.where(grows, 3000 + hand.stage, 2000.0 * (hand.role == Role.SEARCH))
    plays = _spread(seen, play=plays)
    plays = xp.where(_asks(seen, Ask.MAIN), plays, np.float32(0))
    places = seen.energy.sum(-1).reshape(-1, 2 * SLOTS)
    otherwise = xp.where(plays > 0, plays, _attach_attack(seen))
    return xp.where(_asks(seen, Ask.EVOLVE), _spread(seen, slot=places), otherwise)


def _greedy(seen: ObservationReader) -> Array:
    """Do everything useful in a turn, then the attack of most damage, lethal ones first."""
    needed = seen.pokemon.cost[:, OWN, 0, :, :ENERGIES].max(1)
    asked = _spread(seen, pass_=-1, play=seen.hand.hp, slot=_greedy_slots(seen), energy=-needed)
    return seen.xp.where(_asks(seen, Ask.MAIN), _greedy_main(seen), asked)


def _greedy_main(seen: ObservationReader) -> Array:
    xp = seen.xp
    hit = seen.hits[:, OWN, 0]
    lethal = hit >= seen.left[:, OTHER, :1]
    ready = _ready(seen)
    active = np.array([50, 0, 0, 0], np.float32)
    return _spread(
        seen,
        -1,
        pass_=50,
        play=_greedy_plays(seen),
        attach=1200 + 100 * seen.wants(seen.side("energy")[:, OWN] - 1) + active,
        retreat=xp.where(ready[:, 1:] & ~ready[:, :1], 110, -2),
        ability=1300,
        attack=100 + hit + 500 * lethal,
        stadium=1800,
    )


def _greedy_plays(seen: ObservationReader) -> Array:
    """Return the worth of playing each card, float32[B, 20]."""
    xp, hand = seen.xp, seen.hand
    hurt = seen.slot("damage")[:, OWN].max(-1)[:, None] >= 2
    many = seen.side("hand")[:, OTHER, None] > 4
    worths = xp.where(hand.kind == Kind.SUPPORTER, -1, 60)
    for role, value in (
        (Role.SEARCH, 1900),
        (Role.BOOST, xp.where(_ready(seen)[:, :1], 1100, -1)),
        (Role.HEAL, xp.where(hurt, 1150, -1)),
        (Role.PREPARE, 1850),
        (Role.REDRAW, xp.where(many, 1100, -1)),
    ):
        worths = xp.where(hand.role == role, value, worths)
    return xp.where(hand.kind == Kind.POKEMON, 2000 + hand.hp, worths)


def _ready(seen: ObservationReader) -> Array:
    """Return own Pokemon with an attack that prints damage and is paid for, bool[B, 4]."""
    paid: Any = seen.payable & (seen.pokemon.damage > 0)
    return paid.any(-1)[:, OWN]


def _greedy_slots(seen: ObservationReader) -> Array:
    """Return worths of slots, float32[B, 8]: own ones by the question, else the weakest."""
    xp, left = seen.xp, seen.left
    active = np.array([1, 0, 0, 0], np.float32)
    ready = xp.where(seen.payable[:, OWN], seen.pokemon.expected[:, OWN], 0).max(-1)
    own = seen.energy[:, OWN].sum(-1) + 2 * active
    for asked, value in (
        ((Ask.PROMOTE, Ask.SWITCH_OUT, Ask.TELEPORT), 1000 * ready + left[:, OWN]),
        ((Ask.HIT,), left[:, OWN]),  # an own one has to take it
        ((Ask.TRAINER, Ask.RIPPLES), seen.slot("damage")[:, OWN] + active),
    ):
        own = xp.where(_asks(seen, *asked), value, own)
    return xp.concatenate([own, -left[:, OTHER]], -1)


OPPONENTS: dict[str, Callable[[ObservationReader], Array]] = {
    "random": _random,
    "weighted": _weighted,
    "attach-attack": _attach_attack,
    "evolution-rusher": _evolution_rusher,
    "greedy": _greedy,
}
