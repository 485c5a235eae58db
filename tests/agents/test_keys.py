"""The same question has the same key in another folder and at another time; others do not."""

from __future__ import annotations

import json

import pytest
from tests.agents.wording import WORDINGS

from envwright.agents.proxy import Places
from envwright.agents.proxy.condense import condense
from envwright.agents.proxy.events import said
from envwright.agents.proxy.keys import MASKED, key_of


def key(text, **fields):
    return key_of("/chat/completions", {"messages": [{"content": text}], **fields})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Today's date is Monday, November 16, 2026.", "Today's date is Sunday, March 7, 2027."),
        ("Today's date: Mon Nov 16 2026", "Today's date: Tue Jan 5 2027"),
        ("<date>2026-11-16</date>", "<date>2027-01-02</date>"),
        ("at 2026-11-16T08:01:02.123Z", "at 2027-01-02T18:00:00Z"),
        ("Wall time: 0.0521 seconds", "Wall time: 1.2 seconds"),
        ("took 12ms", "took 7 ms"),
        ("id 0f8fad5b-d9cb-469f-a165-70867728950e", "id 7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("call_a1b2c3", "call_zz9"),
        ("Process Group PGID: 123", "Process Group PGID: 4567"),
        ("<<envwright:home>>/.gemini/tmp/work/x", "<<envwright:home>>/.gemini/tmp/desk-2/x"),
    ],
)
def test_dates_durations_and_ids_do_not_matter(first, second):
    assert key(first) == key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("translate step", "translate reset"),
        ("level 3", "level 4"),
        ("x = 2026", "x = 2027"),
        ("gravity = 9.8", "gravity = 9.81"),
    ],
)
def test_what_is_asked_does_matter(first, second):
    assert key(first) != key(second)


def test_long_requests_are_compared_as_they_are(monkeypatch):
    first, second = ({"messages": [f"it took {n} seconds" + "." * 50]} for n in (1, 2))
    assert key_of("/p", first) == key_of("/p", second)
    monkeypatch.setattr("envwright.agents.proxy.keys.MASKED", 50)
    assert key_of("/p", first) == key_of("/p", {**first})
    assert key_of("/p", first) != key_of("/p", second)


def test_no_pattern_is_applied_to_a_large_request(monkeypatch):
    """Meanwhile no other thread would run, and one of them watches the jail."""

    class Pattern:
        def sub(self, mask, text):
            lengths.append(len(text))
            return text

    lengths: list[int] = []
    monkeypatch.setattr("envwright.agents.proxy.keys.MASKS", [(Pattern(), "")])
    for size in (1000, MASKED - 1000, MASKED + 1, 10 * MASKED):
        key_of("/p", {"messages": ["1" * size]})
    assert len(lengths) == 2 and max(lengths) <= MASKED


def test_fields_that_name_the_run_do_not_matter():
    assert key("a", prompt_cache_key="1", metadata={"x": 1}) == key("a", prompt_cache_key="2")
    assert key("a", temperature=0) != key("a", temperature=1)


def test_query_does_not_matter_but_path_does():
    assert key_of("/responses?a=1", {}) == key_of("/responses", {})
    assert key_of("/responses", {}) != key_of("/chat/completions", {})


def test_requests_that_are_no_json_have_keys():
    assert key_of("/responses", "raw \udc80 bytes") != key_of("/responses", "raw")


def test_folders_are_hidden_the_longest_first(tmp_path):
    places = Places({"folder": tmp_path, "home": tmp_path / "home"})
    text = f"{tmp_path}/home/x and {tmp_path}/y"
    hidden = places.hide(text)
    assert hidden == "<<envwright:home>>/x and <<envwright:folder>>/y"
    assert places.fill(hidden) == text


def test_folders_are_hidden_in_every_string_of_a_request(tmp_path):
    places = Places({"workspace": tmp_path})
    body = {"a": [{"b": f"in {tmp_path}"}], str(tmp_path): 1, "n": None}
    assert str(tmp_path) not in json.dumps(places.hide_in(body))


def test_foreign_letters_and_links_in_a_path_are_hidden(tmp_path):
    real = tmp_path / "wörk"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    places = Places({"workspace": link})
    for text in (str(link), str(real), json.dumps(str(real))):
        assert "<<envwright:workspace>>" in places.hide(text)


def test_folder_named_after_a_path_is_hidden(tmp_path):
    places = Places({"workspace": tmp_path / "my_work"})
    text = f"projects/{str(tmp_path).replace('/', '-').replace('_', '-')}-my-work/memory"
    hidden = places.hide(text)
    assert hidden == "projects/<<envwright:workspace-name>>/memory"
    assert places.fill(hidden) == text


def test_secrets_are_hidden_and_never_filled_in():
    places = Places(secrets={"key": "sk-12345", "unset": ""})
    assert places.hide("Bearer sk-12345") == "Bearer <<envwright:key>>"
    assert places.fill("Bearer <<envwright:key>>") == "Bearer <<envwright:key>>"


# --- pieces of a text -----------------------------------------------------------------------

PATH = "/home/someone/with/a/long/path/to/work"
NAMES = ["gemini", "chat", "responses", "anthropic"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", [f"see {PATH}", ("write", {"path": PATH, "text": "a\n" * 50})])
def test_path_in_pieces_is_joined(name, words):
    stream = WORDINGS[name].stream(words, "m").decode()
    joined = condense(name, stream)
    assert PATH in joined
    assert len(said(joined)) < len(said(stream)) or len(said(stream)) == 1
    assert condense(name, joined) == joined


@pytest.mark.parametrize("name", NAMES)
def test_joined_stream_says_the_same(name):
    words = ("write", {"path": PATH, "text": "π and \u2028 and \\n"})
    stream = WORDINGS[name].stream(words, "m").decode()
    assert _told(name, condense(name, stream)) == _told(name, stream)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text", ["", "{}", "garbage", "data: {\n\ndata: 3\n\n", 'data: {"type":1}']
)
def test_garbage_stays_as_it_is(name, text):
    assert condense(name, text) == text


def _told(name, stream):
    """The arguments of the call, put together as a program does."""
    text = ""
    for event in said(stream):
        if name == "gemini":
            text += json.dumps(event["candidates"][0]["content"]["parts"][0]["functionCall"])
        elif name == "chat":
            for choice in event["choices"]:
                for call in choice["delta"].get("tool_calls", []):
                    text += call["function"]["arguments"]
        elif name == "responses" and event["type"].endswith(".delta"):
            text += event["delta"]
        elif name == "anthropic" and event["type"] == "content_block_delta":
            text += event["delta"]["partial_json"]
    return json.loads(text)
