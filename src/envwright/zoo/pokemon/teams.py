"""Teams: sets of Pokemon, read from and written as Showdown's packed or export text.

team = read(text)                # either form; raises one sentence if it is wrong
packed(team); export(team)       # the text again
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.names import NAMES, to_id
from envwright.zoo.pokemon.tables import load

STATS = ("hp", "atk", "def", "spa", "spd", "spe")
STAT_TITLES = ("HP", "Atk", "Def", "SpA", "SpD", "Spe")
MOST_POKEMON, MOST_MOVES, MOST_LEVEL = 6, 4, 100
MOST_EV, MOST_EVS, MOST_IV = 255, 510, 31
DEFAULT_GENDER = "M"  # Showdown would draw one, which costs a random number of the battle
_PACKED_FIELDS = 12
_ABILITY_SLOTS = ("0", "1", "H", "S")


@dataclass(frozen=True)
class PokemonSet:
    """A Pokemon of a team; names are ids."""

    species: str
    moves: tuple[str, ...]
    ability: str = ""
    item: str = ""
    level: int = MOST_LEVEL
    gender: str = ""  # M, F or N; filled in when read
    nature: str = ""  # none is as good as a neutral one
    evs: tuple[int, ...] = (0,) * 6
    ivs: tuple[int, ...] = (MOST_IV,) * 6
    tera: str = ""  # a type's name; filled in when read
    name: str = ""

    @property
    def title(self) -> str:
        """The species' name for people."""
        return NAMES.title("species", NAMES.number("species", self.species))


Team = tuple[PokemonSet, ...]


def read(text: str) -> Team:
    """Read a team from packed or export text, check it, and complete it."""
    if not isinstance(text, str) or not text.strip():
        raise EnvwrightError(
            "a team is text, packed (Pikachu|||Static|...) or as exported by Showdown"
        )
    lines = [line for line in text.strip().splitlines() if line.strip()]
    is_packed = len(lines) == 1 and lines[0].count("|") >= _PACKED_FIELDS - 2
    return complete(_read_packed(lines[0]) if is_packed else _read_export(text))


def complete(team: Team) -> Team:
    """Check a team, and fill in missing genders and Tera types."""
    if not 1 <= len(team) <= MOST_POKEMON:
        raise EnvwrightError(f"a team has 1 to {MOST_POKEMON} Pokemon, not {len(team)}")
    return tuple(_complete(one) for one in team)


def _complete(one: PokemonSet) -> PokemonSet:
    species = NAMES.number("species", one.species)
    tables = load().species
    if not one.moves:
        raise EnvwrightError(f"{one.title} has no moves; give it 1 to {MOST_MOVES}")
    if len(one.moves) > MOST_MOVES:
        raise EnvwrightError(f"{one.title} has {len(one.moves)} moves; {MOST_MOVES} are the most")
    for kind, names in (("moves", one.moves), ("abilities", [one.ability]), ("items", [one.item]),
                        ("natures", [one.nature])):  # fmt: skip
        for name in names:
            _known(kind, name, one)
    if len(set(one.moves)) < len(one.moves):
        raise EnvwrightError(f"{one.title} has a move twice: {', '.join(one.moves)}")
    if not 1 <= one.level <= MOST_LEVEL:
        raise EnvwrightError(f"{one.title} has level {one.level}; levels are 1 to {MOST_LEVEL}")
    if len(one.evs) != 6 or any(not 0 <= ev <= MOST_EV for ev in one.evs):
        raise EnvwrightError(f"{one.title} has EVs {_listed(one.evs)}; each is 0 to {MOST_EV}")
    if sum(one.evs) > MOST_EVS:
        raise EnvwrightError(f"{one.title} has {sum(one.evs)} EVs; {MOST_EVS} are the most")
    if len(one.ivs) != 6 or any(not 0 <= iv <= MOST_IV for iv in one.ivs):
        raise EnvwrightError(f"{one.title} has IVs {_listed(one.ivs)}; each is 0 to {MOST_IV}")
    if one.gender not in ("", "M", "F", "N"):
        raise EnvwrightError(f"{one.title} has gender '{one.gender}'; it is M, F or N")
    own_gender = ("", "M", "F", "N")[tables.gender[species]]
    own_type = NAMES.types[tables.types[species][0]]
    tera = _known("types", one.tera, one) or NAMES.types[tables.required_tera[species]] or own_type
    gender = one.gender or own_gender or DEFAULT_GENDER
    return replace(one, gender=gender, tera=tera, name=one.name or one.title)


