"""The JSON that others read, and the table that people read."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from envwright.bench import Kind, Role, describe_machine
from envwright.bench.tables import comparisons, result_table
from envwright.schema.results import Bench, BenchRow, Skipped, as_json

ROW_KEYS = {
    "implementation",
    "role",
    "kind",
    "batch",
    "threads",
    "sps_mean",
    "sps_std",
    "ratio",
    "ratio_low",
    "ratio_high",
    "compile_seconds",
    "cores_used",
    "samples",
    "reference_batch",
    "bytes_per_env",
    "peak_memory_mb",
}


def row(name: str, role: Role, batch: int, samples: list[float], ratio: float | None) -> BenchRow:
    return BenchRow(
        implementation=name,
        role=role,
        kind=Kind.RANDOM,
        batch=batch,
        threads=2,
        sps_mean=sum(samples) / len(samples),
        sps_std=0.0,
        ratio=ratio,
        ratio_low=ratio,
        ratio_high=ratio,
        compile_seconds=0.5,
        cores_used=1.5,
        samples=samples,
    )


@pytest.fixture
def result() -> Bench:
    rows = [
        row("python", Role.REFERENCE, 1, [1e5, 1e5], 1.0),
        row("ours", Role.OURS, 64, [4e7, 6e7], 500.0),
        row("peer", Role.PEER, 64, [1e7, 2e7], 150.0),
        row("peer", Role.PEER, 128, [1e7, 2e7], None),
    ]
    return Bench(
        machine=describe_machine(),
        env="cartpole-v1",
        settings={"kind": "random", "repeats": 2},
        rows=rows,
        comparisons=comparisons(rows),
        skipped=[Skipped("other", "No module named 'other'")],
    )


def test_json_has_the_documented_keys(result: Bench) -> None:
    data = as_json(result)
    assert set(data) == {
        *("kind", "machine", "command", "provenance"),
        *("env", "settings", "rows", "comparisons", "skipped"),
    }
    assert all(set(each) == ROW_KEYS for each in data["rows"])
    assert {each["role"] for each in data["rows"]} == {"ours", "reference", "peer"}
    assert data["skipped"] == [{"implementation": "other", "reason": "No module named 'other'"}]


def test_comparison_is_repeat_by_repeat_at_the_same_batch(result: Bench) -> None:
    assert as_json(result)["comparisons"] == [
        {
            "implementation": "ours",
            "other": "peer",
            "batch": 64,
            "ratio": 3.5,  # of 4 and 3, and not 5e7 / 1.5e7
            "ratio_low": 3.0,
            "ratio_high": 4.0,
        }
    ]


def test_table_shows_rates_ratios_and_what_was_left_out(result: Bench) -> None:
    page = io.StringIO()
    Console(width=160, file=page).print(result_table(result))
    text = page.getvalue()
    for wanted in ("50.00 M", "500 (500..500)", "3.5 (3..4)", "left out: other", "a first look"):
        assert wanted in text


def test_table_shows_memory_where_it_was_measured(result: Bench) -> None:
    rows = [replace(result.rows[1], bytes_per_env=57.0, peak_memory_mb=312.4), result.rows[0]]
    pages = [io.StringIO(), io.StringIO()]
    for page, each in zip(pages, (result, replace(result, rows=rows)), strict=True):
        Console(width=180, file=page).print(result_table(each))
    without, with_memory = (page.getvalue() for page in pages)
    assert "57 B" in with_memory and "312 MB" in with_memory
    assert "peak" not in without


def test_machine_says_what_a_reader_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=1")
    machine = describe_machine()
    wanted = ("cpu", "cores", "memory_gb", "os", "python", "jax", "numpy", "gymnasium", "date")
    assert all(machine[key] for key in wanted)
    assert machine["XLA_FLAGS"] == "--xla_force_host_platform_device_count=1"
    assert "gymnax" in machine  # None where it is not installed
