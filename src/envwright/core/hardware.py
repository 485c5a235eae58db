"""The hardware that an environment is to run on: it decides between JAX and Rust."""

from __future__ import annotations

from envwright.errors import EnvwrightError

HARDWARE = ("cpu", "gpu", "tpu")


def detect() -> str:
    """Return what JAX computes on here: cpu, gpu or tpu."""
    import jax  # it takes a second

    kind = jax.devices()[0].platform
    return kind if kind in ("cpu", "tpu") else "gpu"  # cuda, rocm, metal


def chosen(asked: str | None) -> str:
    """Return the hardware that was asked for, or what is here. Raises for unknown kinds."""
    if asked is None:
        return detect()
    if asked not in HARDWARE:
        raise EnvwrightError(f"unknown hardware {asked!r}; use {', '.join(HARDWARE)}")
    return asked
