"""The price table: what it knows, what a user puts before it, what it refuses."""

from __future__ import annotations

import re

import pytest

from envwright.agents.prices import LIST_PRICES, Tokens, load_prices
from envwright.errors import EnvwrightError

MILLION = 1_000_000


def test_list_prices_turn_tokens_into_dollars():
    prices = load_prices()
    tokens = Tokens(prompt=100_000, cached=60_000, output=10_000)
    expected = 0.04 * 0.50 + 0.06 * 0.05 + 0.01 * 3.00
    assert prices.dollars("gemini-3-flash-preview", tokens) == pytest.approx(expected)


def test_the_table_tells_its_date():
    assert load_prices().source == "list prices of 2026-11"


def test_tokens_to_be_kept_cost_more():
    stored = load_prices().dollars("claude-sonnet-5-5", Tokens(prompt=MILLION, stored=MILLION))
    assert stored == pytest.approx(2.50)


def test_long_requests_have_their_own_price():
    prices = load_prices()
    assert prices.dollars("gemini-2.5-pro", Tokens(prompt=200_000)) == pytest.approx(0.25)
    assert prices.dollars("gemini-2.5-pro", Tokens(prompt=200_001)) == pytest.approx(0.5, rel=1e-4)


@pytest.mark.parametrize("model", ["models/gemini-2.5-flash", "google/Gemini-2.5-Flash"])
def test_folders_and_capitals_in_a_name_do_not_matter(model):
    assert load_prices().knows(model)


@pytest.mark.parametrize(
    "model", ["", "my-model", "gpt-5.9-ultra", "gemini-9-pro", "claude-opus-9"]
)
def test_unknown_model_is_not_guessed(model):
    assert not load_prices().knows(model)
    assert load_prices().dollars(model, Tokens(prompt=MILLION)) == 0.0


@pytest.mark.parametrize(
    "model", ["gemini-2.5-pro:nitro", "gemini-3.1-pro-preview:nitro", "gemini-3.1-pro-preview:"]
)
def test_variant_of_a_model_has_no_price_of_its_own(model):
    assert load_prices().knows(model.partition(":")[0]) and not load_prices().knows(model)


def test_variant_that_the_user_names_has_a_price(tmp_path):
    (tmp_path / "mine.toml").write_text('[[price]]\nmodels = ["qwen3:*"]\nprompt = 1\noutput = 2\n')
    prices = load_prices(tmp_path / "mine.toml")
    assert prices.knows("qwen3:8b") and not prices.knows("qwen3")


def test_entries_for_long_requests_stand_before_the_others():
    seen = set()
    for price in load_prices().table:
        assert price.above == -1 or not seen & set(price.models), price
        seen |= set(price.models)


def test_most_that_a_request_can_cost_covers_cached_and_stored_tokens():
    price = load_prices().of("claude-sonnet-5-5", 0)
    assert price.most(MILLION, MILLION) == pytest.approx(2.50 + 10.00)


def test_longest_answer_is_listed_or_32000_tokens():
    prices = load_prices()
    assert prices.of("gpt-5", 0).longest == 128_000
    assert prices.of("gpt-6-sol", 0).longest == 32_000
    assert prices.of("unknown", 0) is None


def test_own_prices_go_first(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text('[[price]]\nmodels = ["my-*", "gpt-5"]\nprompt = 1\noutput = 2\n')
    prices = load_prices(own)
    assert prices.dollars("my-model", Tokens(prompt=MILLION, output=MILLION)) == 3.0
    assert prices.dollars("gpt-5", Tokens(prompt=MILLION)) == 1.0
    assert prices.dollars("gpt-5-mini", Tokens(prompt=MILLION)) == 0.25
    assert prices.source == "the prices of mine.toml, then list prices of 2026-11"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "contains no prices"),
        ("price = 3", "contains no prices"),
        ("price = [3]", "is not a table"),
        ("= 3", "prices.toml:1: invalid statement"),
        ("[[price]]\nprompt = 1\noutput = 1", "needs models"),
        ('[[price]]\nmodels = ["a"]\nprompt = 1', "needs output"),
        ('[[price]]\nmodels = ["a"]\nprompt = -1\noutput = 1', "prompt = -1"),
        ('[[price]]\nmodels = ["a"]\nprompt = "1"\noutput = 1', "prompt = '1'"),
        ('[[price]]\nmodels = ["a"]\nprompt = nan\noutput = 1', "prompt = nan"),
        ('[[price]]\nmodels = ["a"]\nprompt = 1\noutput = 1\ninput = 2', "unknown field 'input'"),
    ],
)
def test_bad_table_is_refused_with_a_sentence(tmp_path, text, complaint):
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(EnvwrightError, match=re.escape(complaint)):
        load_prices(file)


def test_missing_table_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(EnvwrightError, match="there is no file"):
        load_prices(tmp_path / "none.toml")


def test_the_table_says_that_it_is_no_bill():
    assert "not a bill" in LIST_PRICES.read_text().replace("\n# ", " ")
