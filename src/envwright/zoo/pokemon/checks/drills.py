"""Drills: battles with every supported move, every pair of types, and every weight.

    specs = drills(seed=0)          # for `reference.trace.record_all`
    specs = wild(500, seed=0)       # Pokemon with any moves, ability and item, whoever they are
    specs = beyond()                # what the rules know of sets that are not supported
    specs = twins(60, seed=0)       # equals wear each other down: ties at the end of turns

Duels are written by hand and ask for one rule each; drills are made from the tables, so that no
number in them goes unread: who has one move uses it, against Pokemon of the pool that do what they
like. Wild battles bring together what the generator never would.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from envwright.zoo.pokemon import pool, support
from envwright.zoo.pokemon.names import NAMES, move_flag
from envwright.zoo.pokemon.reference.trace import Spec
from envwright.zoo.pokemon.tables import load
from envwright.zoo.pokemon.teams import PokemonSet, Team, complete, packed

EACH = 4  # battles of a move
MOST = 12  # decisions of a battle
PLAIN = PokemonSet(species="snorlax", moves=(), ability="noability", level=80, evs=(84,) * 6)
PLAIN_POWER = (60, 100)
WEIGHING = ("heavyslam", "grassknot")
# For each flag, what its user and the other one have to make it matter.
SENSES: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "contact": ({}, {"item": "rockyhelmet"}),
    "protect": ({}, {"moves": ("protect",)}),
    "bypasssub": ({}, {"moves": ("substitute",)}),
    "sound": ({}, {"ability": "soundproof"}),
    "bullet": ({}, {"ability": "bulletproof"}),
    "powder": ({}, {"ability": "overcoat"}),
    "reflectable": ({}, {"ability": "magicbounce"}),
    "wind": ({}, {"ability": "windrider"}),
    "mustpressure": ({}, {"ability": "pressure"}),
    "heal": ({}, {"moves": ("psychicnoise",)}),
    "failencore": ({}, {"moves": ("encore",)}),
    "punch": ({"ability": "ironfist"}, {}),
    "bite": ({"ability": "strongjaw"}, {}),
    "slicing": ({"ability": "sharpness"}, {}),
    "pulse": ({"ability": "megalauncher"}, {}),
}
MOVES = 4
WILD_TEAM = 3
SMALL = 2  # a level
MOST_WILD = 40  # decisions
MOST_TWIN = 30
# What lasts, and so has a place in the end of a turn.
LASTING_MOVES = (
    "leechseed", "yawn", "toxic", "willowisp", "curse", "infestation", "taunt", "encore", "protect",
    "wish", "outrage", "throatchop", "psychicnoise", "roost", "solarbeam", "gigaimpact",
)  # fmt: skip
# Effects that the rules have without a duel, so that no set with them is supported.
WRITTEN = {
    "moves": (
        "aromatherapy", "auroraveil", "banefulbunker", "bellydrum", "blizzard", "brickbreak",
        "burningbulwark", "burningjealousy", "ceaselessedge", "clearsmog", "collisioncourse",
        "detect", "direclaw", "dragonenergy", "electricterrain", "electrodrift", "electroshot",
        "endeavor", "eruption", "falseswipe", "firstimpression", "flyingpress", "focusenergy",
        "grassyglide", "grassyterrain", "healingwish", "hex", "holdback", "judgment", "kingsshield",
        "lightscreen", "lunardance", "meteorbeam", "mistyterrain", "mortalspin", "naturesmadness",
        "obstruct", "phantomforce", "powertrip", "psyblade", "psychicterrain", "ragingbull",
        "reflect", "ruination", "sandsearstorm", "shadowforce", "shoreup", "silktrap",
        "spikyshield", "switcheroo", "tailwind", "temperflare", "triattack", "trickroom",
        "waterspout", "wildboltstorm",
    ),
    "ability": (
        "arenatrap", "armortail", "battlearmor", "bigpecks", "comatose", "dazzling",
        "galewings", "goodasgold", "grassysurge", "guarddog", "heavymetal", "hypercutter",
        "illuminate", "immunity", "keeneye", "libero", "lightmetal", "limber", "magmaarmor",
        "mindseye", "mirrorarmor", "myceliummight", "owntempo",
        "psychicsurge", "raindish", "sandforce",
        "shellarmor", "simple", "stall", "stickyhold", "suctioncups", "superluck",
        "unseenfist", "whitesmoke",
    ),
    "item": (
        "abilityshield", "clearamulet", "covertcloak", "damprock", "heatrock", "icyrock",
        "powerherb", "razorclaw", "safetygoggles", "scopelens", "smoothrock", "terrainextender",
        "utilityumbrella",
    ),
}  # fmt: skip
WEATHER_MAKERS = ("drizzle", "drought", "sandstream", "snowwarning", "electricsurge")
RESIDUAL_ITEMS = ("", "leftovers", "flameorb", "toxicorb", "whiteherb")
RESIDUAL_ABILITIES = (
    "noability", "noability", "shedskin", "hydration", "harvest", "sandstream", "snowwarning",
    "cursedbody", "drizzle",
)  # fmt: skip


def drills(seed: int = 0, each: int = EACH, moves: Collection[str] | None = None) -> list[Spec]:
    """Make battles of all supported moves (or of some), then of types, species and flags."""
    chosen = support.supported("moves") if moves is None else moves
    used = sorted(set(chosen) - support.CORE["moves"])
    return [
        *_of_moves(seed, each, used),
        *_of_types(seed),
        *_of_species(seed),
        *_of_flags(seed, used),
    ]


def wild(count: int, seed: int = 0) -> list[Spec]:
    """Make battles of three against three random species with random moves, ability and item.

    All of them are of the pool, so that what is met here can be met there. In every third battle
    they are small: a single HP more or less then tells, and numbers are rounded to nothing. In
    another third abilities are with the species that have them, since some work with no other.
    """
    generator = np.random.default_rng((seed, 3))
    sets = _sets()
    parts = {
        name: sorted({getattr(one, name) for one in sets})
        for name in ("species", "ability", "item", "tera")
    }
    moves = sorted({move for one in sets for move in one.moves})

    def anyone(number: int) -> PokemonSet:
        chosen = {name: str(generator.choice(some)) for name, some in parts.items()}
        four = tuple(map(str, generator.choice(moves, MOVES, replace=False)))
        if number % 3 == 1:
            bearer = sets[generator.integers(len(sets))]
            chosen |= {"species": bearer.species, "ability": bearer.ability}
        level = SMALL if number % 3 == 2 else PLAIN.level
        return replace(PLAIN, moves=four, level=level, **chosen)

    def team(number: int) -> Team:
        return tuple(anyone(number) for _ in range(WILD_TEAM))

    return [_battle(generator, team(n), team(n), MOST_WILD) for n in range(count)]


def beyond(each: int = EACH) -> list[Spec]:
    """Make battles with every effect of `WRITTEN`, whose holder stands among Pokemon of the pool.

    Always the same ones: nothing more is claimed of effects that are not supported.
    Every other one comes with an ability that changes the weather or the ground, on either side.
    """
    generator = np.random.default_rng(5)
    sets = _sets()

    def some() -> PokemonSet:
        return sets[generator.integers(len(sets))]

    def battle(kind: str, name: str, number: int) -> Spec:
        one = some()
        chosen = {"moves": (name, *one.moves[:1])} if kind == "moves" else {kind: name}
        maker = replace(some(), ability=str(generator.choice(WEATHER_MAKERS)))
        mine = replace(one, **chosen)
        if number % 2 and kind != "ability":
            mine = replace(mine, ability=maker.ability)
        yours = (some(), some()) if number % 2 else (maker, some())
        return _battle(generator, (mine, some()), yours, MOST)

    return [
        battle(kind, name, number)
        for kind, names in WRITTEN.items()
        for name in names
        for number in range(each)
    ]


def twins(count: int, seed: int = 0) -> list[Spec]:
    """Make battles of two against the same two, with equal speeds and lasting conditions.

    So the handlers of both tie at the end of turns, in every order in which they can have come.
    """
    generator = np.random.default_rng((seed, 4))

    def anyone() -> PokemonSet:
        four = tuple(map(str, generator.choice(LASTING_MOVES, MOVES, replace=False)))
        item, ability = map(
            str, (generator.choice(RESIDUAL_ITEMS), generator.choice(RESIDUAL_ABILITIES))
        )
        return replace(PLAIN, moves=four, item=item, ability=ability)

    def battle() -> Spec:
        team = anyone(), anyone()
        return _battle(generator, team, team, MOST_TWIN)

    return [battle() for _ in range(count)]


def _of_moves(seed: int, each: int, moves: Sequence[str]) -> Iterator[Spec]:
    generator = np.random.default_rng((seed, 1))
    sets = _sets()
    for move in moves:
        users = [one for one in sets if move in one.moves] or [PLAIN]
        for _ in range(each):
            user = users[generator.integers(len(users))]
            mine = replace(user, moves=(move,)), sets[generator.integers(len(sets))]
            yours = tuple(sets[i] for i in generator.integers(len(sets), size=2))
            yield _battle(generator, mine, yours, MOST)


def _of_types(seed: int) -> Iterator[Spec]:
    """Make battles of a plain move of each type against a Pokemon of each single type."""
    generator = np.random.default_rng((seed, 2))
    bearers = _of_one_type()
    for move in _plain_moves():
        for species in bearers:
            target = replace(PLAIN, species=species, moves=("splash",))
            yield _battle(generator, (replace(PLAIN, moves=(move,)),), (target,), most=2)


def _of_species(seed: int) -> Iterator[Spec]:
    """Make battles between all species of the pool, with moves that depend on weights."""
    generator = np.random.default_rng((seed, 6))
    species = sorted({one.species for one in _sets()})
    for one, other in zip(species, generator.permutation(species), strict=True):
        teams = ((replace(PLAIN, species=str(who), moves=WEIGHING),) for who in (one, other))
        yield _battle(generator, *teams, most=3)


def _of_flags(seed: int, moves: Sequence[str]) -> Iterator[Spec]:
    """Make battles of a move with a flag against a Pokemon for which it matters."""
    generator = np.random.default_rng((seed, 7))
    flags = load().moves.flags
    for name, (own, theirs) in SENSES.items():
        word, bit = move_flag(name)
        for move in moves:
            if flags[NAMES.move(move), word] >> bit & 1:
                user = replace(PLAIN, **{"moves": (move,), **own})
                other = replace(PLAIN, **{"moves": ("splash",), **theirs})
                yield _battle(generator, (user,), (other,), most=3)


def _battle(generator: np.random.Generator, mine: Team, yours: Team, most: int) -> Spec:
    number, policy = (int(n) for n in generator.integers(1 << 31, size=2))
    teams = packed(complete(mine)), packed(complete(yours))
    return Spec(number, teams, policy=policy, most=most)


@cache
def _sets() -> tuple[PokemonSet, ...]:
    """Return the distinct sets of the pool."""
    return tuple(dict.fromkeys(one for team in pool.teams() for one in team))


def _plain_moves() -> list[str]:
    """Return for each type an attack that only does damage."""
    m = load().moves
    plain = (m.category != 2) & (m.secondaries == 0) & (m.accuracy == 100) & ~m.has_self
    plain &= (m.power >= PLAIN_POWER[0]) & (m.power <= PLAIN_POWER[1]) & (m.callbacks == 0)
    chosen: dict[int, str] = {}
    for number in np.flatnonzero(plain):
        name = NAMES.moves[number]
        if name in support.supported("moves"):
            chosen.setdefault(int(m.type[number]), name)
    return [chosen[kind] for kind in sorted(chosen)]


def _of_one_type() -> list[str]:
    """Return for each type a Pokemon that has no other."""
    s = load().species
    pure = (s.types[:, 0] > 0) & (s.types[:, 1] == 0) & (s.nonstandard == 0) & ~s.cosmetic
    pure &= (s.battle_only_of == 0) & (s.changes_from == 0) & (s.required_item == 0)
    chosen: dict[int, str] = {}
    for number in np.flatnonzero(pure):
        chosen.setdefault(int(s.types[number, 0]), NAMES.species[number])
    return [chosen[kind] for kind in sorted(chosen)]
