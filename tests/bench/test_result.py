"""The JSON that others read, and the table that people read."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from envwright.bench import BenchResult, Kind, Role, Row, Skipped, describe_machine

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


def row(name: str, role: Role, batch: int, samples: list[float], ratio: float | None) -> Row:
    return Row(
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
def result() -> BenchResult:
    return BenchResult(
        machine=describe_machine(),
        env="cartpole-v1",
        settings={"kind": "random", "repeats": 2},
        rows=[
            row("python", Role.REFERENCE, 1, [1e5, 1e5], 1.0),
            row("ours", Role.OURS, 64, [4e7, 6e7], 500.0),
            row("peer", Role.PEER, 64, [1e7, 2e7], 150.0),
            row("peer", Role.PEER, 128, [1e7, 2e7], None),
        ],
        skipped=[Skipped("other", "No module named 'other'")],
    )


def test_json_has_the_documented_keys(result: BenchResult) -> None:
    data = result.to_json()
    assert set(data) == {
        *("kind", "schema", "machine", "env", "settings", "rows", "comparisons", "skipped"),
    }
    assert all(set(each) == ROW_KEYS for each in data["rows"])
    assert {each["role"] for each in data["rows"]} == {"ours", "reference", "peer"}
    assert data["skipped"] == [{"implementation": "other", "reason": "No module named 'other'"}]


def test_comparison_is_repeat_by_repeat_at_the_same_batch(result: BenchResult) -> None:
    assert result.to_json()["comparisons"] == [
        {
            "implementation": "ours",
            "other": "peer",
            "batch": 64,
            "ratio": 3.5,  # of 4 and 3, and not 5e7 / 1.5e7
            "ratio_low": 3.0,
            "ratio_high": 4.0,
        }
    ]


def test_saved_file_reads_back_as_the_same_data(result: BenchResult, tmp_path: Path) -> None:
    path = result.save(tmp_path / "result.json")
    assert json.loads(path.read_text(encoding="utf-8")) == result.to_json()


def test_table_shows_rates_ratios_and_what_was_left_out(result: BenchResult) -> None:
    page = io.StringIO()
    Console(width=160, file=page).print(result.table())
    text = page.getvalue()
    for wanted in ("50.00 M", "500 (500..500)", "3.5 (3..4)", "left out: other", "a first look"):
        assert wanted in text


def test_table_shows_memory_where_it_was_measured(result: BenchResult) -> None:
    rows = [replace(result.rows[1], bytes_per_env=57.0, peak_memory_mb=312.4), result.rows[0]]
    pages = [io.StringIO(), io.StringIO()]
    for page, each in zip(pages, (result, replace(result, rows=rows)), strict=True):
        Console(width=180, file=page).print(each.table())
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
