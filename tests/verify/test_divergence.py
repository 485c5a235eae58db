"""A divergence: what it says, how it is kept, and how it is seen again."""

from __future__ import annotations

import json
import sys

import msgspec
import numpy as np
import pytest
from tests.verify import worlds

from envwright.errors import EnvwrightError
from envwright.schema.divergence import (
    GoldenPair,
    Law,
    Spaces,
    Steps,
    Trace,
    Vector,
    load_divergence,
)
from envwright.schema.tolerance import Tol, Tolerances
from envwright.verify import replay as replay_module
from envwright.verify.divergence import pair_spec
from envwright.verify.pair import PairSpec
from envwright.verify.replay import replay
from envwright.verify.run import Effort, verify_pair

WORLDS = "python:tests.verify.worlds"
FOUND = {
    **{"level": 3, "field": "reward", "reference_value": 0, "twin_value": 1, "step": 0},
    **{"reference": f"{WORLDS}:Marble", "twin": "python:my_port:Port"},
    **{"tolerance": "exact", "origin": "a test"},
}
SMALL = Effort(episodes=8, visited=4, fuzzed=60, boundary=10, starts=2000, examples=8)

TWIN = """
from tests.verify.worlds import Marble

class Port(Marble):
    def pay(self):
        return super().pay() {bug}
"""


def divergences(twin, tolerances=Tolerances(), keep=None, **options):
    spec = PairSpec(f"{WORLDS}:Marble", twin, None, tolerances, **options)
    return verify_pair(spec, effort=SMALL, keep=keep).divergences


@pytest.fixture(scope="module")
def found():
    loose = Tolerances(Tol(1e-3, 2, "a test"))
    return divergences(f"{WORLDS}:RaisingMarble", loose, include_terminal=True)[0]


