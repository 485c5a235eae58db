"""Every kind of result is written and read by one definition; malformed files are named."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.report import recipe_samples, samples

from envwright.errors import SchemaError
from envwright.schema.results import (
    KINDS,
    RoomFindings,
    Stored,
    as_json,
    parse_result,
    read_results,
    write_results,
)

HERE = Path("x.json")
STORED = sorted((Path(__file__).parents[2] / "benchmarks").glob("*.json"))
ELO = {
    "kind": "elo", "env": "tcgpocket", "options": {"decks": "a,b"}, "backend": "jax", "games": 10,
    "seed": 0, "scores": [[None]],
    "players": [{"name": "a", "elo": 1.5, "low": 0, "high": 3, "wins": 1, "ties": 2, "losses": 3}],
}  # fmt: skip
DATA = {
    "verify": samples.transfer_verification(),
    "mutation": samples.mutation(),
    "coverage": samples.coverage(),
    "bench": samples.bench(),
    "breakdown": samples.breakdown(),
    "training": samples.training(),
    "elo": ELO,
    "play": samples.play(),
    "ablation": recipe_samples.ablation(),
    "optimisation": recipe_samples.optimisation(),
    "update": recipe_samples.update(),
}


def test_there_is_a_sample_of_every_kind():
    assert DATA.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", DATA)
def test_what_is_written_is_read_again(kind, tmp_path):
    record = parse_result(HERE, DATA[kind])
    assert type(record) is KINDS[kind] and record.kind == kind
    path = write_results(tmp_path / "r.json", [as_json(record)])
    assert list(read_results(path)) == [record]


@pytest.mark.parametrize("kind", DATA)
def test_nothing_of_a_result_is_lost(kind):
    written = as_json(parse_result(HERE, DATA[kind]))

    def holds(whole, part, place):
        if isinstance(part, dict):
            for key, inside in part.items():
                if key != "schema":  # of benchmarks, before all results had one
                    holds(whole[str(key)], inside, f"{place}.{key}")
        elif isinstance(part, list | tuple):
            for number, (one, other) in enumerate(zip(whole, part, strict=True)):
                holds(one, other, f"{place}[{number}]")
        else:
            assert whole == part, place

    holds(json.loads(json.dumps(written)), DATA[kind], kind)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_results_are_readable_and_without_provenance_of_schema_0(path):
    for record in read_results(path):
        assert isinstance(record, Stored), record
        assert record.provenance.schema == 0 or record.provenance.sources


def test_several_results_are_a_collection(tmp_path):
    records = [parse_result(HERE, DATA[kind]) for kind in ("bench", "breakdown")]
    path = write_results(tmp_path / "r.json", [as_json(record) for record in records])
    assert list(read_results(path)) == records


def test_numpy_and_what_json_cannot_say_survive(tmp_path):
    record = parse_result(HERE, DATA["verify"])
    record.levels[0].largest_gaps = {"obs": np.float32(0.5), "x": math.inf}
    path = write_results(tmp_path / "r.json", [as_json(record)])
    (again,) = read_results(path)
    assert again.levels[0].largest_gaps == {"obs": 0.5, "x": math.inf}


def test_the_own_result_of_a_room_is_recognised_by_its_provenance():
    data = {"kind": "card-coverage", "env": "tcgpocket", "cards": 3, "provenance": {"schema": 1}}
    found = parse_result(HERE, data)
    assert isinstance(found, RoomFindings) and found.kind == "card-coverage"
    with pytest.raises(SchemaError, match="unknown kind 'card-coverage'"):
        parse_result(HERE, {"kind": "card-coverage", "env": "tcgpocket"})


BROKEN = {
    "a missing field": ("bench", ("rows", 0, "batch"), None, "field `batch` at rows[0]"),
    "a text for a number": ("training", ("parameters",), "many", "got `str` at parameters"),
    "a list for an object": ("coverage", ("files",), [], "got `array` at files"),
    "no arms": ("ablation", ("arms",), [], "`arms` is empty"),
    "a race without speeds": (
        "optimisation", ("rounds", 0, "race", "batches", "32", "candidate"), [], "a speed of both",
    ),
    "bad provenance": ("play", ("provenance",), {"schema": "new"}, "at provenance.schema"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_malformed_field_is_named_in_one_sentence(case):
    kind, place, value, said = BROKEN[case]
    data = json.loads(json.dumps(DATA[kind]))
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    with pytest.raises(SchemaError) as raised:
        parse_result(Path("some.json"), data)
    text = str(raised.value)
    assert text.startswith(f"some.json is not a {kind} result: ") and said in text
    assert "\n" not in text
