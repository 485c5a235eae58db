"""Messages between the runner and a tracer are whole, or the last."""

from __future__ import annotations

import socket

import pytest

from envwright.sim import bounds
from envwright.sim.program.wire import Gone, Wire

LARGEST = 100  # bytes


@pytest.fixture
def wires():
    ours, its = socket.socketpair()
    with ours, its:
        yield Wire(ours), Wire(its), its


def test_messages_arrive_in_order(wires):
    ours, its, _ = wires
    its.send({"n": 1}, b"one")
    its.send({"n": 2})
    assert [ours.receive(9, LARGEST) for _ in range(2)] == [({"n": 1}, b"one"), ({"n": 2}, b"")]


@pytest.mark.parametrize(
    ("header", "payload", "raised"),
    [
        ({"n": 1}, b"{" * (LARGEST + 1), "too much"),
        ({"n": "x" * bounds.most_bytes(9)}, b"", "too much"),
        ({"n": [[]] * 30}, b"{}", "nonsense"),
        ([1], b"{}", "nonsense"),
    ],
    ids=["payload", "header", "values", "list"],
)
def test_what_follows_a_rejected_message_is_not_its_rest(wires, header, payload, raised):
    ours, its, _ = wires
    its.send(header, payload)
    its.send({"n": 2})
    with pytest.raises(Gone, match=raised):
        ours.receive(9, LARGEST)
    for _ in range(2):
        ours.send({"op": "next"})
        with pytest.raises(Gone, match="ended"):
            ours.receive(9, LARGEST)


def test_side_that_closed_with_words_unread_is_gone(wires):
    ours, its, end = wires
    ours.send({"op": "unread"})
    its.close()
    ours.send({"op": "next"})  # a broken pipe
    with pytest.raises(Gone, match="ended"):
        ours.receive(9)
    assert end.fileno() == -1
