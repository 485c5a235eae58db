"""Draws that follow the laws of NumPy's generator."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.agents.compiler.emit.constants import written
from envwright.agents.compiler.emit.printer import Printer
from envwright.agents.compiler.interpreter.world import Channel, Law
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import Node

SIGNATURES: dict[str, Callable] = {
    "random": lambda size=None, dtype=None: None,
    "uniform": lambda low=0.0, high=1.0, size=None: None,
    "integers": lambda low, high=None, size=None, dtype=None, endpoint=False: None,
    "normal": lambda loc=0.0, scale=1.0, size=None: None,
    "standard_normal": lambda size=None, dtype=None: None,
    "exponential": lambda scale=1.0, size=None: None,
    "choice": lambda a, size=None, replace=True, p=None, axis=0, shuffle=True: None,
    "permutation": lambda x, axis=0: None,
    "shuffle": lambda x, axis=0: None,
    "binomial": lambda n, p, size=None: None,
    "poisson": lambda lam=1.0, size=None: None,
}
# How to draw with a law, given its parameters as texts.
TEMPLATES = {
    "random": "jax.random.uniform({key}, {shape}, self.dtype)",
    "uniform": "jax.random.uniform({key}, {shape}, self.dtype, {low}, {high})",
    "normal": "{loc} + {scale} * jax.random.normal({key}, {shape}, self.dtype)",
    "standard_normal": "0.0 + 1.0 * jax.random.normal({key}, {shape}, self.dtype)",
    "exponential": "{scale} * jax.random.exponential({key}, {shape}, self.dtype)",
    "binomial": "jax.random.binomial({key}, {n}, {p}, {shape}).astype(jnp.int32)",
    "poisson": "jax.random.poisson({key}, {lam}, {shape})",
}


def _bound(law: Law) -> dict[str, Any]:
    if law.method not in SIGNATURES:
        raise Unsupported(f"np_random.{law.method}, whose law is unknown")
    signature = inspect.signature(SIGNATURES[law.method])
    bound = signature.bind(*law.args, **law.keywords)
    bound.apply_defaults()
    return dict(bound.arguments)


def sample(law: Law, key: str, shape: tuple[int, ...], show: Printer) -> str:
    """Return an expression that draws an array of `shape` with this law."""
    given = _bound(law)
    if law.method in _WRITERS:
        return _WRITERS[law.method](given, key, shape, show)
    template = TEMPLATES[law.method]
    texts = {k: _text(v, show) for k, v in given.items() if f"{{{k}}}" in template}
    return template.format(key=key, shape=shape, **texts)


def _text(value: Any, show: Printer) -> str:
    if isinstance(value, np.ndarray | list | tuple) and not isinstance(value, Node):
        array = np.asarray(value)
        if array.ndim:
            return f"jnp.asarray({show._known_array(array)})"
        value = array.item()
    return show.text(value) if isinstance(value, Node) else written(value)


def _integers(b: dict, key: str, shape: tuple, show: Printer) -> str:
    low, high = (0, b["low"]) if b["high"] is None else (b["low"], b["high"])
    end = _text(high, show) + (" + 1" if b["endpoint"] else "")
    return f"jax.random.randint({key}, {shape}, {_text(low, show)}, {end})"


def _choice(b: dict, key: str, shape: tuple, show: Printer) -> str:
    values, chance = b["a"], b["p"]
    if isinstance(values, Node) and values.shape == ():
        if chance is None and b["replace"]:
            return f"jax.random.randint({key}, {shape}, 0, {show.text(values)})"
        raise Unsupported("np_random.choice of an unknown number with a law of its own")
    once = not b["replace"] and b["size"] is not None
    if once and shape[0] != 1:
        raise Unsupported("np_random.choice without replacement, several times")
    texts = _text(values, show) if not np.isscalar(values) else f"jnp.arange({values})"
    law = "" if chance is None else f", p={_text(chance, show)}"
    if once:
        return f"jax.random.choice({key}, {texts}, {shape[1:]}, replace=False{law})[None]"
    return f"jax.random.choice({key}, {texts}, {shape}{law})"


def _permutation(b: dict, key: str, shape: tuple, show: Printer) -> str:
    if shape[0] != 1:
        raise Unsupported("np_random.permutation, several times")
    return f"jax.random.permutation({key}, {_text(b['x'], show)})[None]"


_WRITERS: dict[str, Callable[[dict, str, tuple, Printer], str]] = {
    "integers": _integers,
    "choice": _choice,
    "permutation": _permutation,
    "shuffle": _permutation,
}


def draws(channels: list[Channel], laws: list[Law], show: Printer) -> tuple[list[str], str]:
    """Return the lines and the dict of a function that draws noise."""
    channels = [c for c in channels if any(law.channel == c.name for law in laws)]
    if not channels:
        return [], "{}"
    lines, entries = [], []
    keys = ["key"]
    if len(channels) > 1:
        keys = [f"{channel.name}_key" for channel in channels]
        lines.append(f"{', '.join(keys)} = jax.random.split(key, {len(keys)})")
    for key, channel in zip(keys, channels, strict=True):
        text = _channel(channel, [w for w in laws if w.channel == channel.name], key, show, lines)
        entries.append(f'"{channel.name}": {text}')
    return lines, f"{{{', '.join(entries)}}}"


def _channel(channel: Channel, laws: list[Law], key: str, show: Printer, lines: list[str]) -> str:
    whole = (channel.places, *channel.shape)
    distinct = {_same(law) for law in laws}
    if len(distinct) == 1 and _repeats(laws[0], channel):
        return sample(laws[0], key, whole, show)
    if any(law.position is None for law in laws):
        raise Unsupported(
            f"draws of {channel.method} with different laws, in an order that depends on the game",
            "draw with one law, or each with a method of its own",
        )
    by_place: dict[int, list[Law]] = {}
    for law in laws:
        by_place.setdefault(law.position or 0, []).append(law)
    if any(len({_same(w) for w in place}) > 1 for place in by_place.values()):
        raise Unsupported(f"draws of {channel.method} with different laws in one place")
    names = f"{channel.name}_keys"
    lines.append(f"{names} = jax.random.split({key}, {channel.places})")
    one = (1, *channel.shape)
    chosen = [by_place.get(k, laws[-1:])[0] for k in range(channel.places)]
    parts = [sample(law, f"{names}[{k}]", one, show) for k, law in enumerate(chosen)]
    return f"jnp.concatenate([{', '.join(parts)}])"


def _repeats(law: Law, channel: Channel) -> bool:
    """Return whether one call can draw for all places."""
    bound = _bound(law)
    once = law.method in ("permutation", "shuffle") or not bound.get("replace", True)
    return channel.places == 1 or not once


def _same(law: Law) -> str:
    parts = {k: (id(v) if isinstance(v, Node) else repr(v)) for k, v in _bound(law).items()}
    return f"{law.method}{parts}"
