"""Tokens are read from answers of every protocol, whole, streamed, cut or garbled."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.wording import CACHED, OUTPUT, PROMPT, WORDINGS

from envwright.agents.prices import Tokens
from envwright.agents.proxy import events
from envwright.agents.proxy.usage import are_final, estimate, tokens_of

COUNTED = Tokens(prompt=PROMPT, cached=CACHED, output=OUTPUT)
CALL = ("write", {"path": "/tmp/a", "text": "one\ntwo"})
NAMES = ["gemini", "chat", "responses", "anthropic"]

words = st.text() | st.sampled_from(["usage", "usageMetadata", "prompt_tokens", "input_tokens"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("said", ["a longer answer in pieces", CALL])
@pytest.mark.parametrize("name", NAMES)
def test_document_and_stream_are_counted_alike(name, said):
    wording = WORDINGS[name]
    assert tokens_of(name, json.dumps(wording.document(said, "m"))) == COUNTED
    assert tokens_of(name, wording.stream(said, "m").decode()) == COUNTED


@pytest.mark.parametrize("name", NAMES)
def test_windows_line_ends_and_comments_do_not_disturb(name):
    stream = WORDINGS[name].stream("hello", "m").decode()
    assert tokens_of(name, ": ping\n\n" + stream) == COUNTED
    assert tokens_of(name, stream.replace("\n", "\r\n")) == COUNTED


def test_gemini_list_of_chunks_is_counted():
    chunks = WORDINGS["gemini"].events("hello there, you", "m")
    assert tokens_of("gemini", json.dumps(chunks)) == COUNTED


@pytest.mark.parametrize("name", NAMES)
def test_cut_stream_is_counted_as_far_as_it_tells(name):
    stream = WORDINGS[name].stream("a longer answer in pieces", "m").decode()
    for end in range(0, len(stream), 7):
        tokens = tokens_of(name, stream[:end])
        assert tokens is None or tokens.output <= OUTPUT


def test_cut_stream_of_anthropic_tells_what_was_read():
    stream = WORDINGS["anthropic"].stream("a longer answer in pieces", "m").decode()
    assert tokens_of("anthropic", stream[: len(stream) // 2]) == Tokens(PROMPT, CACHED, 0, 1)


def test_tokens_to_be_kept_are_told_apart():
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 30, "output_tokens": 2}
    assert tokens_of("anthropic", json.dumps({"usage": usage})) == Tokens(35, 0, 30, 2)


@pytest.mark.parametrize("value", [-5, "12", None, True, float("inf"), 1e30, [], {}])
def test_numbers_that_are_none_count_nothing(value):
    usage = {"usage": {"prompt_tokens": value, "completion_tokens": 3}}
    assert tokens_of("chat", json.dumps(usage)) == Tokens(output=3)


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_final_when_the_answer_has_ended(name):
    wording, said = WORDINGS[name], "a longer answer in pieces"
    stream = wording.stream(said, "m").decode()
    assert are_final(name, json.dumps(wording.document(said, "m"))) and are_final(name, stream)
    for end in range(0, len(stream), 7):
        assert not are_final(name, stream[:end]) or tokens_of(name, stream[:end]) == COUNTED


@pytest.mark.parametrize("value", [-5, "12", True, float("nan"), 1e30, [], {}, None])
@pytest.mark.parametrize("field", ["prompt_tokens", "completion_tokens"])
def test_counts_that_are_no_numbers_are_not_final(field, value):
    usage = {"prompt_tokens": 5, "completion_tokens": 3}
    assert are_final("chat", json.dumps({"usage": usage}))
    assert not are_final("chat", json.dumps({"usage": usage | {field: value}}))
    del usage[field]
    assert not are_final("chat", json.dumps({"usage": usage}))


def test_model_that_has_read_nothing_has_not_counted():
    assert not are_final("chat", '{"usage": {"prompt_tokens": 0, "completion_tokens": 3}}')


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("chat", {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 105}),
        ("responses", {"input_tokens": 5, "output_tokens": 3, "total_tokens": 105}),
        ("gemini", {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 105}),
    ],
)
def test_thoughts_that_only_the_total_contains_are_counted(name, usage):
    holder = "usageMetadata" if name == "gemini" else "usage"
    assert tokens_of(name, json.dumps({holder: usage})) == Tokens(prompt=5, output=100)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "<html>", "data: {", "null", "[]", "7", "[" * 100_000])
def test_garbage_has_no_usage(name, text):
    assert tokens_of(name, text) is None


@given(st.sampled_from(NAMES), values, st.text())
def test_no_answer_breaks_the_accountant(name, value, text):
    for answer in (json.dumps(value), f"data: {json.dumps(value)}\n\n{text}", text):
        tokens = tokens_of(name, answer)
        assert tokens is None or min(tokens.prompt, tokens.cached, tokens.output) >= 0
        assert tokens is not None or not are_final(name, answer)


def test_text_of_many_values_is_not_parsed(monkeypatch):
    monkeypatch.setattr(events, "MOST", 100)
    monkeypatch.setattr(events, "_CLOSER", 50)
    assert events.parsed("[" + "[]," * 99 + "1]") is None
    for text in ("[" + "1," * 80 + "1]", json.dumps('a"\\[,' * 100)):
        assert events.parsed(text) == json.loads(text)


def test_estimate_takes_an_event_for_a_token():
    stream = "".join(f'data: {{"n": {n}}}\n\n' for n in range(5)) + "data: [DONE]\n\n"
    assert estimate(b"x" * 400, stream) == Tokens(prompt=100, output=5)
    assert estimate(b"x" * 400, "y" * 40) == Tokens(prompt=100, output=10)
