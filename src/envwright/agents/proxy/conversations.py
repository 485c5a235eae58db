"""Tighten the bound on a request that continues an earlier one, whose tokens were reported.

Agents send the whole conversation again with each request. What the endpoint has counted once
needs no bound by bytes; only what was added does.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import Any, NamedTuple

from envwright.agents.proxy.keys import RUN_FIELDS
from envwright.agents.proxy.protocols import Name
from envwright.agents.proxy.worst_case import Body, beside_text

KEPT = 8  # conversations at a time
JOINT = 100  # tokens that endpoints may add between messages
HOLDERS: dict[Name, str] = {
    "gemini": "contents",
    "chat": "messages",
    "responses": "input",
    "anthropic": "messages",
}
MARK = {"type": "ephemeral"}  # programs move it from message to message


class Conversation(NamedTuple):
    """The parts of a request that a later one may repeat."""

    settings: Body  # everything else, which must be the same
    messages: list[Any]


class Conversations:
    """The latest conversations whose tokens are known. Safe for threads."""

    def __init__(self) -> None:
        self._known: deque[tuple[str, Conversation, int]] = deque(maxlen=KEPT)
        self._lock = threading.Lock()

    def remember(self, protocol: Name, model: str, body: Body, prompt: int) -> None:
        """Note how many tokens the endpoint has read in a request."""
        if (conversation := _read(protocol, body)) is not None:
            with self._lock:
                self._known.appendleft((model, conversation, prompt))

    def most_read(self, protocol: Name, model: str, body: Body, bound: int) -> int:
        """Return the most tokens that a request reads, given a bound that holds by itself."""
        asked = _read(protocol, body)
        if asked is None:
            return bound
        with self._lock:
            known = list(self._known)
        for name, earlier, prompt in known:
            begun = asked.messages[: len(earlier.messages)]
            if (name, earlier) == (model, Conversation(asked.settings, begun)):
                added = asked.messages[len(begun) :]
                more = len(json.dumps(added).encode()) + beside_text(added)
                return min(bound, prompt + more + JOINT)
        return bound


def _read(protocol: Name, body: Body) -> Conversation | None:
    messages = body.get(HOLDERS[protocol])
    if not isinstance(messages, list):
        return None
    skipped = {HOLDERS[protocol], *RUN_FIELDS}
    settings = {name: value for name, value in body.items() if name not in skipped}
    plain = json.loads(json.dumps([settings, messages]), object_hook=_unmarked)
    return Conversation(*plain)


def _unmarked(value: Body) -> Body:
    if value.get("cache_control") == MARK:
        del value["cache_control"]
    return value
