"""Where a translation goes: one folder for each simulator with its options, and no other."""

from __future__ import annotations

import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.translate.answers import HEAT, turn
from tests.translate.scripted import Scripted

from envwright.errors import EnvwrightError
from envwright.translate.folders import canonical, default_folder, same, spec_for
from envwright.translate.keep import keep_recording
from envwright.translate.optimise import Optimisation
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import last_run, open_run

LAKE = "gymnasium:FrozenLake-v1"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
OPTIONS = st.dictionaries(st.text("abcdé_", min_size=1, max_size=4), VALUES, max_size=4)


def spelled(options, order, indent):
    """A name with these options, in some order and spelling of JSON."""
    names = random.Random(order).sample(sorted(options), len(options))
    texts = {n: json.dumps(options[n], indent=indent, ensure_ascii=bool(indent)) for n in names}
    return f"{LAKE}?{'&'.join(f'{quote(name)}={quote(texts[name])}' for name in names)}"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("gymnasium:CartPole-v1", r"cartpole-v1"),
        (f"{LAKE}?map_name=8x8", r"frozenlake-v1-map_name=8x8"),
        (f'{LAKE}?map_name="8x8"&is_slippery=false', r"frozenlake-v1-is_slippery=false-map_.*=8x8"),
        (f'{LAKE}?desc=["S:", "FG"]', r"frozenlake-v1-desc=-s-fg-[0-9a-f]{8}"),
        ("gymnasium:popgym:popgym-Easy-v0", r"popgym-easy-v0-[0-9a-f]{8}"),
        ("gymnasium:mine:ns/Maze-v0", r"ns-maze-v0-[0-9a-f]{8}"),
        ("python:my.game:Lamp", r"my\.game-lamp"),
        ("python:other:Lamp", r"other-lamp"),
        ("command:python3 games/lamp.py", r"python3-games-lamp\.py-[0-9a-f]{8}"),
        ("gymnasium:..", r"[0-9a-f]{8}"),
        ("gymnasium:Größe-v0", r"gr-e-v0-[0-9a-f]{8}"),
    ],
)
def test_a_folder_is_named_after_the_simulator_and_its_options(name, folder):
    assert re.fullmatch(folder, str(default_folder(name)))


@settings(max_examples=40)
@given(OPTIONS, st.sampled_from([None, 2]), st.integers(0, 99), st.integers(0, 99))
def test_options_that_are_equal_share_a_folder_however_they_are_written(options, indent, a, b):
    one, other = spelled(options, a, None), spelled(options, b, indent)
    assert same(one, other) and default_folder(one) == default_folder(other)


@settings(max_examples=40)
@given(OPTIONS, OPTIONS)
def test_options_that_differ_have_folders_of_their_own(one, other):
    assume(json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True))
    one, other = spelled(one, 0, None), spelled(other, 0, None)
    assert not same(one, other) and default_folder(one) != default_folder(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a=1", "a=1.0"), ("a=1", "a=true"), ("a=0", "a=-0.0"), ("a=8x8", "a=8X8"), ("a=1", "b=1")],
)
def test_what_a_constructor_could_tell_apart_is_not_the_same(one, other):
    one, other = f"{LAKE}?{one}", f"{LAKE}?{other}"
    assert not same(one, other) and default_folder(one) != default_folder(other)


def test_names_that_mean_the_same_are_the_same():
    assert same("command:python3  'a b.py'", 'command:python3 "a b.py"')
    assert same(f"{LAKE}?x=1e0", f" {LAKE}?x=1.0")
    assert not same("command:python3 a?b=1", "command:python3 a?b=1.0")
    assert canonical("command:python3 'open") == "command:python3 'open"


@given(st.text(max_size=300))
def test_a_folder_is_one_safe_name(rest):
    for scheme in ("gymnasium:", "python:m:", "command:", ""):
        try:
            folder = str(default_folder(scheme + rest))
        except EnvwrightError:
            assert "?" in rest  # options that cannot be read
            continue
        assert re.fullmatch(r"[a-z0-9_][a-z0-9_.=-]*", folder) and len(folder) <= 70


# --- what a folder already has -------------------------------------------------------------------


def test_a_folder_is_used_again_only_for_its_own_simulator(lamp):
    assert spec_for("python:lamp:LampEnv", lamp.folder).path == lamp.path
    assert spec_for("python:lamp:LampEnv", lamp.folder.parent / "new") is None
    for other in ("python:lamp:LampEnv?a=1", "python:other:LampEnv", "gymnasium:LampEnv"):
        with pytest.raises(EnvwrightError, match="name another folder with -o"):
            spec_for(other, lamp.folder)


def test_a_folder_that_python_cannot_import_from_is_refused(tmp_path):
    with pytest.raises(EnvwrightError, match="cannot import from"):
        spec_for(LAKE, tmp_path / f"a{os.pathsep}b")


def renamed(spec):
    """The specification, after somebody named another reference in its file."""
    text = spec.path.read_text()
    spec.path.write_text(text.replace('"python:lamp:LampEnv"', '"python:lamp:LampEnv?a=1"', 1))
    return load_spec(spec.folder)


def test_a_run_goes_on_only_with_its_own_simulator(lamp, run_of, tmp_path):
    once = replace(lamp, budget=structs.replace(lamp.budget, iterations=1))
    run = run_of(Scripted([turn(heat=HEAT)]), (1,), spec=once)
    assert run.go().outcome == "budget"
    run.journal.append("ended", outcome="verified", reason="")  # or so it says
    assert last_run(lamp, ended="verified") == run.folder
    other = renamed(lamp)
    assert other.reference.simulator != lamp.reference.simulator
    assert last_run(other, ended="verified") is None
    events = run.journal.path.read_bytes()
    for use in (
        lambda: run_of(Scripted([]), (1,), spec=other).go(),
        lambda: keep_recording(open_run(run.folder), tmp_path / "kept", {}),
        lambda: Optimisation(open_run(run.folder), Scripted([])),
    ):
        with pytest.raises(EnvwrightError, match=r"translates python:lamp:LampEnv, but .* names"):
            use()
    assert run.journal.path.read_bytes() == events and not (tmp_path / "kept").exists()


def test_a_recording_does_not_replace_another_translation(lamp, run_of, tmp_path):
    once = replace(lamp, budget=structs.replace(lamp.budget, iterations=1))
    run = run_of(Scripted([turn(heat=HEAT)]), (1,), spec=once)
    run.journal.append("begun", seed=1, spec="", levels=[1], agent={"kind": "a"}, envwright="0")
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "translation.toml").write_text("mine")
    with pytest.raises(EnvwrightError, match="contains another translation"):
        keep_recording(open_run(run.folder), kept, {})
    assert [Path(p).name for p in kept.iterdir()] == ["translation.toml"]
    assert (kept / "translation.toml").read_text() == "mine"
