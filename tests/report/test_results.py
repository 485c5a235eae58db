"""Stored results are found, recognised by their kind and grouped by environment."""

from __future__ import annotations

import json
import math

import pytest
from tests.report import samples

from envwright.core.registry import rooms
from envwright.errors import EnvwrightError
from envwright.report.charts.training import training_chart
from envwright.report.page import build_page
from envwright.report.results import read_results, spec_of
from envwright.schema.results import Bench, Elo, Mutation, Training, Verification


def read(folder, **files):
    for name, data in files.items():
        samples.put(folder / f"{name}.json", data)
    return read_results(folder)


def test_a_name_with_a_version_and_one_without_are_one_environment(tmp_path):
    results = read(tmp_path, a=samples.bench(), b=samples.mutation(), c=samples.verification())
    (env,) = [e for e in results.environments if e.results]
    assert env.id == "cartpole" and env.title == "CartPole"
    assert [len(env.of(kind)) for kind in (Bench, Mutation, Verification)] == [1, 1, 1]


def test_a_port_stands_with_the_environment_of_its_reference(tmp_path):
    results = read(tmp_path, port=samples.port_verification(), ours=samples.verification())
    (env,) = [e for e in results.environments if e.results]
    assert [v.twin for v in env.ours] == [samples.OURS]
    assert [v.twin for v in env.ports] == [samples.PORT]


def test_a_comparison_of_strangers_gets_an_entry_of_its_own(tmp_path):
    strangers = samples.verification(
        env="", backend="", reference="gymnasium:Taxi-v4?is_rainy=true", twin="python:mine:Taxi"
    )
    results = read(tmp_path, strangers=strangers)
    *zoo, other = results.environments
    assert zoo and all(env.spec is not None and env.results == [] for env in zoo)
    assert (other.spec, other.id) == (None, "gymnasium:Taxi-v4")


def test_every_environment_of_the_zoo_is_there_with_or_without_results(tmp_path):
    unknown = {**samples.mutation(), "env": "marble"}
    found = [e.id for e in read(tmp_path, marble=unknown).environments]
    assert found == [*sorted({spec.id for spec in rooms()}), "marble"]


@pytest.mark.parametrize(
    "reference, twin, found",
    [
        ("gymnasium:CartPole-v1?sutton_barto_reward=true", "python:a:B", "cartpole"),
        ("python:a:B", "envwright:cartpole?dtype=float64", "cartpole"),
        ("gymnasium:Taxi-v4", "python:a:B", None),
        ("python:a:B", "envwright:nobody", None),
    ],
)
def test_the_room_is_that_of_our_twin_or_of_the_reference(reference, twin, found):
    spec = spec_of(reference, twin)
    assert (spec.id if spec else None) == found


def test_folders_below_are_read_too(tmp_path):
    samples.put(tmp_path / "a" / "b" / "c.json", samples.mutation())
    assert [s.path.name for s in read_results(tmp_path).sources] == ["c.json"]


def test_a_collection_is_read_one_by_one(tmp_path):
    both = {
        "kind": "collection",
        "results": [samples.bench(), samples.breakdown(), {"kind": "tea"}],
    }
    results = read(tmp_path, both=both)
    assert [s.record.kind for s in results.sources] == ["bench", "breakdown"]
    assert len(results.problems) == 1


def _without(data, *path):
    """A copy that lacks the key at the end of the path."""
    copy = json.loads(json.dumps(data))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return copy


