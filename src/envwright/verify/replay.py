"""Replay a saved divergence."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import dataclass, field

from envwright.core.text import one_line
from envwright.errors import EnvwrightError
from envwright.schema.divergence import Divergence, Law, PairDivergence, Steps, Trace, Vector
from envwright.verify.divergence import pair_spec, playthrough_of
from envwright.verify.l1_properties import LAW_STARTS, compare_start_laws
from envwright.verify.laws import compare_transition_laws
from envwright.verify.pair import Moment, Pair
from envwright.verify.run import differing_spaces
from envwright.verify.traces.kinds import RoomTraces, find_traces
from envwright.verify.vector.check import replay_lanes

MOST_SHOWN = 100  # moments; observations may be large


@dataclass
class Replay:
    """The outcome of a replay; `shows` is false if the two sides agree now."""

    shows: bool
    steps: list[Moment] = field(default_factory=list)  # the last ones
    mismatch: str = ""


def replay(divergence: Divergence, trust: bool = False) -> Replay:
    """Repeat what showed the divergence, on simulators opened anew.

    Raises if it names simulators that nothing registers, unless they are trusted.
    """
    try:
        return _replay(divergence, trust)
    except EnvwrightError:
        raise
    except Exception as error:  # a simulator may raise anything on a start or action of a file
        raise EnvwrightError(
            f"{divergence.path or 'the divergence'} cannot be replayed: its start or its actions "
            f"do not fit {divergence.reference} ({type(error).__name__}: {one_line(str(error))})"
        ) from error


def _replay(divergence: Divergence, trust: bool) -> Replay:
    match divergence:
        case Trace():
            differs = find_traces(divergence).replay(divergence)
            return Replay(bool(differs), mismatch=differs)
        case Vector():
            mismatch = replay_lanes(divergence, trust)
            return Replay(mismatch is not None, mismatch=str(mismatch or ""))
        case PairDivergence():
            with closing(pair_spec(divergence, trust).open()) as pair:
                return _replay_pair(pair, divergence)
    raise EnvwrightError(
        "a golden pair is recorded anew each time; run envwright verify … --levels 1 instead"
    )


def _replay_pair(pair: Pair, divergence: PairDivergence) -> Replay:
    match divergence:
        case Steps():
            moments = pair.play(playthrough_of(divergence))
            start, last, shows = next(moments), deque[Moment](maxlen=MOST_SHOWN), False
            raised = f"the twin raised {start.raised}" if start.raised else ""
            for moment in moments:
                last.append(moment)
                shows = shows or moment.found is not None
            return Replay(shows or start.found is not None, list(last), raised)
        case Law(start=None):
            found = compare_start_laws(pair, divergence.seed, LAW_STARTS)
        case Law(start=dict() as start):
            report = compare_transition_laws(
                pair, [start], divergence.actions, repeats=LAW_STARTS // 10
            )
            return Replay(bool(report.differences), mismatch=str(report))
        case _:
            found = differing_spaces([pair])
    return Replay(bool(found), mismatch=str(found[0]) if found else "")


def smaller(divergence: Divergence) -> Trace:
    """Shrink a room's trace. Raises for other divergences, which verify has shrunk already."""
    traces = find_traces(divergence) if isinstance(divergence, Trace) else None
    if not isinstance(divergence, Trace) or not isinstance(traces, RoomTraces):
        raise EnvwrightError(
            f"a divergence of kind {divergence.kind!r} cannot be shrunk further; leave --shrink out"
        )
    return traces.shrink(divergence)
