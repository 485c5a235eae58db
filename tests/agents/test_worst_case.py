"""Bounds on what a request reads and writes, and what is left out of it."""

from __future__ import annotations

import json

import pytest

from envwright.agents.proxy.worst_case import (
    HIDDEN,
    IMAGE,
    VENDOR_TOOL,
    WINDOW,
    Unreadable,
    bounds_of,
    limited,
    without_unpriced,
    written,
)

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
MESSAGE = {"role": "user", "content": "hello"}
ANTHROPIC = {"model": "m", "messages": [MESSAGE], "max_tokens": 5000}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


def bounds(protocol, body, path="/"):
    kept, _ = without_unpriced(protocol, body)
    return bounds_of(protocol, path, kept)


def parts(protocol, *given):
    if protocol == "gemini":
        return {"contents": [{"parts": list(given)}]}
    holder = "input" if protocol == "responses" else "messages"
    return {holder: [{"role": "user", "content": list(given)}]}


def test_text_has_at_most_as_many_tokens_as_bytes():
    body = CHAT | {"messages": [{"role": "user", "content": "ü" * 1000}]}
    assert bounds("chat", body).prompt == len(written(body)) + HIDDEN
    assert len(written(body)) > 2000


@pytest.mark.parametrize(
    ("protocol", "part"),
    [
        ("chat", {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
        ("responses", {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}),
        ("anthropic", {"type": "image", "source": {"type": "base64", "data": "AAAA"}}),
        ("anthropic", {"type": "tool_result", "content": [{"type": "image"}]}),
        ("gemini", {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}),
        ("gemini", {"inline_data": {"mime_type": "image/png", "data": "AAAA"}}),
        (
            "gemini",
            {"functionResponse": {"parts": [{"inlineData": {"mimeType": "image/png"}}]}},
        ),
    ],
)
def test_image_counts_beyond_its_bytes(protocol, part):
    assert bounds(protocol, parts(protocol, part, part)).prompt > 2 * IMAGE


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        ("responses", {"previous_response_id": "resp_1"}),
        ("responses", {"conversation": "conv_1"}),
        ("responses", {"prompt": {"id": "pmpt_1"}}),
        ("responses", {"input": [{"type": "item_reference", "id": "x"}]}),
        ("responses", parts("responses", {"type": "input_file", "file_id": "x"})),
        ("chat", parts("chat", {"type": "file", "file": {"file_id": "x"}})),
        ("chat", parts("chat", {"type": "video_url"})),
        ("chat", parts("chat", {"type": "image_url", "image_url": {"url": "https://x/y.png"}})),
        ("chat", parts("chat", {"type": "image_url", "image_url": "HTTPS://x/y.png"})),
        ("responses", parts("responses", {"type": "input_image", "file_id": "x"})),
        ("responses", parts("responses", {"type": "input_image", "image_url": "http://x"})),
        ("anthropic", parts("anthropic", {"type": "image", "source": {"type": "url"}})),
        (
            "anthropic",
            parts(
                "anthropic",
                {"type": "image", "source": {"type": "base64"}, "image_url": "http://x"},
            ),
        ),
        ("anthropic", parts("anthropic", {"type": "document", "source": {"type": "url"}})),
        ("anthropic", parts("anthropic", {"type": "of next year"})),
        ("gemini", {"cachedContent": "cachedContents/1"}),
        ("gemini", parts("gemini", {"fileData": {"fileUri": "gs://x"}})),
        ("gemini", parts("gemini", {"inlineData": {"mimeType": "application/pdf"}})),
    ],
)
def test_what_is_not_in_the_request_may_fill_the_whole_window(protocol, body):
    assert bounds(protocol, body).prompt == WINDOW


def test_data_of_a_call_is_not_a_part_of_the_conversation():
    call = {"type": "tool_use", "input": {"content": [{"type": "document"}]}}
    assert bounds("anthropic", parts("anthropic", call)).prompt < 2 * HIDDEN


