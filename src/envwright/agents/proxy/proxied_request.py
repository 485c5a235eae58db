"""A request of the agent's program, from its arrival to its line in the record."""

from __future__ import annotations

import http.client
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from envwright.agents.base import Usage
from envwright.agents.prices import Tokens
from envwright.agents.proxy import events
from envwright.agents.proxy.account import Account
from envwright.agents.proxy.condense import condense
from envwright.agents.proxy.exchanges import Exchange
from envwright.agents.proxy.keys import key_of
from envwright.agents.proxy.patience import Kind, Streak, Trouble, trouble_in, trouble_of
from envwright.agents.proxy.places import Places
from envwright.agents.proxy.protocols import Protocol
from envwright.agents.proxy.server import Caller, HungUp
from envwright.agents.proxy.tape import Miss, Stored, Tape
from envwright.agents.proxy.upstream import FAILURES, Live, Request, Upstream
from envwright.agents.proxy.usage import estimate, tokens_of

JSON = "application/json"


@dataclass(frozen=True)
class Turn:
    """State shared by the requests of a turn."""

    protocol: Protocol
    source: Upstream | Tape
    account: Account
    places: Places
    streak: Streak


class ProxiedRequest:
    """One request. `serve` answers it; `exchange` returns its record."""

    def __init__(self, turn: Turn, request: Request, caller: Caller) -> None:
        self._turn = turn
        self._request = request
        self._caller = caller
        self._started = time.monotonic()
        self._time = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._path = request.path.partition("?")[0]
        self._asked = turn.protocol.paths.fullmatch(self._path) is not None  # is a model asked?
        text = request.body.decode("utf-8", "surrogateescape")
        said = events.parsed(text)
        self._model = turn.protocol.model(self._path, said) if self._asked else ""
        self._body = turn.places.hide_in(text if said is None else said)
        self._key = key_of(turn.places.hide(request.path), self._body)
        self._status, self._kind, self._answer = 0, JSON, ""
        self._cost: Usage | None = None  # not counted yet
        self._estimated = False
        self._trouble: Kind | None = None
        self._notes: list[str] = []
        self._reply: Live | Stored | None = None
        self._aborted = threading.Event()

    def serve(self) -> None:
        """Answer with the endpoint's response or our own."""
        try:
            stop = self._stop()
            if stop is None:
                self._forward()
            else:
                self._trouble = stop.kind
                self._refuse(stop.told, status=404 if stop.kind == "refused" else 400)
        except HungUp:
            self._notes.append("the program hung up before the answer was whole")

    def abort(self) -> None:
        """Stop now, because the program is gone."""
        self._aborted.set()
        if self._reply is not None:
            self._reply.abort()

    def exchange(self) -> Exchange:
        """Return the record of this request."""
        hide = self._turn.places.hide
        return Exchange(
            number=0,
            time=self._time,
            seconds=round(time.monotonic() - self._started, 3),
            protocol=self._turn.protocol.name,
            method=self._request.method,
            path=hide(self._request.path),
            model=self._model,
            key=self._key,
            request=self._body,
            status=self._status,
            kind=self._kind,
            answer=hide(condense(self._turn.protocol.name, self._answer)),
            usage=self._cost or Usage(),
            estimated=self._estimated,
            trouble=self._trouble,
            note=hide("; ".join(self._notes)),
        )

    def _stop(self) -> Trouble | None:
        """Return why not to forward this request, or None."""
        turn = self._turn
        if not self._asked and not turn.protocol.around.fullmatch(self._path):
            # The key is for models, not for whatever else the endpoint may offer.
            return Trouble("refused", f"{self._path} is not forwarded")
        reason = turn.account.refusal(self._model) if self._asked else None
        if reason is not None:
            turn.streak.give_up(Trouble("budget", reason))
        return turn.streak.given_up

    def _forward(self) -> None:
        try:
            self._reply = reply = self._turn.source.ask(self._request, self._key)
        except Miss as miss:
            self._trouble = "replay"
            self._refuse(self._turn.streak.give_up(Trouble("replay", str(miss))).told)
            return
        except FAILURES as error:
            self._unreachable(error)
            return
        try:
            reply.wait()
        except FAILURES as error:
            self._unreachable(error)
        else:
            self._notes += [reply.note] if reply.note else []
            if reply.status < 300:
                self._pass_on(reply)
            else:
                self._pass_on_failure(reply)
        finally:
            reply.close()
            self._count()

    def _pass_on(self, reply: Live | Stored) -> None:
        """Stream a successful answer to the program.

        Count it before sending its end, because the next request may follow immediately.
        """
        self._status, self._kind = reply.status, reply.kind
        got: list[bytes] = []
        cut: Trouble | None = None
        self._caller.begin(reply.status, reply.kind)
        try:
            for piece in reply.pieces():
                got.append(piece)
                self._caller.piece(piece)
        except FAILURES as error:
            cut = Trouble("down", f"the endpoint broke off: {_words(error)}")
        finally:
            self._answer = b"".join(got).decode("utf-8", "surrogateescape")
        trouble = (cut or trouble_in(self._answer)) if self._asked else cut
        if trouble is not None:
            self._failed(trouble)
        elif self._asked:
            self._turn.streak.success()
        self._count()
        if cut is None:
            self._caller.end()
        else:
            self._caller.cut()

    def _pass_on_failure(self, reply: Live | Stored) -> None:
        """Pass a refusal on, until it is time to give up."""
        try:
            body = b"".join(reply.pieces())
        except FAILURES:
            body = b""
        answer = self._turn.source.conceal(body.decode("utf-8", "surrogateescape"))
        trouble = trouble_of(reply.status, answer, reply.trouble)
        stop = self._failed(trouble) if self._asked else None
        if stop is not None:
            self._refuse(stop.told, kept=answer)
            return
        self._status, self._kind, self._answer = reply.status, reply.kind, answer
        self._count()
        body = answer.encode("utf-8", "surrogateescape")
        self._caller.answer(reply.status, reply.kind, body, reply.retry_after)

    def _unreachable(self, error: Exception) -> None:
        trouble = Trouble("down", f"the endpoint does not answer: {_words(error)}")
        stop = self._failed(trouble)
        status = 504 if isinstance(error, TimeoutError) else 502
        self._refuse(stop.told if stop else trouble.reason, status=400 if stop else status)

    def _failed(self, trouble: Trouble) -> Trouble | None:
        """Record a failure and return why to give up, if it is time to."""
        if self._aborted.is_set():
            self._notes.append("the program ended before the answer was whole")
            return None
        self._trouble = trouble.kind
        self._notes.append(trouble.reason)
        return self._turn.streak.failure(trouble)

    def _refuse(self, reason: str, status: int = 400, kept: str = "") -> None:
        """Send our own answer. Programs stop at 400, but repeat 429 and 5xx for minutes."""
        body = self._turn.protocol.error(f"envwright: {reason}", status)
        self._status, self._kind, self._answer = status, JSON, body.decode()
        self._notes.append("answered by the proxy" + (f" in place of: {kept}" if kept else ""))
        self._count()
        self._caller.answer(status, JSON, body)

    def _count(self) -> None:
        """Count every forwarded request as a call, and tokens only if a model answered."""
        if not self._asked or self._reply is None or self._cost is not None:
            return
        tokens = Tokens()
        if 0 < self._status < 300 and events.said(self._answer):
            told = tokens_of(self._turn.protocol.name, self._answer)
            self._estimated = told is None
            tokens = told or estimate(self._request.body, self._answer)
        self._cost = self._turn.account.add(self._model, tokens)


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it is silent for too long"
    if isinstance(error, http.client.IncompleteRead):
        return "it hung up in the middle"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
