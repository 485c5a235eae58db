"""Bound what a request can cost before it is sent, and make the endpoint keep to the bound.

A token stands for at least one byte, so a text has at most as many tokens as bytes. An answer is
bounded by a limit that the proxy writes into the request. What has no known price, such as tools
that the endpoint runs itself, is left out of the request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from envwright.agents.proxy.protocols import Name
from envwright.core.text import one_line

HIDDEN = 1_000  # tokens that endpoints add: templates, instructions for tools
VENDOR_TOOL = 2_000  # ... for one tool that the endpoint itself describes, such as `computer_*`
IMAGE = 20_000  # tokens of one image, at most
LONGEST_NAME, MOST_NAMES = 40, 20  # of fields in a note
WINDOW = 1_050_000  # tokens that a listed model can read at once, at most
LEAST_THOUGHT = 1_024  # tokens, the least that Anthropic accepts as a budget for thoughts

Body = dict[str, Any]

# The fields of a request that have a known price. Endpoints invent others: tiers, searches, audio.
_SAMPLING = {
    "frequency_penalty", "logit_bias", "logprobs", "min_p", "presence_penalty",
    "repetition_penalty", "seed", "stop", "temperature", "top_k", "top_logprobs", "top_p",
}  # fmt: skip
_OPENAI = {
    *_SAMPLING, "include_reasoning", "messages", "metadata", "model", "parallel_tool_calls",
    "prompt_cache_key", "prompt_cache_retention", "reasoning", "response_format",
    "safety_identifier", "session_id", "store", "stream", "stream_options", "thinking",
    "tool_choice", "tools", "user", "verbosity", "client_metadata", "cache_control",
}  # fmt: skip
PRICED: dict[Name, set[str]] = {
    "chat": {
        *_OPENAI, "chat_template_args", "chat_template_kwargs", "enable_thinking", "function_call",
        "functions", "guided_json", "max_completion_tokens", "max_tokens", "n",
        "reasoning_effort", "thinking_budget", "tool_stream", "usage",
    },
    "responses": {
        *_OPENAI, "context_management", "conversation", "include", "input", "instructions",
        "max_output_tokens", "max_tool_calls", "previous_response_id", "prompt", "text",
        "truncation",
    },
    "anthropic": {
        "cache_control", "context_management", "max_tokens", "messages", "metadata", "model",
        "output_config", "output_format", "stop_sequences", "stream", "system", "temperature",
        "thinking", "tool_choice", "tools", "top_k", "top_p",
    },
    "gemini": {
        "cachedContent", "cached_content", "contents", "generationConfig", "generation_config",
        "labels", "model", "safetySettings", "safety_settings", "session_id", "systemInstruction",
        "system_instruction", "toolConfig", "tool_config", "tools",
    },
}  # fmt: skip

SEARCH = "online"  # in the name of a model, after a colon

# Fields that let the model read more than the request contains.
REFERENCES = ("previous_response_id", "conversation", "prompt", "cachedContent", "cached_content")

# Tools that the program runs, not the endpoint, by how their types begin.
LOCAL_TOOLS = (
    "function", "custom", "local_shell", "apply_patch", "computer", "bash",
    "text_editor", "memory", "namespace",
)  # fmt: skip
DESCRIBED = ("function", "custom", "namespace")  # by the request
GEMINI_VENDOR_TOOLS = {"computerUse"}
GEMINI_LOCAL_TOOLS = {"functionDeclarations", "function_declarations", "computerUse"}

# Parts of a conversation whose tokens are in the request, byte by byte.
TEXTS = {
    "", "text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal",
    "message", "thinking", "redacted_thinking", "reasoning", "function_call",
    "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call",
    "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call",
    "apply_patch_call_output", "computer_call", "computer_call_output", "tool_use", "tool_result",
    "compaction",
}  # fmt: skip
IMAGES = {"image", "image_url", "input_image", "computer_screenshot"}
INSIDE = (
    "messages", "input", "contents", "content", "parts", "output", "system", "functionResponse",
    "function_response", "systemInstruction", "system_instruction",
)  # fmt: skip


class Unreadable(ValueError):
    """The request cannot be bounded."""


@dataclass(frozen=True)
class Bounds:
    """The most that a request reads and writes, in tokens."""

    prompt: int
    output: int | None  # of one answer; None if the request sets no limit
    answers: int = 1
    adjustable: bool = True  # can the proxy set a limit?


def without_unpriced(protocol: Name, body: Any) -> tuple[Body, list[str]]:
    """Return the request without what has no known price, and the names of what is left out."""
    if not isinstance(body, dict):
        raise Unreadable("a request to a model must be a JSON object, not compressed")
    try:
        body = json.loads(json.dumps(body))  # the caller keeps its own
    except RecursionError as error:
        raise Unreadable("the request is nested too deeply") from error
    unpriced = [name for name in body if name not in PRICED[protocol]]
    if "compact" in json.dumps(body.get("context_management", "")):
        unpriced.append("context_management")
    for name in dict.fromkeys(unpriced):
        del body[name]
    left_out = [one_line(name, LONGEST_NAME) for name in unpriced[:MOST_NAMES]]
    left_out += _drop_hosted_tools(protocol, body)
    for part in [body, *_parts(_messages(body)), *_dicts(body.get("tools"))]:
        marked = part.get("cache_control")
        if isinstance(marked, dict) and marked.pop("ttl", None):  # an hour costs more
            left_out.append("cache_control.ttl")
    if protocol == "gemini":
        left_out += _one_generation_config(body)
        body.pop("model", None)  # the path names it
    elif isinstance(model := body.get("model"), str):
        body["model"] = _without_search(model)
        left_out += [f"model :{SEARCH}"] if body["model"] != model else []
    if protocol == "chat" and body.get("stream"):
        body["stream_options"] = {**_dict(body.get("stream_options")), "include_usage": True}
    return body, list(dict.fromkeys(left_out))


def bounds_of(protocol: Name, path: str, body: Body) -> Bounds:
    """Return the bounds of a request that `without_unpriced` returned."""
    holder = _limits(protocol, body)
    asked = [holder[name] for name in LIMITS[protocol] if name in holder]
    counts = {"chat": body.get("n"), "gemini": holder.get("candidateCount")}
    answers = counts.get(protocol)
    if answers is not None and not _is_count(answers):
        raise Unreadable("the number of answers is not a positive integer")
    return Bounds(
        prompt=_most_read(body),
        # Where one of them is not a number, an endpoint may read it as one: all are written anew.
        output=max(asked) if asked and all(map(_is_count, asked)) else None,
        answers=answers or 1,
        adjustable=not path.endswith("/compact"),
    )


def limited(protocol: Name, body: Body, output: int) -> Body:
    """Return the request with a limit on the tokens of an answer, thoughts among them."""
    body = dict(body)
    if protocol == "gemini":
        body["generationConfig"] = {**_limits(protocol, body), LIMITS["gemini"][0]: output}
        return body
    names = [name for name in LIMITS[protocol] if name in body] or [LIMITS[protocol][0]]
    body |= dict.fromkeys(names, output)
    thinking = _dict(body.get("thinking"))
    budget = thinking.get("budget_tokens")
    if protocol == "anthropic" and isinstance(budget, int) and budget >= output:
        if output <= LEAST_THOUGHT:
            body["thinking"] = {"type": "disabled"}
        else:
            body["thinking"] = {**thinking, "budget_tokens": max(LEAST_THOUGHT, output // 2)}
    return body


def written(body: Body) -> bytes:
    """Encode a request. What is sent is what was bounded, so no parser can read it otherwise."""
    text = json.dumps(body, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(body).encode()


# The names of the limit on an answer; the first is set where a request has none.
LIMITS: dict[Name, tuple[str, ...]] = {
    "gemini": ("maxOutputTokens",),
    "chat": ("max_completion_tokens", "max_tokens"),
    "responses": ("max_output_tokens",),
    "anthropic": ("max_tokens",),
}


def _limits(protocol: Name, body: Body) -> Body:
    return _dict(body.get("generationConfig")) if protocol == "gemini" else body


def _one_generation_config(body: Body) -> list[str]:
    """Give the fields of Gemini's settings one spelling each; endpoints accept two."""
    given = [_dict(body.pop(name, None)) for name in ("generation_config", "generationConfig")]
    config: Body = {}
    for name, value in (pair for one in given for pair in one.items()):
        config[_SPELT.get(name, name)] = value
    modalities = config.pop("responseModalities", None)
    body["generationConfig"] = config
    return ["responseModalities"] if modalities else []


