"""A result knows the sources that decide it, and which of them changed since."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from msgspec.structs import replace
from tests.report import samples

from envwright.schema import provenance
from envwright.schema.provenance import Provenance, Sources
from envwright.schema.results import parse_result

ROOM = "zoo/pong"


def record(kind="verify", **more):
    made = {
        "verify": samples.verification(env="pong", backend="jax"),
        "bench": samples.bench() | {"env": "pong-v1"},
        "training": samples.training() | {"env": "pong"},
        "mutation": samples.mutation(env="pong", backend="rust"),
    }[kind]
    return parse_result("x.json", {**made, **more})


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """A copy of the sources; tests may change it, since they compare before and after."""
    folder = tmp_path_factory.mktemp("copies")
    unneeded = shutil.ignore_patterns("__pycache__", "*.so", "agents", "translate", "report")
    shutil.copytree(provenance.PACKAGE, folder / "src" / "envwright", ignore=unneeded)
    shutil.copytree(provenance.CHECKOUT / "crates", folder / "crates")
    return folder


@pytest.fixture
def copied(copies, monkeypatch):
    """The copy stands in for the package and the checkout."""
    package, real, folder_of = (
        copies / "src" / "envwright",
        provenance.PACKAGE,
        provenance._folder_of,
    )
    monkeypatch.setattr(
        provenance, "_folder_of", lambda name: package / folder_of(name).relative_to(real)
    )
    monkeypatch.setattr(provenance, "PACKAGE", package)
    monkeypatch.setattr(provenance, "CHECKOUT", copies)
    return copies


def stored(one):
    """As it is stored now."""
    return replace(one, provenance=Sources().provenance(one))


def append(path):
    path.write_text(path.read_text() + "\n")


def standing(one):
    return Sources().standing(one)


def test_a_result_is_current_until_something_changes(copied):
    for kind in ("verify", "bench", "training", "mutation"):
        assert standing(stored(record(kind))).state == "current", kind


CHANGES = {
    "src/envwright/zoo/pong/rules.py": {
        "verify": "room changed",
        "bench": "room changed",
        "mutation": "room changed",
    },
    "src/envwright/zoo/pong/translation.toml": {"verify": "room changed"},
    "src/envwright/zoo/pong/bench/implementations.py": {"bench": "peers changed", "verify": ""},
    "src/envwright/verify/pair.py": {"verify": "verify changed", "bench": ""},
    "src/envwright/schema/tolerance.py": {"verify": "schema changed", "bench": ""},
    "src/envwright/train/ppo.py": {"training": "train changed", "verify": ""},
    "src/envwright/core/exact.py": {"verify": "core changed", "training": "core changed"},
    "crates/pong/src/game.rs": {"mutation": "crates changed", "bench": "crates changed"},
    "crates/vecenv/src/pool.rs": {"mutation": "crates changed", "verify": ""},
    "crates/vecenv-python/src/batch.rs": {"mutation": "bindings changed"},
    "crates/planar/src/engine.rs": {"mutation": "", "bench": ""},
    "src/envwright/zoo/cartpole/rules.py": {"verify": "", "bench": ""},
}


@pytest.mark.parametrize("file", CHANGES)
def test_a_changed_source_makes_its_results_stale_and_is_named(copied, file):
    before = {kind: stored(record(kind)) for kind in CHANGES[file]}
    append(copied / file)
    for kind, said in CHANGES[file].items():
        found = standing(before[kind])
        assert found.state == ("stale" if said else "current"), kind
        assert str(found) == (f"stale: {said}" if said else "current")


def test_a_part_that_is_new_makes_a_result_stale(copied):
    one = stored(record())
    checks = copied / "src/envwright/zoo/pong/checks"
    checks.mkdir()
    (checks / "levels.py").write_text("")
    assert standing(one).reasons == ("checks is new",)


def test_a_shared_engine_is_part_of_the_rooms_built_on_it(copied):
    one = stored(record(env="halfcheetah"))
    append(copied / "src/envwright/zoo/planar/engine.py")
    assert standing(one).reasons == ("room changed",)


def test_level_4_also_depends_on_training(copied):
    one = parse_result("x.json", samples.transfer_verification())
    one = stored(one)
    append(copied / "src/envwright/train/ppo.py")
    assert standing(one).reasons == ("train changed",)


def test_another_version_of_the_reference_is_named(monkeypatch):
    one = stored(record(env="cartpole"))
    assert one.provenance.sources["reference"].startswith("gymnasium ")
    then = one.provenance.sources["reference"]
    monkeypatch.setattr(provenance, "_installed", lambda package: f"{package} 9.9")
    assert standing(one).reasons == (f"reference changed from {then} to gymnasium 9.9",)


def test_a_pair_is_known_by_its_simulators():
    one = record(env="", backend="", reference="gymnasium:Taxi-v4", twin="envwright:pong")
    assert {"reference", "twin room", "verify"} <= stored(one).provenance.sources.keys()
    assert standing(stored(one)).state == "current"
    strangers = record(env="", backend="", reference="gymnasium:Taxi-v4", twin="python:mine:Taxi")
    assert str(standing(stored(strangers))) == "unknown: cannot fingerprint twin"


def test_a_translation_is_known_by_its_folder(tmp_path):
    (tmp_path / "translation.toml").write_text("a = 1\n")
    one = record("bench", env="lamp")
    one = replace(one, provenance=Sources(tmp_path).provenance(one))
    assert one.provenance.folder == str(tmp_path)
    assert Sources(one.provenance.folder).standing(one).state == "current"
    code = tmp_path / "runs/1/workspace/src/fast_lamp/env.py"
    code.parent.mkdir(parents=True)
    code.write_text("")
    assert Sources(one.provenance.folder).standing(one).reasons == ("translation changed",)
    code.unlink()
    assert Sources(one.provenance.folder).standing(one).state == "current"
    (tmp_path / "translation.toml").write_text("a = 2\n")
    assert Sources(one.provenance.folder).standing(one).reasons == ("translation changed",)
    (tmp_path / "translation.toml").unlink()
    assert Sources(one.provenance.folder).standing(one).state == "unknown"


def test_a_result_without_provenance_is_unknown():
    assert str(standing(record())) == "unknown: stored without provenance"
    assert record().provenance == Provenance()


def test_the_commit_is_recorded_and_whether_it_was_changed(tmp_path, monkeypatch):
    def git(*words):
        said = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *said, *words], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(provenance, "CHECKOUT", tmp_path)
    assert provenance._commit() == ("", False)
    source, result = tmp_path / "src" / "a.py", tmp_path / "result.json"
    source.parent.mkdir()
    for file in (source, result):
        file.write_text("1")
    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    commit, dirty = provenance._commit()
    assert len(commit) == 40 and not dirty
    result.write_text("2")
    assert provenance._commit() == (commit, False)
    source.write_text("2")
    assert provenance._commit() == (commit, True)
