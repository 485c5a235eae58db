"""Where the proxy stops a program: the budget, a wrong key, endless retries."""

from __future__ import annotations

import json
import re

import pytest
from tests.agents.moves import Fail, Garbage, Say
from tests.agents.proxy_client import DOLLARS, MODEL, PRICES, conversation

from envwright.agents.base import Allowance, Usage
from envwright.agents.prices import Tokens
from envwright.agents.proxy import Account, unpriced

NAMES = ["gemini", "chat", "responses", "anthropic"]


def statuses(here, count):
    return [here.ask().status for _ in range(count)]


# --- the budget -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowance", "reason"),
    [
        (
            Allowance(dollars=4 * DOLLARS),
            r"the turn's budget of \$0.0044 does not cover another request: "
            r"\$0.0022 is spent, and this one may cost \$0.00\d\d",
        ),
        (
            Allowance(tokens=3700),
            r"the turn's budget of 3700 tokens does not cover another request: "
            r"2560 are used, and this one may use 12\d\d",
        ),
    ],
)
def test_spent_budget_ends_the_turn(tmp_path, allowance, reason):
    with conversation(tmp_path, [Say("ok")], allowance=allowance) as here:
        assert statuses(here, 4) == [200, 200, 400, 400]
        assert len(here.endpoint.asked) == 2
        assert here.proxy.trouble.kind == "budget"
        assert re.fullmatch(reason, here.proxy.trouble.reason)
        assert here.proxy.usage.calls == 2
        # Each is written down after its answer has gone out, so that neighbours may swap places.
        pairs = sorted((one.status, one.usage.calls) for one in here.recorded)
        assert pairs == [(200, 1), (200, 1), (400, 0), (400, 0)]


def test_allowance_of_nothing_asks_nothing(tmp_path):
    with conversation(tmp_path, [Say("ok")], allowance=Allowance(dollars=0.0)) as here:
        assert here.ask().status == 400
        assert here.endpoint.asked == []


@pytest.mark.parametrize("name", NAMES)
def test_refusal_has_the_form_of_the_protocol(tmp_path, name):
    with conversation(tmp_path, [Say("ok")], name, allowance=Allowance(tokens=0)) as here:
        body = json.loads(here.ask(stream=True).body)
    error = body["error"]
    assert "budget" in error["message"]
    if name == "gemini":
        assert (error["code"], error["status"]) == (400, "INVALID_ARGUMENT")
    else:
        assert error["type"] == "invalid_request_error"
    assert (body.get("type") == "error") == (name == "anthropic")


def test_dollars_are_not_promised_for_a_model_without_price(tmp_path):
    with conversation(tmp_path, [Say("ok")], allowance=Allowance(dollars=1.0)) as here:
        got = here.ask(model="dear-and-unknown")
        assert got.status == 400
        assert "no price is known for the model 'dear-and-unknown'" in got.message
        assert here.endpoint.asked == []


def test_cap_in_tokens_holds_for_a_model_without_price(tmp_path):
    allowance = Allowance(dollars=1.0, tokens=1300)
    with conversation(tmp_path, [Say("ok")], allowance=allowance, chosen="unknown") as here:
        assert here.ask(model="unknown").status == 200
        assert here.ask(model="unknown").status == 400
        assert here.proxy.usage == Usage(1200, 1000, 80, 1, 0.0)


def test_program_cannot_avoid_the_price_with_another_model(tmp_path):
    allowance = Allowance(dollars=1.0, tokens=10**6)
    with conversation(tmp_path, [Say("ok")], allowance=allowance) as here:
        assert here.ask().status == 200
        assert "no price is known" in here.ask(model="dear-and-unknown").message
        assert len(here.endpoint.asked) == 1


def test_variant_of_a_model_is_not_had_for_the_price_of_the_model(tmp_path):
    allowance = Allowance(dollars=1.0)
    with conversation(tmp_path, [Say("ok")], allowance=allowance) as here:
        assert "no price is known" in here.ask(model=f"{MODEL}:nitro").message
    (tmp_path / "2").mkdir()
    with conversation(tmp_path / "2", [Say("ok")], allowance=allowance) as here:
        assert here.ask(model=f"{MODEL}:Online").status == 200
        assert [asked.body["model"] for asked in here.endpoint.asked] == [MODEL]
        assert here.recorded[-1].model == MODEL and here.proxy.usage.dollars > 0