def _known(kind: str, name: str, one: PokemonSet) -> str:
    try:
        NAMES.number(kind, name)
    except EnvwrightError as error:
        raise EnvwrightError(f"{one.title}: {error}") from None
    return name


def _listed(values: tuple[int, ...]) -> str:
    return "/".join(map(str, values))


def _whole(text: str, what: str, default: int) -> int:
    if not text.strip():
        return default
    if not re.fullmatch(r"-?\d{1,6}", text.strip()):
        raise EnvwrightError(f"{what} is a whole number, not '{text.strip()}'")
    return int(text)


# --- packed text: name|species|item|ability|moves|nature|evs|gender|ivs|shiny|level|rest


def _read_packed(line: str) -> Team:
    return tuple(_unpack(part) for part in line.strip().rstrip("]").split("]"))


def _unpack(text: str) -> PokemonSet:
    fields = text.split("|")
    if len(fields) != _PACKED_FIELDS:
        raise EnvwrightError(
            f"a packed set has {_PACKED_FIELDS} fields between bars, "
            f"not {len(fields)}: '{text[:60]}'"
        )
    name, species, item, ability, moves, nature, evs, gender, ivs, _, level, rest = fields
    species = to_id(species or name)
    NAMES.number("species", species)
    misc = [*rest.split(","), *[""] * 6]
    return PokemonSet(
        species=species,
        moves=tuple(to_id(move) for move in moves.split(",") if move),
        ability=_ability(species, ability),
        item=to_id(item),
        level=_whole(level, "a level", MOST_LEVEL),
        gender=gender,
        nature=to_id(nature),
        evs=_six(evs, "an EV", 0),
        ivs=_six(ivs, "an IV", MOST_IV),
        tera=misc[5],
        name=name,
    )


def _ability(species: str, text: str) -> str:
    if text in _ABILITY_SLOTS:
        number = load().species.abilities[NAMES.number("species", species)]
        return NAMES.abilities[number[_ABILITY_SLOTS.index(text)]]
    return to_id(text)


def _six(text: str, what: str, default: int) -> tuple[int, ...]:
    parts = text.split(",") if text else [""] * 6
    if len(parts) != 6:
        raise EnvwrightError(f"{what} is needed for each of six stats, not '{text}'")
    return tuple(_whole(part, what, default) for part in parts)


def packed(team: Team) -> str:
    """Return the team as one line that Showdown reads."""
    return "]".join(map(_pack, team))


def _pack(one: PokemonSet) -> str:
    name = one.name or one.title
    evs = ",".join(str(ev or "") for ev in one.evs)
    ivs = ",".join("" if iv == MOST_IV else str(iv) for iv in one.ivs)
    fields = [
        name,
        "" if to_id(name) == one.species else one.species,
        one.item,
        one.ability or "-",
        ",".join(one.moves),
        one.nature,
        "" if evs == ",,,,," else evs,
        one.gender,
        "" if ivs == ",,,,," else ivs,
        "",
        "" if one.level == MOST_LEVEL else str(one.level),
        f",,,,,{one.tera}" if one.tera else "",
    ]
    return "|".join(fields)


# --- export text: a block of lines for each Pokemon

