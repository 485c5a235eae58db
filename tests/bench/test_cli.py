"""`envwright bench`: what may be asked at once, what is written, what is refused."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from envwright.bench import Role
from envwright.bench.jobs import Effort, Job, all_jobs, kinds_of
from envwright.cli import main
from envwright.core.registry import find
from envwright.schema.results import Bench, BenchRow, Breakdown, BreakdownRow

MACHINE = {"cpu": "a processor", "cores": 2}
KINDS = ["random", "rollout", "ppo", "breakdown"]


class Left(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def envwright(capsys, tmp_path, monkeypatch):
    """Runs a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> Left:
        with pytest.raises(SystemExit) as left:
            main(["bench", *map(str, arguments)])
        return Left(int(left.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def ran(monkeypatch) -> list[Job]:
    """Nothing is measured; every job that was run."""
    jobs: list[Job] = []

    def run(job: Job, progress: Any) -> Bench | Breakdown:
        jobs.append(job)
        progress("done", 1, 1)
        settings = {"kind": job.kind, "repeats": 5}
        if job.kind == "breakdown":
            parts = {"environment": 1.0, "inference": 0.0, "update": 3.0, "transfer": 0.0}
            samples = {part: [s] for part, s in parts.items()} | {"iteration": [4.0]}
            row = BreakdownRow(
                implementation="ours", role=Role.OURS, size="2M", parameters=9, batch=4, rollout=2,
                seconds=parts, share=parts, iteration_seconds=4.0, samples=samples,
            )  # fmt: skip
            return Breakdown(machine=MACHINE, env="cartpole-v1", settings=settings, rows=[row])
        row = BenchRow(
            implementation="ours", role=Role.OURS, kind=job.kind, batch=4, threads=2, sps_mean=1e6,
            sps_std=0.0, ratio=None, ratio_low=None, ratio_high=None, compile_seconds=0.1,
            cores_used=1.0, samples=[1e6],
        )  # fmt: skip
        return Bench(machine=MACHINE, env="cartpole-v1", settings=settings, rows=[row])

    monkeypatch.setattr(Job, "run", run)
    return jobs


def read(path: str | Path) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


# --- what is asked for ------------------------------------------------------------------

ASKED = {
    (): ["random"],
    ("--ppo",): ["ppo"],
    ("--rollout", "--breakdown"): ["rollout", "breakdown"],
    ("--kind", "breakdown"): ["breakdown"],
    ("--kind", "random, ppo", "--ppo"): ["random", "ppo"],
}


@pytest.mark.parametrize("options", list(ASKED))
def test_kinds_by_name_and_by_flag(options, envwright, ran) -> None:
    assert envwright("cartpole", *options).code == 0
    assert [job.kind for job in ran] == ASKED[options]


def test_one_result_is_itself_and_several_are_a_collection(envwright, ran) -> None:
    envwright("cartpole", "--ppo", "--json", "one.json")
    assert read("one.json")["kind"] == "bench"
    envwright("cartpole", "--ppo", "--breakdown", "--json", "two.json")
    both = read("two.json")
    assert both["kind"] == "collection"
    assert [result["kind"] for result in both["results"]] == ["bench", "breakdown"]
    assert [result["settings"]["kind"] for result in both["results"]] == ["ppo", "breakdown"]


def test_written_command_asks_for_the_same_again(envwright, ran) -> None:
    options = ["--ppo", "--batch", "8,16", "--repeats", "7", "--seconds", "0.25", "--memory"]
    envwright("cartpole", *options, "--json", "first.json")
    words = shlex.split(read("first.json")["command"])
    assert words[:2] == ["envwright", "bench"]
    envwright(*words[2:])
    envwright("cartpole", "--breakdown", "--sizes", "2M,64x64", "--json", "second.json")
    envwright(*shlex.split(read("second.json")["command"])[2:])
    assert (
        ran[0]
        == ran[1]
        == Job("cartpole", "ppo", Effort((8, 16), repeats=7, seconds=0.25, memory=True))
    )
    assert ran[2] == ran[3] and ran[2].effort.sizes == ("2M", "64x64")


def test_default_batches_reach_from_32_to_8192(envwright, ran) -> None:
    envwright()
    assert ran == [Job("cartpole", "random", Effort())]
    assert (min(ran[0].effort.batches), max(ran[0].effort.batches)) == (32, 8192)


def test_an_interrupted_run_keeps_what_is_finished(envwright, ran, monkeypatch) -> None:
    finish = Job.run

    def interrupted(job: Job, progress: Any) -> Any:
        if job.kind == "breakdown":
            raise KeyboardInterrupt
        return finish(job, progress)

    monkeypatch.setattr(Job, "run", interrupted)
    left = envwright("cartpole", "--ppo", "--breakdown", "--json", "f.json")
    assert left.code == 130
    assert read("f.json")["kind"] == "bench"


# --- everything -------------------------------------------------------------------------


def test_all_writes_a_file_for_every_kind_of_every_environment(envwright, ran) -> None:
    left = envwright("--all", "--repeats", 6)
    assert left.code == 0
    names = [f"{job.name}.json" for job in ran]
    assert {f"cartpole-{kind}.json" for kind in KINDS} <= set(names)
    assert {path.name for path in Path("benchmarks").iterdir()} == set(names)
    assert all(job.effort.memory and job.effort.repeats == 6 for job in ran)
    assert f"[{len(names)}/{len(names)}]" in left.out
    assert read("benchmarks/cartpole-ppo.json")["rows"][0]["kind"] == "ppo"


def test_all_goes_on_where_it_was_interrupted(envwright, ran, monkeypatch) -> None:
    finish = Job.run

    def interrupted(job: Job, progress: Any) -> Any:
        if job.kind == "ppo":
            raise KeyboardInterrupt
        return finish(job, progress)

    monkeypatch.setattr(Job, "run", interrupted)
    assert envwright("cartpole", "--all", "--results", "there").code == 130
    written = {path.name: path.stat().st_mtime_ns for path in Path("there").iterdir()}
    assert set(written) == {"cartpole-random.json", "cartpole-rollout.json"}

    monkeypatch.setattr(Job, "run", finish)
    ran.clear()
    left = envwright("cartpole", "--all", "--results", "there", "--resume")
    assert left.code == 0 and left.out.count(": kept") == 2
    assert [job.kind for job in ran] == ["ppo", "breakdown"]
    assert all(Path("there", name).stat().st_mtime_ns == when for name, when in written.items())

    ran.clear()
    envwright("cartpole", "--all", "--results", "there")
    assert [job.kind for job in ran] == KINDS


def test_cartpole_has_every_kind() -> None:
    assert kinds_of(find("cartpole")) == KINDS
    assert [job.kind for job in all_jobs("cartpole", Effort())] == KINDS


# --- bad input: one sentence, before anything is measured -------------------------------

BAD = {
    "a wrong id": (["cartpol"], "did you mean 'cartpole'?"),
    "a wrong id with --all": (["cartpol", "--all"], "did you mean 'cartpole'?"),
    "a wrong kind": (["cartpole", "--kind", "fast"], "use random or rollout or ppo or breakdown"),
    "a wrong kind after a right one": (["cartpole", "--kind", "random,fast"], "no benchmark of"),
    "words as batch": (["cartpole", "--batch", "many"], "--batch takes numbers"),
    "no lanes": (["cartpole", "--batch", "8,0"], "batches must be at least 1"),
    "no repeats": (["cartpole", "--repeats", "0"], "at least 1 repeat"),
    "no time": (["cartpole", "--seconds", "0"], "must be above 0"),
    "a wrong size": (["cartpole", "--breakdown", "--sizes", "2M,3M"], "not '3M'"),
    "a folder that is not there": (["cartpole", "--json", "no/f.json"], "there is no folder"),
    "--all and a kind": (["--all", "--ppo"], "give it or a kind"),
    "--all and a file": (["--all", "--json", "f.json"], "writes a folder"),
    "--resume alone": (["cartpole", "--resume"], "go with --all"),
    "--results alone": (["cartpole", "--results", "here"], "go with --all"),
    "a file as folder": (["--all", "--results", "file/inside"], "is not a folder"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_bad_input_is_one_sentence_and_nothing_is_run(case, envwright, ran) -> None:
    Path("file").touch()
    arguments, message = BAD[case]
    left = envwright(*arguments)
    assert left.code == 2
    (line,) = left.err.strip().splitlines()
    assert line.startswith("envwright: ") and message in line
    assert left.out == "" and ran == []
