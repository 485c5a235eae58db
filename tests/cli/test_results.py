"""`envwright results`: stored results as current, stale or unknown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.report import samples

from envwright.cli import main, stored
from envwright.cli.stored import Store
from envwright.schema.provenance import Sources
from envwright.schema.results import parse_result, read_results


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmarks").mkdir()

    def command(*arguments):
        with pytest.raises(SystemExit) as left:
            main(["results", *map(str, arguments)])
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return command


def put(name, data):
    """Store a result as the commands do."""
    record = parse_result("x.json", data)
    Store(Path("benchmarks") / f"{name}.json")(record)


def states(run, *options):
    code, out, _ = run("--json", "list.json", *options)
    rows = json.loads(Path("list.json").read_text())["results"]
    return code, {row["file"]: (row["state"], row["reasons"]) for row in rows}, out


def test_what_was_just_stored_is_current(run):
    put("a", samples.mutation())
    code, found, out = states(run, "--check")
    assert (code, found) == (0, {"benchmarks/a.json": ("current", [])})
    assert "1 current" in out


def test_a_stale_result_says_what_changed_and_fails_the_check(run, monkeypatch):
    put("a", samples.mutation())
    path = Path("benchmarks/a.json")
    data = json.loads(path.read_text())
    data["provenance"]["sources"]["room"] = "0123456789abcdef"
    path.write_text(json.dumps(data))
    code, found, out = states(run)
    assert (code, found) == (0, {"benchmarks/a.json": ("stale", ["room changed"])})
    assert "room changed" in out and "1 stale" in out
    assert run("--check")[0] == 1


def test_old_and_malformed_files_are_listed(run):
    samples.put(Path("benchmarks/old.json"), samples.mutation())
    samples.put(Path("benchmarks/tea.json"), {"kind": "tea"})
    code, found, _ = states(run, "--check")
    assert code == 1
    assert found["benchmarks/old.json"] == ("unknown", ["stored without provenance"])
    assert found["benchmarks/tea.json"] == ("malformed", ["is of an unknown kind 'tea'"])


def test_a_folder_that_is_not_there_is_bad_input(run):
    code, _, err = run("nowhere")
    assert code == 2 and "there is no folder nowhere" in err


def test_a_stored_result_carries_machine_command_and_provenance(run, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "describe_machine", lambda: {"cpu": "abacus"})
    stored.arguments.set(["mutate", "cartpole", "--seed", "7"])
    put("a", samples.mutation())
    (record,) = read_results(tmp_path / "benchmarks" / "a.json")
    assert record.machine == {"cpu": "abacus"}
    assert record.command == "envwright mutate cartpole --seed 7"
    made = record.provenance
    assert made.schema == 1 and made.date and made.sources == Sources().parts(record)


def test_the_own_result_of_a_room_is_stored_with_its_provenance(run):
    own = {"kind": "card-coverage", "env": "tcgpocket", "cards": 3}
    Store(Path("benchmarks/own.json"))(own)
    data = json.loads(Path("benchmarks/own.json").read_text())
    assert data["cards"] == 3 and "checks" in data["provenance"]["sources"]
    _, found, _ = states(run)
    assert found["benchmarks/own.json"] == ("current", [])


def test_the_sources_are_those_at_the_beginning_of_the_work(run, tmp_path):
    folder = tmp_path / "lamp"
    folder.mkdir()
    (folder / "translation.toml").write_text("a = 1\n")
    store = Store(Path("benchmarks/a.json"), folder)
    (folder / "translation.toml").write_text("a = 2\n")  # while it is measured
    store(parse_result("x.json", samples.bench()))
    _, found, _ = states(run)
    assert found["benchmarks/a.json"] == ("stale", ["translation changed"])


def test_nothing_is_written_where_no_file_is_named(run, tmp_path):
    Store(None)(parse_result("x.json", samples.mutation()))
    assert list((tmp_path / "benchmarks").iterdir()) == []


def test_the_report_marks_results_that_are_not_current(run, tmp_path):
    from envwright.report.page import build_page
    from envwright.report.results import read_results as read_folder

    put("current", samples.mutation())
    put("stale", samples.mutation())
    path = Path("benchmarks/stale.json")
    data = json.loads(path.read_text())
    data["provenance"]["sources"]["verify"] = "0123456789abcdef"
    path.write_text(json.dumps(data))
    samples.put(Path("benchmarks/old.json"), samples.mutation())
    page = build_page(read_folder(Path("benchmarks")), tmp_path / "report.html")
    assert page.count('title="stale: verify changed">stale</span>') == 1
    assert page.count('title="unknown: stored without provenance">unknown</span>') == 1
    assert "<td>current</td>" in page and "<td>stale: verify changed</td>" in page