@pytest.fixture
def port(tmp_path, monkeypatch):
    """A port in a module of its own, which can be written anew."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(bug):
        (tmp_path / "my_port.py").write_text(TWIN.format(bug=bug))
        sys.modules.pop("my_port", None)
        sys.path_importer_cache.clear()
        return "python:my_port:Port"

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield write
    sys.modules.pop("my_port", None)


# --- what it says ----------------------------------------------------------------------


def test_it_tells_both_sides_the_field_the_start_and_the_actions():
    (first, *_) = divergences(f"{WORLDS}:NaNMarble")
    text = str(first)
    assert text.startswith(
        "python:tests.verify.worlds:Marble and python:tests.verify.worlds:NaNMarble differ at step"
    )
    for part in ("field      reward", "(tolerance: exact)", "reference  0", "twin       nan"):
        assert part in text
    assert f"actions    [{first.actions[0]}]" in text


def test_the_start_is_shown_with_all_digits_that_count():
    (first, *_) = divergences(f"{WORLDS}:StrictRimMarble")
    shown = dict(part.split(" = ") for part in _line(first, "start").split(", "))
    assert {k: float(v) for k, v in shown.items()} == {k: float(v) for k, v in first.start.items()}


def _line(divergence, name):
    (line,) = [x for x in str(divergence).splitlines() if x.strip().startswith(name)]
    return line.split(maxsplit=1)[1]


def test_its_data_is_plain_json(found):
    data = json.loads(json.dumps(found.to_json()))
    assert data["actions"] == found.actions
    assert data["start"] == {k: float(v) for k, v in found.start.items()}
    assert data["raised"].startswith("ZeroDivisionError")


# --- how it is kept --------------------------------------------------------------------


def test_saving_and_loading_gives_the_same_divergence(found, tmp_path):
    saved = found.save(tmp_path)
    loaded = load_divergence(saved.path)
    for name in saved.__struct_fields__:
        value = getattr(saved, name)
        if name == "start":
            assert {k: (v.dtype, v.tobytes()) for k, v in loaded.start.items()} == {
                k: (v.dtype, v.tobytes()) for k, v in value.items()
            }
        else:
            assert getattr(loaded, name) == value, name
    assert pair_spec(loaded, trust=True).tolerances == Tolerances(Tol(1e-3, 2, "a test"))
    assert pair_spec(loaded, trust=True).include_terminal


def test_a_start_by_seed_and_vector_actions_survive_the_file(tmp_path):
    (first, *_) = divergences(f"{WORLDS}:NaNMarble")
    action = np.array([0.1, -0.3], np.float32)
    saved = msgspec.structs.replace(first, start=None, seed=17, actions=[action]).save(tmp_path)
    loaded = load_divergence(saved.path)
    assert loaded.start is None and loaded.seed == 17
    assert np.array_equal(np.asarray(loaded.actions[0], np.float32), action)


def test_the_file_is_named_after_twin_level_and_content(found, tmp_path):
    name = found.save(tmp_path).path
    assert name.startswith(
        str(tmp_path / "divergence-python-tests-verify-worlds-RaisingMarble-L1-")
    )
    assert name.endswith(".npz")
    assert found.save(tmp_path).path == name
    assert [p.name for p in tmp_path.iterdir()] == [name.rpartition("/")[2]]


def test_a_saved_divergence_says_how_to_replay_it(found, tmp_path):
    saved = found.save(tmp_path)
    assert f"envwright replay {saved.path}" in str(saved)


def test_a_folder_that_cannot_be_made_gets_one_sentence(found, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(EnvwrightError, match=r"cannot write .*taken"):
        found.save(tmp_path / "taken")


def test_an_interrupted_save_leaves_nothing_behind(found, tmp_path, monkeypatch):
    def interrupted(file, **arrays):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupted)
    with pytest.raises(KeyboardInterrupt):
        found.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def _npz(**arrays):
    def write(path):
        with path.open("wb") as file:
            np.savez(file, **arrays)

    return write


BROKEN = {
    "empty": lambda p: p.write_bytes(b""),
    "text": lambda p: p.write_text("hello"),
    "half": lambda p: p.write_bytes(b"PK\x03\x04\x00\x00"),
    "an array": lambda p: p.write_bytes(b"") or np.save(p.open("wb"), np.zeros(2)),
    "other arrays": _npz(x=np.zeros(2)),
    "no JSON": _npz(divergence=np.array("{")),
    "no object": _npz(divergence=np.array("3")),
    "no fields": _npz(divergence=np.array('{"format": 1}')),
    "more fields": _npz(divergence=np.array('{"format": 1, "start": null, "colour": 1}')),
    "a folder": lambda p: p.mkdir(),
}


@pytest.mark.parametrize("write", BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_no_divergence_is_named_as_such(write, tmp_path):
    path = tmp_path / "broken.npz"
    write(path)
    with pytest.raises(EnvwrightError, match=r"broken\.npz is not a saved divergence"):
        load_divergence(path)


def test_a_missing_file_and_one_of_another_version_are_named(tmp_path):
    with pytest.raises(EnvwrightError, match="there is no file"):
        load_divergence(tmp_path / "none.npz")
    _npz(divergence=np.array('{"format": 99}'))(tmp_path / "new.npz")
    with pytest.raises(EnvwrightError, match="another version of envwright"):
        load_divergence(tmp_path / "new.npz")


FIRST_FORMAT = {
    **dict(level=2, reference="a", twin="b", field="obs", reference_value=1, twin_value=2),
    **dict(tolerance="exact", step=3, seed=5, origin="here", raised="", hint="", bridge=""),
    **dict(tolerances={}, include_terminal=False, resync=False, lane=None, kind="steps"),
    **dict(actions=[1, 0], start=None),
}
BATTLE = "envwright.verify.pokemon.levels:replay_battle"
CARDS = "envwright.verify.tcgpocket.environment:replay"


@pytest.mark.parametrize(
    ("changes", "kind", "more"),
    [
        ({}, Steps, {"seed": 5, "actions": [1, 0]}),
        ({"kind": "law"}, Law, {"seed": 5}),
        ({"kind": "spaces"}, Spaces, {}),
        ({"kind": "golden"}, GoldenPair, {}),
        ({"kind": "vector", "lane": 4}, Vector, {"lane": 4, "resets": False}),
        ({"kind": "vector-reset", "lane": 4}, Vector, {"lane": 4, "resets": True}),
        ({"kind": "room", "bridge": BATTLE}, Trace, {"room": "pokemon", "trace": "battle"}),
        ({"kind": "room", "bridge": CARDS}, Trace, {"room": "tcgpocket", "trace": "environment"}),
    ],
)
def test_files_of_the_first_format_are_read(changes, kind, more, tmp_path):
    data = {"format": 1, **FIRST_FORMAT, **changes}
    _npz(divergence=np.array(json.dumps(data)))(tmp_path / "old.npz")
    loaded = load_divergence(tmp_path / "old.npz")
    assert type(loaded) is kind and loaded.field == "obs" and loaded.step == 3
    assert {name: getattr(loaded, name) for name in more} == more
    again = load_divergence(loaded.save(tmp_path).path)
    assert again == msgspec.structs.replace(loaded, path=again.path)


# --- how it is seen again --------------------------------------------------------------


def test_every_saved_divergence_shows_again(tmp_path):
    for divergence in divergences(f"{WORLDS}:NaNMarble", keep=tmp_path):
        shown = replay(load_divergence(divergence.path), trust=True)
        assert shown.shows
        assert [m.field for m in shown.steps[-1].differ] == [divergence.field]


def test_only_the_last_moments_of_a_replay_are_kept(port, tmp_path, monkeypatch):
    """A file of 1 KB can name thousands of steps, each with a large observation."""
    monkeypatch.setattr(replay_module, "MOST_SHOWN", 3)
    port(bug="+ 0.0")
    saved = Steps(**FOUND, seed=0, actions=[0, 1, 0, 1, 0, 1, 0, 1, 0], start=None)
    shown = replay(saved, trust=True)
    assert [moment.step for moment in shown.steps] == [6, 7, 8] and not shown.shows


@pytest.mark.parametrize("twin", ["gymnasium:CartPole-v1", "gymnax:DeepSea-bsuite?size=4096"])
def test_a_file_cannot_name_what_has_large_observations(twin, monkeypatch):
    monkeypatch.setattr("envwright.verify.divergence.LARGEST", 3)
    monkeypatch.setattr("envwright.verify.pair.Pair._match", lambda pair: pytest.fail("too late"))
    names = {**FOUND, "reference": "gymnasium:CartPole-v1", "twin": twin}
    with pytest.raises(EnvwrightError, match=r"has 4 elements, and a file .* --trust"):
        replay(Steps(**names, seed=0, actions=[1], start=None))


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([], "needs an action for each lane"),
        ([[]], "needs an action for each lane"),
        ([1, 0], "needs an action for each lane"),
        ([[1, 0], [1]], "needs an action for each lane"),
        ([[0] * 65_537], "at most 65,536"),
        ([[0] * 60_000] * 400, "at most 2;"),
    ],
)
def test_lanes_of_a_file_are_bounded(actions, sentence):
    names = {**FOUND, "reference": "gymnasium:CartPole-v1", "twin": "gymnasium:CartPole-v1"}
    with pytest.raises(EnvwrightError, match=sentence):
        replay(Vector(**names, seed=0, actions=actions, lane=0))


def test_a_twin_that_raises_shows_again(found, tmp_path):
    shown = replay(load_divergence(found.save(tmp_path).path), trust=True)
    assert shown.shows
    assert shown.steps[-1].raised == found.raised


def test_a_twin_that_raises_at_reset_shows_again(tmp_path):
    found = divergences(f"{WORLDS}:RaisingResetMarble", keep=tmp_path)[-1]
    shown = replay(load_divergence(found.path), trust=True)
    assert shown.shows and "seeds must be odd" in shown.mismatch


def test_a_difference_in_the_law_of_starts_shows_again(tmp_path):
    spec = PairSpec(f"{WORLDS}:Marble", f"{WORLDS}:WideStartMarble")
    report = verify_pair(spec, effort=Effort((1,), visited=2, fuzzed=5, boundary=0), keep=tmp_path)
    (found,) = report.divergences
    assert found.kind == "law"
    assert replay(load_divergence(found.path), trust=True).shows


def test_both_agree_once_the_twin_is_mended(port, tmp_path):
    twin = port(bug="+ 0.5 * (self.position > 0.3)")
    (first, *_) = divergences(twin, keep=tmp_path)
    assert replay(load_divergence(first.path), trust=True).shows
    port(bug="")
    again = replay(load_divergence(first.path), trust=True)
    assert not again.shows
    assert [step.differ for step in again.steps] == [[]]


def test_a_tolerance_comes_back_with_the_file(port, tmp_path):
    twin = port(bug="+ 0.5 * (self.position > 0.3)")
    loose = Tolerances(Tol(), {"reward": Tol(atol=0.1, why="a test")})
    (first, *_) = divergences(twin, loose, keep=tmp_path)
    port(bug="+ 0.05")
    assert not replay(load_divergence(first.path), trust=True).shows


def test_a_divergence_of_unnamed_simulators_is_kept_but_cannot_be_run_again(tmp_path):
    spec = PairSpec(worlds.Marble, worlds.NaNMarble)
    (first, *_) = verify_pair(spec, effort=SMALL, keep=tmp_path).divergences
    with pytest.raises(EnvwrightError, match="does not name a simulator"):
        replay(load_divergence(first.path), trust=True)


def test_a_twin_that_no_longer_starts_alike_still_shows(port, tmp_path):
    boxed = "from tests.verify.worlds import {} as Port"
    (tmp_path / "my_port.py").write_text(boxed.format("ComboMarble"))
    found = divergences("python:my_port:Port", keep=tmp_path)[-1]
    (tmp_path / "my_port.py").write_text(boxed.format("OwnStartMarble"))
    sys.modules.pop("my_port")
    assert replay(load_divergence(found.path), trust=True).shows