BROKEN = {
    "no JSON": ("{", "is not JSON"),
    "no text": (b"\xff\xfe\x00", "is not JSON"),
    "a list": ("[]", "no key 'kind'"),
    "no kind": ('{"env": "cartpole"}', "no key 'kind'"),
    "an unknown kind": ('{"kind": "tea"}', "unknown kind 'tea'"),
    "a strange kind": ('{"kind": ["bench"]}', "unknown kind"),
    "an empty box": ('{"kind": "collection"}', "without a list"),
    "no rows": (_without(samples.bench(), "rows"), "object missing required field `rows`"),
    "a row without speed": (_without(samples.bench(), "rows", 0, "sps_mean"), "sps_mean"),
    "rows that are none": (
        {**samples.bench(), "rows": [1]},
        "expected `object`, got `int` at rows[0]",
    ),
    "a speed of zero": (
        {**samples.bench(), "rows": [{**samples.bench()["rows"][0], "sps_mean": 0}]},
        "expected `float` >= 1e-09 at rows[0].sps_mean",
    ),
    "seeds of other lengths": (
        {**samples.training(), "returns": [[1.0]]},
        "every entry of `steps`",
    ),
    "no seeds": ({**samples.training(), "returns": []}, "every entry of `steps`"),
    "a divergence with too many fields": (
        samples.port_verification([samples.divergence(1, colour="red")]),
        "is not a verify result",
    ),
    "a divergence without a step": (
        samples.port_verification([samples.divergence(1, step=None)]),
        "Expected `int`, got `null` - at `$.step`",
    ),
    "a divergence with strange tolerances": (
        samples.port_verification([samples.divergence(1, tolerances={"default": 3})]),
        "is not a verify result",
    ),
    "an image that is missing": (samples.play("gone.webp"), "gone.webp is missing"),
    "an image with a NUL": (samples.play("a\0b"), "is missing"),
    "an image whose name is too long": (samples.play("x" * 5000), "is missing"),
    "an image that is a link to itself": (samples.play("loop"), "loop is missing"),
    "an image elsewhere": (samples.play("../../etc/passwd"), "outside of its folder"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_is_no_result_is_told_and_does_not_stop_the_others(tmp_path, case):
    content, reason = BROKEN[case]
    if isinstance(content, dict):
        content = json.dumps(content)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "bad.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    results = read(tmp_path, good=samples.mutation())
    assert [s.path.name for s in results.sources] == ["good.json"]
    (problem,) = results.problems
    assert problem.path.name == "bad.json" and reason in str(problem)


def test_a_small_file_is_not_a_problem_for_each_of_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr("envwright.schema.results.MOST", 3)
    samples.put(tmp_path / "many.json", {"kind": "collection", "results": [1] * 4})
    (problem,) = read(tmp_path, good=samples.mutation()).problems
    assert "more than 3 results" in str(problem)


def test_pictures_are_embedded_up_to_a_size(tmp_path, monkeypatch):
    image = tmp_path / "a.webp"
    image.write_bytes(bytes(100))
    monkeypatch.setattr("envwright.report.results.MOST_PICTURES", 250)
    found = read(tmp_path, **{f"play-{n}": samples.play("a.webp") for n in range(4)})
    assert len(found.sources) == 2
    assert all("larger than 0 MB together" in str(each) for each in found.problems)
    assert len(found.problems) == 2


def test_a_folder_without_results_says_which_command_makes_some(tmp_path):
    with pytest.raises(EnvwrightError, match="envwright verify cartpole --json") as raised:
        read_results(tmp_path)
    assert "\n" not in str(raised.value)
    with pytest.raises(EnvwrightError, match=r"there is no folder .* name another folder"):
        read_results(tmp_path / "nowhere")


def test_the_error_names_the_files_that_are_no_results(tmp_path):
    (tmp_path / "tea.json").write_text('{"kind": "tea"}')
    with pytest.raises(EnvwrightError, match=r"tea\.json is of an unknown kind"):
        read_results(tmp_path)


def test_the_results_of_this_repository_are_all_recognised():
    from pathlib import Path

    results = read_results(Path(__file__).parents[2] / "benchmarks")
    assert results.problems == []


def test_ratings_are_shown_the_strongest_first(tmp_path):
    def player(name, elo):
        return {"name": name, "elo": elo, "low": elo - 20, "high": elo + 20} | dict.fromkeys(
            ("wins", "ties", "losses"), 5
        )

    met = {"kind": "elo", "env": "tcgpocket", "backend": "jax", "games": 10, "seed": 0}
    met["scores"] = []
    met["players"] = [player("random", -40), player("greedy", 40)]
    samples.put(tmp_path / "elo.json", met)
    results = read_results(tmp_path)
    (elo,) = [elo for env in results.environments for elo in env.of(Elo)]
    assert [p.name for p in elo.ranking] == ["greedy", "random"]
    page = build_page(results, tmp_path / "page.html")
    assert page.index("greedy") < page.index(">random<") and "20 to 60" in page


def test_not_a_number_becomes_a_gap(tmp_path):
    run = samples.training()
    run["returns"][0][3] = "NaN"
    (env,) = [e for e in read(tmp_path, run=run).environments if e.results]
    (found,) = env.found(Training)
    chart = training_chart("id", [found], "steps")
    assert all(map(math.isfinite, chart.figure.data[1].y))
