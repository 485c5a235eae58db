"""A request of the agent's program, from its arrival to its line in the record."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from envwright.agents.base import Usage
from envwright.agents.prices import Tokens
from envwright.agents.proxy import events
from envwright.agents.proxy.account import Account, Refused, Reservation
from envwright.agents.proxy.condense import condense
from envwright.agents.proxy.conversations import Conversations
from envwright.agents.proxy.exchanges import Exchange, Record
from envwright.agents.proxy.keys import key_of
from envwright.agents.proxy.patience import Kind, Streak, Trouble, trouble_in, trouble_of
from envwright.agents.proxy.places import Places
from envwright.agents.proxy.protocols import Protocol
from envwright.agents.proxy.server import Caller, HungUp
from envwright.agents.proxy.tape import Miss, Stored, Tape
from envwright.agents.proxy.upstream import FAILURES, Live, Request, Upstream
from envwright.agents.proxy.usage import are_final, estimate, tokens_of
from envwright.agents.proxy.worst_case import (
    WINDOW,
    Body,
    Unreadable,
    bounds_of,
    limited,
    without_unpriced,
    written,
)

JSON = "application/json"
# A gateway lost its patience; the model may have worked, as it may after a cut.
TIMED_OUT = (408, 504, 520, 522, 524)


@dataclass(frozen=True)
class Turn:
    """State shared by the requests of a turn."""

    protocol: Protocol
    source: Upstream | Tape
    account: Account
    places: Places
    streak: Streak
    record: Record
    conversations: Conversations = field(default_factory=Conversations)


class ProxiedRequest:
    """One request. `serve` answers it; `exchange` returns its record."""

    def __init__(self, turn: Turn, request: Request, caller: Caller) -> None:
        self._turn = turn
        self._request = request
        self._caller = caller
        self._started = time.monotonic()
        self._time = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._path = request.path.partition("?")[0]
        self._asked = turn.protocol.asks_a_model(request.method, self._path)
        text = request.body.decode("utf-8", "surrogateescape")
        self._said = said = events.parsed(text)
        self._model = turn.protocol.model(self._path, said) if self._asked else ""
        try:
            self._body = turn.places.hide_in(text if said is None else said)
        except RecursionError:  # nested deeper than any program's
            self._body = turn.places.hide(text)
        self._key = key_of(turn.places.hide(request.path), self._body)
        self._status, self._kind, self._answer = 0, JSON, ""
        self._cost: Usage | None = None  # not counted yet
        self._estimated = False
        self._trouble: Kind | None = None
        self._notes: list[str] = []
        self._reply: Live | Stored | None = None
        self._reserved: Reservation | None = None
        self._bounded: Body | None = None  # what may be continued
        self._number = 0  # in the record, once it stands there
        self._whole = self._refused = False  # how the endpoint answered, if it did
        self._aborted = threading.Event()

    def serve(self) -> None:
        """Answer with the endpoint's response or our own."""
        try:
            stop = self._stop()
            if stop is None:
                self._forward()
            else:
                self._trouble = stop.kind
                self._refuse(stop.told, status=400 if self._asked else 404)
        except HungUp:
            self._notes.append("the program hung up before the answer was whole")
        finally:
            if self._reserved is not None and self._cost is None:
                self._turn.account.release(self._reserved)

    def abort(self) -> None:
        """Stop now, because the program is gone."""
        self._aborted.set()
        if self._reply is not None:
            self._reply.abort()

    def exchange(self) -> Exchange:
        """Return the record of this request."""
        hide = self._turn.places.hide
        return Exchange(
            number=self._number,
            time=self._time,
            seconds=round(time.monotonic() - self._started, 3),
            protocol=self._turn.protocol.name,
            method=self._request.method,
            path=hide(self._request.path),
            model=self._model,
            key=self._key,
            request=self._body,
            status=self._status,
            kind=hide(self._kind),
            answer=hide(condense(self._turn.protocol.name, self._answer)),
            usage=self._cost or Usage(),
            estimated=self._estimated,
            trouble=self._trouble,
            note=hide("; ".join(self._notes)),
        )

    def _stop(self) -> Trouble | None:
        """Return why not to forward this request, or None once its cost is reserved."""
        turn = self._turn
        if not self._asked:
            if turn.protocol.is_free(self._request.method, self._path):
                return turn.streak.given_up
            # The key is for models, not for whatever else the endpoint may offer.
            what = f"{self._request.method} {self._path}"
            return Trouble("refused", f"{what} is not forwarded")
        if turn.streak.given_up or not turn.source.costs:
            return turn.streak.given_up
        try:
            self._reserve()
        except Unreadable as error:
            return Trouble("refused", str(error))
        except Refused as reason:
            turn.streak.give_up(Trouble("budget", str(reason)))
        return turn.streak.given_up  # perhaps since this request began to wait

    def _reserve(self) -> None:
        """Reserve the most that this request can cost, and make it keep to that.

        Without a cap, the request stays as it is.
        """
        account, protocol = self._turn.account, self._turn.protocol.name
        if not account.limits:
            self._reserved = account.begin(self._model, estimate(self._request.body, ""))
            return
        body, left_out = without_unpriced(protocol, self._said)
        self._model = self._turn.protocol.model(self._path, body)
        bounds = bounds_of(protocol, self._path, body)
        if bounds.prompt < WINDOW:  # else it reads more than it contains
            read = self._turn.conversations.most_read(protocol, self._model, body, bounds.prompt)
            bounds = replace(bounds, prompt=read)
            self._bounded = body
        self._reserved = account.reserve(self._model, bounds)
        if bounds.adjustable and self._reserved.output != bounds.output:
            body = limited(protocol, body, self._reserved.output)
            self._notes.append(f"limited to {self._reserved.output} tokens by the proxy")
        if left_out:
            self._notes.append(f"left out, as it has no known price: {', '.join(left_out)}")
        headers = {**self._request.headers, "content-type": JSON}
        headers.pop("content-encoding", None)
        self._request = replace(self._request, headers=headers, body=written(body))

    def _forward(self) -> None:
        if self._caller.gone():  # while it waited
            raise HungUp
        if self._reserved is not None:
            begun = replace(self.exchange(), usage=self._reserved.unsettled)
            counted = "its worst case" if self._turn.account.limits else "its prompt alone"
            self._number = self._turn.record.begin(begun, counted)
        try:
            self._reply = reply = self._turn.source.ask(self._request, self._key)
            if self._aborted.is_set():
                reply.abort()
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
        """Stream a successful answer to the program, and read it to its end in any case.

        Count it before sending its end, because the next request may follow immediately.
        """
        self._status, self._kind = reply.status, reply.kind
        got: list[bytes] = []
        cut: Trouble | None = None
        listener = _Listener(self._caller)
        listener.tell(lambda caller: caller.begin(reply.status, reply.kind))
        try:
            for piece in reply.pieces():
                got.append(piece)
                listener.tell(lambda caller, piece=piece: caller.piece(piece))
        except FAILURES as error:
            cut = Trouble("down", f"the endpoint broke off: {self._words(error)}")
        finally:
            self._answer = b"".join(got).decode("utf-8", "surrogateescape")
        trouble = (cut or trouble_in(self._answer)) if self._asked else cut
        if trouble is not None:
            self._failed(trouble)
        elif self._asked:
            self._whole = True
            self._turn.streak.success()
        self._count()
        if cut is None:
            listener.tell(lambda caller: caller.end())
        else:
            self._caller.cut()
        if listener.gone is not None:
            raise listener.gone

    def _pass_on_failure(self, reply: Live | Stored) -> None:
        """Pass a refusal on, until it is time to give up."""
        try:
            body = b"".join(reply.pieces())
        except FAILURES:
            body = b""
        answer = body.decode("utf-8", "surrogateescape")
        self._refused = _is_free(reply.status, answer)
        trouble = trouble_of(reply.status, answer, reply.trouble)
        stop = self._failed(trouble) if self._asked else None
        if stop is not None:
            self._refuse(stop.told, kept=answer)
            return
        self._status, self._kind, self._answer = reply.status, reply.kind, answer
        self._count()
        self._caller.answer(reply.status, reply.kind, body, reply.retry_after)

    def _unreachable(self, error: Exception) -> None:
        trouble = Trouble("down", f"the endpoint does not answer: {self._words(error)}")
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
        """Settle a request that was sent. What is not known counts as it is reserved."""
        if not self._asked or self._reply is None or self._cost is not None:
            return
        account = self._turn.account
        if self._reserved is None:  # of a recording
            self._cost = account.add(self._model, self._tokens() or Tokens())
        else:
            self._cost = account.settle(self._reserved, self._tokens())

    def _tokens(self) -> Tokens | None:
        """Return the tokens that this request used, or None if they are unknown."""
        if self._refused:
            return Tokens()
        name = self._turn.protocol.name
        told = tokens_of(name, self._answer) if 0 < self._status < 300 else None
        if told is not None and self._whole and are_final(name, self._answer):
            if self._bounded is not None:
                self._turn.conversations.remember(name, self._model, self._bounded, told.prompt)
            return told
        self._estimated = True
        if self._turn.account.limits and self._turn.source.costs:
            return None
        if self._status >= 300 or not events.said(self._answer):
            self._estimated = False
            return Tokens()  # no model answered
        return told or estimate(self._request.body, self._answer)

    def _words(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return "it is silent for too long"
        if isinstance(error, http.client.IncompleteRead):
            return "it hung up in the middle"
        words = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return self._turn.source.conceal(words).lower()


def _is_free(status: int, answer: str) -> bool:
    """Return whether a failure shows that no model has worked.

    Endpoints that refuse say so in their protocol. A page of something on the way to them, such
    as a gateway, tells nothing of the model.
    """
    if status in TIMED_OUT:
        return False
    said = events.parsed(answer)
    return status < 500 or (isinstance(said, dict) and "error" in said)


class _Listener:
    """The program, as long as it listens."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.gone: HungUp | None = None

    def tell(self, send: Callable[[Caller], None]) -> None:
        """Send something, unless the program has hung up."""
        if self.gone is None:
            try:
                send(self._caller)
            except HungUp as gone:
                self.gone = gone
