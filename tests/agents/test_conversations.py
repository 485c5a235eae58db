"""A request that continues a counted one is bounded by the count and by what was added."""

from __future__ import annotations

import pytest

from envwright.agents.proxy.conversations import HOLDERS, JOINT, Conversations
from envwright.agents.proxy.worst_case import IMAGE

NAMES = ["gemini", "chat", "responses", "anthropic"]
LONG, NEW = {"content": "x" * 9000}, {"content": "and then?"}


def body(name, *messages, **settings):
    return {HOLDERS[name]: list(messages), "tools": [{"name": "f"}], **settings}


@pytest.mark.parametrize("name", NAMES)
def test_counted_beginning_is_not_bounded_by_its_bytes(name):
    known = Conversations()
    known.remember(name, "m", body(name, LONG, user="one"), 2000)
    continued = body(name, LONG, NEW, user="two")
    assert 2000 < known.most_read(name, "m", continued, 9999) <= 2000 + JOINT + 30
    assert known.most_read(name, "m", continued, 500) == 500


@pytest.mark.parametrize(
    "other",
    [
        body("chat", NEW, LONG),  # another beginning
        body("chat", LONG | {"name": "y" * 900}, NEW),
        body("chat", LONG, NEW, context_management={"edits": []}),
        body("chat", LONG, NEW, tools=[{"name": "g"}]),
        body("chat"),
        {"messages": "none"},
    ],
)
def test_other_conversations_are_bounded_by_their_bytes(other):
    known = Conversations()
    known.remember("chat", "m", body("chat", LONG), 2000)
    assert known.most_read("chat", "m", other, 9999) == 9999


def test_count_holds_for_its_model():
    known = Conversations()
    known.remember("chat", "m", body("chat", LONG), 2000)
    assert known.most_read("chat", "other", body("chat", LONG, NEW), 9999) == 9999


def test_mark_of_the_cache_may_move_but_hides_nothing():
    def marked(mark):
        return body("anthropic", {"content": [{"text": "a", "cache_control": mark}]}, NEW)

    known = Conversations()
    known.remember("anthropic", "m", body("anthropic", {"content": [{"text": "a"}]}), 2000)
    assert known.most_read("anthropic", "m", marked({"type": "ephemeral"}), 9999) < 9999
    assert known.most_read("anthropic", "m", marked({"type": "z" * 900}), 9999) == 9999


def test_added_image_is_bounded_by_more_than_its_bytes():
    known = Conversations()
    known.remember("chat", "m", body("chat", LONG), 2000)
    image = {"content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,x"}}]}
    continued = body("chat", LONG, image)
    assert known.most_read("chat", "m", continued, 90_000) >= 2000 + IMAGE
