"""Cuts retries short. Programs repeat what was refused for minutes; a few times are enough."""

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
        """What the program is told. It may read "429" as an invitation to try again."""
        if self.kind in ("auth", "rate", "down"):
            return "no model answers; this turn is over"
        return self.reason


@dataclass(frozen=True)
class Patience:
    """How often in a row a failure is passed on, and how long the endpoint may be silent."""

    auth: int = 1
    rate: int = 2
    down: int = 3
    first_byte: float = 300.0  # seconds; models may think long before they say anything
    silence: float = 120.0  # seconds between two pieces of an answer

    def limit(self, kind: Kind) -> int | None:
        """So many; None is for ever."""
        return {"auth": self.auth, "rate": self.rate, "down": self.down}.get(kind)


class Streak:
    """The failures since the last answer of a model. Once given up, it stays so for the turn."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._latest: Trouble | None = None
        self._count = 0
        self._given_up: Trouble | None = None
        self._since = 0.0  # on the clock, when it was given up

    @property
    def trouble(self) -> Trouble | None:
        """Why it was given up; else the latest failure, where no success followed it."""
        return self._given_up or self._latest

    @property
    def given_up(self) -> Trouble | None:
        """Why nothing is asked any more, or None."""
        return self._given_up

    @property
    def over_for(self) -> float:
        """Seconds since it was given up; 0 where it was not."""
        return time.monotonic() - self._since if self._given_up else 0.0

    def success(self) -> None:
        """A model answered."""
        with self._lock:
            self._latest, self._count = None, 0

    def failure(self, trouble: Trouble) -> Trouble | None:
        """Something failed; why to give up, where it is to be."""
        with self._lock:
            same = self._latest is not None and self._latest.kind == trouble.kind
            self._latest, self._count = trouble, self._count + 1 if same else 1
            limit = self._patience.limit(trouble.kind)
            if self._given_up is None and limit is not None and self._count > limit:
                times = f"{self._count} times in a row"
                self._end(Trouble(trouble.kind, f"{trouble.reason} ({times})"))
            return self._given_up

    def give_up(self, trouble: Trouble) -> Trouble:
        """Ask nothing any more; the first reason is the one that is told."""
        with self._lock:
            if self._given_up is None:
                self._end(trouble)
            return self._given_up or trouble

    def _end(self, trouble: Trouble) -> None:
        self._given_up, self._since = trouble, time.monotonic()


def trouble_of(status: int, answer: str, known: Kind | None = None) -> Trouble:
    """What an endpoint's refusal means; a recording knows already of which kind it is."""
    said = f"the endpoint answered {status}: {_message(events.parsed(answer), answer)}"
    # Gemini calls a wrong key an invalid argument.
    if status in (401, 403) or (status == 400 and "API_KEY_INVALID" in answer):
        return Trouble(known or "auth", said)
    if status == 429:
        return Trouble(known or "rate", said)
    return Trouble(known or ("down" if status >= 500 else "refused"), said)


def trouble_in(answer: str) -> Trouble | None:
    """What is wrong with an answer that was announced as good, or None."""
    said = events.said(answer)
    if not said:
        return Trouble("down", f"the endpoint's answer is none of a model: {_start(answer)}")
    for value in said:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind in ("error", "response.failed"):
            failed = value.get("response", value)
            return Trouble("down", f"the endpoint broke off: {_message(failed, answer)}")
    return None


def _message(said: Any, answer: str) -> str:
    """The sentence in an error, in whichever form it came."""
    if isinstance(said, list) and said:
        said = said[0]
    error = said.get("error", said) if isinstance(said, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return _start(message if isinstance(message, str) else answer)


def _start(text: str) -> str:
    """The beginning, on one line, without what a terminal could take for an order."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text[:1000])
    return " ".join(plain.split())[:300] or "nothing"
