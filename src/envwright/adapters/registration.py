"""Register our environments with Gymnasium, without importing any of them."""

from __future__ import annotations

from collections.abc import Iterable

from envwright.core.room import Room


def register_with_gymnasium(rooms: Iterable[Room]) -> None:
    """Register the ids of rooms for `gymnasium.make` and `make_vec`."""
    import gymnasium
    from gymnasium.envs.registration import registry

    for room in rooms:
        if room.gymnasium_id not in registry:
            gymnasium.register(
                room.gymnasium_id,
                entry_point="envwright.adapters.gymnasium:GymnasiumEnv",
                vector_entry_point="envwright.adapters.gymnasium:make_vector_env",
                kwargs={"name": room.name},
            )
