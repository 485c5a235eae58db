"""Constraints of each target. A specification may add its own."""

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
    "Import nothing but jax, numpy, your own package, `envwright.core` and modules of the standard "
    "library for data and mathematics; no callbacks out of the compiled program. No `getattr`, "
    "`eval`, `global`, `hash`, `str.format` or names like `__dict__`, no metaclasses, and no "
    "modules passed around: names are checked. Only `__init__` and `__post_init__` set fields. "
    "Tracing must change nothing, and give the same program each time.",
    "Keep the reference's quirks and name them in a comment. Readable code: named quantities, "
    "no tricks, nothing of rendering.",
)

RUST = (
    "Safe, stable Rust (edition 2021) without dependencies: the crate builds offline, and "
    "`unsafe` is forbidden. `Cargo.toml`, `lib.rs` and `harness/` are not yours: `lib.rs` brings "
    "your modules in, so that one is `crate::NAME` for the others. A module may have files of its "
    "own: `mod parts;` in it is `parts.rs` beside it.",
    "The environment is a plain struct that implements `Game` of `harness/contract.rs` (read it, "
    "it is short): `use crate::harness::{Action, Dtype, Fields, Game, Options, Outcome, Rng, "
    "Space};`. It has `new(options)`, the spaces, `start(rng)`, `step(action) -> Outcome`, "
    "`observe(out)`, and `state() -> Fields` with `load(state)`, which name every field that "
    "decides what happens next, as the contract below names them.",
    "Floats are f64 and whole numbers i64 unless the contract says otherwise: the reference "
    "computes in Python and NumPy. What it keeps or computes in float32 is f32.",
    "Chance is in `start`, and in `random_step` where the reference's steps draw. Both draw the "
    "same numbers in the same order as the reference, with the methods of `Rng` that the table in "
    "`harness/rng.rs` names: the same seed then plays the same episode. What is compared of starts "
    "is their law, so draw your own numbers where the reference's generator is not NumPy's.",
    "`step` says `truncated` when the time limit is reached, from a step counter in the state; "
    "that is not part of `terminated`.",
    "No allocation and no panic in `step` and `observe`; no global state, no threads, nothing of "
    "files or clocks. Of `std`, only its pure parts: no `cell`, `rc`, `sync`, `env`, `io` or "
    "`HashMap`. `state` names everything that decides a step; a fresh game that loads it is "
    "compared.",
    "Keep the reference's order of floating-point operations; no `mul_add`. Elementary functions "
    "(`sin`, `exp`, …) are the system's, as Python's `math` uses; NumPy's may differ in the last "
    "digit.",
    "Keep the reference's quirks and name them in a comment. Python's `//` and `%` round "
    "downwards (`div_euclid` and `rem_euclid` for a positive divisor), `round` rounds halves to "
    "even, `int` cuts off. Readable code: named quantities, no tricks, nothing of rendering.",
)


RESTARTS = (
    "Set the class attribute `restarts = True`: a game that is over is followed by the next "
    "within `transition`.",
)


def constraints(spec: TranslationSpec) -> tuple[str, ...]:
    """Return the constraints of the target and of the specification."""
    general = JAX if spec.target.backend == "jax" else RUST
    return general + RESTARTS * spec.target.restarts + spec.target.constraints
