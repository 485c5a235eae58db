"""Token prices: the list prices of models, overridden by the user's own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError
from envwright.schema.toml_file import TomlFile

LIST_PRICES = Path(__file__).with_name("prices.toml")
LONGEST_ANSWER = 32_000  # tokens, where the table has no `longest`: every listed model can do it


@dataclass(frozen=True)
class Tokens:
    """Tokens that one request used."""

    prompt: int = 0  # read, cached and stored ones among them
    cached: int = 0  # of these, kept by the endpoint from earlier requests
    stored: int = 0  # of these, to be kept for later ones
    output: int = 0  # written, thoughts among them


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens, for requests with more than `above` tokens."""

    models: tuple[str, ...]
    prompt: float
    cached: float
    stored: float
    output: float
    above: int = -1
    longest: int = LONGEST_ANSWER  # tokens of one answer, at most

    def fits(self, model: str, prompt: int) -> bool:
        """Return whether this price applies to a request with that many tokens to this model."""
        # A variant, such as `model:nitro`, has its own price, which no `*` includes.
        named = (name for name in self.models if (":" in name) == (":" in model))
        return prompt > self.above and any(fnmatchcase(model, name) for name in named)

    def dollars(self, tokens: Tokens) -> float:
        """Return the cost of a request."""
        plain = max(tokens.prompt - tokens.cached - tokens.stored, 0)
        millionths = (
            plain * self.prompt
            + tokens.cached * self.cached
            + tokens.stored * self.stored
            + tokens.output * self.output
        )
        return millionths / 1e6

    def most(self, prompt: int, output: int) -> float:
        """Return the most that so many tokens can cost, whatever is cached or stored."""
        dearest = max(self.prompt, self.cached, self.stored)
        return (prompt * dearest + output * self.output) / 1e6


@dataclass(frozen=True)
class Prices:
    """A price table. The first matching entry applies."""

    table: tuple[Price, ...]
    source: str  # in words, for people

    def knows(self, model: str) -> bool:
        """Return whether every request to this model has a price, whatever its length."""
        return any(price.fits(plain_name(model), 0) for price in self.table)

    def dollars(self, model: str, tokens: Tokens) -> float:
        """Return the cost of a request, or 0 if the model is unknown (check `knows` first)."""
        price = self.of(model, tokens.prompt)
        return price.dollars(tokens) if price else 0.0

    def of(self, model: str, prompt: int) -> Price | None:
        """Return the price of a request with that many tokens, or None if there is none."""
        name = plain_name(model)
        return next((price for price in self.table if price.fits(name, prompt)), None)


def plain_name(model: str) -> str:
    """Strip a leading folder from a model name, as in `models/x` or `openai/x`."""
    return model.rpartition("/")[2].lower()


def load_prices(path: str | os.PathLike[str] | None = None) -> Prices:
    """Load the list prices, preceded by those of the file at `path`."""
    table, written = _read(LIST_PRICES)
    source = f"list prices of {written}"
    if path is None:
        return Prices(table, source)
    mine, _ = _read(Path(path))
    return Prices(mine + table, f"the prices of {Path(path).name}, then {source}")


def _read(path: Path) -> tuple[tuple[Price, ...], str]:
    data = TomlFile(path).data
    entries = data.get("price")
    if not isinstance(entries, list) or not entries:
        raise EnvwrightError(f"{path} contains no prices; add entries that begin with [[price]]")
    prices = tuple(_price(entry, f"price {n} of {path}") for n, entry in enumerate(entries, 1))
    return prices, str(data.get("written", "an unknown date"))


FIELDS = {"models", "prompt", "cached", "stored", "output", "above", "longest"}


def _price(entry: Any, where: str) -> Price:
    if not isinstance(entry, dict):
        raise EnvwrightError(f"{where} is not a table; begin it with [[price]]")
    unknown = sorted(set(entry) - FIELDS)
    if unknown:
        raise EnvwrightError(
            f"{where} has an unknown field {unknown[0]!r}; "
            "use models, prompt, cached, stored, output, above or longest"
        )
    models = entry.get("models")
    if not isinstance(models, list) or not models or not all(isinstance(m, str) for m in models):
        raise EnvwrightError(f'{where} needs models, a list of names such as ["my-model*"]')
    missing = [name for name in ("prompt", "output") if name not in entry]
    if missing:
        raise EnvwrightError(f"{where} needs {missing[0]}, in dollars per million tokens")
    numbers = {name: value for name, value in entry.items() if name != "models"}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise EnvwrightError(
                f"{where} has {name} = {value!r}; it must be a non-negative number"
            )
    return Price(
        models=tuple(plain_name(name) for name in models),
        prompt=float(entry["prompt"]),
        cached=float(entry.get("cached", entry["prompt"])),
        stored=float(entry.get("stored", entry["prompt"])),
        output=float(entry["output"]),
        above=int(entry.get("above", -1)),
        longest=max(1, int(entry.get("longest", LONGEST_ANSWER))),
    )
