"""Limit retries. Programs repeat refused requests for minutes; a few times are enough."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

from envwright.agents.proxy import events

# auth: the key is not accepted. rate: too many requests, or no credit left. down: the endpoint
# is broken, silent or out of reach. refused: it did not like this request. budget: the allowance
# is spent. replay: the recording has no answer to this.
Kind = Literal["auth", "rate", "down", "refused", "budget", "replay"]


@dataclass(frozen=True)
class Trouble:
    """Why the program got no answer from a model, in one sentence."""

    kind: Kind
    reason: str

    @property
    def told(self) -> str:
        """Message for the program. Without "429", which programs read as an invitation to retry."""
        if self.kind in ("auth", "rate", "down"):
            return "no model answers; this turn is over"
        return self.reason


@dataclass(frozen=True)
class Patience:
    """How many consecutive failures to pass on, and how long the endpoint may be silent."""

    auth: int = 1
    rate: int = 2
    down: int = 3
    first_byte: float = 300.0  # seconds; models may think long before they say anything
    silence: float = 120.0  # seconds between two pieces of an answer

    def limit(self, kind: Kind) -> int | None:
        """Return the limit for this kind; None means no limit."""
        return {"auth": self.auth, "rate": self.rate, "down": self.down}.get(kind)


class Streak:
    """Failures since the model's last answer. Giving up is final for the turn."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._latest: Trouble | None = None
        self._count = 0
        self._given_up: Trouble | None = None
        self._since = 0.0  # on the clock, when it was given up

    @property
    def trouble(self) -> Trouble | None:
        """Why it gave up, or the latest failure if no success followed it."""
        return self._given_up or self._latest

    @property
    def given_up(self) -> Trouble | None:
        """Why no more requests are sent, or None."""
        return self._given_up

    @property
    def over_for(self) -> float:
        """Seconds since it gave up, or 0."""
        return time.monotonic() - self._since if self._given_up else 0.0

    def success(self) -> None:
        """Record that a model answered."""
        with self._lock:
            self._latest, self._count = None, 0

    def failure(self, trouble: Trouble) -> Trouble | None:
        """Record a failure. Returns why to give up, if it is time to."""
        with self._lock:
            same = self._latest is not None and self._latest.kind == trouble.kind
            self._latest, self._count = trouble, self._count + 1 if same else 1
            limit = self._patience.limit(trouble.kind)
            if self._given_up is None and limit is not None and self._count > limit:
                times = f"{self._count} times in a row"
                self._end(Trouble(trouble.kind, f"{trouble.reason} ({times})"))
            return self._given_up

    def give_up(self, trouble: Trouble) -> Trouble:
        """Send no more requests. The first reason stays the reported one."""
        with self._lock:
            if self._given_up is None:
                self._end(trouble)
            return self._given_up or trouble

    def _end(self, trouble: Trouble) -> None:
        self._given_up, self._since = trouble, time.monotonic()


def trouble_of(status: int, answer: str, known: Kind | None = None) -> Trouble:
    """Classify an endpoint's refusal, unless a recording already knows its kind."""
    said = f"the endpoint answered {status}: {_message(events.parsed(answer), answer)}"
    # Gemini calls a wrong key an invalid argument.
    if status in (401, 403) or (status == 400 and "API_KEY_INVALID" in answer):
        return Trouble(known or "auth", said)
    if status == 429:
        return Trouble(known or "rate", said)
    return Trouble(known or ("down" if status >= 500 else "refused"), said)


def trouble_in(answer: str) -> Trouble | None:
    """Return what is wrong with a successful answer's contents, or None."""
    said = events.said(answer)
    if not said:
        return Trouble("down", f"the endpoint's answer is not from a model: {_start(answer)}")
    for value in said:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind in ("error", "response.failed"):
            failed = value.get("response", value)
            return Trouble("down", f"the endpoint broke off: {_message(failed, answer)}")
    return None


def _message(said: Any, answer: str) -> str:
    """Extract the message of an error, whatever its format."""
    if isinstance(said, list) and said:
        said = said[0]
    error = said.get("error", said) if isinstance(said, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return _start(message if isinstance(message, str) else answer)


def _start(text: str) -> str:
    """Return the beginning of a text on one line, without control characters."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text[:1000])
    return " ".join(plain.split())[:300] or "nothing"
