"""Which backend is proposed: what was asked for, what the agent writes, what suits the hardware."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from envwright.cli import proposed, translate
from envwright.cli.app import main
from envwright.cli.both import agents_for, part_of
from envwright.cli.proposed import Wishes, spec_of, target_for
from envwright.core import hardware
from envwright.errors import EnvwrightError


@pytest.mark.parametrize(
    ("agent", "asked", "target"),
    [
        ("compiler", None, "jax"),
        ("compiler,gemini", None, "jax"),
        ("compiler", "jax", "jax"),
        ("gemini", None, None),
        ("gemini", "rust", "rust"),
    ],
)
def test_the_target_is_what_the_agent_writes(agent, asked, target):
    assert target_for(agent, asked) == target


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--target", "rust"], "--agent compiler does not write rust; leave out --target"),
        (["--target", "c"], "unknown target 'c'; use jax, rust or both"),
        (["--hardware", "fpga"], "unknown hardware 'fpga'; use cpu, gpu, tpu"),
    ],
)
def test_a_target_that_cannot_be_is_rejected_before_any_survey(
    words, reason, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("envwright.translate.propose.open_subject", None)
    with pytest.raises(SystemExit) as left:
        main(["translate", "gymnasium:CartPole-v1", *words])
    assert left.value.code == 2 and reason in " ".join(capsys.readouterr().err.split())
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("kind", "said"), [("cpu", True), ("gpu", False)])
def test_on_a_cpu_a_faster_target_is_named(kind, said, tmp_path, monkeypatch, capsys):
    spec = SimpleNamespace(modules=())
    monkeypatch.setattr("envwright.translate.propose.write_proposal", lambda *_: [])
    monkeypatch.setattr(proposed, "load_spec", lambda folder: spec)
    wishes = Wishes(tmp_path / "out", hardware=kind)
    assert spec_of("gymnasium:CartPole-v1", wishes, "compiler") is spec
    assert ("Rust is usually faster" in capsys.readouterr().out) is said


def test_a_folder_has_its_own_target(tmp_path):
    with pytest.raises(EnvwrightError, match=r"--target is for a simulator; .*translation\.toml"):
        spec_of(str(tmp_path), Wishes(target="jax"), "compiler")


@pytest.mark.parametrize(
    ("platform", "kind"), [("cpu", "cpu"), ("cuda", "gpu"), ("rocm", "gpu"), ("tpu", "tpu")]
)
def test_hardware_is_what_jax_computes_on(platform, kind, monkeypatch):
    monkeypatch.setattr("jax.devices", lambda: [SimpleNamespace(platform=platform)])
    assert hardware.detect() == hardware.chosen(None) == kind
    assert hardware.chosen("tpu") == "tpu"


# --- both --------------------------------------------------------------------------------------


def test_for_both_each_agent_writes_what_it_can():
    assert agents_for("gymnasium:CartPole-v1", "compiler,gemini") == {
        "jax": "compiler,gemini",
        "rust": "gemini",
    }
    assert agents_for("gymnasium:CartPole-v1", "claude") == {"jax": "claude", "rust": "claude"}


@pytest.mark.parametrize(
    ("what", "agent", "reason"),
    [
        ("gymnasium:CartPole-v1", "compiler", "does not write rust; add one that does"),
        ("gymnasium:CartPole-v1", "replay", "does not go with --agent replay"),
        (".", "gemini", r"is for a simulator; the translation\.toml in \. has a target"),
    ],
)
def test_both_is_refused_where_there_cannot_be_two(what, agent, reason):
    with pytest.raises(EnvwrightError, match=reason):
        agents_for(what, agent)


def test_both_have_folders_and_names_of_their_own():
    wishes = Wishes(target="both", hardware="cpu")
    parts = [part_of("gymnasium:CartPole-v1", wishes, backend) for backend in ("jax", "rust")]
    assert [str(part.output) for part in parts] == ["cartpole-v1/jax", "cartpole-v1/rust"]
    assert [part.name for part in parts] == ["fast_cartpole_jax", "fast_cartpole_rust"]
    assert [part.target for part in parts] == ["jax", "rust"]
    asked = part_of("gymnasium:CartPole-v1", Wishes(Path("out"), "quick"), "rust")
    assert (asked.output, asked.name) == (Path("out/rust"), "quick_rust")


@pytest.mark.parametrize(
    ("outcomes", "made", "code"),
    [
        (["verified", "verified"], ["jax", "rust", "compared"], 1),
        (["human", "verified"], ["jax"], 5),
        (["verified", "budget"], ["jax", "rust"], 4),
    ],
)
def test_both_are_compared_only_if_both_are_verified(outcomes, made, code, tmp_path, monkeypatch):
    seen = []

    def translated(what, wishes, order):
        seen.append(wishes.target)
        return SimpleNamespace(outcome=outcomes[len(seen) - 1]), wishes.output

    def compare(jax, rust):
        assert (jax, rust) == (Path("cartpole-v1/jax"), Path("cartpole-v1/rust"))
        seen.append("compared")
        return 1

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(translate, "_translated", translated)
    monkeypatch.setattr(translate, "compare", compare)
    monkeypatch.setattr(translate, "is_confined", lambda *_: True)
    words = ["--target", "both", "--agent", "command", "--command", "true"]
    with pytest.raises(SystemExit) as left:
        main(["translate", "gymnasium:CartPole-v1", *words])
    assert (seen, left.value.code) == (made, code)
