"""Mutants in Rust: built in a copy, judged in forks, reported like those of JAX."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from msgspec import structs
from tests.zoo.pong.live import needs_reference

from envwright.cli import adequacy as command
from envwright.cli import main
from envwright.core.registry import find
from envwright.errors import EnvwrightError, Exit
from envwright.schema.results import as_json
from envwright.schema.translation import Equivalent
from envwright.schema.translation.records import Adequacy
from envwright.verify.adequacy import mutate
from envwright.verify.adequacy.evidence import Verdict
from envwright.verify.adequacy.mutation.rust import judge
from envwright.verify.adequacy.mutation.rust.mutants import rust_mutants
from envwright.verify.adequacy.mutation.rust.workspace import Workspace, workspace_of
from envwright.verify.room import load_room
from envwright.verify.run import Effort

# Workers fork before they use JAX; the process of these tests may have used it.
pytestmark = pytest.mark.filterwarnings("ignore:os.fork")
SMALL = Effort(episodes=6, visited=6, fuzzed=120, boundary=20, starts=500, examples=3)
MUTANTS = rust_mutants("fn f() {\n    g(a < b)\n}\n", "game.rs")


def run(*arguments):
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def test_a_fork_gives_an_answer_and_leaves_this_process_alone():
    seen = []
    assert judge._in_fork(lambda: seen.append(1) or "equal", 20.0) == "equal"
    assert seen == []


@pytest.mark.parametrize(
    "fails", [os.abort, lambda: 1 / 0, lambda: os._exit(3)], ids=["abort", "raise", "exit"]
)
def test_a_fork_that_dies_has_no_answer(fails):
    assert judge._in_fork(fails, 20.0) == ""


def test_a_fork_that_hangs_is_ended_in_time():
    began = time.monotonic()
    assert judge._in_fork(lambda: time.sleep(600) or "equal", 0.2) == ""
    assert time.monotonic() - began < 120


def test_an_installed_package_says_where_its_rust_sources_are(tmp_path):
    with pytest.raises(EnvwrightError, match="run from a checkout"):
        Workspace(tmp_path)


def test_a_missing_cargo_is_told(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(EnvwrightError, match="install Rust"):
        workspace_of(find("pong"))


def test_an_unknown_crate_is_told_with_those_there_are():
    with pytest.raises(EnvwrightError, match=r"no crate 'pongg'.*envwright-pong"):
        workspace_of(find("pong")).sources(["pongg"])


def test_a_mutant_stands_in_the_copy_only_and_only_for_a_while():
    here = workspace_of(find("pong"))
    with here.copied() as copy:
        path, original = (
            copy.sources(["envwright-pong"])["game.rs"],
            here.sources(["envwright-pong"]),
        )
        before = path.read_text()
        file, mutant = copy.mutants(["envwright-pong"], ())[-1]
        changed = copy.sources(["envwright-pong"])[file]
        with copy.with_mutant(changed, mutant):
            assert changed.read_text() == mutant.apply(original[file].read_text())
        assert path.read_text() == before == original["game.rs"].read_text()
    assert not copy.root.exists()


def report_of(verdicts, claims=()):
    """A report of mutants whose verdicts are given."""
    report = mutate.MutationReport(
        "pong", [], {"l1": [], "l2": [], "l3": []}, [], 2, backend="rust"
    )
    proofs = {c.mutant: c for c in claims}
    for mutant, verdict in zip(MUTANTS, verdicts, strict=True):
        mutate._enter(report, mutant, verdict, proofs)
    return report


def test_what_does_not_compile_is_neither_killed_nor_a_survivor():
    report = report_of([None, Verdict(["l1", "l3"], crashed=True)])
    data = as_json(report.record())
    assert (data["backend"], data["mutants"], data["not_compiled"]) == ("rust", 1, 1)
    assert data["killed"] == {"l1": 1, "l2": 0, "l3": 1}
    assert (data["crashed"], data["kill_rate"], data["survived"]) == (1, 1.0, [])


def test_a_proof_counts_only_for_a_mutant_that_lives():
    claim = Equivalent(mutant=MUTANTS[0].id, proof="because")
    dead, alive = Verdict(["l2"], crashed=False), Verdict([], crashed=False)
    report = report_of([alive, alive], [claim])
    assert report.equivalent == [claim] and report.survived == [MUTANTS[1]]
    with pytest.raises(EnvwrightError, match=f"{re.escape(MUTANTS[0].id)} equivalent, but it died"):
        report_of([dead, alive], [claim])
    with pytest.raises(EnvwrightError, match="but it does not compile"):
        report_of([None, alive], [claim])


def test_proofs_are_of_the_backend_whose_files_they_name():
    room = SimpleNamespace(
        backend="rust",
        equivalent=[
            Equivalent(mutant="env.py:1:x:y", proof=""),
            Equivalent(mutant=MUTANTS[0].id, proof=""),
        ],
    )
    assert list(mutate._claims(room, [("game.rs", m) for m in MUTANTS])) == [MUTANTS[0].id]


ALIKE = "fn f() {\n    g(a < b, c < d)\n}\n"


@pytest.mark.parametrize(
    ("proved", "sentence"),
    [
        ("game.rs:f:compare:<-><=:g(a < b, c < d)", r"which is 2 mutants; add #1 to #2$"),
        ("game.rs:f:compare:<-><=:g(a < c, c < d) #1", r"not a mutant; did you mean game.rs:f:"),
        ("other.rs:f:compare:<-><=:a < b", r"which is not a mutant$"),
    ],
)
def test_a_proof_that_matches_no_mutant_or_several_is_an_error(monkeypatch, proved, sentence):
    claim = Equivalent(mutant=proved, proof="because")
    room = replace(load_room("pong", "rust"), adequacy=Adequacy(equivalent=(claim,)))
    monkeypatch.setattr(mutate, "load_room", lambda name, backend: room)
    found = [("game.rs", mutant) for mutant in rust_mutants(ALIKE, "game.rs")]
    monkeypatch.setattr(mutate, "all_mutants", lambda room: found)
    with pytest.raises(EnvwrightError, match=sentence) as error:
        mutate.mutate_room("pong", "rust")
    assert error.value.exit_code is Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("cartpole", "jax"),
        ("pong", "jax"),
        ("pong", "rust"),
        ("halfcheetah", "jax"),
        ("gameboy", "rust"),
        ("pokemon", "jax"),
    ],
)
def test_proofs_of_the_zoo_are_about_mutants_that_there_are(name, backend):
    room = load_room(name, backend)
    proved = {claim.mutant.partition(":")[0] for claim in room.equivalent}
    files = tuple(file for file in room.adequacy.mutate if file.rpartition("/")[2] in proved)
    room = replace(room, adequacy=structs.replace(room.adequacy, mutate=files, more=""))
    assert mutate._claims(room, mutate.all_mutants(room))


def test_an_interrupted_run_shows_and_keeps_what_it_knew(monkeypatch, tmp_path, capsys):
    def interrupted(*_, so_far, **__):
        so_far(report_of([Verdict(["l1"], crashed=False), None]))
        raise KeyboardInterrupt

    monkeypatch.setattr(mutate, "mutate_room", interrupted)
    file = tmp_path / "m.json"
    assert run("mutate", "pong", "--backend", "rust", "--json", str(file)) == 130
    assert json.loads(file.read_text())["killed"]["l1"] == 1
    assert "1 of 2 mutants of pong (rust)" in capsys.readouterr().out


def test_an_absent_reference_is_told_before_anything_is_built(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(Workspace, "copied", None)  # would be called to build
    assert run("mutate", "pong", "--backend", "rust") == 2
    told = capsys.readouterr().err
    assert told.startswith("envwright: PufferLib's Pong is not here") and told.count("\n") == 1


def test_policies_are_for_mutants_of_jax(tmp_path, capsys):
    assert run("mutate", "pong", "--backend", "rust", "--policies", str(tmp_path)) == 2
    assert "--policies" in capsys.readouterr().err


@pytest.mark.slow
@needs_reference
def test_three_mutants_of_pong_are_built_and_judged(monkeypatch, tmp_path):
    everything = mutate.all_mutants(load_room("pong", "rust"))

    def one(*words):
        return next((file, m) for file, m in everything if all(w in m.diff() for w in words))

    harmless = one("GROUP: usize = 9")  # how many games are looked through together
    found = [
        one("PADDLE_SPEED: f32 = 8.8"),
        harmless,
        one("self.game_at(lane, &self.now)"),  # does not compile
    ]
    monkeypatch.setattr(mutate, "all_mutants", lambda room: found)
    monkeypatch.setattr(mutate, "_claims", lambda room, mutants: {})
    monkeypatch.setattr(mutate, "EFFORT", SMALL)
    file = tmp_path / "m.json"
    code = run(
        *("mutate", "pong", "--backend", "rust", "--executor", "serial", "--json", str(file))
    )
    data = json.loads(file.read_text())
    assert (code, data["mutants"], data["not_compiled"]) == (1, 2, 1)
    assert data["killed"] == {"l1": 1, "l2": 1, "l3": 1, "tests": 0}
    assert [s["mutant"] for s in data["survived"]] == [harmless[1].id]


def test_what_is_known_is_written_now_and_then():
    written = []
    kept = command._IntervalStore(lambda record: written.append(record.mutants), pause=0.0)
    kept(report_of([None, Verdict([], crashed=False)]))
    assert written == [1]
