"""Lists that grow and shrink."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.agents.compiler.interpreter.comparisons import Comparisons
from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Growing, Node, Ragged


class Lists(Comparisons):
    """The layer that changes lists."""

    def append(self, who: Any, value: Any) -> None:
        """`who.append(value)`."""
        contents = self.contents(who)
        if isinstance(contents, tuple):
            self.put(who, (*contents, value))
            return
        if isinstance(contents, Ragged):
            raise Unsupported("append to a list of unknown length that was not made here")
        graph = self.graph
        if not getattr(who, "capacity", 0):
            contents = self.growing(contents, contents.capacity + 1)
        value = self.element_of(contents, value)
        places = graph.set(contents.places, (contents.count,), value)
        count = graph.binary("+", contents.count, 1)
        self._call_them(who, places, count)
        self.put(who, Growing(places, count, contents.rows))

    def _call_them(self, who: Any, places: Any, count: Any) -> None:
        """Name the contents of a list."""
        label = getattr(who, "label", "")
        if label and not places.hint:
            places.hint = label
        if label and isinstance(count, Node) and not count.hint:
            count.hint = f"{label}_count"

    def extend(self, who: Any, values: Any) -> None:
        """`who.extend(values)`."""
        items = self.items(values)
        if not isinstance(items, tuple):
            raise Unsupported("extend with a list of unknown length")
        for item in items:
            self.append(who, item)

    def insert(self, who: Any, place: Any, value: Any) -> None:
        """`who.insert(place, value)`."""
        contents, graph = self.contents(who), self.graph
        if isinstance(contents, tuple) and not isinstance(place, Node):
            items = list(contents)
            items.insert(int(place), value)
            self.put(who, tuple(items))
            return
        if not isinstance(contents, Growing) or place != 0:
            raise Unsupported("insert in the middle of a list of unknown length")
        if not getattr(who, "capacity", 0):
            contents = self.growing(contents, contents.capacity + 1)
        value = self.element_of(contents, value)
        places = graph.set(self._rolled(contents.places, 1), (0,), value)
        self.put(who, Growing(places, graph.binary("+", contents.count, 1), contents.rows))

    def pop(self, who: Any, place: Any = -1) -> Any:
        """`who.pop(place)`."""
        contents = self.contents(who)
        if isinstance(contents, tuple):
            if isinstance(place, Node):
                contents = self.growing(contents, max(len(contents), getattr(who, "capacity", 0)))
            else:
                items = list(contents)
                try:
                    value = items.pop(int(place))
                except IndexError as error:
                    raise Impossible(str(error)) from error
                self.put(who, tuple(items))
                return value
        if isinstance(contents, Ragged):
            raise Unsupported("pop from a list of unknown length that was not made here")
        self.assumptions += 1
        value = self.growing_element(contents, place)
        self._remove_place(who, contents, place)
        return value

    def remove_at(self, who: Any, place: Any) -> None:
        """`del who[place]`."""
        if self.is_dict(who):
            if not self.is_known(place):
                raise Unsupported("del of an unknown key of a dict", "use a list of truths")
            contents, key = self.contents(who), self.real(place)
            if key not in contents:
                raise Impossible(f"the key {key!r} is not in the dict")
            self.put(who, {k: v for k, v in contents.items() if k != key})
            return
        if isinstance(place, slice):
            raise Unsupported("del of a slice")
        self.pop(who, place)

    def remove(self, who: Any, value: Any) -> None:
        """`who.remove(value)`."""
        contents, graph = self.contents(who), self.graph
        if isinstance(contents, tuple):
            truths = [self.truth(self.equal_whole(value, item)) for item in contents]
            if not any(isinstance(t, Node) for t in truths):
                if True not in truths:
                    raise Impossible("it is not in the list")
                at = truths.index(True)
                self.put(who, contents[:at] + contents[at + 1 :])
                return
            contents = self.growing(contents, max(len(contents), getattr(who, "capacity", 0)))
        self.assumptions += 1
        place = graph.call("jnp.argmax", (self.places_of(value, contents),), np.int64(0))
        self._remove_place(who, contents, place)

    def _remove_place(self, who: Any, contents: Growing, place: Any) -> None:
        """Move later elements up and set the last place to 0."""
        graph, first = self.graph, not isinstance(place, Node) and place == 0
        count = graph.binary("-", contents.count, 1)
        place = self._from_the_front(place, contents.count)
        moved = self._rolled(contents.places, -1)
        if not first:
            at = graph.constant(np.arange(contents.capacity), "PLACES")
            behind = graph.compare(">=", at, place)
            moved = graph.where(self._beside(behind, contents.places), moved, contents.places)
        self.put(who, self._cleared(Growing(moved, count, contents.rows)))

    def _rolled(self, places: Node, by: int) -> Node:
        like = np.roll(places.like, by, axis=0)
        return self.graph.call("jnp.roll", (places, by), like, axis=0)

    def _cleared(self, contents: Growing) -> Growing:
        """Set places that do not count to zero, as the bridge requires."""
        mask = self._beside(self.mask(contents), contents.places)
        zero = contents.places.dtype.type(0).item()
        places = self.graph.where(mask, contents.places, zero)
        return Growing(places, contents.count, contents.rows)

    def _beside(self, mask: Node, places: Node) -> Node:
        """Broadcast a mask over elements that are arrays."""
        missing = len(places.shape) - 1
        if not missing:
            return mask
        return self.graph.index(mask, (slice(None), *([None] * missing)))
