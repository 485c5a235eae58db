"""Random numbers: every call of the generator reads a place of a noise array."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.elements import Elements
from envwright.agents.compiler.interpreter.world import Channel, Law
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import Growing, Node, Ragged, Text, example

INVENTED = 64  # places of a noise array without a layout


class Draws(Elements):
    """The layer that interprets random draws."""

    def draw(self, method: str, args: list, keywords: dict) -> Any:
        """Return the result of a generator call."""
        if method == "shuffle":
            return self._shuffle(args)
        args = [self._argument(a) for a in args]
        keywords = {k: self._argument(v) for k, v in keywords.items()}
        value = self._example(method, args, keywords)
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            return Text()
        return self._place(method, value, args, keywords)

    def _place(self, method: str, value: Any, args: list, keywords: dict) -> Any:
        array = np.asarray(value)
        channel = self._channel(method, array)
        if channel is None:
            return self.graph.fresh("undrawn", (), (method,), value)
        used = self.world.cursors.get(channel.name, 0)
        position = None if isinstance(used, Node) else int(used)
        self.laws.append(Law(channel.name, position, method, tuple(args), keywords))
        if position is not None and position >= channel.places:
            raise Unsupported(
                f"more draws of {method} than were ever seen", "raise the places in bridge.py"
            )
        noise = self.graph.input(
            f'noise["{channel.name}"]',
            np.zeros((channel.places, *array.shape), array.dtype),
            "noise",
        )
        self.world.cursors[channel.name] = self.graph.binary("+", used, 1)
        found = self.graph.index(noise, (used,))
        if array.dtype.kind in "iu":  # the reference draws int64
            found = self.graph.node("cast", (found,), ("jnp.int32",), found.like)
        return self.graph.renamed(found, value)

    def _argument(self, value: Any) -> Any:
        value = self.settled(value)
        if self.is_known(value):
            return self.real(value)
        return self.number(value)

    def _example(self, method: str, args: list, keywords: dict) -> Any:
        generator = np.random.default_rng(0)
        try:
            return getattr(generator, method)(
                *(example(a) for a in args), **{k: example(v) for k, v in keywords.items()}
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise Unsupported(f"np_random.{method} with these arguments: {error}") from error

    def _channel(self, method: str, array: np.ndarray) -> Channel | None:
        """Return the noise array for such draws, or None if the specification has none."""
        kind = "i" if array.dtype.kind in "iu" else array.dtype.kind
        for channel in self.channels:
            if (channel.method, channel.shape, channel.kind) == (method, array.shape, kind):
                return channel
        if not self.invents:
            return None
        again = sum(c.method == method for c in self.channels)
        name = f"{method}_{again + 1}" if again else method
        made = Channel(name, method, array.shape, kind, INVENTED)
        self.channels.append(made)
        return made

    def _shuffle(self, args: list) -> None:
        """Shuffle in place."""
        who = args[0]
        contents = self.contents(who)
        if isinstance(contents, Growing | Ragged):
            raise Unsupported("np_random.shuffle of a list of unknown length")
        whole = self.number(who) if self.is_list(who) else contents
        if not isinstance(whole, Node) and np.asarray(whole).dtype.kind not in "biuf":
            raise Unsupported("np_random.shuffle of values that are not numbers")
        drawn = self._place("shuffle", np.asarray(example(whole)), [whole], {})
        self.put(who, self.items(drawn) if self.is_list(who) else drawn)
