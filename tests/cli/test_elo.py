"""`envwright elo` on the reference of TCG Pocket."""

import json

import pytest

from envwright.cli.app import main


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["elo", *words])
    return left.value.code or 0


def test_scripted_players_are_rated_and_written(tmp_path, capsys):
    file = tmp_path / "elo.json"
    words = ("--backend", "reference", "--games", "4", "--scripted", "random,greedy")
    assert run("tcgpocket", *words, "--json", str(file)) == 0
    told = json.loads(file.read_text())
    assert told["kind"] == "elo" and [p["name"] for p in told["players"]] == ["random", "greedy"]
    assert sum(p["wins"] for p in told["players"]) + told["players"][0]["ties"] == 4
    assert "greedy" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, said",
    [
        (("tcgpocket", "--scripted", "x"), "there is no player 'x'"),
        (("tcgpocket", "nowhere"), "there is no run in nowhere"),
        (("cartpole",), "not a game of two players in turn"),
        (("tcgpocket", "--backend", "reference", "--games", "3"), "even number"),
    ],
)
def test_what_cannot_be_rated_is_told_in_a_sentence(words, said, capsys):
    assert run(*words) == 2
    assert said in " ".join(capsys.readouterr().err.split())
