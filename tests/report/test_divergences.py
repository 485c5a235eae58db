"""Divergences are played again, drawn on both sides, and told where that cannot be."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.report import samples

from envwright.errors import EnvwrightError
from envwright.report import divergences
from envwright.report.divergences import MOST_FRAMES, MOST_ROWS, Replays, _thinned, viewers
from envwright.report.pictures import HEAVIEST, file_uri, frame_uri
from envwright.schema.divergence import Divergence
from envwright.schema.results import parse_result
from envwright.schema.tolerance import Tolerances
from envwright.verify.pair import Moment


def verification(*found):
    data = samples.port_verification(list(found))
    return parse_result(Path("port.json"), data)


def only(*found, **options):
    (viewer,) = viewers([verification(*found)], Replays(**options))[0]
    return viewer


@pytest.fixture(scope="module")
def phys2d():
    return only(*(samples.divergence(n) for n in (1, 2, 3)))


def picture(uri):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))))


# --- played again ---------------------------------------------------------------------------


def test_what_several_levels_found_is_shown_once(phys2d):
    assert phys2d.levels == [1, 2, 3]


def test_it_begins_at_the_start_and_goes_on_after_the_divergence(phys2d):
    assert [f.step for f in phys2d.frames] == list(range(-1, len(phys2d.frames) - 1))
    assert phys2d.parting == 1 and len(phys2d.frames) > 5
    assert not phys2d.frames[0].differs and phys2d.frames[1].differs


def test_the_fields_that_differ_are_marked_with_both_values(phys2d):
    rows = {row.field: row for row in phys2d.frames[1].rows}
    assert [name for name, row in rows.items() if row.differs] == ["obs[1]", "state.state[1]"]
    row = rows["obs[1]"]
    assert (row.reference, row.twin, row.gap) == ("0.19512194", "0.34146339", "+0.146")
    assert rows["state.state[1]"].meaning == "x_dot"


def test_a_gap_within_the_tolerance_is_shown_but_not_marked(phys2d):
    (row,) = [r for r in phys2d.frames[1].rows if r.field == "state.state[3]"]
    assert row.gap and not row.differs


def test_both_sides_are_drawn_and_look_different_in_the_end(phys2d):
    assert phys2d.no_pictures == ""
    first, last = phys2d.frames[0], phys2d.frames[-1]
    assert first.reference == first.twin
    ours, theirs = (picture(phys2d.images[i]) for i in (last.reference, last.twin))
    assert np.abs(ours.astype(int) - theirs).max() > 100


def test_a_frame_is_a_small_webp(phys2d):
    assert len(phys2d.frames) <= MOST_FRAMES
    for uri in phys2d.images:
        assert uri.startswith("data:image/webp;base64,")
        assert len(base64.b64decode(uri.partition(",")[2])) <= HEAVIEST


def test_a_twin_of_ours_is_drawn_too():
    ours = samples.divergence(
        twin="envwright:cartpole",
        bridge="python:envwright.zoo.cartpole.bridge:BRIDGE",
        tolerances={"default": {"atol": 0, "ulp": 0, "why": ""}, "fields": {}},
        start={"state": [0.01, 0.02, 0.03, 0.04], "time": 3},
    )
    viewer = only(ours)
    assert viewer.images and viewer.no_frames == ""


def test_one_that_shows_no_more_says_so():
    fixed = samples.divergence(twin="gymnasium:CartPole-v1")
    assert "agree now" in only(fixed).no_pictures


# --- where that cannot be ---------------------------------------------------------------------


def test_replays_take_no_more_time_than_a_page_has():
    viewer = only(samples.divergence(), left=-1.0)
    assert viewer.frames == [] and "take at most 20 minutes" in viewer.no_frames
    replays = Replays()
    with replays.timed() as check:
        check()
        replays.left = -1.0
        with pytest.raises(EnvwrightError, match="envwright replay"):
            check()


def test_states_that_no_room_can_draw_are_shown_as_fields():
    strange = samples.divergence(
        reference="gymnasium:MountainCar-v0",
        twin="gymnasium:MountainCar-v0",
        start={"state": [-0.5, 0.0], "time": 0},
        actions=[2],
    )
    viewer = only(strange)
    assert viewer.frames and not viewer.images
    assert viewer.frames[1].rows


NOT_PLAYED = {
    "lanes": ({"kind": "vector", "lane": 1}, "lanes of a vector"),
    "a law": ({"kind": "law"}, "law of chance"),
    "a golden pair": ({"kind": "golden"}, "recorded function"),
    "code of a stranger": ({"twin": "python:os:abort"}, "--trust"),
    "a program": ({"reference": "command:rm -rf /"}, "--trust"),
    "a module behind an id": ({"twin": "gymnasium:evil.module:CartPole-v1"}, "--trust"),
    "a bridge of a stranger": ({"bridge": "python:evil:BRIDGE"}, "--trust"),
    "a start of another game": ({"start": {"state": [1.0]}}, "could not be played again"),
    "an environment that is gone": ({"twin": "gymnasium:Gone-v1"}, "not registered here"),
}


@pytest.mark.parametrize("case", NOT_PLAYED)
def test_what_cannot_be_played_says_why(case):
    changes, reason = NOT_PLAYED[case]
    viewer = only(samples.divergence(**changes))
    assert viewer.frames == [] and reason in viewer.no_frames


def test_trusted_code_is_run():
    own = samples.divergence(twin="python:gymnasium.envs.classic_control.cartpole:CartPoleEnv")
    assert only(own, trust=True).frames


# --- small parts ----------------------------------------------------------------------------


@pytest.mark.parametrize("total, at", [(61, 30), (500, 499), (531, 500), (1000, 3), (200, 100)])
def test_a_long_way_is_thinned_but_not_around_the_divergence(total, at):
    kept = _thinned(total, at)
    assert len(kept) <= MOST_FRAMES and kept == sorted(set(kept)) and kept[-1] < total
    assert {0, at} <= set(kept)
    assert set(range(max(0, at - 10), at + 1)) <= set(kept)


def test_a_large_observation_is_compared_without_a_row_for_each_number():
    """Rows of 100,000 numbers at 60 steps would take hours."""
    one = np.zeros((400, 300))
    other = one.copy()
    other[399, 298:] = 1
    table = divergences._Table(Tolerances(), {})
    rows, left_out = table.rows(Moment(0, 1, None, {"obs": one}, {"obs": other}, []))
    assert len(rows) == MOST_ROWS and left_out == one.size - MOST_ROWS
    assert [row.field for row in rows if row.differs] == ["obs[399,298]", "obs[399,299]"]


def test_only_the_moments_to_be_shown_are_kept():
    long = samples.divergence(
        twin=samples.REFERENCE, start=None, actions=[1, 0] * 60, step=119, seed=3
    )
    frames = only(long).frames
    assert len(frames) <= MOST_FRAMES + MOST_FRAMES // 4 and frames[0].step == -1


def test_noise_is_made_small_enough():
    noise = np.random.default_rng(0).integers(0, 256, (400, 600, 3), np.uint8)
    assert len(base64.b64decode(frame_uri(noise).partition(",")[2])) <= HEAVIEST


def test_pixel_art_stays_sharp():
    board = np.kron(np.indices((8, 8)).sum(0) % 2, np.ones((4, 4)))[..., None] * [255, 200, 0]
    assert np.array_equal(picture(frame_uri(board.astype(np.uint8))), board)


def test_an_animation_is_kept_as_it_is(tmp_path):
    samples.animation(tmp_path / "a.webp", frames=5)
    uri, still, size = file_uri(tmp_path / "a.webp")
    assert base64.b64decode(uri.partition(",")[2]) == (tmp_path / "a.webp").read_bytes()
    assert size == (300, 200) and still.startswith("data:image/webp")
    (tmp_path / "text.webp").write_text("no picture")
    with pytest.raises(ValueError, match="is not a picture"):
        file_uri(tmp_path / "text.webp")


def test_a_divergence_survives_json():
    data = samples.divergence(start={"x": ["NaN", 1.0], "n": 3, "name": "left"})
    back = Divergence.from_json(data)
    assert np.isnan(back.start["x"][0]) and back.start["n"] == 3 and back.start["name"] == "left"
    first_format = samples.divergence()
    assert first_format.pop("lane") is None  # which a divergence of steps has no more
    assert Divergence.from_json(samples.divergence()).to_json() == first_format
    assert Divergence.from_json(first_format).to_json() == first_format


def test_a_picture_runs_no_program(tmp_path):
    """Pillow hands PostScript to Ghostscript, whatever the file is called."""
    (tmp_path / "play.webp").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    with pytest.raises(ValueError, match=r"play\.webp is not a picture"):
        file_uri(tmp_path / "play.webp")


def test_a_picture_of_too_many_pixels_is_refused(tmp_path):
    Image.new("1", (5000, 5000)).save(tmp_path / "large.png")
    with pytest.raises(ValueError, match="more than 16,777,216 pixels"):
        file_uri(tmp_path / "large.png")
