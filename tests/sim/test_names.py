"""Options in a simulator's name come back as they were."""

import pytest

from envwright.sim.names import join_options, split_options

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
