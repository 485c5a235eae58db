"""Replay divergences and draw both sides, step by step."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Any

import numpy as np

from envwright.core.bridge import Bridge, Columns
from envwright.core.pytree import with_leaves
from envwright.core.registry import make
from envwright.core.room import Room, load_attribute
from envwright.errors import EnvwrightError
from envwright.report.pictures import frame_uri
from envwright.report.results import divergences_of, spec_of, without_options
from envwright.schema.divergence import Divergence, GoldenPair, Law, Spaces, Steps, Trace, Vector
from envwright.schema.results import Verification
from envwright.schema.tolerance import Tolerances
from envwright.sim.records import Fields, state_of
from envwright.verify.divergence import pair_spec, playthrough_of, unregistered
from envwright.verify.pair import Moment, Pair
from envwright.verify.tolerance import agrees

FOLLOWING = 30  # steps after the divergence, in which the two sides part
MOST_FRAMES = 60
MOST_ROWS = 40  # numbers shown of a step
MOST_ACTIONS = 10_000
MOST_REPLAYS = 12  # of an environment; each opens two simulators
PATIENCE = 1200.0  # seconds of all replays of a page


@dataclass(frozen=True)
class Row:
    """One number of both sides."""

    field: str
    meaning: str  # the room's name for it, if known
    reference: str
    twin: str
    gap: str
    differs: bool


@dataclass(frozen=True)
class Frame:
    """The view of the slider at one step; pictures are indices into `Viewer.images`."""

    step: int
    action: str
    reference: int | None
    twin: int | None
    rows: list[Row]
    left_out: int  # numbers that agree and are not among the rows
    note: str = ""

    @property
    def differs(self) -> bool:
        return bool(self.note) or any(row.differs for row in self.rows)


@dataclass
class Viewer:
    """A divergence with its frames for the page."""

    divergence: Divergence
    levels: list[int]  # levels that found it
    frames: list[Frame] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    no_frames: str = ""  # why nothing was played again
    no_pictures: str = ""  # why the fields stand alone

    @property
    def parting(self) -> int:
        """The index of the frame of the divergence."""
        steps = [frame.step for frame in self.frames]
        return steps.index(self.divergence.step) if self.divergence.step in steps else 0


@dataclass
class Replays:
    """How divergences of a page are played again: whether code of files may run, and how long."""

    trust: bool = False
    left: float = PATIENCE  # seconds

    @contextmanager
    def timed(self) -> Generator[Callable[[], None]]:
        """Take the time of a block from what is left; the function raises if that is nothing."""
        began = time.monotonic()

        def check() -> None:
            if time.monotonic() - began > self.left:
                raise EnvwrightError(
                    f"all replays of a page take at most {PATIENCE / 60:.0f} minutes; "
                    "`envwright replay` has no such limit"
                )

        check()
        try:
            yield check
        finally:
            self.left -= time.monotonic() - began


def viewers(
    verifications: Sequence[Verification],
    replays: Replays,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> dict[int, list[Viewer]]:
    """Return the divergences of each comparison (by its place), without repeats among levels."""
    merged = {i: _merged(divergences_of(v)) for i, v in enumerate(verifications)}
    everything = [viewer for group in merged.values() for viewer in group]
    for done, viewer in enumerate(everything):
        told(done, len(everything))
        if done >= MOST_REPLAYS:
            viewer.no_frames = f"only the first {MOST_REPLAYS} divergences are"
        else:
            _fill(viewer, replays)
    if everything:
        told(len(everything), len(everything))
    return merged


def _merged(divergences: Sequence[Divergence]) -> list[Viewer]:
    found: dict[str, Viewer] = {}
    for d in divergences:
        shown_by = [getattr(d, name, None) for name in ("lane", "seed", "actions", "start")]
        key = repr((d.reference, d.twin, d.field, d.kind, shown_by))
        found.setdefault(key, Viewer(d, [])).levels.append(d.level)
    return list(found.values())


def _fill(viewer: Viewer, replays: Replays) -> None:
    divergence = viewer.divergence
    viewer.no_frames = _why_not(divergence, replays.trust)
    if viewer.no_frames or not isinstance(divergence, Steps):
        return
    try:
        with (
            replays.timed() as check,
            closing(pair_spec(divergence, replays.trust).open()) as pair,
        ):
            moments, differs = play(pair, divergence, check)
            draw, viewer.no_pictures = _painter(divergence, pair)
            table = _Table(pair.tolerances, _meanings(divergence))
            _draw_frames(viewer, moments, draw, table, check)
    except Exception as error:  # simulators may raise anything; the stored text remains
        said = str(error) if isinstance(error, EnvwrightError) else repr(error)
        viewer.frames, viewer.images = [], []
        viewer.no_frames = f"it could not be played again: {said}"
        return
    if not differs:
        viewer.no_pictures = "both sides agree now: what was stored does not show any more"


def _why_not(divergence: Divergence, trust: bool) -> str:
    if not isinstance(divergence, Steps):
        return _NOT_PLAYED[type(divergence)]
    if len(divergence.actions) > MOST_ACTIONS:
        return f"it has more than {MOST_ACTIONS:,} actions; `envwright replay` plays them"
    foreign = "" if trust else unregistered(divergence)
    if foreign:
        return f"it would run {foreign}, which is not registered here: --trust allows that"
    return ""


_NOT_PLAYED: dict[type[Divergence], str] = {
    Vector: "it is about lanes of a vector, which have no picture of their own",
    Law: "it is about a law of chance, not about a step",
    Spaces: "it is about the spaces, not about a step",
    GoldenPair: "it is about a recorded function, not about a step",
    Trace: "it is about a trace, which `envwright replay` shows again",
}


# --- playing ------------------------------------------------------------------------------


def play(pair: Pair, divergence: Steps, check: Callable[[], None]) -> tuple[list[Moment], bool]:
    """The start, the steps to the divergence, and some more with the same actions.

    Returns those to show, and whether the two sides differ in any. Calls `check` before each.
    """
    playthrough = playthrough_of(divergence)
    actions = playthrough.actions + list(islice(cycle(playthrough.actions), FOLLOWING))
    chosen = set(_thinned(1 + len(actions), at=divergence.step + 1))
    moments: dict[int, Moment] = {}  # not all: their observations may be large
    last: deque[Moment] = deque(maxlen=MOST_FRAMES // 4)  # an episode may end earlier
    differs = False
    for number, moment in enumerate(pair.play(replace(playthrough, actions=actions))):
        check()
        differs = differs or bool(moment.differ or moment.raised)
        if number == 0 and not moment.raised:
            moment = _with_states(pair, moment)
        last.append(moment)
        if number in chosen:
            moments[number] = moment
    moments |= {moment.step + 1: moment for moment in last if moment.step + 1 not in moments}
    return [moments[number] for number in sorted(moments)], differs


def _with_states(pair: Pair, start: Moment) -> Moment:
    """Return the start with the states of both sides, if they show them."""
    expected, got = start.reference, start.twin
    if pair.reference.loads:
        expected = expected | _named(pair.reference.state())
    if pair.bridge is not None:
        got = got | _named(pair.bridge.to_reference(pair.twin.state()))
    return replace(start, reference=expected, twin=got)


def _named(state: Fields) -> Fields:
    return {f"state.{name}": np.asarray(value) for name, value in state.items()}


def _thinned(total: int, at: int, most: int = MOST_FRAMES) -> list[int]:
    """Choose the moments to show: all if they are few.

    Else they are those around the divergence and some before it, at even distances.
    """
    if total <= most:
        return list(range(total))
    last = min(total, at + most // 4)
    close = set(range(max(0, last - most // 2), last))
    rest = np.linspace(0, max(close) - len(close), most - len(close)).astype(int)
    return sorted(close | {int(i) for i in rest})


# --- drawing ------------------------------------------------------------------------------

Painter = Callable[[Fields], np.ndarray]  # a state in the reference's format -> pixels


def _painter(divergence: Divergence, pair: Pair) -> tuple[Painter | None, str]:
    """Return a function that draws a state of this pair, or why there is none."""
    spec = spec_of(divergence.reference, divergence.twin)
    if spec is None:
        return None, "no room of the zoo can draw these states"
    if pair.bridge is None:
        return None, "the states of the two sides cannot be read"
    bridge = _bridge_to_room(spec, divergence, pair.bridge)
    try:
        import jax

        env = make(spec.name)
        _, template = env.reset(jax.random.key(0))
        paint = lambda state: env.render(with_leaves(template, bridge.to_twin(state)))  # noqa: E731
        paint(pair.reference.state())
    except Exception as error:  # a failed drawing must not cost the report
        return None, f"{spec.title} could not be drawn: {type(error).__name__}: {error}"
    return paint, ""


def _bridge_to_room(spec: Room, divergence: Divergence, own: Bridge) -> Bridge:
    """Return the bridge from the reference's format to the room's state."""
    if spec.reference == without_options(divergence.reference):
        return load_attribute(spec.bridge)
    return own  # the twin is ours, so the pair's bridge leads to its state


def _draw_frames(
    viewer: Viewer,
    moments: Sequence[Moment],
    paint: Painter | None,
    table: _Table,
    check: Callable[[], None],
) -> None:
    places: dict[str, int] = {}
    for moment in moments:
        check()
        reference = state_of(moment.reference)
        twin = state_of(moment.twin)
        # Fields that the twin's state does not determine are the reference's.
        shown = [reference or None, (reference | twin) if twin else None]
        theirs, ours = (
            places.setdefault(frame_uri(paint(state)), len(places)) if paint and state else None
            for state in shown
        )
        rows, left_out = table.rows(moment)
        note = f"the twin raised {moment.raised}" if moment.raised else ""
        action = "" if moment.action is None else _text(np.asarray(moment.action))
        viewer.frames.append(Frame(moment.step, action, theirs, ours, rows, left_out, note))
    viewer.images = list(places)


# --- fields -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """The numbers of both sides, as rows."""

    tolerances: Tolerances
    meanings: dict[str, str]

    def rows(self, moment: Moment) -> tuple[list[Row], int]:
        """Return the numbers of both sides, differing ones marked; and how many were left out."""
        rows: list[Row] = []
        left_out = 0
        for name in dict.fromkeys([*moment.reference, *moment.twin]):
            some, others = self._rows_of(name, moment)
            rows, left_out = rows + some, left_out + others
        if len(rows) <= MOST_ROWS:
            return rows, left_out
        chosen = sorted(rows, key=lambda row: not row.differs)[:MOST_ROWS]
        return [row for row in rows if row in chosen], left_out + len(rows) - len(chosen)

    def _rows_of(self, name: str, moment: Moment) -> tuple[list[Row], int]:
        """Return the first numbers of a field that differ and that agree, and how many follow."""
        a, b = moment.reference.get(name), moment.twin.get(name)
        if a is None or b is None or a.shape != b.shape:
            differs = any(m.field == name for m in moment.differ)
            return [Row(name, "", _text(a), _text(b), "", differs)], 0
        good = np.broadcast_to(agrees(a, b, self.tolerances.of(name)), a.shape)
        first = [np.flatnonzero(good == wanted)[:MOST_ROWS] for wanted in (False, True)]
        places = np.sort(np.concatenate(first))
        rows = []
        for at in zip(*np.unravel_index(places, a.shape), strict=True) if a.shape else [()]:
            label = f"{name}[{','.join(map(str, at))}]" if at else name
            meaning = self.meanings.get(label, "")
            gap = _gap(a[at], b[at])
            rows.append(Row(label, meaning, _text(a[at]), _text(b[at]), gap, not good[at]))
        return rows, a.size - len(rows)


def _meanings(divergence: Divergence) -> dict[str, str]:
    """Return the room's names for the elements of the reference's arrays: `state[0]` is `x`."""
    spec = spec_of(divergence.reference, divergence.twin)
    if spec is None or spec.reference != without_options(divergence.reference):
        return {}
    try:
        bridge = load_attribute(spec.bridge)
    except EnvwrightError:
        return {}
    pairs = bridge.pairs if isinstance(bridge, Columns) else {}
    return {
        f"state.{ours}[{i}]": name.rpartition(".")[2]
        for ours, theirs in pairs.items()
        if not isinstance(theirs, str)
        for i, name in enumerate(theirs)
    }


def _gap(a: Any, b: Any) -> str:
    """Return the difference of the twin, if it is a number."""
    if np.asarray(a).dtype.kind not in "iuf" or np.asarray(b).dtype.kind not in "iuf":
        return ""
    gap = float(b) - float(a)
    return f"{gap:+.3g}" if gap == gap and gap != 0 else ""


def _text(value: Any) -> str:
    if value is None:
        return "–"
    array = np.asarray(value)
    if array.ndim:
        return np.array2string(array, precision=6, separator=", ", threshold=16)
    if array.dtype.kind == "f":
        return f"{float(array):.8g}"
    return str(array)
