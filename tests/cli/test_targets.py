"""Which backend is proposed: what was asked for, what the agent writes, what suits the hardware."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from envwright.cli import proposed
from envwright.cli.app import main
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
        (["--target", "c"], "unknown target 'c'; use jax or rust"),
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
