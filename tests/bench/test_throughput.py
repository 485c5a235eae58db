"""The protocol of a benchmark: who runs when, what is compared with what, what is left out."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Callable

import pytest

from envwright.bench import Implementation, Kind, Prepared, Role, run_bench
from envwright.bench import throughput as protocol
from envwright.core.registry import Room, find
from envwright.errors import EnvwrightError, UnknownEnvironment
from envwright.zoo.cartpole.bench import IMPLEMENTATIONS

QUICK = {"repeats": 2, "seconds": 1e-3}


class Clock:
    """Time that passes only when an implementation runs."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    process_time = perf_counter


class Fake(Implementation):
    """Does nothing at a given speed, and remembers when."""

    timed = "nothing"

    def __init__(
        self,
        name: str,
        role: Role,
        clock: Clock,
        log: list[str],
        speed: Callable[[], float] = lambda: 1e6,
        only: tuple[int, ...] | None = None,
        breaks_at: int | None = None,
    ) -> None:
        self.name, self.role = name, role
        self.clock, self.log, self.speed = clock, log, speed
        self.only, self.breaks_at = only, breaks_at
        self.closed = 0

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return self.only or wanted

    def prepare(self, batch: int, kind: Kind) -> Prepared:
        if batch == self.breaks_at:
            raise RuntimeError("no such kernel\nand more lines")

        def run(steps: int) -> int:
            self.log.append(f"{self.name}:{batch}")
            self.clock.now += steps / self.speed()
            return steps

        def close() -> None:
            self.closed += 1

        return Prepared(run, compile_seconds=0.25, close=close)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(protocol, "time", clock)
    return clock


def trio(clock: Clock, log: list[str]) -> list[Fake]:
    return [
        Fake("python", Role.REFERENCE, clock, log, only=(1,)),
        Fake("ours", Role.OURS, clock, log),
        Fake("peer", Role.PEER, clock, log),
    ]


def timed_part(log: list[str], places: int, repeats: int) -> list[list[str]]:
    """The runs after calibration, repeat by repeat."""
    runs = log[-places * repeats :]
    return [runs[i : i + places] for i in range(0, len(runs), places)]


def test_every_implementation_runs_once_in_every_repeat(clock: Clock) -> None:
    log: list[str] = []
    run_bench("cartpole", [8, 2], repeats=5, implementations=trio(clock, log))
    everyone = ["ours:2", "ours:8", "peer:2", "peer:8", "python:1"]
    assert [sorted(repeat) for repeat in timed_part(log, 5, 5)] == [everyone] * 5


def test_order_rotates_by_one_each_repeat(clock: Clock) -> None:
    log: list[str] = []
    run_bench("cartpole", [4], repeats=4, implementations=trio(clock, log))
    first = ["python:1", "ours:4", "peer:4"]
    turns = [first[i % 3 :] + first[: i % 3] for i in range(4)]
    assert timed_part(log, 3, 4) == turns


def test_ratios_are_formed_within_a_repeat(clock: Clock) -> None:
    """The machine halves its speed at every repeat; ours stays eight times as fast."""
    log: list[str] = []

    def slowing(times: float) -> Callable[[], float]:
        # The first call calibrates at full speed.
        halvings = itertools.chain([1.0], (2.0**-i for i in itertools.count()))
        return lambda: 1e6 * times * next(halvings)

    fakes = [
        Fake("python", Role.REFERENCE, clock, log, slowing(1), only=(1,)),
        Fake("ours", Role.OURS, clock, log, slowing(8)),
        Fake("peer", Role.PEER, clock, log, slowing(2)),
    ]
    # One step takes longer than a tenth of a repeat, so that calibration is one run.
    result = run_bench("cartpole", [4], repeats=4, seconds=1e-6, implementations=fakes)
    rows = {row.implementation: row for row in result.rows}
    for name, ratio in {"python": 1, "ours": 8, "peer": 2}.items():
        row = rows[name]
        assert (row.ratio, row.ratio_low, row.ratio_high) == pytest.approx((ratio,) * 3)
    assert rows["ours"].samples == pytest.approx([8e6, 4e6, 2e6, 1e6])
    (comparison,) = result.comparisons
    assert (comparison.other, comparison.batch) == ("peer", 4)
    assert comparison.ratio == pytest.approx(4)


