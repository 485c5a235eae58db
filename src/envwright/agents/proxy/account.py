"""Track what a turn has spent and reserve what it may spend, within its allowance."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from envwright.agents.base import Allowance, Usage
from envwright.agents.prices import LONGEST_ANSWER, Price, Prices, Tokens
from envwright.agents.proxy.worst_case import Bounds

LEAST_ANSWER = 128  # tokens; an answer cut off before that is not worth its request


class Refused(Exception):
    """The allowance does not cover a request; the message says why."""


@dataclass(frozen=True, eq=False)
class Reservation:
    """The budget of one request."""

    model: str
    output: int  # tokens of one answer
    unsettled: Usage  # what counts as long as its end is not known


class Account:
    """Reserves the worst case of each request before it is sent, and settles it afterwards.

    What is spent and what is reserved never exceed the allowance together. A request that does
    not fit beside those under way waits for them. Without a cap, only what is known of a request
    counts until it is settled.
    """

    def __init__(self, allowance: Allowance, prices: Prices, model: str = "") -> None:
        self.allowance = allowance
        self.prices = prices
        self._model = model  # that the user has chosen; programs may ask others
        self._usage = Usage()
        self._reserved: set[Reservation] = set()
        self._stopped = False
        self._change = threading.Condition()

    @property
    def usage(self) -> Usage:
        """Usage so far."""
        return self._usage

    @property
    def limits(self) -> bool:
        """Whether there is a cap on dollars or tokens."""
        return self.allowance.dollars is not None or self.allowance.tokens is not None

    def reserve(self, model: str, bounds: Bounds) -> Reservation:
        """Hold a request's worst case, waiting until there is room. Raises `Refused`.

        Once nothing else is under way, what is left limits the answer.
        """
        reason = unpriced(model, self.allowance, self.prices, self._model)
        if reason is not None:
            raise Refused(reason)
        price = self.prices.of(model, bounds.prompt)
        wanted = bounds.output or (price.longest if price else LONGEST_ANSWER)
        with self._change:
            while not self._stopped:
                room = self._room(price, bounds)
                least = min(wanted, LEAST_ANSWER) if bounds.adjustable else wanted
                if room >= wanted or (room >= least and not self._reserved):
                    return self._hold(model, price, bounds, min(wanted, int(min(room, wanted))))
                if not self._reserved:
                    raise Refused(self._spent(price, bounds, least))
                self._change.wait()
        raise Refused("the turn is over")

    def begin(self, model: str, known: Tokens) -> Reservation:
        """Hold what is known of a request that no cap limits. Raises `Refused`."""
        with self._change:
            if self._stopped:
                raise Refused("the turn is over")
            reservation = Reservation(model, known.output, self._cost(model, known))
            self._reserved.add(reservation)
            return reservation

    def settle(self, reservation: Reservation, tokens: Tokens | None) -> Usage:
        """Replace a reservation by the tokens that were used; None if they are not known."""
        cost = reservation.unsettled if tokens is None else self._cost(reservation.model, tokens)
        with self._change:
            if reservation in self._reserved:  # else it was settled when the account was closed
                self._reserved.discard(reservation)
                self._usage += cost
            self._change.notify_all()
        return cost

    def add(self, model: str, tokens: Tokens) -> Usage:
        """Count a request that was not reserved, and return its cost."""
        cost = self._cost(model, tokens)
        with self._change:
            self._usage += cost
        return cost

    def release(self, reservation: Reservation) -> None:
        """Give up a reservation whose request was not sent."""
        with self._change:
            self._reserved.discard(reservation)
            self._change.notify_all()

    def stop(self) -> None:
        """Refuse everything that waits or follows."""
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def close(self) -> None:
        """Count what is still under way as it is reserved."""
        for reservation in list(self._reserved):
            self.settle(reservation, None)

    def _cost(self, model: str, tokens: Tokens) -> Usage:
        return Usage(
            prompt=tokens.prompt,
            cached=tokens.cached,
            output=tokens.output,
            calls=1,
            dollars=self.prices.dollars(model, tokens),
        )

    def _hold(self, model: str, price: Price | None, bounds: Bounds, output: int) -> Reservation:
        written = output * bounds.answers
        dollars = price.most(bounds.prompt, written) if price else 0.0
        worst = Usage(prompt=bounds.prompt, output=written, calls=1, dollars=dollars)
        reservation = Reservation(model, output, worst)
        self._reserved.add(reservation)
        return reservation

    def _room(self, price: Price | None, bounds: Bounds) -> float:
        """Return the longest answer that fits beside what is spent and reserved, in tokens."""
        used = sum((one.unsettled for one in self._reserved), self._usage)
        rooms = [math.inf]
        if self.allowance.tokens is not None:
            rooms.append(self.allowance.tokens - used.tokens - bounds.prompt)
        if self.allowance.dollars is not None and price is not None:
            left = self.allowance.dollars - used.dollars - price.most(bounds.prompt, 0)
            each = price.most(0, 1)
            rooms.append(left / each if each else (math.inf if left >= 0 else -1))
        return math.floor(min(rooms) / bounds.answers) if min(rooms) < math.inf else math.inf

    def _spent(self, price: Price | None, bounds: Bounds, least: int) -> str:
        """Return which cap does not cover a request."""
        used, dollars, tokens = self._usage, self.allowance.dollars, self.allowance.tokens
        output = least * bounds.answers
        if dollars is not None and price is not None:
            most = price.most(bounds.prompt, output)
            if used.dollars + most > dollars:
                return (
                    f"the turn's budget of ${dollars:g} does not cover another request: "
                    f"${used.dollars:.4f} is spent, and this one may cost ${most:.4f}"
                )
        return (
            f"the turn's budget of {tokens} tokens does not cover another request: "
            f"{used.tokens} are used, and this one may use {bounds.prompt + output}"
        )


def unpriced(model: str, allowance: Allowance, prices: Prices, chosen: str = "") -> str | None:
    """Return why a dollar budget cannot be enforced for this model, or None if it can.

    A token cap is enforceable without a price. So it is enough if the price of the model that the
    user has chosen is unknown, but not if a program avoids that price with another model.
    """
    if allowance.dollars is None or prices.knows(model):
        return None
    if allowance.tokens is not None and not prices.knows(chosen):
        return None
    return (
        f"no price is known for the model {model!r}, so a budget in dollars cannot be kept; "
        "give a file of prices that names it, or a budget in tokens"
    )
