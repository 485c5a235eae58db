"""Shows a saved divergence again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from functools import singledispatch

from envwright.errors import EnvwrightError
from envwright.schema.divergence import Divergence, GoldenPair, Law, Spaces, Steps, Trace, Vector
from envwright.verify.divergence import pair_spec, program_of
from envwright.verify.l1_properties import LAW_STARTS, compare_start_laws
from envwright.verify.laws import compare_transition_laws
from envwright.verify.pair import Moment
from envwright.verify.run import differing_spaces
from envwright.verify.traces.kinds import RoomTraces, find_traces
from envwright.verify.vector.check import replay_lanes


@dataclass
class Replay:
    """What was seen again; `shows` is false if the two sides agree now."""

    shows: bool
    steps: list[Moment] = field(default_factory=list)
    mismatch: str = ""


@singledispatch
def replay(divergence: Divergence) -> Replay:
    """Do again what showed the divergence, on simulators opened anew."""
    raise NotImplementedError(type(divergence))


@replay.register
def _(divergence: Steps) -> Replay:
    with closing(pair_spec(divergence).open()) as pair:
        start, *steps = pair.play(program_of(divergence))
    shows = any(moment.found is not None for moment in (start, *steps))
    return Replay(shows, steps, f"the twin raised {start.raised}" if start.raised else "")


@replay.register
def _(divergence: Law) -> Replay:
    with closing(pair_spec(divergence).open()) as pair:
        if divergence.start is None:
            return _told(compare_start_laws(pair, divergence.seed, LAW_STARTS))
        report = compare_transition_laws(
            pair, [divergence.start], divergence.actions, repeats=LAW_STARTS // 10
        )
        return Replay(bool(report.differences), mismatch=str(report))


@replay.register
def _(divergence: Spaces) -> Replay:
    with closing(pair_spec(divergence).open()) as pair:
        return _told(differing_spaces([pair]))


@replay.register
def _(divergence: GoldenPair) -> Replay:
    raise EnvwrightError(
        "a golden pair is recorded anew each time; run envwright verify … --levels 1 instead"
    )


@replay.register
def _(divergence: Vector) -> Replay:
    mismatch = replay_lanes(divergence)
    return Replay(mismatch is not None, mismatch=str(mismatch or ""))


@replay.register
def _(divergence: Trace) -> Replay:
    differs = find_traces(divergence).replay(divergence)
    return Replay(bool(differs), mismatch=differs)


def smaller(divergence: Divergence) -> Trace:
    """Make a room's trace small. Raises for other divergences, which verify has made small."""
    traces = find_traces(divergence) if isinstance(divergence, Trace) else None
    if not isinstance(divergence, Trace) or not isinstance(traces, RoomTraces):
        raise EnvwrightError(
            f"a divergence of kind {divergence.kind!r} cannot be shrunk further; leave --shrink out"
        )
    return traces.shrink(divergence)


def _told(found: list) -> Replay:
    return Replay(bool(found), mismatch=str(found[0]) if found else "")