@pytest.mark.parametrize(
    ("protocol", "fields", "left_out"),
    [
        ("chat", {"service_tier": "priority"}, ["service_tier"]),
        ("chat", {"web_search_options": {}}, ["web_search_options"]),
        ("chat", {"modalities": ["audio"], "audio": {}}, ["audio", "modalities"]),
        ("chat", {"models": ["a", "b"], "plugins": [{"id": "web"}]}, ["models", "plugins"]),
        ("chat", {"prediction": {"content": "x"}}, ["prediction"]),
        ("chat", {"search_parameters": {"mode": "on"}}, ["search_parameters"]),
        ("chat", {"of_next_year": 1, "Service_Tier": "fast"}, ["Service_Tier", "of_next_year"]),
        ("chat", {"a\nb" * 99: 1}, ["a" + " ba" * 13 + " … (297 characters in all)"]),
        ("chat", {"best_of": 20, "preset": "mine"}, ["best_of", "preset"]),
        ("responses", {"background": True}, ["background"]),
        ("responses", {"tools": [{"type": "web_search"}]}, ["tool web_search"]),
        ("responses", {"tools": [{"type": "shell"}, {"type": "mcp"}]}, ["tool mcp", "tool shell"]),
        ("anthropic", {"speed": "fast", "mcp_servers": [{}]}, ["mcp_servers", "speed"]),
        ("anthropic", {"tools": [{"type": "web_fetch_20250910"}]}, ["tool web_fetch_20250910"]),
        ("gemini", {"tools": [{"googleSearch": {}}]}, ["tool googleSearch"]),
        (
            "gemini",
            {"generationConfig": {"responseModalities": ["IMAGE"]}},
            ["responseModalities"],
        ),
    ],
)
def test_what_has_no_known_price_is_left_out(protocol, fields, left_out):
    base = {"gemini": GEMINI, "anthropic": ANTHROPIC}.get(protocol, CHAT)
    kept, names = without_unpriced(protocol, base | fields)
    assert sorted(names) == left_out
    assert not set(fields) - {"tools", "generationConfig"} & set(kept)
    assert "search" not in json.dumps(kept) and "IMAGE" not in json.dumps(kept)
    assert base.items() <= kept.items()


def test_tools_of_the_program_stay():
    tools = [{"type": "function", "function": {"name": "f"}}, {"type": "custom", "name": "g"}]
    assert without_unpriced("chat", CHAT | {"tools": tools}) == (CHAT | {"tools": tools}, [])
    tools = [{"name": "f", "input_schema": {}}, {"type": "bash_20250124", "name": "bash"}]
    assert without_unpriced("anthropic", ANTHROPIC | {"tools": tools})[0]["tools"] == tools
    mixed = [{"functionDeclarations": [{"name": "f"}], "googleSearch": {}}]
    kept, _ = without_unpriced("gemini", GEMINI | {"tools": mixed})
    assert kept["tools"] == [{"functionDeclarations": [{"name": "f"}]}]


def test_tools_of_the_endpoint_do_not_hide_in_a_namespace():
    inner = [{"type": "web_search"}, {"type": "function", "name": "f"}]
    tools = [{"type": "namespace", "name": "mine", "tools": inner}]
    kept, names = without_unpriced("responses", CHAT | {"tools": tools})
    assert kept["tools"] == [tools[0] | {"tools": inner[1:]}]
    assert names == ["tool web_search"]


@pytest.mark.parametrize(
    ("protocol", "model", "kept"),
    [
        ("chat", "m:online", "m"),
        ("chat", "m:OnLine", "m"),
        ("chat", "m:online:nitro", "m:nitro"),
        ("chat", "m:free: online:online", "m:free"),
        ("gemini", "models/dear", None),
    ],
)
def test_model_is_the_one_that_was_priced(protocol, model, kept):
    body, _ = without_unpriced(
        protocol, {"chat": CHAT, "gemini": GEMINI}[protocol] | {"model": model}
    )
    assert body.get("model") == kept


@pytest.mark.parametrize(
    ("protocol", "tools", "described"),
    [
        ("anthropic", [{"type": "computer_20250124"}, {"type": "bash_20250124"}], 2),
        ("anthropic", [{"type": "text_editor_20250728"}, {"name": "f", "input_schema": {}}], 1),
        ("responses", [{"type": "local_shell"}, {"type": "function", "name": "f"}], 1),
        ("responses", [{"type": "namespace", "tools": [{"type": "apply_patch"}]}], 1),
        ("chat", [{"type": "function", "function": {"name": "f"}}], 0),
        ("gemini", [{"computerUse": {}}, {"functionDeclarations": []}], 1),
    ],
)
def test_tools_that_the_endpoint_describes_count_beyond_their_bytes(protocol, tools, described):
    body = {"gemini": GEMINI, "anthropic": ANTHROPIC}.get(protocol, CHAT) | {"tools": tools}
    kept, _ = without_unpriced(protocol, body)
    assert kept["tools"] == tools
    assert bounds(protocol, body).prompt == len(written(kept)) + HIDDEN + described * VENDOR_TOOL


