"""Read the number of tokens from an answer, in any of the four protocols.

Endpoints count; the proxy only reads. Counts grow while an answer streams, so the largest of each
kind applies. If an answer has no counts (it was cut, or the endpoint reports none), they are
estimated and marked as such: a budget that counts nothing would not be one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

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
    return prompt, _count(usage, "cachedContentTokenCount"), 0, output


def _openai(prompt: str, output: str) -> Callable[[dict[str, Any]], tuple[int, int, int, int]]:
    def read(usage: dict[str, Any]) -> tuple[int, int, int, int]:
        details = usage.get(f"{prompt}_details")
        details = details if isinstance(details, dict) else {}
        return (
            _count(usage, prompt),
            _count(details, "cached_tokens"),
            _count(details, "cache_write_tokens"),
            _count(usage, output),
        )

    return read


def _anthropic(usage: dict[str, Any]) -> tuple[int, int, int, int]:
    # Here, and only here, the three kinds of tokens read are told apart, not nested.
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


def _count(usage: dict[str, Any], name: str) -> int:
    """Return a number of tokens, or 0 if the value is not one."""
    value = usage.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        return 0
    return int(value)