def test_ratio_is_to_the_reference_at_the_same_batch(clock: Clock) -> None:
    """Or to its largest below, or to its smallest, and the row says which."""
    log: list[str] = []
    reference = Fake("python", Role.REFERENCE, clock, log, only=(8, 32))
    honest = reference.prepare

    def faster_at_32(batch: int, kind: Kind) -> Prepared:
        reference.speed = lambda: 1e6
        slow = honest(batch, kind)
        return slow if batch == 8 else Prepared(lambda steps: slow.run(-(-steps // 4)) * 4)

    reference.prepare = faster_at_32  # type: ignore[method-assign]
    fakes = [reference, Fake("ours", Role.OURS, clock, log, lambda: 8e6)]
    result = run_bench("cartpole", [2, 8, 16, 32, 64], **QUICK, implementations=fakes)
    told = {r.batch: (r.reference_batch, r.ratio) for r in result.rows if r.role == Role.OURS}
    assert {batch: at for batch, (at, _) in told.items()} == {2: 8, 8: 8, 16: 8, 32: 32, 64: 32}
    assert [ratio for _, ratio in told.values()] == pytest.approx([8, 8, 8, 2, 2], rel=1e-2)
    for row in result.rows:
        (beside,) = [
            r for r in result.rows if r.role == Role.REFERENCE and r.batch == row.reference_batch
        ]
        each = [a / b for a, b in zip(row.samples, beside.samples, strict=True)]
        assert row.ratio == pytest.approx(sum(each) / len(each))


def test_spread_is_that_of_the_repeats(clock: Clock) -> None:
    log: list[str] = []
    speeds = iter([1e6, 1e6, 3e6])
    fakes = [
        Fake("python", Role.REFERENCE, clock, log, only=(1,)),
        Fake("ours", Role.OURS, clock, log, lambda: next(speeds)),
    ]
    result = run_bench("cartpole", [4], repeats=2, seconds=1e-6, implementations=fakes)
    ours = result.rows[1]
    assert (ours.ratio, ours.ratio_low, ours.ratio_high) == pytest.approx((2, 1, 3))
    assert ours.sps_mean == pytest.approx(2e6)
    assert ours.sps_std == pytest.approx(2**0.5 * 1e6)


def test_a_repeat_takes_the_seconds_asked_for(clock: Clock) -> None:
    log: list[str] = []
    (ours,) = fakes = [Fake("ours", Role.OURS, clock, log, lambda: 12_345.0)]
    contender = protocol.Contender(ours, 4, fakes[0].prepare(4, Kind.RANDOM))
    contender.calibrate(2.0)
    assert contender.steps / 12_345 == pytest.approx(2.0, rel=1e-3)


def test_broken_peer_is_left_out_from_the_batch_that_failed(clock: Clock) -> None:
    log: list[str] = []
    fakes = [*trio(clock, log), Fake("fragile", Role.PEER, clock, log, breaks_at=8)]
    result = run_bench("cartpole", [2, 8, 16], **QUICK, implementations=fakes)
    assert [r.batch for r in result.rows if r.implementation == "fragile"] == [2]
    (skipped,) = result.skipped
    assert skipped.implementation == "fragile"
    assert skipped.reason == "batch 8: RuntimeError: no such kernel"


def test_broken_ours_is_an_error_and_closes_the_others(clock: Clock) -> None:
    log: list[str] = []
    fakes = trio(clock, log)
    fakes[1].breaks_at = 8
    with pytest.raises(RuntimeError, match="no such kernel"):
        run_bench("cartpole", [8], **QUICK, implementations=fakes)
    assert fakes[0].closed == 1


def test_interrupt_passes_through_and_closes_everything(clock: Clock) -> None:
    log: list[str] = []
    fakes = trio(clock, log)

    def press_ctrl_c(what: str, done: int, total: int) -> None:
        if what.startswith("repeat 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_bench("cartpole", [8], **QUICK, implementations=fakes, progress=press_ctrl_c)
    assert [fake.closed for fake in fakes] == [1, 1, 1]


def test_missing_reference_leaves_ratios_empty(clock: Clock) -> None:
    log: list[str] = []
    fakes = trio(clock, log)
    fakes[0].breaks_at = 1
    result = run_bench("cartpole", [8], **QUICK, implementations=fakes)
    assert {row.ratio for row in result.rows} == {None}
    assert len(result.comparisons) == 1


def test_implementation_that_cuts_steps_is_caught(clock: Clock) -> None:
    log: list[str] = []
    lazy = Fake("ours", Role.OURS, clock, log)
    honest = lazy.prepare
    lazy.prepare = lambda batch, kind: Prepared(lambda steps: honest(batch, kind).run(steps) // 2)
    with pytest.raises(EnvwrightError, match="did 0 of 1 steps"):
        run_bench("cartpole", [8], **QUICK, implementations=[lazy])


def test_progress_counts_to_the_end(clock: Clock) -> None:
    log: list[str] = []
    seen: list[tuple[int, int]] = []
    run_bench(
        "cartpole",
        [8],
        **QUICK,
        implementations=trio(clock, log),
        progress=lambda _, done, total: seen.append((done, total)),
    )
    assert seen == [(done, 9) for done in range(10)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batches": []}, "batches must be at least 1"),
        ({"batches": [64, 0]}, "batches must be at least 1"),
        ({"repeats": 0}, "at least 1 repeat"),
        ({"seconds": 0}, "seconds per repeat must be above 0"),
        ({"seconds": float("nan")}, "seconds per repeat must be above 0"),
        ({"kind": "breakdown"}, "no benchmark of kind 'breakdown'; use ppo or random or rollout"),
        ({"kind": "fast"}, "no benchmark of kind 'fast'; use ppo or random or rollout"),
    ],
)
def test_bad_input_says_what_to_do(changes: dict, message: str) -> None:
    with pytest.raises(EnvwrightError, match=message):
        run_bench("cartpole", **{"batches": [4], **QUICK, **changes})


def test_two_implementations_need_two_names(clock: Clock) -> None:
    twins = [Fake("ours", Role.OURS, clock, []), Fake("ours", Role.PEER, clock, [])]
    with pytest.raises(EnvwrightError, match="one name"):
        run_bench("cartpole", [4], **QUICK, implementations=twins)


def test_two_references_are_refused(clock: Clock) -> None:
    pair = [Fake("a", Role.REFERENCE, clock, []), Fake("b", Role.REFERENCE, clock, [])]
    with pytest.raises(EnvwrightError, match="two references"):
        run_bench("cartpole", [4], **QUICK, implementations=pair)


def test_unknown_environment_is_named_with_its_neighbour() -> None:
    with pytest.raises(UnknownEnvironment, match="did you mean 'cartpole'"):
        run_bench("cartpol", [4])


def test_a_room_of_another_backend_without_declaration_is_told_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nowhere = Room("never-benched", 1, "Never", "", {"c": "a:b"})
    monkeypatch.setattr(protocol, "find", lambda name: nowhere)
    with pytest.raises(EnvwrightError, match=r"never-benched-v1 has no benchmark"):
        run_bench("never-benched", [4])


def test_a_jax_room_without_declaration_is_measured_beside_its_reference(monkeypatch) -> None:
    reference = "gymnasium:CartPole-v1?sutton_barto_reward=true"
    undeclared = dataclasses.replace(find("cartpole"), bench="", reference=reference)
    monkeypatch.setattr(protocol, "find", lambda name: undeclared)
    result = run_bench("cartpole", [4], **QUICK)
    assert [(row.implementation, row.role) for row in result.rows] == [
        ("gymnasium", "reference"),
        ("envwright-jax", "ours"),
    ]


def test_peer_that_cannot_be_imported_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnax", None)
    result = run_bench("cartpole", [4], **QUICK)
    (skipped,) = result.skipped
    assert skipped.implementation == "gymnax"
    assert "gymnax" in skipped.reason
    places = [(row.implementation, row.role, row.batch) for row in result.rows]
    assert places == [
        ("gymnasium", "reference", 1),
        ("envwright-jax", "ours", 4),
        ("gymnasium-vector", "peer", 4),
    ]


def test_all_implementations_of_cartpole_are_in_the_rows_or_explained() -> None:
    result = run_bench("cartpole", [4], repeats=1, seconds=1e-3)
    told = {row.implementation for row in result.rows} | {s.implementation for s in result.skipped}
    assert told == {each.name for each in IMPLEMENTATIONS}
    assert all(row.sps_mean > 0 for row in result.rows)
    assert all(row.compile_seconds > 0 for row in result.rows if row.implementation[-4:] == "-jax")
