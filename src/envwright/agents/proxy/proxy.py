"""The proxy between an agent's program and its endpoint: forwards, counts, records, stops."""

from __future__ import annotations

import hmac
import secrets
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from envwright.agents.base import Usage
from envwright.agents.proxy.account import Account
from envwright.agents.proxy.exchanges import Record
from envwright.agents.proxy.patience import Patience, Streak, Trouble
from envwright.agents.proxy.places import Places
from envwright.agents.proxy.protocols import QUERY, Protocol, given_keys
from envwright.agents.proxy.proxied_request import JSON, ProxiedRequest, Turn
from envwright.agents.proxy.server import Caller, Server
from envwright.agents.proxy.tape import Tape
from envwright.agents.proxy.upstream import Request, Upstream

CLOSING_SECONDS = 5.0  # for the exchanges under way to be recorded


class Proxy:
    """Proxy for one turn. The program knows `token`; the real key never leaves this process."""

    def __init__(
        self,
        protocol: Protocol,
        source: Upstream | Tape,
        account: Account,
        record: Path,
        places: Places,
        *,
        patience: Patience | None = None,
        socket: Path | None = None,
        token: str = "",
    ) -> None:
        self.token = token or new_token()
        self._streak = Streak(patience or Patience())
        self._record = Record(record)
        self._turn = Turn(protocol, source, account, places, self._streak, self._record)
        self._requests: set[ProxiedRequest] = set()  # under way
        self._change = threading.Condition()
        self._server = Server(self._serve, socket)

    @property
    def port(self) -> int | None:
        """Port on 127.0.0.1, or None if it listens on a socket."""
        return self._server.port

    @property
    def usage(self) -> Usage:
        """Usage so far, over all requests."""
        return self._turn.account.usage

    @property
    def trouble(self) -> Trouble | None:
        """Why the program got no answer in the end, or None if the last answer was good."""
        return self._streak.trouble

    @property
    def over_for(self) -> float:
        """Seconds since the proxy began to refuse all requests, or 0."""
        return self._streak.over_for

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Accept no more requests and record those under way as far as they got."""
        self._server.close()
        self._turn.account.stop()
        with self._change:
            for proxied in self._requests:
                proxied.abort()
            self._change.wait_for(lambda: not self._requests, CLOSING_SECONDS)
        self._turn.account.close()
        self._record.close()

    def _serve(self, request: Request, caller: Caller) -> None:
        protocol = self._turn.protocol
        url = urlsplit(request.path)
        query = parse_qs(url.query, keep_blank_values=True)
        given = given_keys(request.headers, query)
        if not any(hmac.compare_digest(key.encode(), self.token.encode()) for key in given):
            # Anyone on this machine may find the port; only the agent's program knows the token.
            caller.answer(401, JSON, protocol.error("this is not the key of this turn", 401))
            return
        if self._record.full:
            over = self._streak.give_up(
                Trouble("refused", "the turn has asked more than is recorded")
            )
            caller.answer(400, JSON, protocol.error(f"envwright: {over.told}"))
            return
        query = {name: values for name, values in query.items() if name in QUERY}
        path = url.path + ("?" + urlencode(query, doseq=True) if query else "")
        proxied = ProxiedRequest(
            self._turn, Request(request.method, path, request.headers, request.body), caller
        )
        with self._change:
            self._requests.add(proxied)
        try:
            proxied.serve()
        finally:
            with self._change:
                self._requests.discard(proxied)
                self._record.append(proxied.exchange())
                self._change.notify_all()


def new_token() -> str:
    """Create a key that is only valid for this turn's proxy."""
    return "envwright-" + secrets.token_hex(16)
