"""What a turn has spent, and when it may spend no more."""

from __future__ import annotations

import threading

from envwright.agents.base import Allowance, Usage
from envwright.agents.prices import Prices, Tokens


class Account:
    """Counts every request, and stops before the first one that the allowance does not cover.

    What is under way is not stopped, so that a cap may be overrun by the requests then open.
    """

    def __init__(self, allowance: Allowance, prices: Prices) -> None:
        self.allowance = allowance
        self.prices = prices
        self._usage = Usage()
        self._lock = threading.Lock()

    @property
    def usage(self) -> Usage:
        """Spent so far."""
        return self._usage

    def add(self, model: str, tokens: Tokens) -> Usage:
        """Count a request; what it cost."""
        cost = Usage(
            prompt=tokens.prompt,
            cached=tokens.cached,
            output=tokens.output,
            calls=1,
            dollars=self.prices.dollars(model, tokens),
        )
        with self._lock:
            self._usage += cost
        return cost

    def refusal(self, model: str) -> str | None:
        """Why the next request to this model must not be made, or None."""
        dollars, tokens = self.allowance.dollars, self.allowance.tokens
        if dollars is not None and self._usage.dollars >= dollars:
            return f"the turn's budget of ${dollars:g} is spent (${self._usage.dollars:.4f})"
        if tokens is not None and self._usage.tokens >= tokens:
            return f"the turn's budget of {tokens} tokens is spent ({self._usage.tokens})"
        return unpriced(model, self.allowance, self.prices)


def unpriced(model: str, allowance: Allowance, prices: Prices) -> str | None:
    """Why a budget in dollars cannot be kept for this model, or None where it can.

    A cap in tokens is a cap; with one given, an unknown price is no reason to stop.
    """
    if allowance.dollars is None or allowance.tokens is not None or prices.knows(model):
        return None
    return (
        f"no price is known for the model {model!r}, so a budget in dollars cannot be kept; "
        "give a file of prices that names it, or a budget in tokens"
    )
