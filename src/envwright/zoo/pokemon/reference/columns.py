"""The package's data as arrays: one array per column, row 0 is "none"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.reference.vocabulary import (
    BOOSTS,
    CATEGORIES,
    GENDERS,
    MOST_FLAGS_IN_A_WORD,
    NONSTANDARD,
    SPECIES_TAGS,
    STATS,
    STATUSES,
    TYPE_IMMUNITIES,
    Vocabulary,
    ident,
    number,
)

Row = dict[str, Any]
SECONDARIES = 3
LEVEL_DAMAGE = -1
SELF_SWITCH = {True: 1, "copyvolatile": 2, "shedtail": 3}
SELF_DESTRUCT: dict[str | None, int] = {"always": 1, "ifHit": 2}
OHKO: dict[Any, int] = {True: 1, "Ice": 2}


def arrays(data: dict[str, Any], words: Vocabulary) -> dict[str, np.ndarray]:
    """Return all columns of all tables, keyed `table.column`."""
    keepers = _keeper_classes(data["items"])
    tables = {
        "species": _columns(data["species"], lambda row: _species(row, words, keepers)),
        "moves": _columns(data["moves"], lambda row: _move(row, words)),
        "abilities": _columns(data["abilities"], lambda row: _ability(row, words)),
        "items": _columns(data["items"], lambda row: _item(row, words, keepers)),
        "natures": _columns(data["natures"], _nature),
        "types": _types(data["types"], words),
        "volatiles": _columns(_volatile_rows(data, words), _condition),
    }
    return {
        f"{table}.{name}": a for table, columns in tables.items() for name, a in columns.items()
    }


def _columns(rows: list[Row], encode: Callable[[Row], Row]) -> dict[str, np.ndarray]:
    encoded = [encode(row) for row in sorted(rows, key=lambda row: row["id"])]
    result = {}
    for name in encoded[0]:
        body = np.asarray([row[name] for row in encoded])
        column = np.concatenate([np.zeros_like(body[:1]), body])
        result[name] = column if body.dtype == bool else _narrow(name, column)
    return result


def _narrow(name: str, column: np.ndarray) -> np.ndarray:
    for dtype in (np.int8, np.int16, np.int32):
        if np.array_equal(column.astype(dtype), column):
            return column.astype(dtype)
    raise EnvwrightError(f"the column {name} does not fit into 32 bits")


def _boosts(table: Row | None) -> list[int]:
    return [(table or {}).get(name, 0) for name in BOOSTS]


def _fraction(pair: list[int] | None) -> list[int]:
    return list(pair) if pair else [0, 0]


def _bits(names: tuple[str, ...], present: Any) -> int:
    return sum(1 << names.index(name) for name in present)


def _word_bits(names: tuple[str, ...], present: Any) -> list[int]:
    words = [0, 0]
    for name in present:
        word, bit = divmod(names.index(name), MOST_FLAGS_IN_A_WORD)
        words[word] |= 1 << bit
    return words


def _type(words: Vocabulary, name: str | None) -> int:
    return number(words.types, name) if name in words.types else 0  # "???", and "Bird" of a fake


def _hit_effect(effect: Row, words: Vocabulary, prefix: str = "") -> Row:
    """Return the columns of what a move, its `self` or a secondary does to its target."""
    return {
        f"{prefix}boosts": _boosts(effect.get("boosts")),
        f"{prefix}has_boosts": bool(effect.get("boosts")),
        f"{prefix}status": number(STATUSES, effect.get("status")),
        f"{prefix}volatile": number(words.volatiles, ident(effect.get("volatileStatus"))),
        f"{prefix}callback": "onHit" in effect,
    }


def _field_effect(effect: Row, words: Vocabulary, prefix: str = "") -> Row:
    side, pseudo = ident(effect.get("sideCondition")), ident(effect.get("pseudoWeather"))
    return {
        f"{prefix}side_condition": number(words.side_conditions, side),
        f"{prefix}pseudo_weather": number(words.pseudo_weathers, pseudo),
    }


def _secondary_rows(move: Row, words: Vocabulary) -> Row:
    listed = move.get("secondaries") or []
    if len(listed) > SECONDARIES:
        raise EnvwrightError(f"{move['id']} has more than {SECONDARIES} secondary effects")
    rows = []
    for effect in listed + [{}] * (SECONDARIES - len(listed)):
        own = _hit_effect(effect.get("self") or {}, words, "self_")
        rows.append({"chance": effect.get("chance", 0), **_hit_effect(effect, words), **own})
    columns = {f"secondary_{name}": [row[name] for row in rows] for name in rows[0]}
    return {"secondaries": len(listed), **columns}


def _multihit(move: Row) -> list[int]:
    hits = move.get("multihit", 1)
    return list(hits) if isinstance(hits, list) else [hits, hits]


def _ignored_immunities(move: Row, words: Vocabulary) -> int:
    ignored = move["ignoreImmunity"]
    if ignored is True:
        return (1 << (len(words.types) + 1)) - 1
    return sum(1 << number(words.types, name) for name in (ignored or {}))


def _move(move: Row, words: Vocabulary) -> Row:
    own = move.get("self") or {}
    damage = move.get("damage")
    return {
        "power": move["basePower"],
        "accuracy": 0 if move["accuracy"] is True else move["accuracy"],
        "type": _type(words, move["type"]),
        "category": CATEGORIES.index(move["category"]),
        "priority": move["priority"],
        "pp": move["pp"] if move["noPPBoosts"] else move["pp"] * 8 // 5,
        "target": number(words.targets, move["target"]),
        "crit_ratio": move["critRatio"],
        "will_crit": bool(move.get("willCrit")),
        "flags": _word_bits(words.move_flags, move["flags"]),
        "callbacks": _bits(words.callbacks, (k for k, v in move.items() if v == "<callback>")),
        "has_condition": bool(move.get("condition")),
        "hits": _multihit(move),
        "multiaccuracy": bool(move.get("multiaccuracy")),
        "drain": _fraction(move.get("drain")),
        "recoil": _fraction(move.get("recoil")),
        "heal": _fraction(move.get("heal")),
        "fixed_damage": LEVEL_DAMAGE if damage == "level" else damage or 0,
        "ohko": OHKO.get(move.get("ohko"), 0),
        "self_destruct": SELF_DESTRUCT.get(move.get("selfdestruct"), 0),
        "self_switch": SELF_SWITCH.get(move.get("selfSwitch"), 0),
        "force_switch": bool(move.get("forceSwitch")),
        "breaks_protect": bool(move.get("breaksProtect")),
        "thaws_target": bool(move.get("thawsTarget")),
        "crash": bool(move.get("hasCrashDamage")),
        "mind_blown": bool(move.get("mindBlownRecoil")),
        "struggle_recoil": bool(move.get("struggleRecoil")),
        "steals_boosts": bool(move.get("stealsBoosts")),
        "smart_target": bool(move.get("smartTarget")),
        "tracks_target": bool(move.get("tracksTarget")),
        "sleep_usable": bool(move.get("sleepUsable")),
        "stalling": bool(move.get("stallingMove")),
        "calls_move": bool(move.get("callsMove")),
        "ignore_ability": bool(move["ignoreAbility"]),
        "ignore_defensive": bool(move["ignoreDefensive"]),
        "ignore_evasion": bool(move.get("ignoreEvasion")),
        "ignore_immunity": _ignored_immunities(move, words),
        "offensive_stat": STATS.index(move.get("overrideOffensiveStat", "hp")),
        "offensive_target": move.get("overrideOffensivePokemon") == "target",
        "defensive_stat": STATS.index(move.get("overrideDefensiveStat", "hp")),
        "sheer_force": bool(move["hasSheerForceBoost"]),
        "non_ghost_self": move["nonGhostTarget"] == "self",
        "no_pp_boosts": bool(move["noPPBoosts"]),
        "is_z": bool(move["isZ"]),
        "is_max": bool(move["isMax"]),
        "nonstandard": number(NONSTANDARD, move["isNonstandard"]),
        **_hit_effect(move, words),
        **_field_effect(move, words),
        "slot_condition": number(words.slot_conditions, ident(move.get("slotCondition"))),
        "weather": number(words.weathers, ident(move.get("weather"))),
        "terrain": number(words.terrains, ident(move.get("terrain"))),
        "self_boost_after": _boosts((move.get("selfBoost") or {}).get("boosts")),
        "has_self_boost_after": bool(move.get("selfBoost")),
        "has_self": bool(move.get("self")),
        "self_chance": own.get("chance", 0),
        **_hit_effect(own, words, "self_"),
        **_field_effect(own, words, "self_"),
        **_secondary_rows(move, words),
    }


def _species(species: Row, words: Vocabulary, keepers: dict[str, int]) -> Row:
    types = [_type(words, name) for name in species["types"]]
    abilities = [ident(species["abilities"].get(slot)) for slot in "01HS"]
    other = {
        "base_species": species["baseSpecies"],
        "changes_from": species.get("changesFrom"),
        "battle_only_of": _first(species.get("battleOnly")),
    }
    links = {column: number(words.species, ident(name)) for column, name in other.items()}
    return {
        "base_stats": [species["baseStats"][stat] for stat in STATS],
        "types": [*types, 0][:2],
        "weight_hg": species["weighthg"],
        "abilities": [number(words.abilities, name) for name in abilities],
        "gender": number(GENDERS, species["gender"]),
        "nfe": bool(species["nfe"]),
        "num": species["num"],
        "max_hp": species.get("maxHP", 0),
        **links,
        "cosmetic": bool(species.get("isCosmeticForme")),
        "required_item": number(words.items, ident(_first(species.get("requiredItems")))),
        "required_tera": _type(words, species.get("requiredTeraType")),
        "tags": _bits(SPECIES_TAGS, species["tags"]),
        "keeper": keepers.get(species["id"], 0),
        "nonstandard": number(NONSTANDARD, species["isNonstandard"]),
    }


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _has_callback(effect: Row) -> bool:
    """Return whether it has rules of its own; a handler may also be a constant, such as `false`."""
    return any(key.startswith("on") and not key.endswith(("Priority", "Order")) and key not in
               ("onPlate", "onMemory", "onDrive") for key in effect)  # fmt: skip


def _ability(ability: Row, words: Vocabulary) -> Row:
    return {
        "flags": _bits(words.ability_flags, ability["flags"]),
        "suppress_weather": bool(ability["suppressWeather"]),
        "has_callback": _has_callback(ability),
        "nonstandard": number(NONSTANDARD, ability["isNonstandard"]),
    }


def _keeper_classes(items: list[Row]) -> dict[str, int]:
    """Return classes of species: a holder keeps an item if the classes agree."""
    classes: dict[str, int] = {}
    groups = sorted({tuple(item["keepers"]) for item in items if item["keepers"]})
    everyone = max(groups, key=len)
    for index, group in enumerate((g for g in groups if g != everyone), 1):
        for species in group:
            if species in classes:
                raise EnvwrightError(f"{species} keeps two kinds of items; one column is too few")
            classes[species] = index
    return classes


def _item(item: Row, words: Vocabulary, keepers: dict[str, int]) -> Row:
    fling, gift = item.get("fling") or {}, item.get("naturalGift") or {}
    holders = item["keepers"]
    kept = keepers.get(holders[0], 0) if holders else 0
    plate = item.get("onPlate") or item.get("onMemory") or item.get("onDrive")
    return {
        "is_berry": bool(item["isBerry"]),
        "is_gem": bool(item["isGem"]),
        "is_choice": bool(item.get("isChoice")),
        "ignore_klutz": bool(item["ignoreKlutz"]),
        "fling_power": fling.get("basePower", 0),
        "fling_status": number(STATUSES, fling.get("status")),
        "fling_volatile": number(words.volatiles, ident(fling.get("volatileStatus"))),
        "fling_callback": "effect" in fling,
        "gift_power": gift.get("basePower", 0),
        "gift_type": _type(words, gift.get("type")),
        "plate_type": _type(words, plate),
        "is_plate": bool(item.get("onPlate")),
        "forced_forme": number(words.species, ident(item.get("forcedForme"))),
        "boosts": _boosts(item.get("boosts")),
        "has_boosts": bool(item.get("boosts")),
        "has_callback": _has_callback(item),
        "user": number(words.species, ident(_first(item.get("itemUser")))),
        "kept_by": -1 if len(holders) == len(words.species) else kept,
        "nonstandard": number(NONSTANDARD, item["isNonstandard"]),
    }


def _nature(nature: Row) -> Row:
    return {
        "plus": STATS.index(nature.get("plus") or "hp"),
        "minus": STATS.index(nature.get("minus") or "hp"),
    }


def _types(types: list[Row], words: Vocabulary) -> dict[str, np.ndarray]:
    count = len(words.types) + 1
    exponent = np.zeros((count, count), np.int8)
    immune = np.zeros((count, count), bool)
    immunities = np.zeros(count, np.int16)
    for row in types:
        target = number(words.types, row["name"])
        for name, code in row["damageTaken"].items():
            if name in words.types:
                attack = number(words.types, name)
                exponent[attack, target] = {1: 1, 2: -1}.get(code, 0)
                immune[attack, target] = code == 3
            elif code == 3:
                immunities[target] |= 1 << TYPE_IMMUNITIES.index(name)
    return {"exponent": exponent, "immune": immune, "immunities": immunities}


def _volatile_rows(data: dict[str, Any], words: Vocabulary) -> list[Row]:
    found: dict[str, Row] = {}
    for kind in ("moves", "abilities", "items"):
        found |= {e["id"]: e["condition"] for e in data[kind] if e.get("condition")}
    found |= data["conditions"]
    return [{"id": name, **found.get(name, {})} for name in words.volatiles]


def _condition(row: Row) -> Row:
    return {
        "duration": row.get("duration", 0),
        "no_copy": bool(row.get("noCopy")),
        "counter_max": row.get("counterMax", 0),
        "residual_order": row.get("onResidualOrder", 0),
        "residual_sub_order": row.get("onResidualSubOrder", 0),
    }
