"""Read the number of tokens from an answer, in any of the four protocols.

Endpoints count; the proxy only reads. Counts grow while an answer streams, so the largest of each
kind applies. If an answer has no counts (it was cut, or the endpoint reports none), they are
estimated and marked as such: a budget that counts nothing would not be one. The same applies if
the stream has not said its last word, or a count is not a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard

from envwright.agents.prices import Tokens
from envwright.agents.proxy import events
from envwright.agents.proxy.protocols import Name

BYTES_PER_TOKEN = 4  # of English and of code, roughly


def tokens_of(protocol: Name, answer: str) -> Tokens | None:
    """Return the endpoint's counts, or None if it reports none."""
    found = [READERS[protocol](usage) for usage in _usages(events.said(answer))]
    if not found:
        return None
    return Tokens(*(max(column) for column in zip(*found, strict=True)))


def are_final(protocol: Name, answer: str) -> bool:
    """Return whether the counts of an answer are whole: all are numbers, and none is to follow."""
    said = events.said(answer)
    named: set[str] = set()
    for usage in _usages(said):
        details = [value for value in usage.values() if isinstance(value, dict)]
        for name, value in (pair for part in (usage, *details) for pair in part.items()):
            if name.endswith(("_tokens", "TokenCount")) and value is not None:
                if not _is_count(value):
                    return False
                named.add(name)
    told = tokens_of(protocol, answer)
    if told is None or not told.prompt or not named >= NEEDED[protocol]:
        return False
    return not events.is_stream(answer) or ENDED[protocol](answer, said)


def estimate(request: bytes, answer: str) -> Tokens:
    """Estimate an answer's tokens: about one per event, or one per four bytes of text."""
    if events.is_stream(answer):
        output = sum(1 for block in events.blocks(answer) if events.data(block) is not None)
    else:
        output = len(answer) // BYTES_PER_TOKEN
    return Tokens(prompt=len(request) // BYTES_PER_TOKEN, output=output)


def _usages(said: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield every usage record, at the top level or inside an event's message."""
    for value in said:
        for holder in value if isinstance(value, list) else [value]:
            if not isinstance(holder, dict):
                continue
            for inner in (holder, holder.get("response"), holder.get("message")):
                if not isinstance(inner, dict):
                    continue
                for name in ("usage", "usageMetadata"):
                    if isinstance(inner.get(name), dict):
                        yield inner[name]


def _gemini(usage: dict[str, Any]) -> tuple[int, int, int, int]:
    prompt = _count(usage, "promptTokenCount") + _count(usage, "toolUsePromptTokenCount")
    output = _count(usage, "candidatesTokenCount") + _count(usage, "thoughtsTokenCount")
    output = max(output, _count(usage, "totalTokenCount") - prompt)
    return prompt, _count(usage, "cachedContentTokenCount"), 0, output


def _openai(prompt: str, output: str) -> Callable[[dict[str, Any]], tuple[int, int, int, int]]:
    def read(usage: dict[str, Any]) -> tuple[int, int, int, int]:
        details = usage.get(f"{prompt}_details")
        details = details if isinstance(details, dict) else {}
        read = _count(usage, prompt)
        return (
            read,
            _count(details, "cached_tokens"),
            _count(details, "cache_write_tokens"),
            # Some endpoints count thoughts in the total only.
            max(_count(usage, output), _count(usage, "total_tokens") - read),
        )

    return read


def _anthropic(usage: dict[str, Any]) -> tuple[int, int, int, int]:
    # Here, and only here, the three kinds of tokens read are separate, not nested.
    cached = _count(usage, "cache_read_input_tokens")
    stored = _count(usage, "cache_creation_input_tokens")
    fresh = _count(usage, "input_tokens")
    return fresh + cached + stored, cached, stored, _count(usage, "output_tokens")


READERS: dict[Name, Callable[[dict[str, Any]], tuple[int, int, int, int]]] = {
    "gemini": _gemini,
    "chat": _openai("prompt_tokens", "completion_tokens"),
    "responses": _openai("input_tokens", "output_tokens"),
    "anthropic": _anthropic,
}


def _chat_ended(answer: str, said: list[Any]) -> bool:
    marked = any(block.strip() == "data: [DONE]" for block in events.blocks(answer))
    return marked or _gives_a_reason(said, "choices", "finish_reason")


def _gemini_ended(answer: str, said: list[Any]) -> bool:
    blocked = any(isinstance(value, dict) and value.get("promptFeedback") for value in said)
    return blocked or _gives_a_reason(said, "candidates", "finishReason")


def _anthropic_ended(answer: str, said: list[Any]) -> bool:
    ends = (v for v in said if isinstance(v, dict) and v.get("type") == "message_delta")
    return any(isinstance(end.get("usage"), dict) for end in ends)


def _gives_a_reason(said: list[Any], holder: str, name: str) -> bool:
    """Return whether an event says why the answer ended."""
    lists = (value.get(holder) for value in said if isinstance(value, dict))
    inner = (one for each in lists if isinstance(each, list) for one in each)
    return any(isinstance(one, dict) and one.get(name) for one in inner)


# Whether a stream has come to its end: its counts grow until then.
ENDED: dict[Name, Callable[[str, list[Any]], bool]] = {
    "gemini": _gemini_ended,
    "chat": _chat_ended,
    "responses": lambda answer, said: True,  # it counts at its end only
    "anthropic": _anthropic_ended,
}

# The counts that an answer must have. Gemini leaves out what is zero.
NEEDED: dict[Name, set[str]] = {
    "gemini": {"promptTokenCount"},
    "chat": {"prompt_tokens", "completion_tokens"},
    "responses": {"input_tokens", "output_tokens"},
    "anthropic": {"input_tokens", "output_tokens"},
}


def _count(usage: dict[str, Any], name: str) -> int:
    """Return a number of tokens, or 0 if the value is not one."""
    value = usage.get(name)
    return math.ceil(value) if _is_count(value) else 0


def _is_count(value: Any) -> TypeGuard[float]:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value < 1e12
