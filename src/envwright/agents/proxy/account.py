"""Track what a turn has spent and stop it at its allowance."""

from __future__ import annotations

import threading

from envwright.agents.base import Allowance, Usage
from envwright.agents.prices import Prices, Tokens


class Account:
    """Counts every request and refuses requests that the allowance does not cover.

    It does not stop requests that are under way, so open requests may exceed a cap.
    """

    def __init__(self, allowance: Allowance, prices: Prices) -> None:
        self.allowance = allowance
        self.prices = prices
        self._usage = Usage()
        self._lock = threading.Lock()

    @property
    def usage(self) -> Usage:
        """Usage so far."""
        return self._usage

    def add(self, model: str, tokens: Tokens) -> Usage:
        """Count a request and return its cost."""
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
        """Return why the next request to this model must not be sent, or None."""
        dollars, tokens = self.allowance.dollars, self.allowance.tokens
        if dollars is not None and self._usage.dollars >= dollars:
            return f"the turn's budget of ${dollars:g} is spent (${self._usage.dollars:.4f})"
        if tokens is not None and self._usage.tokens >= tokens:
            return f"the turn's budget of {tokens} tokens is spent ({self._usage.tokens})"
        return unpriced(model, self.allowance, self.prices)


def unpriced(model: str, allowance: Allowance, prices: Prices) -> str | None:
    """Return why a dollar budget cannot be enforced for this model, or None if it can.

    A token cap is enforceable without a price, so an unknown price is acceptable then.
    """
    if allowance.dollars is None or allowance.tokens is not None or prices.knows(model):
        return None
    return (
        f"no price is known for the model {model!r}, so a budget in dollars cannot be kept; "
        "give a file of prices that names it, or a budget in tokens"
    )
