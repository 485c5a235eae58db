"""Identify equal requests, whatever folder and time they come from."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

# Fields that name the run, not the question.
RUN_FIELDS = {
    "client_metadata",
    "metadata",
    "prompt_cache_key",
    "safety_identifier",
    "session_id",
    "user",
}

# Letters of a request, beyond which the text is hashed as it is. Meanwhile no other thread would
# run, and one of them watches the jail.
MASKED = 2_000_000

_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_MONTH = r"Jan\w*|Feb\w*|Mar\w*|Apr\w*|May|Jun\w*|Jul\w*|Aug\w*|Sep\w*|Oct\w*|Nov\w*|Dec\w*"

# Parts of a request's text that differ between runs, and what is hashed instead.
MASKS = [
    (re.compile(pattern), mask)
    for pattern, mask in (
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
        (r"\b(call|toolu|fc|fco|msg|resp|rs|ses|prt|chatcmpl)_[A-Za-z0-9]+", r"\1_<id>"),
        (r'("(?:id|call_id|tool_call_id|tool_use_id)": ?)"[^"]*"', r'\1"<id>"'),
        (r"\b(PGID|PID|PIDs|Chunk ID|session ID):? ?[0-9a-f]+\b", r"\1 <id>"),
        # Named after the workspace's last folder.
        (r"(<<envwright:home>>/\.gemini/tmp/)[\w.-]+", r"\1<name>"),
        (rf"\b(?:{_DAY}),? (?:{_MONTH}) \d{{1,2}},? 20\d\d\b", "<date>"),
        (
            r"\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",
            "<date>",
        ),
        (r"\b\d+(?:\.\d+)? ?(?:ms|s|sec|secs|second|seconds|minutes)\b", "<duration>"),
    )
]


def key_of(path: str, body: Any) -> str:
    """Return a key made of the path without the query and the body with folders hidden."""
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name not in RUN_FIELDS}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    for pattern, mask in MASKS if len(text) <= MASKED else ():
        text = pattern.sub(mask, text)
    question = path.partition("?")[0] + "\n" + text
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()[:16]
