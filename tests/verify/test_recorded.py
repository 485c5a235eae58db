"""Recorded answers of a reference show what a live comparison shows, without the reference."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify import walks

from envwright.core.array_file import read_arrays
from envwright.verify.pair import PairSpec
from envwright.verify.recorded import EPISODE, NOISE, compare_recorded, record_answers


@pytest.fixture(scope="module")
def icy(tmp_path_factory):
    """Answers of a walk whose steps slip."""
    file = tmp_path_factory.mktemp("recorded") / "icy.npz"
    pair = PairSpec(walks.icy_walk, walks.TapedWalk, walks.Dice()).open()
    table = record_answers(pair)
    pair.close()
    np.savez(file, **table)
    return file


def compared(file, twin, bridge):
    return compare_recorded(PairSpec("python:nowhere:Gone", twin, bridge), file)


def test_steps_with_chance_are_recorded_with_their_noise_and_in_episodes(icy):
    table = read_arrays(icy)
    assert any(name.startswith(NOISE) for name in table)
    assert set(table[EPISODE]) == {-1, *range(10)}
    count, found = compared(icy, walks.TapedWalk, walks.Dice())
    assert count == len(table[EPISODE]) and found == ""


def test_a_wrong_use_of_the_noise_is_found_in_the_record(icy):
    _, found = compared(icy, walks.WrongSlip, walks.Dice())
    assert "after action" in found


def test_an_episode_that_begins_otherwise_is_found_though_each_step_is_right(icy):
    table = dict(read_arrays(icy))
    name = next(n for n in table if n.startswith("begin.expected.obs"))
    table[name] = table[name] + (np.arange(len(table[name])) == 3)[:, None]
    np.savez(icy.with_name("other.npz"), **table)
    _, found = compared(icy.with_name("other.npz"), walks.TapedWalk, walks.Dice())
    assert "at the start of recorded episode 3" in found


def test_a_file_of_steps_alone_is_still_read(icy):
    table = {k: v for k, v in read_arrays(icy).items() if k.split(".")[0] not in ("begin", EPISODE)}
    np.savez(icy.with_name("steps.npz"), **table)
    assert compared(icy.with_name("steps.npz"), walks.TapedWalk, walks.Dice())[1] == ""
