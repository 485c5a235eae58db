"""Steps of a whole batch, a tile of lanes at a time.

Lanes that have something to do wait in a queue. Each round takes a tile of lanes whose answers
are of one kind, so that most phases of the rules have nothing to do and are passed over; lanes
whose next question has one answer only [C6] stay in the queue. The rules are compiled once, for a
tile.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.engine import blocks, setup
from envwright.zoo.tcgpocket.engine.cycle import advance, normal
from envwright.zoo.tcgpocket.engine.kit import Kit, nth
from envwright.zoo.tcgpocket.engine.legal import choices, legal, only_answer, setup_plays
from envwright.zoo.tcgpocket.engine.observation import observe
from envwright.zoo.tcgpocket.engine.rows import Need
from envwright.zoo.tcgpocket.engine.tables import CARD

TILE = 128  # lanes of a tile; wider ones wait longer for lanes of a kind
WORTH = 2  # kinds with fewer lanes than 1/WORTH of a tile go together
NEW = 16  # games that begin at a time


def tile(lanes: int) -> int:
    """Return how many lanes are computed together: a tile on a CPU, whose arrays stay in caches."""
    import jax

    return min(lanes, TILE) if jax.default_backend() == "cpu" else lanes


class Class(IntEnum):
    """Kinds of answers that need the same phases."""

    NONE = 0
    PASS = 1
    ATTACH = 2
    PLAY = 3
    DEED = 4
    ATTACK = 5
    MOVE = 6


def class_of(xp: Any, ask: Any, action: Any, need: Any) -> Any:
    """Return the kind of an answer, int32; `need` is that of the card that is played."""
    main = ask == Ask.MAIN
    ids = (
        (actions.PASS, Class.PASS), (actions.PLAY, Class.PLAY), (actions.ATTACH, Class.ATTACH),
        (actions.RETREAT, Class.MOVE), (actions.ABILITY, Class.DEED),
        (actions.ATTACK, Class.ATTACK), (actions.STADIUM, Class.DEED),
    )  # fmt: skip
    kind = xp.zeros_like(action)
    for first, of in ids:
        kind = xp.where(action >= first, of, kind)
    kind = xp.where((kind == Class.PLAY) & (need >= Need.ALWAYS), Class.DEED, kind)
    others = {
        Class.PLAY: (Ask.SETUP_ACTIVE, Ask.SETUP_BENCH, Ask.EVOLVE, Ask.TOOL),
        Class.DEED: (Ask.TRAINER, Ask.SHURIKEN, Ask.RIPPLES),
        Class.MOVE: (Ask.PAY, Ask.PROMOTE, Ask.SWITCH_OUT, Ask.DRAG, Ask.TELEPORT),
        Class.ATTACK: (Ask.HIT, Ask.ENERGISE, Ask.COPY_POKEMON, Ask.COPY_ATTACK),
    }
    asked = xp.zeros_like(action)
    for of, questions in others.items():
        for question in questions:
            asked = xp.where(ask == question, of, asked)
    return xp.where(main, kind, asked).astype(np.int32)


def begin(k: Kit, numbers: Any, types: Any, key: Any) -> Any:
    """Start new games up to their first question, int32[WORDS, B]."""
    s = normal(setup.new_games(k, numbers, types, key))
    zero = k.xp.zeros_like(s.turn)
    plays = setup_plays(k, s) << actions.PLAY
    front = k.xp.stack([plays, zero, zero, zero, zero, zero])
    return blocks.pack(k, s, front)


def _some(k: Kit, mask: Any, size: int) -> Any:
    """Return the first lanes of a mask, int32[size], filled up with the number of lanes."""
    jnp, lanes = k.xp, mask.shape[0]
    bits = jnp.pad(mask, (0, -lanes % 32)).reshape((-1, 32)).astype(np.int32)
    words = jnp.sum(bits << np.arange(32, dtype=np.int32), axis=1, dtype=np.int32)
    ends = jnp.cumsum(k.popcount(words))
    wanted = jnp.arange(size, dtype=np.int32)
    word = jnp.searchsorted(ends, wanted, side="right").astype(np.int32)
    inside = jnp.minimum(word, len(words) - 1)
    before = jnp.where(inside > 0, ends[inside - 1], 0)
    found = 32 * inside + nth(k, words[inside], wanted - before)
    return jnp.where(word < len(words), found, lanes)


def _round(k: Kit, columns: Any, go: Any) -> Any:
    """Play one answer in each lane of a tile."""
    s = blocks.unpack(k, columns)
    s = normal(advance(k, s, go, columns[blocks.ACTION]))
    words = legal(k, s)
    forced = go & (s.stage != Stage.OVER) & (choices(k, words) < 2)
    action = only_answer(k, words)
    kind = k.xp.where(forced, class_of(k.xp, s.ask, action, _need(k, s.me.cards, action)), 0)
    return blocks.pack(k, s, k.xp.concatenate([words, action[None], kind[None]]))


def _need(k: Kit, cards: Any, action: Any) -> Any:
    """Return the need of the card that an action plays; `cards` is [20, B]."""
    place = k.xp.clip(action - actions.PLAY, 0, 19)
    word = k.xp.take_along_axis(cards, place[None], axis=0)
    return CARD.get(word, "need")


def answer(k: Kit, block: Any, action: Any) -> Any:
    """Play an answer in every game of `block` [B, WORDS], up to the next choice."""
    from jax import lax

    jnp, lanes = k.xp, block.shape[0]
    size = tile(lanes)
    cards = block[:, blocks.column("cards", "me") :][:, :20].T
    kind = class_of(jnp, blocks.read(block, "ask"), action, _need(k, cards, action))
    block = block.at[:, blocks.ACTION].set(action)

    def goes_on(carry: Any) -> Any:
        return jnp.any(carry[1] > 0)

    def one_round(carry: Any) -> Any:
        block, kinds = carry
        counts = jnp.stack([jnp.sum(kinds == of, dtype=np.int32) for of in Class if of])
        chosen = 1 + jnp.argmax(counts).astype(np.int32)
        alone = jnp.max(counts) >= size // WORTH
        which = _some(k, jnp.where(alone, kinds == chosen, kinds > 0), size)
        columns = block.at[which].get(mode="clip").T
        columns = _round(k, columns, which < lanes)
        return _put(jnp, block, kinds, which, columns)

    return lax.while_loop(goes_on, one_round, (block, kind))[0]


def _put(jnp: Any, block: Any, kinds: Any, which: Any, columns: Any) -> Any:
    """Put rows of a tile back, one after the other, since a scatter is slower."""
    from jax import lax

    rows, kind = columns.T, columns[blocks.CLASS]

    def one(i: Any, carry: Any) -> Any:
        block, kinds = carry
        row = lax.dynamic_slice(rows, (i, 0), (1, blocks.WORDS))
        block = lax.dynamic_update_slice(block, row, (which[i], 0))
        kinds = lax.dynamic_update_slice(kinds, lax.dynamic_slice(kind, (i,), (1,)), (which[i],))
        return block, kinds

    count = jnp.sum(which < len(kinds), dtype=np.int32)
    return lax.fori_loop(0, count, one, (block, kinds))


def restart(k: Kit, block: Any, over: Any, fresh: Any) -> Any:
    """Replace finished games of `block` by new ones; `fresh(lanes)` returns what `begin` needs."""
    from jax import lax

    jnp, lanes = k.xp, block.shape[0]
    size = min(NEW, lanes)

    def some(carry: Any) -> Any:
        block, left = carry
        which = _some(k, left, size)
        columns = begin(k, *fresh(jnp.minimum(which, lanes - 1)))
        block = block.at[which].set(columns.T, mode="drop", unique_indices=True)
        return block, left.at[which].set(False, mode="drop")

    return lax.while_loop(lambda carry: jnp.any(carry[1]), some, (block, over))[0]


def views(k: Kit, block: Any, player: Any) -> Any:
    """Return what players[B] see of games [B, WORDS], int16[B, 382]."""
    from jax import lax

    jnp, lanes = k.xp, block.shape[0]
    size = tile(lanes)

    def some(part: Any) -> Any:
        rows, player = part
        return _rows_first(jnp, observe(k, blocks.unpack(k, rows.T), player))

    if lanes == size:
        return some((block, player))
    fill = -lanes % size
    block, player = jnp.pad(block, ((0, fill), (0, 0))), jnp.pad(player, (0, fill))
    tiles = block.reshape(-1, size, blocks.WORDS), player.reshape(-1, size)
    seen = lax.map(some, tiles)
    return seen.reshape(-1, seen.shape[-1])[:lanes]


def _rows_first(jnp: Any, columns: Any) -> Any:
    """Transpose int16[N, B], two numbers at a time, which takes half as long."""
    from jax import lax

    count = columns.shape[0]
    columns = jnp.pad(columns, ((0, count % 2), (0, 0))).astype(np.int32)
    pairs = (columns[0::2] & 0xFFFF) | (columns[1::2] << 16)
    seen = lax.bitcast_convert_type(pairs.T, np.int16)
    return seen.reshape(seen.shape[0], -1)[:, :count]
