"""Networks as text."""

import pytest

from envwright.errors import EnvwrightError
from envwright.train import PPOConfig
from envwright.train.shapes import SIZES, Filters, Shape, parse_shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("64", Shape((), (64,))),
        ("64x32", Shape((), (64, 32))),
        ("32@8/4x256", Shape((Filters(32, 8, 4),), (256,))),
        ("16@8/8x32@3/1x256x9", Shape((Filters(16, 8, 8), Filters(32, 3, 1)), (256, 9))),
    ],
)
def test_layers_are_read_in_their_order(text, shape):
    assert parse_shape(text) == shape


@pytest.mark.parametrize("size", SIZES)
def test_a_number_of_parameters_names_no_layers(size):
    assert parse_shape(size) is None


NO_NETWORKS = [
    "x",
    "64x",
    "0",
    "-1",
    "3M",
    "8@3",
    "8@3/1",
    "64x8@3/1",
    "8@3/1x64x8@3/1x64",
    "8@0/1x64",
    "0@3/1x64",
    "8@3/0x64",
    "8@3/1@2x64",
    "٣",
]


@pytest.mark.parametrize("text", ["", "64 x64", *NO_NETWORKS])
def test_anything_else_is_refused_with_what_can_be_said(text):
    with pytest.raises(EnvwrightError, match=r"unknown network .* use widths such as 64x64"):
        PPOConfig(network=text)
