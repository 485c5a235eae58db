"""A crate's own tests as a judge of mutants: asked last, of what no level noticed."""

from __future__ import annotations

import shutil
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from envwright.cli import adequacy as command
from envwright.core.executor import Process
from envwright.errors import EnvwrightError
from envwright.schema.results import as_json
from envwright.schema.translation import Equivalent
from envwright.schema.translation.records import Adequacy
from envwright.verify.adequacy import mutate
from envwright.verify.adequacy.evidence import Verdict
from envwright.verify.adequacy.mutation.rust.mutants import rust_mutants
from envwright.verify.adequacy.mutation.rust.unit_tests import UnitTests
from envwright.verify.adequacy.mutation.rust.workspace import DoesNotCompile, Workspace
from envwright.verify.run import Effort

SOURCE = """\
pub fn half(mut n: u32) -> u32 {
    let mut half = 0;
    while n > 1 {
        n -= 2;
        half += 1;
    }
    half
}
"""
TEST = """\
#[test]
fn half_of_nine_is_four() {
    assert_eq!(tiny::half(9), 4);
}
"""
needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")


@pytest.fixture
def tiny(tmp_path):
    """A workspace of one crate that needs no other."""
    crate = tmp_path / "tiny"
    for folder, text in (("src", SOURCE), ("tests", TEST)):
        (crate / folder).mkdir(parents=True)
        (crate / folder / "lib.rs").write_text(text)
    package = '[package]\nname = "tiny"\nversion = "0.1.0"\n'
    (crate / "Cargo.toml").write_text(f'{package}edition = "2024"\n')
    (tmp_path / "Cargo.toml").write_text('[workspace]\nresolver = "3"\nmembers = ["tiny"]\n')
    (tmp_path / "Cargo.lock").write_text(
        'version = 4\n\n[[package]]\nname = "tiny"\nversion = "0.1.0"\n'
    )
    return Workspace(tmp_path)


@needs_cargo
def test_tests_notice_what_they_ask_and_end_what_hangs(tiny):
    path = tiny.sources(["tiny"])["lib.rs"]
    bugs = {m.id: m for _, m in tiny.mutants(["tiny"], ())}
    tests = UnitTests.that_pass(tiny, ["tiny"])
    assert tests.notice(path, bugs["lib.rs:half:constant:1->2:half += 1"])
    assert not tests.notice(
        path, bugs["lib.rs:half:constant:1->2:while n > 1"]
    )  # wrong for even numbers
    began = time.monotonic()
    assert UnitTests(tiny, ["tiny"], limit=3.0).notice(path, bugs["lib.rs:half:delete:n:n -= 2"])
    assert time.monotonic() - began < 120
    assert path.read_text() == SOURCE


@needs_cargo
def test_tests_that_fail_without_a_bug_are_told(tiny):
    path = tiny.sources(["tiny"])["lib.rs"]
    path.write_text(SOURCE.replace("half += 1", "half += 2"))
    with pytest.raises(EnvwrightError, match="cargo test -p tiny fails without any bug"):
        UnitTests.that_pass(tiny, ["tiny"])


ENDLESS = """\
pub const SUM: u32 = {
    let mut i = 1;
    while i > 0 {
        i = 1;
    }
    i
};
"""


@needs_cargo
def test_a_constant_that_the_compiler_never_works_out_does_not_compile(tiny):
    crate = tiny.root / "tiny"
    manifest = (crate / "Cargo.toml").read_text()
    library = '[lib]\nname = "_native"\ncrate-type = ["cdylib"]\n'
    (crate / "Cargo.toml").write_text(manifest + library)
    (crate / "src" / "lib.rs").write_text(ENDLESS)
    began = time.monotonic()
    with pytest.raises(DoesNotCompile, match="did not come back within 4 s"):
        tiny.build(limit=4.0)
    assert time.monotonic() - began < 120


MUTANTS = rust_mutants("fn f() {\n    g(a + b, c < d)\n}\n", "game.rs")


class FakeWorkspace:
    """Builds nothing; what has the third bug does not compile."""

    bug = None

    @contextmanager
    def copied(self):
        yield self

    @contextmanager
    def with_mutant(self, path, mutant):
        self.bug = mutant
        yield
        self.bug = None

    def sources(self, crates):
        return {"game.rs": "game.rs"}

    def build(self, limit=None):
        if self.bug is MUTANTS[2]:
            raise DoesNotCompile("error")
        return b""


class FakeExecutor(Process):
    """Levels that notice the first bug only."""

    def map(self, fn, items):
        for i, _ in enumerate(items):
            yield Verdict(["l1"] if i == 0 else [], crashed=False)


def judged(monkeypatch, noticed_by_tests):
    """Who noticed each mutant, and which ones the tests were asked about."""
    asked = []

    def notice(path, mutant):
        asked.append(mutant)
        return mutant in noticed_by_tests

    monkeypatch.setattr(mutate, "workspace_of", lambda room: FakeWorkspace())
    tests = SimpleNamespace(notice=notice)
    monkeypatch.setattr(UnitTests, "that_pass", lambda workspace, crates: tests)
    room = SimpleNamespace(
        spec=SimpleNamespace(id="pong"), backend="rust", adequacy=Adequacy(crates=("pong",))
    )
    work = mutate._Work("pong", "rust", Effort(), 0, ("l1",), None)
    chosen = [("game.rs", m) for m in MUTANTS]
    answers = mutate._judged_native(room, chosen, work, FakeExecutor(1), lambda *_: None)
    return list(answers), asked


def test_tests_are_asked_only_of_what_compiles_and_no_level_noticed(monkeypatch):
    answers, asked = judged(monkeypatch, MUTANTS[:2])
    verdicts = [verdict and verdict.levels for _, verdict in answers]
    assert verdicts == [["l1"], ["tests"], None, *[[]] * (len(MUTANTS) - 3)]
    assert asked == [MUTANTS[1], *MUTANTS[3:]]


def report_of(answers, claims=()):
    report = mutate.MutationReport("pong", [], {"l1": [], "tests": []}, [], 9, backend="rust")
    for mutant, verdict in answers:
        mutate._enter(report, mutant, verdict, {c.mutant: c for c in claims})
    return report


def test_the_table_has_a_row_for_tests(monkeypatch, capsys):
    answers, _ = judged(monkeypatch, MUTANTS[3:])
    report = report_of(answers)
    assert as_json(report.record())["killed"] == {"l1": 1, "tests": len(MUTANTS) - 3}
    assert report.survived == [MUTANTS[1]]
    command._show_mutants(report)
    table = capsys.readouterr().out
    assert "the crates' tests, of what no level notices" in table and "any level or test" in table


def test_names_of_mutants_are_printed_as_they_are(capsys):
    (mutant,) = rust_mutants("fn f() {\n    clamp(a, b)\n}\n", "game.rs")
    command._show_mutants(report_of([(mutant, Verdict([], crashed=False))]))
    assert "game.rs:f:arguments:clamp:swap0,1:clamp(a, b)" in capsys.readouterr().out


def test_a_proof_about_what_tests_notice_is_an_error(monkeypatch):
    answers, _ = judged(monkeypatch, [MUTANTS[1]])
    with pytest.raises(EnvwrightError, match="equivalent, but it died"):
        report_of(answers, [Equivalent(mutant=MUTANTS[1].id, proof="because")])
