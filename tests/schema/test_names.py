"""Names of simulators come apart, and options come back as they were."""

import pytest

from envwright.errors import EnvwrightError
from envwright.schema.names import SimulatorName, join_options, parse_name, split_options

OPTIONS = [
    {},
    {"dtype": "float64"},
    {"sab": False, "natural": True, "n": 3, "share": 0.25, "nothing": None},
    {"text": "3", "odd": "true", "spaces": "a b&c=d?e", "list": [1, 2]},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_what_is_joined_is_split_again(options):
    name = join_options("python:module:Class", options)
    assert split_options(name) == ("python:module:Class", options)


def test_a_name_reads_as_a_person_would_write_it():
    assert join_options("gymnasium:X-v1", {"a": False, "b": "x"}) == "gymnasium:X-v1?a=false&b=x"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (
            "gymnasium:FrozenLake-v1?is_slippery=false",
            ("gymnasium", "FrozenLake-v1", "is_slippery=false"),
        ),
        ("python:module:Class", ("python", "module:Class", "")),
        ("command:sh -c 'a?b:c'", ("command", "sh -c 'a?b:c'", "")),
        ("pong", ("pong", "", "")),
    ],
)
def test_a_name_comes_apart(name, parts):
    assert parse_name(name) == SimulatorName(*parts)


def test_options_are_read_when_they_are_asked_for():
    assert parse_name("gymnasium:X-v1?a=false&n=3").options == {"a": False, "n": 3}
    broken = parse_name("gymnasium:X-v1?a")
    assert broken.bare == "gymnasium:X-v1"
    with pytest.raises(EnvwrightError, match=r"'X-v1\?a' does not name options"):
        broken.options  # noqa: B018
