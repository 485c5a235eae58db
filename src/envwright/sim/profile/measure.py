"""Compile a race, trace it, and describe where the time went."""

from __future__ import annotations

import inspect
import secrets
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.env import Env
from envwright.core.pytree import named_leaves
from envwright.sim.profile.program import DEAR, CompiledProgram, Operation, read_program
from envwright.sim.profile.trace import Times, traced
from envwright.sim.race import played

SHOWN = 12  # operations
LINES = 3  # source lines of each
SECONDS = 0.25  # approximate time of the traced run
FEW, STEPS = 2, 256  # fewest and most steps of it
EVENTS = 40_000  # approximate limit of its events, which are all read


@dataclass(frozen=True)
class Compiled:
    """The program of a race, and what making it cost."""

    run: Any  # steps -> the last step
    text: str
    name: str  # the function's name
    seconds: float  # to compile
    costs: dict[str, float]  # the compiler's own estimate


def profile(env: Env, lanes: int) -> str:
    """Describe where the time of a step of `lanes` lanes goes, in words and a table."""
    compiled = _compiled(env, lanes)
    program = read_program(compiled.text)
    steps, seconds = _calibrated(compiled)
    held = sum(x.nbytes for x in named_leaves(env.reset(jax.random.key(0))[1]).values())
    said = [
        f"A step of {lanes:,} lanes takes {1e6 * seconds / steps:,.0f} µs. Compiling took "
        f"{compiled.seconds:.1f} s. A state takes {held} bytes a lane. {_costs(compiled.costs)}"
    ]
    try:
        times, traced_steps = _traced(compiled, steps)
        why = "the trace shows none"
    except (RuntimeError, OSError, ValueError, LookupError) as error:
        times, traced_steps, why = Times({}, 0.0), 0, f"{type(error).__name__}: {error}"
    if not times.operations:
        said.append(f"Its operations could not be timed ({why}), only counted: {_counts(program)}.")
        return "\n\n".join(said)
    loop = _loop(program, compiled.name)
    mine = {name: spent for name, spent in times.operations.items() if name in loop}
    once = sum(times.operations.values()) - sum(mine.values())
    times = Times(mine, times.between)
    slower = (times.total + once) / (1e6 * seconds * traced_steps / steps)
    own = Path(inspect.getfile(type(env))).parent
    table = _table(times, traced_steps, program, own)
    return "\n\n".join([*said, _run_summary(times, traced_steps, slower, once), table])


def _traced(compiled: Compiled, steps: int) -> tuple[Times, int]:
    """Return the times of a run and its number of steps: fewer if they have many operations."""
    module = f"jit_{compiled.name}"
    few = traced(lambda: compiled.run(FEW), module)
    steps = max(FEW, min(steps, FEW * EVENTS // max(1, few.events)))
    return traced(lambda: compiled.run(steps), module), steps


def _loop(program: CompiledProgram, name: str) -> set[str]:
    """Return the operations that run at every step; the others run once."""
    loops = (op for op in program.operations.values() if op.made_by == f"jit({name})/while")
    loop = next((op for op in loops if op.kind == "while"), None)
    return set(program.operations) if loop is None else program.within(loop)


def _compiled(env: Env, lanes: int) -> Compiled:
    play, bank = played(env, lanes)
    key = jax.random.key(0)
    # A new name keeps it from coming from a cache.
    play.__name__ = f"play_{secrets.token_hex(4)}"
    began = time.perf_counter()
    made = jax.jit(play).lower(key, bank, jnp.int32(2)).compile()
    seconds = time.perf_counter() - began
    return Compiled(
        lambda steps: made(key, bank, jnp.int32(steps)),
        made.as_text() or "",
        play.__name__,
        seconds,
        made.cost_analysis() or {},
    )


def _calibrated(compiled: Compiled) -> tuple[int, float]:
    """Return a number of steps that take about so long, and their time."""
    steps = FEW
    jax.block_until_ready(compiled.run(steps))
    while True:
        began = time.perf_counter()
        jax.block_until_ready(compiled.run(steps))
        seconds = time.perf_counter() - began
        if steps >= STEPS or 2 * seconds > SECONDS:
            return steps, seconds
        steps *= 2


# --- words ----------------------------------------------------------------------------------


def _costs(costs: dict[str, float]) -> str:
    flops, moved = costs.get("flops", 0.0), costs.get("bytes accessed", 0.0)
    return (
        f"The compiler's own estimate for the starts and two steps: {flops:,.0f} floating point "
        f"operations, {moved:,.0f} bytes read and written."
    )


def _counts(program: CompiledProgram) -> str:
    found = Counter(op.kind for op in program.operations.values())
    seen = [f"{found[kind]} {kind}" for kind in ("fusion", *DEAR) if found[kind]]
    return ", ".join(seen) or "no expensive ones"


def _run_summary(times: Times, steps: int, slower: float, once: float) -> str:
    between = times.between / times.total
    return (
        f"A traced run of {steps} steps, all threads together, took {slower:.1f} × the time of "
        "one without tracing, so that small operations look dearer than they are. The starts "
        f"and the last step took {once:,.0f} µs, once. Of the rest, {between:.0%} went into "
        "starting operations and waiting for them, and"
    )


def _table(times: Times, steps: int, program: CompiledProgram, own: Path) -> str:
    rows = ["| share | µs a step | operation | of | source |", "|---|---|---|---|---|"]
    dearest = sorted(times.operations.items(), key=lambda item: -item[1])
    for name, spent in dearest[:SHOWN]:
        op = program.operations.get(name)
        what, where = ("", "") if op is None else (_what(program, op), _where(program, op, own))
        rows.append(
            f"| {spent / times.total:.0%} | {spent / steps:,.1f} | {name} | {what} | {where} |"
        )
    others = [spent for _, spent in dearest[SHOWN:]]
    if others:
        rest = sum(others)
        rows.append(
            f"| {rest / times.total:.0%} | {rest / steps:,.1f} | {len(others)} others | | |"
        )
    return "\n".join(rows)


def _what(program: CompiledProgram, op: Operation) -> str:
    """`fusion: 2 sine, 14 multiply, 9 add`."""
    if op.kind != "fusion":
        return op.kind
    inside = [f"{count} {kind}" for kind, count in list(program.kinds(op).items())[:4]]
    return f"{op.kind}: {', '.join(inside)}" if inside else op.kind


def _where(program: CompiledProgram, op: Operation, own: Path) -> str:
    """Return the lines of the environment that it comes from, or else the library."""
    lines: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for stack in program.places(op):
        mine = [place for place in stack if Path(place.file).is_relative_to(own)]
        if mine:
            file = Path(mine[0].file).relative_to(own)
            lines[f"{file}:{mine[0].line} {mine[0].function}"] += 1
        else:
            others[stack[0].function] += 1
    if lines:
        return ", ".join(line for line, _ in lines.most_common(LINES))
    return f"not yours: {others.most_common(1)[0][0]}" if others else ""