def test_cache_of_an_hour_becomes_the_usual_one():
    marked = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    body = ANTHROPIC | {"system": [marked], "tools": [{"name": "f", **marked, "type": "custom"}]}
    kept, names = without_unpriced("anthropic", body)
    assert names == ["cache_control.ttl"]
    assert "1h" not in json.dumps(kept) and kept["system"][0]["cache_control"]
    assert "1h" in json.dumps(body)
    kept, names = without_unpriced("anthropic", ANTHROPIC | {"cache_control": {"ttl": "1h"}})
    assert names == ["cache_control.ttl"] and "1h" not in json.dumps(kept)


def test_compaction_by_the_endpoint_is_left_out():
    edits = {"edits": [{"type": "compact_20260112"}]}
    kept, _ = without_unpriced("anthropic", ANTHROPIC | {"context_management": edits})
    assert "context_management" not in kept
    edits = {"edits": [{"type": "clear_thinking_20251015"}]}
    kept, _ = without_unpriced("anthropic", ANTHROPIC | {"context_management": edits})
    assert kept["context_management"] == edits


def test_streams_of_the_chat_protocol_report_their_counts():
    asked = CHAT | {"stream": True, "stream_options": {"include_usage": False}}
    assert without_unpriced("chat", asked)[0]["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(
    ("protocol", "fields", "output", "answers"),
    [
        ("chat", {}, None, 1),
        ("chat", {"max_tokens": 7}, 7, 1),
        ("chat", {"max_tokens": 7, "max_completion_tokens": 900, "n": 4}, 900, 4),
        ("chat", {"max_tokens": "7"}, None, 1),
        ("chat", {"max_tokens": -1}, None, 1),
        ("chat", {"max_tokens": 7, "max_completion_tokens": "900"}, None, 1),
        ("chat", {"max_tokens": 7, "max_completion_tokens": 900.0}, None, 1),
        ("responses", {"max_output_tokens": 9}, 9, 1),
        ("anthropic", {"max_tokens": 9}, 9, 1),
        ("gemini", {"generationConfig": {"maxOutputTokens": 9, "candidateCount": 2}}, 9, 2),
        ("gemini", {"generation_config": {"max_output_tokens": 9, "candidate_count": 2}}, 9, 2),
    ],
)
def test_limit_of_a_request_is_read_in_every_spelling(protocol, fields, output, answers):
    found = bounds(protocol, fields)
    assert (found.output, found.answers) == (output, answers)


@pytest.mark.parametrize("n", [0, -3, "5", 2.5, True, [9]])
def test_number_of_answers_must_be_one(n):
    with pytest.raises(Unreadable, match="not a positive integer"):
        bounds("chat", {"n": n})


@pytest.mark.parametrize(
    ("protocol", "body", "expected"),
    [
        ("chat", {}, {"max_completion_tokens": 50}),
        ("chat", {"max_tokens": 70}, {"max_tokens": 50}),
        ("responses", {"max_output_tokens": "all"}, {"max_output_tokens": 50}),
        ("anthropic", {"max_tokens": 9000}, {"max_tokens": 50}),
        ("gemini", {}, {"generationConfig": {"maxOutputTokens": 50}}),
        (
            "gemini",
            {"generation_config": {"max_output_tokens": 99, "temperature": 0}},
            {"generationConfig": {"maxOutputTokens": 50, "temperature": 0}},
        ),
    ],
)
def test_limit_is_written_where_the_endpoint_reads_it(protocol, body, expected):
    kept, _ = without_unpriced(protocol, body)
    assert limited(protocol, kept, 50) == expected


@pytest.mark.parametrize(
    ("output", "thinking"),
    [
        (9000, {"type": "enabled", "budget_tokens": 4000}),
        (3000, {"type": "enabled", "budget_tokens": 1500}),
        (1500, {"type": "enabled", "budget_tokens": 1024}),
        (800, {"type": "disabled"}),
    ],
)
def test_thoughts_fit_into_the_limit(output, thinking):
    body = ANTHROPIC | {"thinking": {"type": "enabled", "budget_tokens": 4000}}
    assert limited("anthropic", body, output)["thinking"] == thinking


def test_compaction_takes_no_limit():
    assert not bounds("responses", {"input": []}, "/responses/compact").adjustable


def test_deep_request_is_refused_with_a_sentence():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Unreadable, match="too deeply"):
        without_unpriced("chat", {"messages": deep})
