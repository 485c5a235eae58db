"""Register our environments with Gymnasium, without importing any of them."""

from __future__ import annotations

from envwright.core.registry import rooms


def register_with_gymnasium() -> None:
    """Register every `envwright/…` id for `gymnasium.make` and `make_vec`."""
    import gymnasium
    from gymnasium.envs.registration import registry

    for room in rooms():
        if room.gymnasium_id not in registry:
            gymnasium.register(
                room.gymnasium_id,
                entry_point="envwright.adapters.gymnasium:GymnasiumEnv",
                vector_entry_point="envwright.adapters.gymnasium:make_vector_env",
                kwargs={"name": room.name},
            )
