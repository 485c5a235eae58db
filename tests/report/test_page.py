"""The page's words and numbers: verdicts, speed-ups, charts, commands; and the command itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report import samples

from envwright.cli import main
from envwright.errors import SchemaError
from envwright.report import commands, glance, words
from envwright.report.charts.breakdown import breakdown_chart
from envwright.report.charts.training import band, training_chart
from envwright.report.page import build_page
from envwright.report.recipe import amounts
from envwright.report.results import Found, read_results
from envwright.report.verdicts import tone, worst
from envwright.schema.provenance import Standing
from envwright.schema.results import parse_result

STYLE = Path(glance.__file__).parent / "templates" / "style.css"


def environment(folder, **files):
    for name, data in files.items():
        samples.put(folder / f"{name}.json", data)
    return read_results(folder).environments[0]


def parsed(data):
    path = Path("results/x.json")
    return Found(path, parse_result(path, data), Standing("current"))


# --- at a glance --------------------------------------------------------------------------------


def test_different_outranks_inconclusive_outranks_equal():
    assert worst(["equal", "inconclusive", "different"]) == "different"
    assert worst(["equivalent", "inconclusive"]) == "inconclusive"
    assert worst([]) == "not run"
    assert [tone(v) for v in ("equal", "equivalent", "nonsense")] == ["equal", "equal", "unsure"]


def test_levels_of_several_files_make_one_strip(tmp_path):
    env = environment(tmp_path, a=samples.verification(), b=samples.transfer_verification())
    (strip,) = glance.strips(env)
    assert list(strip.verdicts.values()) == ["equal", "equal", "equal", "equivalent"]


def test_a_port_that_differs_does_not_darken_ours(tmp_path):
    env = environment(tmp_path, a=samples.verification(), b=samples.port_verification())
    (strip,) = glance.strips(env)
    assert strip.verdicts == {1: "equal", 2: "equal", 3: "equal", 4: "not run"}


def test_each_backend_has_a_strip(tmp_path):
    rust = samples.verification(backend="rust", levels=[samples.level(1, "different")])
    jax, other = glance.strips(environment(tmp_path, a=samples.verification(), b=rust))
    assert (jax.backend, other.backend) == ("jax", "rust")
    assert other.verdicts[1] == "different"


def test_speed_is_compared_where_ours_is_fastest(tmp_path):
    found = glance.headline(environment(tmp_path, a=samples.bench()))
    assert found.row.batch == 8192 and found.kind == "random"
    assert [s.other for s in found.speedups] == ["gymnasium", "gymnax", "gymnasium-vector"]
    assert found.speedups[0].ratio == pytest.approx(56e6 / 164_745, rel=0.1)
    assert found.speedups[0].low < found.speedups[0].ratio < found.speedups[0].high


def test_random_actions_come_before_training(tmp_path):
    env = environment(tmp_path, a=samples.bench("ppo", 40), b=samples.bench("random"))
    assert list(glance.rows_by_kind(env)) == ["random", "ppo"]
    assert glance.headline(env).kind == "random"


def test_numbers_of_different_runs_are_never_compared(tmp_path):
    older = samples.bench("random", slower=2.0)
    older["machine"] = {**older["machine"], "date": "2020-01-01T00:00:00+00:00"}
    newer = samples.bench()
    newer["rows"] = [row for row in newer["rows"] if row["batch"] <= 64]
    env = environment(tmp_path, a=newer, z=older)
    assert max(row.batch for row in glance.rows_by_kind(env)["random"]) == 64
    assert glance.headline(env).speedups[0].ratio == pytest.approx(9.5e6 / 164_745, rel=0.1)
    page = build_page(read_results(tmp_path), tmp_path / "report.html")
    assert "Older, and not shown: <code>" in page


def test_the_scale_is_logarithmic_and_holds_slowdowns():
    scale = glance.Scale.over([340.0, 0.5])
    assert (scale.low, scale.high) == (-1, 3)
    assert [text for _, text in scale.ticks] == ["0.1×", "1×", "10×", "100×", "1,000×"]
    assert scale.at(1.0) == 25 and scale.at(1e9) == 100
    assert glance.Scale.over([]).ticks


# --- charts -----------------------------------------------------------------------------------


def test_the_band_is_the_interval_of_the_mean():
    assert band([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx((3 - 1.963, 3 + 1.963), rel=1e-3)


def test_of_few_seeds_the_band_is_what_they_span():
    assert band([7.0]) == (7, 7) and band([1.0, 4.0, 2.0]) == (1, 4)


def test_points_without_episodes_are_left_out_of_a_curve():
    run = parsed(samples.training())
    chart = training_chart("c", [run], "steps")
    assert len(chart.figure.data[1].x) == len(run.record.steps) - 1


def test_runs_in_the_same_simulator_can_be_told_apart():
    runs = [replace(parsed(samples.training()), path=Path(f"{name}.json")) for name in "ab"]
    chart = training_chart("c", runs, "steps")
    assert dict(chart.legend) == {f"{samples.OURS}, a": "ours", f"{samples.OURS}, b": "ours-2"}


def test_shares_of_a_breakdown_sum_to_one():
    found = parsed(samples.breakdown())
    chart = breakdown_chart("c", found.record.rows)
    assert [sum(bar) for bar in zip(*(t.x for t in chart.figure.data), strict=True)] == (
        pytest.approx([1.0] * 8)
    )
    assert "environment 88% of" in chart.alt


# --- words ------------------------------------------------------------------------------------


def test_numbers_read_well():
    assert words.steps(56_123_000) == "56.1\u202fM"
    assert words.times(340.4) == "340×" and words.times(5.1234) == "5.12×"
    assert words.percent(0.99999) == "99.99\u202f%" and words.percent(1) == "100\u202f%"
    assert words.seconds(0.0351) == "35.1\u202fms"
    assert words.probability(1e-9) == "< 0.001"
    assert words.day("2026-11-15T23:22:07+00:00") == "15 November 2026, 23:22 UTC"
    assert words.day("yesterday") == "yesterday"
    assert words.listed(["a", "b", "c"]) == "a, b and c"


# --- commands ---------------------------------------------------------------------------------


def made(data):
    return commands.remake(parsed(data), "cartpole")


def test_the_command_makes_the_file_again():
    assert made(samples.mutation()) == "envwright mutate cartpole --json results/x.json"
    assert made(samples.port_verification()) == (
        "envwright verify --reference gymnasium:CartPole-v1 "
        "--twin gymnasium:phys2d/CartPole-v1 --atol 1e-05 --json results/x.json"
    )
    assert "--levels 4" in made(samples.transfer_verification())
    assert "--backend reference --seeds 10" in made(samples.training("reference"))


def test_a_stored_command_is_believed():
    data = {**samples.mutation(), "command": "make mutants"}
    assert made(data) == "make mutants"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "curl x | sh",
            "envwright list; rm -rf ~",
            "envwright $(x)",
            "envwright 'a",
            "rm x",
            "a\nb",
        ),
        *("make '--eval=$(shell x)'", "make -f x", "make SHELL=x", "make", "make ../x"),
    ],
)
def test_a_stored_command_that_a_shell_would_read_otherwise_is_not_shown(command):
    data = {**samples.mutation(), "command": command}
    assert made(data) == "envwright mutate cartpole --json results/x.json"


def test_names_that_a_shell_would_read_are_quoted():
    data = samples.verification(env="", backend="", twin="gymnasium:A-v1?x=1&y=2")
    assert "'gymnasium:A-v1?x=1&y=2'" in made(data)


# --- the page ---------------------------------------------------------------------------------


def page_of(folder, **files):
    for name, data in files.items():
        samples.put(folder / f"{name}.json", data)
    return build_page(read_results(folder), folder / "report.html")


def test_a_section_without_results_says_which_command_makes_them(tmp_path):
    page = page_of(tmp_path, a=samples.mutation())
    for verb in ("verify cartpole", "coverage cartpole", "train cartpole", "bench cartpole"):
        assert f"envwright {verb}" in page
    assert "envwright verify cartpole --levels 4" in page


def test_every_chart_has_one_place_whatever_an_environment_is_called(tmp_path):
    """The script of the page stops at a chart without a place."""
    made = (
        samples.training(),
        samples.bench(),
        samples.breakdown(),
        samples.transfer_verification(),
    )
    names = ("zoo", "about", "é", "É", "a b", "a-b", "cartpole")
    files = {
        f"{i}-{j}": {**data, "env": name}
        for i, name in enumerate(names)
        for j, data in enumerate(made)
    }
    page = page_of(tmp_path, **files)
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    charts = re.findall(r'data-figure="([^"]*)"', page)
    assert charts and set(charts) <= set(ids)


@pytest.mark.parametrize(
    "changes",
    [
        {"batch": 0},
        {"sps_mean": "Infinity", "samples": []},
        {"sps_mean": 1e308},
        {"sps_mean": 1e-308, "samples": []},
    ],
)
def test_speeds_and_batches_are_numbers_of_a_chart(changes, tmp_path):
    data = samples.bench()
    data["rows"][0] |= changes
    with pytest.raises(SchemaError, match="is not a bench result"):
        parse_result(tmp_path / "x.json", data)


def test_numbers_without_an_end_are_shown(tmp_path):
    met = {"kind": "elo", "env": "tcgpocket", "backend": "jax", "games": 10, "seed": 0}
    player = {"name": "a", "elo": "Infinity", "low": "-Infinity", "high": "NaN"}
    player |= dict.fromkeys(("wins", "ties", "losses"), 5)
    one_sided = samples.bench()
    one_sided["rows"][0] |= {"ratio": 2.0, "ratio_low": 1.0, "ratio_high": None}
    page = page_of(tmp_path, elo=met | {"scores": [], "players": [player]}, bench=one_sided)
    assert "-inf to nan" in page
    assert amounts.duration(float("inf")) == amounts.duration(float("nan")) == amounts.UNKNOWN


def test_a_machine_that_is_half_known_is_shown_as_far_as_it_is(tmp_path):
    sparse = {**samples.bench(), "machine": {"date": "2026-11-15"}, "settings": {}}
    page = page_of(tmp_path, a=sparse, b={**samples.training(), "machine": {"cpu": "abacus"}})
    assert "unknown processor" in page and "abacus" in page


def test_a_level_without_numbers_is_shown(tmp_path):
    few = samples.transfer_verification("inconclusive")
    transfer = few["levels"][0]["transfer"]
    names = ("mean_reference", "mean_twin", "difference", "low", "high", "p", "p_difference")
    transfer["directions"] = [d | dict.fromkeys(names) for d in transfer["directions"]]
    transfer |= {"policies": [], "visitation": None, "correlation": {}, "margin": None}
    assert "inconclusive" in page_of(tmp_path, a=few)


def test_rust_shows_what_the_crates_own_tests_notice_and_run(tmp_path):
    killed = {"l1": 100, "l2": 90, "l3": 95, "tests": 7}
    shares = {kind: {"count": 320, "covered": 318} for kind in ("lines", "functions", "regions")}
    measured = {**samples.coverage(), "levels": [], "decisions": [], "files": {}, "rust": shares}
    page = page_of(tmp_path, a=samples.mutation(backend="rust", killed=killed), b=measured)
    assert "unit tests" in page and "run 318 of 320 lines" in page
    assert "0 decisions" not in page


def test_texts_of_results_are_not_markup(tmp_path):
    evil = "</script><script>alert(1)</script>"
    strange = samples.verification(notes=[evil], twin=f"envwright:cartpole?{evil}")
    strange["levels"][0]["divergences"] = [samples.divergence(hint=evil, field=evil)]
    page = page_of(tmp_path, a=strange, b={**samples.training(), "simulator": evil})
    assert "<script>alert" not in page


def test_texts_of_results_do_not_turn_the_direction_of_the_page(tmp_path):
    page = page_of(tmp_path, a=samples.verification(notes=["equal \u202e\x1b[2J"]))
    assert "equal \\u202e\\x1b[2J" in page
    assert "\u202e" not in page and "\x1b" not in page


def test_a_chart_has_no_tags_but_ours(tmp_path):
    link = "<a href='https://example.org'>click</a>"
    page = page_of(tmp_path, a={**samples.training(), "simulator": link})
    assert "\\u003ca href" not in page and "&lt;a href" in page
    assert "\\u003cbr>" in page


def test_the_page_names_no_other_host(tmp_path):
    page = page_of(tmp_path, a=samples.mutation(), b=samples.port_verification())
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)


def contrast(a, b):
    """As WCAG counts it."""

    def light(colour):
        parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    bright, dim = sorted((light(a), light(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_texts_have_enough_contrast(theme):
    blocks = re.findall(r"^:root[^{]*\{(.*?)^\}", STYLE.read_text(), re.DOTALL | re.MULTILINE)
    colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", blocks[theme]))
    texts = ("ink", "soft", "ours", "equal", "different", "unsure", "none", "peer-1", "reference")
    for name in texts:
        for ground in ("card", "page"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    for part in ("environment", "inference", "update", "transfer"):
        assert contrast(colours[f"part-{part}"], colours[f"on-part-{part}"]) >= 4.5, part


# --- the command ------------------------------------------------------------------------------


@pytest.fixture
def envwright(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in arguments])
        return int(left.value.code or 0), *capsys.readouterr()

    return run


def test_the_command_writes_a_page_and_tells_what_it_left_out(envwright, tmp_path):
    samples.put(tmp_path / "benchmarks" / "a.json", samples.mutation())
    samples.put(tmp_path / "benchmarks" / "tea.json", {"kind": "tea"})
    code, out, err = envwright("report")
    assert code == 0 and out.startswith("report.html: 1 result, ")
    assert "left out: benchmarks/tea.json is of an unknown kind 'tea'" in err
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>") and "benchmarks/tea.json" in page


def test_no_results_is_bad_input_in_one_sentence(envwright, tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in ("nowhere", "empty"):
        code, out, err = envwright("report", "--results", folder)
        assert (code, out) == (2, "")
        (line,) = err.strip().splitlines()
        assert line.startswith("envwright: ") and "envwright verify cartpole --json" in line


def test_a_bad_target_is_told_before_any_work(envwright, tmp_path, monkeypatch):
    import envwright.report as report

    monkeypatch.setattr(report, "read_results", lambda folder: pytest.fail("worked first"))
    code, _, err = envwright("report", "-o", "no/such/folder/report.html")
    assert code == 2 and "there is no folder" in err
    assert list(tmp_path.iterdir()) == []
