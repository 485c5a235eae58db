"""Tells Gymnasium about our environments, without importing any of them."""

from __future__ import annotations

from envwright.core.registry import specs


def register_with_gymnasium() -> None:
    """Make `gymnasium.make` and `make_vec` know every `envwright/…` id."""
    import gymnasium
    from gymnasium.envs.registration import registry

    for spec in specs():
        if spec.gymnasium_id not in registry:
            gymnasium.register(
                spec.gymnasium_id,
                entry_point="envwright.adapters.gymnasium:GymnasiumEnv",
                vector_entry_point="envwright.adapters.gymnasium:make_vector_env",
                kwargs={"name": spec.name},
            )