_SPELT = {
    "max_output_tokens": "maxOutputTokens",
    "candidate_count": "candidateCount",
    "response_modalities": "responseModalities",
}


def _without_search(model: str) -> str:
    """Return the name of a model without `:online`. Whether others have a price, the table says."""
    name, *variants = model.split(":")
    return ":".join([name, *(each for each in variants if each.strip().lower() != SEARCH)])


def _drop_hosted_tools(protocol: Name, body: Body) -> list[str]:
    if not isinstance(body.get("tools"), list):
        return []
    if protocol == "gemini":
        names = sorted({n for t in _dicts(body["tools"]) for n in t} - GEMINI_LOCAL_TOOLS)
        kept = [{n: v for n, v in t.items() if n not in names} for t in _dicts(body["tools"])]
        body["tools"] = [tool for tool in kept if tool]
        if not body["tools"]:
            body.pop("toolConfig", None)
        return [f"tool {one_line(name, LONGEST_NAME)}" for name in names[:MOST_NAMES]]
    hosted: list[Body] = []
    body["tools"] = _local(body["tools"], hosted)
    if not body["tools"]:
        for name in ("tools", "tool_choice"):  # endpoints reject an empty list
            body.pop(name, None)
    return [f"tool {one_line(str(tool['type']), LONGEST_NAME)}" for tool in hosted[:MOST_NAMES]]


