"""Battles for people: a text of the state, a log in Showdown's protocol, and a picture.

The log reports what changes between two states: who came in, who lost HP, what was cured. It is
made from states alone, without causes; `Showdown.replay(..., log=True)` has the full one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from envwright.zoo.pokemon.knowledge import by_uid
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.observe import percent
from envwright.zoo.pokemon.state import Cond, State

WIDTH, HEIGHT = 480, 270
GREEN, YELLOW, RED, GREY = (60, 180, 75), (240, 200, 40), (220, 60, 50), (200, 200, 200)
BACKGROUND, INK = (238, 244, 250), (30, 30, 40)
PLAYERS = ("p1", "p2")
_BOOSTS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")


def _title(kind: str, number: Any) -> str:
    return NAMES.title(kind, int(number))


def text(state: State) -> str:
    """Describe one battle (arrays without lanes) in a few lines."""
    lines = [f"turn {int(state.turn)}{_weather(state)}"]
    for side, player in enumerate(PLAYERS):
        mon = _title("species", state.species[side, 0])
        hp, most = int(state.hp[side, 0]), int(state.maxhp[side, 0])
        status = NAMES.statuses[int(state.status[side, 0])]
        boosts = [
            f"{name} {int(stage):+d}"
            for name, stage in zip(_BOOSTS, state.boosts[side], strict=True)
            if stage
        ]
        about = ", ".join(part for part in (status, *boosts, *_conditions(state, side)) if part)
        moves = ", ".join(
            f"{_title('moves', move)} ({int(pp)})"
            for move, pp in zip(state.moves[side, 0], state.pp[side, 0], strict=True)
            if move
        )
        lines.append(f"{player}: {mon} {hp}/{most}{f' [{about}]' if about else ''}: {moves}")
        bench = [
            f"{_title('species', state.species[side, slot])} {int(state.hp[side, slot])}"
            for slot in range(1, 6)
            if state.species[side, slot]
        ]
        lines.append(f"    bench: {', '.join(bench)}")
    if state.winner:
        lines.append({1: "p1 wins", 2: "p2 wins", 3: "a tie"}[int(state.winner)])
    return "\n".join(lines)


def _weather(state: State) -> str:
    names = [NAMES.list("weathers")[int(state.weather)], NAMES.list("terrains")[int(state.terrain)]]
    names += ["trickroom"] * bool(state.trick_room)
    said = [name for name in names if name]
    return f" ({', '.join(said)})" if said else ""


def _conditions(state: State, side: int) -> list[str]:
    return [
        f"{one.name.lower().replace('_', ' ')} {int(state.conditions[side, one])}"
        for one in Cond
        if state.conditions[side, one]
    ]


def log(before: State, after: State) -> list[str]:
    """Return what changed, in lines of Showdown's protocol (`|switch|`, `|turn|`, ...)."""
    lines: list[str] = []
    old = {name: _ordered(before, name) for name in ("hp", "status", "item", "species")}
    new = {name: _ordered(after, name) for name in ("hp", "status", "item", "species")}
    shares = by_uid(np, _lane(after), percent(np, _lane(after)))[..., 0]
    for side, player in enumerate(PLAYERS):
        lines += _entered(before, after, side, player)
        for uid in range(6):
            who = f"{player}: {_title('species', new['species'][side, uid])}"
            gained = int(new["hp"][side, uid]) - int(old["hp"][side, uid])
            if gained:
                verb = "-heal" if gained > 0 else "-damage"
                lines.append(f"|{verb}|{who}|{int(shares[side, uid])}/100")
            if gained < 0 and new["hp"][side, uid] == 0:
                lines.append(f"|faint|{who}")
            was, now = int(old["status"][side, uid]), int(new["status"][side, uid])
            if was != now and new["hp"][side, uid] > 0:
                verb, which = ("-status", now) if now else ("-curestatus", was)
                lines.append(f"|{verb}|{who}|{NAMES.statuses[which]}")
            had = int(old["item"][side, uid])
            if had and not new["item"][side, uid]:
                lines.append(f"|-enditem|{who}|{_title('items', had)}")
    if after.weather != before.weather:
        lines.append(f"|-weather|{NAMES.list('weathers')[int(after.weather)] or 'none'}")
    if after.turn != before.turn and not after.winner:
        lines.append(f"|turn|{int(after.turn)}")
    if after.winner and not before.winner:
        lines.append({1: "|win|p1", 2: "|win|p2", 3: "|tie"}[int(after.winner)])
    return lines


def _lane(state: State) -> State:
    return State(*(np.asarray(field)[..., None] for field in state))


def _ordered(state: State, name: str) -> np.ndarray:
    lanes = _lane(state)
    return np.asarray(by_uid(np, lanes, getattr(lanes, name)))[..., 0]


def _entered(before: State, after: State, side: int, player: str) -> list[str]:
    if before.uid[side, 0] == after.uid[side, 0] and before.turn:
        return []
    name = _title("species", after.species[side, 0])
    return [f"|switch|{player}a: {name}|{name}, L{int(after.level[side, 0])}|"]


def picture(state: State) -> np.ndarray:
    """Draw one battle, uint8[270, 480, 3]."""
    image = Image.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    draw = ImageDraw.Draw(image)
    draw.text((10, 6), f"turn {int(state.turn)}{_weather(state)}", fill=INK)
    for side, top in ((1, 30), (0, 150)):
        _draw_side(draw, state, side, top)
    return np.asarray(image)


def _draw_side(draw: ImageDraw.ImageDraw, state: State, side: int, top: int) -> None:
    left = 20 if side == 0 else 220
    name = _title("species", state.species[side, 0])
    status = NAMES.statuses[int(state.status[side, 0])]
    level = int(state.level[side, 0])
    draw.text((left, top), f"{PLAYERS[side]}  {name}  L{level}  {status.upper()}", fill=INK)
    share = int(state.hp[side, 0]) / max(int(state.maxhp[side, 0]), 1)
    _draw_bar(draw, left, top + 16, 220, 12, share)
    for slot in range(1, 6):
        if state.species[side, slot]:
            part = int(state.hp[side, slot]) / max(int(state.maxhp[side, slot]), 1)
            _draw_bar(draw, left + (slot - 1) * 45, top + 36, 40, 6, part)
    said = "  ".join(_conditions(state, side))
    draw.text((left, top + 50), said, fill=INK)
    for slot, move in enumerate(state.moves[side, 0]):
        if move:
            pp = int(state.pp[side, 0, slot])
            place = (left + (slot % 2) * 120, top + 68 + 14 * (slot // 2))
            draw.text(place, f"{_title('moves', move)} {pp}", fill=INK)


def _draw_bar(
    draw: ImageDraw.ImageDraw, left: int, top: int, width: int, height: int, share: float
) -> None:
    colour = GREEN if share > 0.5 else YELLOW if share > 0.2 else RED
    draw.rectangle((left, top, left + width, top + height), fill=GREY)
    if share > 0:
        draw.rectangle((left, top, left + int(width * share), top + height), fill=colour)
