"""What every target demands, whatever the environment; a specification may add to it."""

from __future__ import annotations

from envwright.translate.spec import TranslationSpec

LANGUAGE = {"jax": "JAX", "rust": "Rust"}

JAX = (
    "Pure functions on immutable state: `@pytree_dataclass` from `envwright.core.pytree` with "
    "fixed shapes and dtypes beside each field; everything must trace under `jit`, `vmap` and "
    "`lax.scan`. No Python `if` on traced values: `jnp.where`.",
    "The environment is a class `Env` from `envwright.core.env`: it sets `id`, `version` and "
    "`default_params`, and writes `draw_start(key, params)` (random numbers only), "
    "`start(noise, params) -> State`, `transition(state, action, noise, params) -> (state, reward, "
    "terminated, info)`, `observe(state, player=0)`, `time_is_up(state, params)`, "
    "`observation_space(params=None)` and `action_space(params=None)` (`Box`, `Discrete` from "
    "`envwright.core.spaces`). If steps are random, `draw(key, state, action, params)` gives the "
    "noise of `transition`. `reset` and `step` follow from these; do not write them.",
    "Chance is separate from dynamics: no random numbers in `start` or `transition`.",
    "The time limit is `time_is_up`, from a step counter `time` (int32) in the state; it is not "
    "part of `terminated`.",
    "Keep the reference's order of floating-point operations. XLA fuses and rewrites: "
    "`envwright.core.exact` has `rounded(product)` against fused multiply-add and "
    "`exact_div(a, b)` for division by constants.",
    "Keep the reference's quirks and name them in a comment. Readable code: named quantities, "
    "no tricks, nothing of rendering.",
)

RUST = (
    "Safe, stable Rust without dependencies: the crate builds offline. `src/game.rs` is yours to "
    "fill; `src/main.rs` serves it and is not yours.",
    "State is a plain struct, `Clone`, with public fields; `Game` in `src/contract.rs` says what "
    "is to be implemented. No allocation and no panic in a step.",
    "Chance is separate from dynamics: a start is made from drawn numbers.",
    "Keep the reference's order of floating-point operations and its quirks, and name these in a "
    "comment.",
)


def constraints(spec: TranslationSpec) -> tuple[str, ...]:
    """The target's and the specification's own."""
    return (JAX if spec.target.backend == "jax" else RUST) + spec.target.constraints