def test_unpriced_says_when_a_budget_cannot_be_kept():
    assert unpriced("unknown", Allowance(), PRICES) is None
    assert unpriced("unknown", Allowance(tokens=5), PRICES) is None
    assert unpriced(MODEL, Allowance(dollars=5), PRICES) is None
    assert "give a file of prices" in unpriced("unknown", Allowance(dollars=5), PRICES)


def test_account_sums_what_it_is_told():
    account = Account(Allowance(), PRICES)
    for _ in range(3):
        cost = account.add(MODEL, Tokens(prompt=1200, cached=1000, output=80))
        assert cost.dollars == pytest.approx(DOLLARS)
    assert account.usage == Usage(3600, 3000, 240, 3, pytest.approx(3 * DOLLARS))


# --- retries --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "given", "kind"),
    [
        (401, [401, 400, 400, 400], "auth"),
        (403, [403, 400, 400, 400], "auth"),
        (429, [429, 429, 400, 400], "rate"),
        (503, [503, 503, 400, 400], "down"),
        (404, [404, 404, 404, 404], "refused"),
    ],
)
def test_repeated_failure_becomes_one_that_ends_programs(tmp_path, status, given, kind):
    with conversation(tmp_path, [Fail(status, "not today")]) as here:
        assert statuses(here, 4) == given
        assert here.proxy.trouble.kind == kind
        assert f"the endpoint answered {status}: not today" in here.proxy.trouble.reason
        asked = len([one for one in given if one != 400]) + (400 in given)
        assert len(here.endpoint.asked) == here.proxy.usage.calls == asked


def test_single_failure_is_remembered_too(tmp_path):
    with conversation(tmp_path, [Fail(401, "who are you")]) as here:
        here.ask()
        assert here.proxy.trouble.kind == "auth"
        assert here.proxy.trouble.reason == "the endpoint answered 401: who are you"


def test_gemini_calls_a_wrong_key_an_invalid_argument(tmp_path):
    with conversation(
        tmp_path, [Fail(400, "API key not valid: API_KEY_INVALID")], "gemini"
    ) as here:
        here.ask()
        assert here.proxy.trouble.kind == "auth"


def test_answer_forgives_earlier_failures(tmp_path):
    with conversation(tmp_path, [Say("ok")]) as here:
        for _ in range(3):
            here.endpoint.script = [Fail(429)]
            assert statuses(here, 2) == [429, 429]
            here.endpoint.script = [Say("ok")]
            assert here.ask().status == 200
            assert here.proxy.trouble is None


def test_other_failures_between_count_apart(tmp_path):
    with conversation(tmp_path, [Fail(429)]) as here:
        assert statuses(here, 2) == [429, 429]
        here.endpoint.script = [Fail(503)]
        assert statuses(here, 2) == [503, 503]
        here.endpoint.script = [Fail(429)]
        assert statuses(here, 3) == [429, 429, 400]


def test_endless_garbage_ends_too(tmp_path):
    with conversation(tmp_path, [Garbage()]) as here:
        assert statuses(here, 5) == [200, 200, 200, 400, 400]
        assert here.proxy.trouble.kind == "down"


def test_failure_inside_a_stream_is_one(tmp_path):
    failed = {"type": "response.failed", "response": {"error": {"message": "overloaded"}}}
    body = f"event: response.failed\ndata: {json.dumps(failed)}\n\n".encode()
    with conversation(tmp_path, [Garbage(body)], "responses") as here:
        here.ask(stream=True)
        assert here.proxy.trouble.reason == "the endpoint broke off: overloaded"


def test_redirection_is_not_followed(tmp_path):
    with conversation(tmp_path, [Fail(302, "over there")]) as here:
        assert here.ask().status == 302
        assert here.proxy.trouble.kind == "refused"
