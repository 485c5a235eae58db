"""Benchmark rows of Pokemon battles."""

from __future__ import annotations

import pytest

from envwright.bench.implementation import Kind
from envwright.zoo.pokemon.bench import NativeBattleLoop


@pytest.mark.parametrize("cores", [None, 1])
def test_native_row_plays_whole_batches_and_at_least_what_was_asked(cores: int | None) -> None:
    row = NativeBattleLoop(cores)
    prepared = row.prepare(64, Kind.RANDOM)
    assert prepared.run(100) == 128
    assert prepared.run(128) == 128


def test_rows_of_one_core_and_all_have_names_of_their_own() -> None:
    assert NativeBattleLoop().name == "envwright-rust"
    assert NativeBattleLoop(1).name == "envwright-rust-1"
