"""Scripted battles, one per ability, item or move with rules of its own.

A duel is a line of `duels/abilities.toml`, `items.toml` or `moves.toml`:

    name = ["first team", "second team", "choices"]            # a fourth text: how many seeds

A team is Pokemon joined by ` + `, each `species(ability)@item*Tera: move, move`; what is left out
is none. Choices are pairs `first/second`, one per request: a move, a move with `*` to terastallize,
`>species` to switch, `-` to wait; `x3` repeats the pair before. A pair with `-` answers a request
to switch; where such a request has no pair, and where a choice is not possible, the first legal
action is taken, so that a script continues whatever is drawn.

Each is played with several seeds in the reference, which counts whether the callbacks ran.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.names import SINGULAR, to_id
from envwright.zoo.pokemon.reference.showdown import LiveBattle, Showdown, Snapshot, seed_words
from envwright.zoo.pokemon.support import KINDS, duel_lines
from envwright.zoo.pokemon.teams import PokemonSet, Team, complete, packed

SEEDS = 3
LEVEL, EV = 80, 84
NO_ABILITY = "noability"
TERA, SWITCH = 4, 7


@dataclass(frozen=True)
class Duel:
    """One scripted battle."""

    kind: str  # "abilities", "items", "moves"
    name: str
    teams: tuple[Team, Team]
    choices: tuple[tuple[str, str], ...]
    seeds: int = SEEDS

    @property
    def atom(self) -> str:
        """The reference's name for it: `ability:intimidate`."""
        return f"{SINGULAR[self.kind]}:{self.name}"

    @property
    def packed(self) -> tuple[str, str]:
        """Return both teams as text for the reference."""
        return packed(self.teams[0]), packed(self.teams[1])

    def seed(self, number: int) -> str:
        """Return the seed of one of its battles; duels share none."""
        spread = sum(ord(letter) * 31**i for i, letter in enumerate(self.atom))
        return seed_words((spread % (1 << 48)) * 64 + number)


def read_team(text: str) -> Team:
    """Read a team in the short form."""
    return complete(tuple(_read_pokemon(part.strip()) for part in text.split(" + ")))


def _read_pokemon(text: str) -> PokemonSet:
    head, colon, moves = text.partition(":")
    if not colon:
        raise EnvwrightError(f"'{text}' of a duel is not like 'snorlax(thickfat)@leftovers: rest'")
    head, _, tera = head.partition("*")
    parts = {"(": NO_ABILITY, "@": ""}
    for sign in ("@", "("):
        before, found, value = head.partition(sign)
        if found:
            rest = value.split("(")[0] if sign == "@" else value.split(")")[0]
            parts[sign] = rest
            head = before + value[len(rest) :].lstrip(")")
    return PokemonSet(
        species=to_id(head),
        moves=tuple(to_id(move) for move in moves.split(",")),
        ability=to_id(parts["("]),
        item=to_id(parts["@"]),
        level=LEVEL,
        evs=(EV,) * 6,
        tera=tera.strip(),
    )


def _read_choices(text: str) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for word in text.split():
        if word[0] == "x" and word[1:].isdigit():
            pairs += [pairs[-1]] * (int(word[1:]) - 1)
        else:
            first, slash, second = word.partition("/")
            if not slash:
                raise EnvwrightError(f"the choices '{word}' of a duel are not like 'rest/bodyslam'")
            pairs.append((first, second))
    return tuple(pairs)


def read(kind: str, name: str, line: list[str]) -> Duel:
    """Read a duel from its line."""
    if len(line) not in (3, 4):
        raise EnvwrightError(f"the duel of {name} has {len(line)} texts; it has 3 or 4")
    first, second, choices, *rest = line
    try:
        teams = read_team(first), read_team(second)
        return Duel(kind, name, teams, _read_choices(choices), int(rest[0]) if rest else SEEDS)
    except EnvwrightError as error:
        raise EnvwrightError(f"duels/{kind}.toml, {name}: {error}") from error


def all_duels() -> Iterator[Duel]:
    """Return all duels of the three files, in their order."""
    for kind in KINDS:
        for name, line in duel_lines(kind).items():
            yield read(kind, name, line)


def play(showdown: Showdown, duel: Duel, number: int) -> list[list[int]]:
    """Return the actions of one of a duel's battles, as the reference accepts them."""
    live = showdown.new(duel.seed(number), duel.packed)
    actions: list[list[int]] = []
    for pair in duel.choices:
        _answer_unplanned(live, pair, actions)
        if live.snapshot["ended"]:
            break
        _step(live, pair, actions)
    live.free()
    return actions


def _answer_unplanned(live: LiveBattle, pair: tuple[str, str], actions: list[list[int]]) -> None:
    """Answer requests to switch that the script does not mention."""
    while "-" not in pair and not live.snapshot["ended"] and _to_switch(live.snapshot):
        _step(live, ("", ""), actions)


def _to_switch(snapshot: Snapshot) -> bool:
    return any(side["asked"] in ("switch", "revive") for side in snapshot["sides"])


def _step(live: LiveBattle, pair: tuple[str, str], actions: list[list[int]]) -> None:
    if "-" in pair and not _to_switch(live.snapshot):
        return  # nobody had to switch this time
    sides = live.snapshot["sides"]
    chosen = [_action(side, choice) for side, choice in zip(sides, pair, strict=True)]
    live.step(chosen)
    actions.append(chosen)


def _action(side: Snapshot, choice: str) -> int:
    legal, party = side["legal"], side["party"]
    wanted = -1
    if choice.startswith(">"):
        places = [i for i, one in enumerate(party) if one["species"].startswith(choice[1:])]
        wanted = SWITCH + places[0] if places and choice[1:] else -1
    else:
        names = [name for name, *_ in party[0]["moves"]]
        move = choice.rstrip("*")
        if move in names:
            wanted = names.index(move) + TERA * choice.endswith("*")
    return wanted if wanted in legal else legal[0]
