"""The four protocols between coding agents and models, and how they differ."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Name = Literal["gemini", "chat", "responses", "anthropic"]


@dataclass(frozen=True)
class Protocol:
    """How to recognise a protocol's requests and write its credentials and errors."""

    name: Name
    paths: re.Pattern[str]  # requests for an answer of a model, which are counted
    around: re.Pattern[str]  # others, which cost nothing, with the method: lists of models, counts
    header: str  # that carries the key
    scheme: str = ""  # before the key in the header

    def credentials(self, key: str) -> dict[str, str]:
        """Return the header that authenticates the user."""
        return {self.header: self.scheme + key}

    def asks_a_model(self, method: str, path: str) -> bool:
        """Return whether a request is for an answer of a model."""
        return method == "POST" and self.paths.fullmatch(path) is not None

    def is_free(self, method: str, path: str) -> bool:
        """Return whether a request costs nothing and changes nothing."""
        return self.around.fullmatch(f"{method} {path}") is not None

    def model(self, path: str, body: Any) -> str:
        """Return the requested model."""
        if self.name == "gemini":
            named = re.search(r"/models/([^/:]+):", path)
            return named[1] if named else ""
        model = body.get("model") if isinstance(body, dict) else None
        return model if isinstance(model, str) else ""

    def error(self, message: str, status: int = 400) -> bytes:
        """Format an error as the endpoint would, so that every program can read it."""
        if self.name == "gemini":
            error = {"code": status, "message": message, "status": _GEMINI.get(status, "UNKNOWN")}
            return json.dumps({"error": error}).encode()
        error = {"type": _OTHERS.get(status, "api_error"), "message": message}
        if self.name == "anthropic":
            return json.dumps({"type": "error", "error": error}).encode()
        return json.dumps({"error": {**error, "param": None, "code": None}}).encode()


# The query that endpoints are asked with. Others could hide the counts of an answer.
QUERY = ("alt", "beta")

# Where programs put their key. None of these is forwarded.
KEY_HEADERS = ("authorization", "x-goog-api-key", "x-api-key", "api-key")


def given_keys(headers: Mapping[str, str], query: Mapping[str, list[str]]) -> list[str]:
    """Return the keys that a program sent, wherever it put them."""
    sent = [headers[header] for header in KEY_HEADERS if header in headers]
    return [re.sub(r"(?i)^bearer\s+", "", key) for key in sent] + query.get("key", [])


_GEMINI = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 502: "UNAVAILABLE"}
_OTHERS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error"}

_MODEL = r"[A-Za-z0-9][A-Za-z0-9_.@-]*"  # nothing that an endpoint could read as another path
_LISTS = rf"/models(/{_MODEL})?"


def _openai(name: Name, paths: str) -> Protocol:
    return Protocol(
        name, re.compile(paths), re.compile(f"GET {_LISTS}"), "authorization", "Bearer "
    )


# Paths are what follows the base address of the endpoint. OpenAI's ends in /v1, the others have
# the version in the path.
PROTOCOLS: dict[Name, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            name="gemini",
            paths=re.compile(rf"/v\d\w*/models/{_MODEL}:(streamG|g)enerateContent"),
            around=re.compile(rf"GET /v\d\w*{_LISTS}|POST /v\d\w*/models/{_MODEL}:countTokens"),
            header="x-goog-api-key",
        ),
        _openai("chat", r"/chat/completions"),
        _openai("responses", r"/responses(/compact)?"),
        Protocol(
            name="anthropic",
            paths=re.compile(r"/v\d/messages"),
            around=re.compile(rf"GET /v\d{_LISTS}|POST /v\d/messages/count_tokens"),
            header="x-api-key",
        ),
    )
}
