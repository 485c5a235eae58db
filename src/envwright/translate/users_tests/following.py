"""A translation as a Gymnasium environment that draws what the reference draws."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envwright.sim.records import Fields, state_of
from envwright.verify.pair import Pair


class Following(gymnasium.Env[Any, Any]):
    """Steps a translation beside its reference, so that equal seeds give equal episodes.

    Fields of the state are attributes, under the reference's names.
    """

    def __init__(self, pair: Pair) -> None:
        self._pair, self._record = pair, {}
        self.observation_space = pair.reference.observation_space
        self.action_space = pair.reference.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        chosen = int(self.np_random.integers(2**31)) if seed is None else seed
        expected, got = self._pair.start(chosen)
        self._record = got or expected
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._pair.step_reference(action)
        self._record = record = self._pair.step_twin(action)
        ends = bool(record["terminated"]), bool(record["truncated"])
        return self._seen(), float(record["reward"]), *ends, {}

    def __getattr__(self, name: str) -> Any:
        held = {} if name.startswith("_") else state_of(self._shown())
        if name not in held:
            raise AttributeError(f"the translation shows no {name!r}; it has {', '.join(held)}")
        return held[name].item() if held[name].ndim == 0 else held[name]

    def _shown(self) -> Fields:
        """Return the state in the reference's words."""
        pair = self._pair
        if pair.bridge is None:
            return {}
        state = pair.bridge.to_reference(pair.twin.state())
        return {f"state.{name}": np.asarray(value) for name, value in state.items()}

    def _seen(self) -> Any:
        return _observation("obs", self._record, self.observation_space)


def _observation(name: str, record: Fields, space: gymnasium.Space[Any]) -> Any:
    """Return the observation of a record in its space's types."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {k: _observation(f"{name}.{k}", record, inside) for k, inside in space.items()}
    if isinstance(space, gymnasium.spaces.Tuple):
        if name in record:
            return tuple(record[name].tolist())
        parts = enumerate(space.spaces)
        return tuple(_observation(f"{name}.{i}", record, inside) for i, inside in parts)
    value = np.asarray(record[name], space.dtype)
    return int(value) if isinstance(space, gymnasium.spaces.Discrete) else value