def _local(tools: list[Any], hosted: list[Body]) -> list[Any]:
    """Return the tools that the program runs, and note the others."""
    hosted += [tool for tool in _dicts(tools) if not _is_local(tool)]
    kept = [tool for tool in tools if tool not in hosted]
    for tool in _dicts(kept):
        if isinstance(tool.get("tools"), list):  # of a namespace
            tool["tools"] = _local(tool["tools"], hosted)
    return kept


def _is_local(tool: Body) -> bool:
    kind = tool.get("type")
    return kind is None or (isinstance(kind, str) and kind.startswith(LOCAL_TOOLS))


def _most_read(body: Body) -> int:
    more = beside_text(_messages(body))
    if more >= WINDOW or any(body.get(name) for name in REFERENCES):
        return WINDOW
    return len(written(body)) + HIDDEN + VENDOR_TOOL * _vendor_tools(body.get("tools")) + more


def _vendor_tools(tools: Any) -> int:
    """Return how many tools an endpoint describes to the model, and not the request."""
    count = 0
    for tool in _dicts(tools):
        described = tool.get("type", "function") in DESCRIBED
        count += len(tool.keys() & GEMINI_VENDOR_TOOLS) or not described
        count += _vendor_tools(tool.get("tools"))
    return count


def _messages(body: Body) -> list[Any]:
    return [body.get(name) for name in INSIDE]


def beside_text(messages: list[Any]) -> int:
    """Return the most tokens of images and files in messages, whose bytes do not bound them."""
    kinds = [_kind(part) for part in _parts(messages)]
    return WINDOW if "other" in kinds else IMAGE * kinds.count("image")


def _kind(part: Body) -> str:
    """Return whether a part of the conversation is text, an image or something else."""
    if part.keys() & {"fileData", "file_data"}:
        return "other"
    inline = part.get("inlineData", part.get("inline_data"))
    if inline is not None:
        mime = _dict(inline).get("mimeType", _dict(inline).get("mime_type", ""))
        return "image" if str(mime).startswith("image/") else "other"
    kind = part.get("type", "")
    if not isinstance(kind, str):
        return "other"
    if kind in IMAGES:
        return "image" if _is_inside(part) else "other"
    return "text" if kind in TEXTS else "other"


def _is_inside(image: Body) -> bool:
    """Return whether the request has an image, and not an address that may lead to another one."""
    address, source = image.get("image_url"), image.get("source")
    address = address.get("url") if isinstance(address, dict) else address
    given = [part for part in (address, source) if part is not None]
    inside = [
        part.get("type") == "base64" if isinstance(part, dict) else _is_data(part) for part in given
    ]
    return bool(given) and all(inside) and "file_id" not in image


def _is_data(address: Any) -> bool:
    return isinstance(address, str) and address[:5].lower() == "data:"


def _parts(messages: list[Any]) -> Iterator[Body]:
    """Yield every object of a conversation: messages and their parts, however nested."""
    left = list(messages)
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += value
        elif isinstance(value, dict):
            yield value
            # The input of a call is the program's own data.
            left += [value.get(name) for name in INSIDE if name != "input"]


def _dicts(value: Any) -> list[Body]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _dict(value: Any) -> Body:
    return value if isinstance(value, dict) else {}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
