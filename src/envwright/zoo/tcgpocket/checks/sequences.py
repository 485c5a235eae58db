"""Short sequences from random states across check-up, knock-outs, promotion, evolution and Tools.

Starts are biased towards what is rare in play: Pokemon that are about to fall on both sides,
poisoned and burned ones, cards in hand that evolve what is there, Tools, Stadiums, points short of
winning.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from envwright.zoo.tcgpocket.cards import Kind, load
from envwright.zoo.tcgpocket.checks import states
from envwright.zoo.tcgpocket.checks.players import PLAYERS
from envwright.zoo.tcgpocket.checks.traces import DEFAULT, Rules, Start, Trace, record
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.state import NONE, STATE, Mind
from envwright.zoo.tcgpocket.records import card_in, full_hp

DECISIONS = 12
# Settings other than the default: each by itself, and all of them.
OTHERWISE: dict[str, Rules] = {
    "default": DEFAULT,
    "14 turns": (14, *DEFAULT[1:]),
    "dealt, fixed payment": (30, "dealt", "fixed", False, False, False),
    "same Stadium, Weakness first, open energy": (30, "redraw", "chosen", True, True, True),
    "all otherwise": (24, "dealt", "fixed", True, True, True),
}


def traces(seed: int, count: int) -> Iterator[Trace]:
    """Record so many sequences; biases, settings and players take turns."""
    bent, rules, who = list(BENT.items()), list(OTHERWISE.values()), list(PLAYERS.items())
    for number in range(count):
        rng = random.Random(f"sequence {seed} {number}")
        name, bend = bent[number % len(bent)]
        state = states.standing(bend(states.position(rng), rng))
        player, choose = who[number // len(bent) % len(who)]
        start = Start(rules[number // 7 % len(rules)], state.tobytes())
        about = f"sequence {number} ({name}, {player})"
        yield record(start, about, choose, number, DECISIONS)


def _falling(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Bring every Pokemon in play close to a knock-out."""
    for player in (0, 1):
        for slot in states.taken(state, player):
            hp = full_hp(state, player, slot) // 10
            state["players"][player]["slots"][slot]["damage"] = hp - 1
    return state


def _checked(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Give both Active Pokemon conditions and few HP."""
    for player in (0, 1):
        side = state["players"][player]
        side["poisoned"], side["burned"] = rng.random() < 0.7, rng.random() < 0.7
        side["mind"] = rng.choice(list(Mind))
        hp = full_hp(state, player, 0) // 10
        side["slots"][0]["damage"] = max(0, hp - rng.randint(1, 4))
        side["points"] = rng.choice((0, 1, 2, 2))
    return state


def _evolving(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Let the hand of the player whose turn it is evolve Pokemon in play."""
    player = int(state["player"])
    for slot in states.taken(state, player):
        facts = card_in(state, player, slot)
        above = [c.number for c in load().values() if facts and c.evolves_from == facts.name]
        if above:
            held = states.in_hand(state, player, rng.choice(above), rng)
            state = held[0] if held else state
            state["players"][player]["slots"][slot]["fresh"] = 0
    return state


def _equipped(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Put Tools on both sides and in hand."""
    for player in (0, 1):
        for slot in states.taken(state, player):
            if rng.random() < 0.5:
                tool = rng.choice(states.of_kind(Kind.TOOL))
                state = states.with_tool(state, player, slot, tool, rng)
        held = states.in_hand(state, player, rng.choice(states.of_kind(Kind.TOOL)), rng)
        state = held[0] if held else state
    return _falling(state, rng) if rng.random() < 0.5 else state


def _placed(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Put a Stadium in play and one in hand, and all HP near what a Stadium gives."""
    stadium = rng.choice(states.of_kind(Kind.STADIUM))
    state = states.with_stadium(state, rng.randrange(2), stadium, rng)
    player = int(state["player"])
    held = states.in_hand(state, player, rng.choice(states.of_kind(Kind.STADIUM)), rng)
    state = held[0] if held else state
    state["stadium_played"] = state["stadium_used"] = 0
    return _falling(state, rng)


def _powerful(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Make both Active Pokemon any of the pool that can attack."""
    numbers = [c.number for c in load().values() if c.attacks]
    for player in (0, 1):
        state = states.in_slot(state, player, 0, rng.choice(numbers), rng)
    return state


def _copying(state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Copy attacks of the other side, with plenty of energy."""
    player = int(state["player"])
    state = _powerful(state, rng)
    copying = [
        c.number
        for c in load().values()
        if any("copy" in attack.effect.family for attack in c.attacks)
    ]
    state = states.in_slot(state, player, 0, rng.choice(copying), rng)
    state["players"][player]["slots"][0]["energy"] = rng.choice((1, 2, 4))
    return state


def _as_it_is(state: np.ndarray, rng: random.Random) -> np.ndarray:
    return state


BENT: dict[str, Callable[[np.ndarray, random.Random], np.ndarray]] = {
    "as it is": _as_it_is,
    "about to fall": _falling,
    "check-up": _checked,
    "evolving": _evolving,
    "Tools": _equipped,
    "Stadiums": _placed,
    "any attackers": _powerful,
    "copied attacks": _copying,
}

EVENTS = (
    "poison", "burn", "sleep", "paralysis", "knock-out", "several knock-outs", "promotion",
    "both promote", "evolution", "Tool attached", "Tool discarded", "Stadium replaced",
    "retreat", "won", "tie",
)  # fmt: skip


def events(trace: Trace) -> Counter[str]:
    """Return what happened in a trace, according to its records."""
    seen: Counter[str] = Counter()
    data = np.frombuffer(b"".join(trace.records), STATE)
    for before, after in itertools.pairwise(data):
        _event(seen, before, after)
    return Counter({name: int(count) for name, count in seen.items()})


def _event(seen: Counter[str], before: np.void, after: np.void) -> None:
    sides = list(zip(before["players"], after["players"], strict=True))
    if after["turn"] > before["turn"]:
        seen["poison"] += int(before["players"]["poisoned"].sum())
        seen["burn"] += int(before["players"]["burned"].sum())
        seen["sleep"] += int((before["players"]["mind"] == Mind.ASLEEP).sum())
        seen["paralysis"] += int((before["players"]["mind"] == Mind.PARALYSED).sum())
    gone = sum(int((b["slots"]["card"] != NONE).sum()) for b, _ in sides) - sum(
        int((a["slots"]["card"] != NONE).sum()) for _, a in sides
    )
    scored = any(a["points"] > b["points"] for b, a in sides)
    seen["knock-out"] += scored
    seen["several knock-outs"] += scored and gone > 1
    seen["promotion"] += before["ask"] == Ask.PROMOTE
    seen["both promote"] += (
        before["ask"] == Ask.PROMOTE and after["ask"] == Ask.PROMOTE
    ) and before["asked"] != after["asked"]
    seen["evolution"] += any(
        int(a["slots"]["evolved"].sum()) > int(b["slots"]["evolved"].sum()) for b, a in sides
    )
    for b, a in sides:
        tools = [int((s["slots"]["tool"] != NONE).sum()) for s in (b, a)]
        seen["Tool attached"] += tools[1] > tools[0]
        seen["Tool discarded"] += tools[1] < tools[0]
    stadiums = [(s["stadium_owner"], s["stadium_card"]) for s in (before, after)]
    seen["Stadium replaced"] += stadiums[0][0] != NONE and stadiums[0] != stadiums[1]
    seen["retreat"] += after["retreated"] > before["retreated"]
    if after["stage"] == Stage.OVER:
        seen["tie" if after["winner"] == 3 else "won"] += 1