_HEAD = re.compile(r"^(?P<who>.*?)(?:\s+\((?P<gender>[MFN])\))?(?:\s+@\s+(?P<item>.+))?$")
_NAMED = re.compile(r"^(?P<name>.*?)\s+\((?P<species>[^()]+)\)$")
_IGNORED = ("Shiny:", "Happiness:", "Pokeball:", "Gigantamax:", "Dynamax Level:", "===")


def _read_export(text: str) -> Team:
    blocks = re.split(r"\n\s*\n", text.strip().replace("\r", ""))
    blocks = [block for block in blocks if block.strip() and not block.strip().startswith("===")]
    return tuple(_read_block(block.strip().splitlines()) for block in blocks)


def _read_block(lines: list[str]) -> PokemonSet:
    head = _HEAD.match(lines[0].strip())
    who = (head["who"] if head else lines[0]).strip()
    named = _NAMED.match(who)
    species = to_id(named["species"] if named else who)
    NAMES.number("species", species)
    one = PokemonSet(
        species=species,
        moves=(),
        name=named["name"] if named else "",
        gender=(head["gender"] or "") if head else "",
        item=to_id(head["item"]) if head else "",
    )
    for line in lines[1:]:
        one = _read_line(one, line.strip())
    return one


def _read_line(one: PokemonSet, line: str) -> PokemonSet:
    key, _, value = line.partition(":")
    value = value.strip()
    if line.startswith("-"):
        return replace(one, moves=(*one.moves, to_id(line[1:])))
    if key == "Ability":
        return replace(one, ability=to_id(value))
    if key == "Level":
        return replace(one, level=_whole(value, "a level", MOST_LEVEL))
    if key == "Tera Type":
        return replace(one, tera=value)
    if key == "EVs":
        return replace(one, evs=_spread(value, "EVs", 0))
    if key == "IVs":
        return replace(one, ivs=_spread(value, "IVs", MOST_IV))
    if line.endswith(" Nature"):
        return replace(one, nature=to_id(line.removesuffix(" Nature")))
    if not line or line.startswith(_IGNORED):
        return one
    raise EnvwrightError(f"the line '{line[:60]}' of {one.title} means nothing in an exported team")


def _spread(text: str, what: str, default: int) -> tuple[int, ...]:
    values = dict.fromkeys(STATS, default)
    for part in text.split("/"):
        match = re.fullmatch(r"\s*(-?\d+)\s+(\w+)\s*", part)
        if not match or match[2] not in STAT_TITLES:
            raise EnvwrightError(f"'{part.strip()}' among {what} is not like '252 SpA'")
        values[STATS[STAT_TITLES.index(match[2])]] = int(match[1])
    return tuple(values.values())


def export(team: Team) -> str:
    """Return the team as Showdown's teambuilder shows it."""
    return "\n\n".join("\n".join(_lines(one)) for one in team) + "\n"


def _lines(one: PokemonSet) -> list[str]:
    title = one.title
    who = title if one.name in ("", title) else f"{one.name} ({title})"
    gender = f" ({one.gender})" if one.gender in ("M", "F") else ""
    item = f" @ {_title('items', one.item)}" if one.item else ""
    lines = [f"{who}{gender}{item}"]
    if one.ability:
        lines.append(f"Ability: {_title('abilities', one.ability)}")
    if one.level != MOST_LEVEL:
        lines.append(f"Level: {one.level}")
    if one.tera:
        lines.append(f"Tera Type: {one.tera}")
    lines += _spread_line("EVs", one.evs, 0)
    if one.nature:
        lines.append(f"{one.nature.capitalize()} Nature")
    lines += _spread_line("IVs", one.ivs, MOST_IV)
    return lines + [f"- {_title('moves', move)}" for move in one.moves]


def _title(kind: str, name: str) -> str:
    return NAMES.title(kind, NAMES.number(kind, name))


def _spread_line(what: str, values: tuple[int, ...], default: int) -> list[str]:
    said = [f"{v} {t}" for v, t in zip(values, STAT_TITLES, strict=True) if v != default]
    return [f"{what}: {' / '.join(said)}"] if said else []
