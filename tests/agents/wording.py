"""How a model's answer is written in the four protocols, whole and as a stream of events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.agents.moves import Call, pieces

# Of every answer, so that costs can be checked.
PROMPT, CACHED, OUTPUT = 1200, 1000, 80


@dataclass(frozen=True)
class Wording:
    """One protocol: counts the tool results of a request, writes an answer."""

    results: Callable[[dict[str, Any]], int]
    document: Callable[[str | Call, str], dict[str, Any]]
    events: Callable[[str | Call, str], list[dict[str, Any]]]
    named: bool = False  # does the stream name its events?
    done: bool = False  # does it end with [DONE]?

    def stream(self, said: str | Call, model: str) -> bytes:
        """All events of an answer."""
        text = ""
        for event in self.events(said, model):
            text += f"event: {event['type']}\n" if self.named else ""
            text += f"data: {json.dumps(event)}\n\n"
        return (text + ("data: [DONE]\n\n" if self.done else "")).encode()


def _id(kind: str, said: str | Call) -> str:
    return kind + "_" + hashlib.sha256(repr(said).encode()).hexdigest()[:12]


# --- Gemini ---------------------------------------------------------------------------------


def _gemini_results(body: dict[str, Any]) -> int:
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    return sum("functionResponse" in part for part in parts)


def _gemini_part(said: str | Call) -> dict[str, Any]:
    if isinstance(said, str):
        return {"text": said}
    return {"functionCall": {"id": _id("call", said), "name": said[0], "args": said[1]}}


def _gemini_answer(part: dict[str, Any], model: str, last: bool = True) -> dict[str, Any]:
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}}
    return {
        "candidates": [candidate | ({"finishReason": "STOP"} if last else {})],
        "modelVersion": model,
        "usageMetadata": {
            "promptTokenCount": PROMPT,
            "cachedContentTokenCount": CACHED,
            "candidatesTokenCount": OUTPUT - 30,
            "thoughtsTokenCount": 30,
            "totalTokenCount": PROMPT + OUTPUT,
        },
    }


def _gemini_events(said: str | Call, model: str) -> list[dict[str, Any]]:
    if isinstance(said, tuple):
        return [_gemini_answer(_gemini_part(said), model)]
    *first, last = pieces(said)
    begun = [_gemini_answer({"text": text}, model, last=False) for text in first]
    return [*begun, _gemini_answer({"text": last}, model)]


# --- OpenAI chat ----------------------------------------------------------------------------


def _chat_usage() -> dict[str, Any]:
    return {
        "prompt_tokens": PROMPT,
        "completion_tokens": OUTPUT,
        "total_tokens": PROMPT + OUTPUT,
        "prompt_tokens_details": {"cached_tokens": CACHED},
    }


def _chat_call(said: Call, arguments: str) -> dict[str, Any]:
    function = {"name": said[0], "arguments": arguments}
    return {"index": 0, "id": _id("call", said), "type": "function", "function": function}


def _chat_document(said: str | Call, model: str) -> dict[str, Any]:
    if isinstance(said, str):
        message, reason = {"role": "assistant", "content": said}, "stop"
    else:
        call = _chat_call(said, json.dumps(said[1]))
        message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    return {
        "id": _id("chatcmpl", said),
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": _chat_usage(),
    }


def _chat_events(said: str | Call, model: str) -> list[dict[str, Any]]:
    base = {"id": _id("chatcmpl", said), "object": "chat.completion.chunk", "created": 1}
    base["model"] = model

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return base | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    if isinstance(said, str):
        said_in_pieces = [chunk({"content": text}) for text in pieces(said)]
        return [
            chunk({"role": "assistant", "content": ""}),
            *said_in_pieces,
            chunk({}, "stop"),
            base | {"choices": [], "usage": _chat_usage()},
        ]
    more = [{"index": 0, "function": {"arguments": text}} for text in pieces(said[1])]
    return [
        chunk({"role": "assistant", "content": None, "tool_calls": [_chat_call(said, "")]}),
        *(chunk({"tool_calls": [call]}) for call in more),
        chunk({}, "tool_calls"),
        base | {"choices": [], "usage": _chat_usage()},
    ]


# --- OpenAI responses -----------------------------------------------------------------------


def _responses_results(body: dict[str, Any]) -> int:
    items = [item for item in body.get("input", []) if isinstance(item, dict)]
    return sum(str(item.get("type", "")).endswith("_call_output") for item in items)


def _responses_item(said: str | Call) -> dict[str, Any]:
    if isinstance(said, str):
        content = [{"type": "output_text", "text": said, "annotations": []}]
        item = {"type": "message", "id": _id("msg", said), "role": "assistant", "content": content}
    else:
        item = {"type": "function_call", "id": _id("fc", said), "call_id": _id("call", said)}
        item |= {"name": said[0], "arguments": json.dumps(said[1])}
    return item | {"status": "completed"}


def _responses_document(said: str | Call, model: str) -> dict[str, Any]:
    return {
        "id": _id("resp", said),
        "object": "response",
        "status": "completed",
        "model": model,
        "output": [_responses_item(said)],
        "usage": {
            "input_tokens": PROMPT,
            "input_tokens_details": {"cached_tokens": CACHED},
            "output_tokens": OUTPUT,
            "output_tokens_details": {"reasoning_tokens": 30},
            "total_tokens": PROMPT + OUTPUT,
        },
    }


def _responses_events(said: str | Call, model: str) -> list[dict[str, Any]]:
    whole, item = _responses_document(said, model), _responses_item(said)
    kind = "output_text" if isinstance(said, str) else "function_call_arguments"
    text = said if isinstance(said, str) else said[1]
    where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    begun = {key: value for key, value in whole.items() if key != "usage"}
    empty = {"content": []} if isinstance(said, str) else {"arguments": ""}
    return [
        {"type": "response.created", "response": begun | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item | empty},
        *({"type": f"response.{kind}.delta", **where, "delta": piece} for piece in pieces(text)),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]


# --- Anthropic ------------------------------------------------------------------------------


def _anthropic_results(body: dict[str, Any]) -> int:
    contents = [message.get("content") for message in body.get("messages", [])]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return sum(part.get("type") == "tool_result" for part in parts)


def _anthropic_usage(output: int) -> dict[str, Any]:
    return {
        "input_tokens": PROMPT - CACHED,
        "cache_read_input_tokens": CACHED,
        "cache_creation_input_tokens": 0,
        "output_tokens": output,
    }


def _anthropic_document(said: str | Call, model: str) -> dict[str, Any]:
    if isinstance(said, str):
        block, reason = {"type": "text", "text": said}, "end_turn"
    else:
        block = {"type": "tool_use", "id": _id("toolu", said), "name": said[0], "input": said[1]}
        reason = "tool_use"
    return {
        "id": _id("msg", said),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": _anthropic_usage(OUTPUT),
    }


def _anthropic_events(said: str | Call, model: str) -> list[dict[str, Any]]:
    whole = _anthropic_document(said, model)
    [block] = whole["content"]
    begun = whole | {"content": [], "stop_reason": None, "usage": _anthropic_usage(1)}
    if isinstance(said, str):
        empty, kind, name, text = {"text": ""}, "text_delta", "text", said
    else:
        empty, kind, name, text = {"input": {}}, "input_json_delta", "partial_json", said[1]
    deltas = [{"type": kind, name: piece} for piece in pieces(text)]
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": block | empty},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": OUTPUT}},
        {"type": "message_stop"},
    ]


WORDINGS = {
    "gemini": Wording(
        _gemini_results,
        lambda said, model: _gemini_answer(_gemini_part(said), model),
        _gemini_events,
    ),
    "chat": Wording(
        lambda body: sum(message.get("role") == "tool" for message in body.get("messages", [])),
        _chat_document,
        _chat_events,
        done=True,
    ),
    "responses": Wording(_responses_results, _responses_document, _responses_events, named=True),
    "anthropic": Wording(_anthropic_results, _anthropic_document, _anthropic_events, named=True),
}
