"""A batch of battles while rules run on it.

`Context` holds the state unpacked into int32/bool arrays of shape [B], so that a rule reads
`side.hp` and writes `side.hp = c.where(on, ..., side.hp)`. `on` is always the bool[B] of lanes for
which a rule applies. During an action the sides are flipped so that `c.me` acts and `c.foe` is
across; `c.f.flip` marks where `c.me` is the second player.

Under NumPy a rule that applies to no lane is skipped (`c.when`); under JAX it becomes a conditional
of the compiled program, which is skipped in the same way at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.core
import numpy as np
from jax import lax

from envwright.core.arrays import Array
from envwright.zoo.pokemon import rng
from envwright.zoo.pokemon.engine.boxes import Bench, Field, Move, Side
from envwright.zoo.pokemon.state import State

PARTY = tuple(Bench.__annotations__)
ACTIVE = tuple(n for n in Side.__annotations__ if n in State._fields and n not in PARTY)
FIELD = tuple(n for n in Field.__annotations__ if n in State._fields)
MOST_ROUNDS = 100  # of a loop on NumPy; ten are the most that battles have shown


class Context:
    """The battles, the tables and the array library of one call into the engine."""

    def __init__(self, xp: Any, rules: Any, state: State) -> None:
        self.xp, self.t, self.rows = xp, rules.tables, rules.rows
        self.lanes = state.turn.shape[-1]
        self.no: Array = xp.zeros(self.lanes, bool)
        self.zero: Array = xp.zeros(self.lanes, xp.int32)
        sides = [self._side(state, index) for index in range(2)]
        self.bench = Bench(
            **{
                name: [self._rows(getattr(state, name)[index][1:]) for index in range(2)]
                for name in PARTY
            }
        )
        self.me, self.foe = sides
        self.f = Field(
            hi=state.rng[0],
            lo=state.rng[1],
            flip=self.no,
            **{name: self._rows(getattr(state, name)) for name in FIELD},
        )
        self.mv = Move()

    def _rows(self, array: Array) -> Any:
        if array.ndim == 1:
            return array.astype(self.xp.int32)
        return [self._rows(row) for row in array]

    def _side(self, state: State, index: int) -> Side:
        party = {name: self._rows(getattr(state, name)[index][0]) for name in PARTY}
        active = {name: self._rows(getattr(state, name)[index]) for name in ACTIVE}
        for name in ("boosts", "since"):  # one array: used as a whole
            active[name] = getattr(state, name)[index].astype(self.xp.int32)
        side = Side(**party, **active)
        side.ab = side.ability
        side.fainting = self.zero
        side.felled_by_move = self.no
        side.bench_alive = self.zero
        side.bench_fainted = self.zero
        side.bench_asleep = self.no
        return side

    def pack(self, like: State) -> State:
        """Return the state as stored, in the types of `like`."""
        both = (self.me, self.foe)
        fields = {"rng": self.xp.stack([self.f.hi, self.f.lo])}
        for name in PARTY:
            fields[name] = [
                [getattr(side, name), *getattr(self.bench, name)[index]]
                for index, side in enumerate(both)
            ]
        fields |= {name: [getattr(side, name) for side in both] for name in ACTIVE}
        fields |= {name: getattr(self.f, name) for name in FIELD}
        return State(
            **{
                name: self._stack(fields[name]).astype(getattr(like, name).dtype)
                for name in State._fields
            }
        )

    def _stack(self, rows: Any) -> Array:
        return self.xp.stack([self._stack(row) for row in rows]) if isinstance(rows, list) else rows

    # --- arithmetic over lanes

    def where(self, on: Array, yes: Any, no: Any) -> Array:
        """Choose elementwise."""
        if self.xp is np:
            return np.where(on, yes, no)
        return _select(self.xp, on, yes, no)

    def ints(self, value: int) -> Array:
        """Return the same number in every lane."""
        return self.zero + np.int32(value)

    def i(self, on: Array) -> Array:
        """Return a truth value as 0 or 1."""
        return on.astype(self.xp.int32)

    def div(self, a: Array, b: Any) -> Array:
        """Divide two numbers that are not negative, rounding down."""
        if self.xp is np:
            return a // np.int32(b) if isinstance(b, int) else a // b
        return lax.div(a, self.xp.broadcast_to(self.xp.asarray(b, self.xp.int32), a.shape))

    def look(self, table: Any, *index: Array) -> Array:
        """Look up rows of a table by lane."""
        if self.xp is np:
            return table[index]
        return table.at[index].get(mode="promise_in_bounds")

    # --- random numbers

    def draw(self, on: Array, bound: Any) -> Array:
        """Draw a random number 0..bound-1 in the lanes `on`; other lanes draw nothing."""
        f, xp = self.f, self.xp
        hi, lo = rng.advance(xp, f.hi, f.lo)
        f.hi, f.lo = xp.where(on, hi, f.hi), xp.where(on, lo, f.lo)
        return rng.below(xp, hi, bound)

    def chance(self, on: Array, numerator: Any, denominator: int) -> Array:
        """Return whether something with a chance happens, in the lanes `on`."""
        return on & (self.draw(on, denominator) < numerator)

    # --- control

    def when(self, on: Array, rule: Callable[..., object], *args: Any) -> None:
        """Run `rule(c, on, *args)` if it applies to any lane."""
        if self.xp is np:
            if on.any():
                rule(self, on, *args)
            return
        before = self._leaves()
        found: list[int] = []

        def traced() -> list[Array]:
            rule(self, on, *args)
            after = self._leaves()
            found[:] = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a is not b]
            self._restore(before)
            return [after[i].astype(before[i].dtype) for i in found]

        branch = jax.make_jaxpr(traced)()
        changed = list(found)
        out = lax.cond(
            self.xp.any(on),
            lambda: jax.core.eval_jaxpr(branch.jaxpr, branch.consts),
            lambda: [before[i] for i in changed],
        )
        for i, value in zip(changed, out, strict=True):
            before[i] = value
        self._restore(before)

    def loop(self, going: Callable[[Context], Array], body: Callable[[Context], None]) -> None:
        """Run `body(c)` while `going(c)` holds in any lane."""
        if self.xp is np:
            for _ in range(MOST_ROUNDS):
                if not going(self).any():
                    return
                body(self)
            raise RuntimeError(f"a loop of the rules has not ended after {MOST_ROUNDS} rounds")
        before: list[Array] = [jax.numpy.asarray(leaf) for leaf in self._leaves()]

        def traced(*leaves: Array) -> list[Array]:
            self._restore(list(leaves))
            body(self)
            after = self._leaves()
            return [x.astype(y.dtype) for x, y in zip(after, before, strict=True)]

        once = jax.make_jaxpr(traced)(*before)
        # carry only what the body changes: the rest would be copied for nothing
        pairs = zip(once.jaxpr.invars, once.jaxpr.outvars, strict=True)
        changed = [index for index, (a, b) in enumerate(pairs) if a is not b]

        def whole(carried: list[Array]) -> list[Array]:
            full = list(before)
            for index, value in zip(changed, carried, strict=True):
                full[index] = value
            return full

        def again(carried: list[Array]) -> Array:
            self._restore(whole(carried))
            return self.xp.any(going(self))

        def step(carried: list[Array]) -> list[Array]:
            out = jax.core.eval_jaxpr(once.jaxpr, once.consts, *whole(carried))
            return [out[index] for index in changed]

        result = lax.while_loop(again, step, [before[index] for index in changed])
        self._restore(whole(result))

    def _leaves(self) -> list[Array]:
        boxes = (self.me, self.foe, self.bench, self.f, self.mv)
        return jax.tree.leaves([list(vars(box).values()) for box in boxes])

    def _restore(self, leaves: list[Array]) -> None:
        at = iter(leaves)
        for box in (self.me, self.foe, self.bench, self.f, self.mv):
            for name, value in box.__dict__.items():
                box.__dict__[name] = jax.tree.map(lambda _: next(at), value)

    # --- sides

    def flip(self, on: Array) -> None:
        """Exchange `me` and `foe` in the lanes `on` (the benches stay where they are)."""
        xp, a, b = self.xp, self.me, self.foe

        def pair(x: Any, y: Any) -> tuple[Any, Any]:
            if isinstance(x, list):
                both = [pair(p, q) for p, q in zip(x, y, strict=True)]
                return [p for p, _ in both], [q for _, q in both]
            return xp.where(on, y, x), xp.where(on, x, y)

        for name in a.__dict__:
            a.__dict__[name], b.__dict__[name] = pair(a.__dict__[name], b.__dict__[name])
        self.f.flip = self.f.flip ^ on

    def other(self, side: Side) -> Side:
        """Return the side across."""
        return self.foe if side is self.me else self.me


def _select(xp: Any, on: Array, yes: Any, no: Any) -> Array:
    """Choose between arrays of equal shape or plain numbers, with fewer traced operations."""
    arrays = [x for x in (yes, no) if hasattr(x, "shape") and x.shape]
    if not arrays:
        kind = bool if isinstance(yes, bool) else xp.int32
        yes, no = xp.full(on.shape, yes, kind), xp.full(on.shape, no, kind)
        return lax.select_n(on, no, yes)
    shape = arrays[0].shape
    parts = [
        x
        if hasattr(x, "shape") and x.shape == shape
        else xp.broadcast_to(xp.asarray(x, arrays[0].dtype), shape)
        for x in (no, yes)
    ]
    on = on if on.shape == shape else xp.broadcast_to(on, shape)
    return lax.select_n(on, *parts)


def has(word: Array, bit: Array | int) -> Array:
    """Return whether a bit of a word is set."""
    return (word >> bit) & 1 != 0


def put(c: Context, on: Array, word: Array, bit: int, value: Any = True) -> Array:
    """Return the word with a bit set (or cleared) in the lanes `on`."""
    one = 1 << int(bit)
    if isinstance(value, bool):
        return c.where(on, word | one if value else word & ~one, word)
    return c.where(on, c.where(value, word | one, word & ~one), word)
