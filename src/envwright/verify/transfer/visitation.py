"""Compare the observations that policies visit in both environments."""

from __future__ import annotations

import numpy as np
import scipy

from envwright.errors import EnvwrightError
from envwright.schema.results import Visitation

MOST_DIMS = 32
LAST_DIGITS = 64 * float(np.finfo(np.float32).eps)  # relative: rounding, not another value


def visitation_divergence(
    a: np.ndarray,
    b: np.ndarray,
    bins: int = 32,
    episodes_a: np.ndarray | None = None,
    episodes_b: np.ndarray | None = None,
    shuffles: int = 99,
    seed: int = 0,
) -> Visitation:
    """Return the divergence of the observations `a[rows, dims]` and `b[rows, dims]`.

    Each dimension is compared by itself, in bins that hold equal shares of both samples
    together; a dimension of at most `bins` values is compared value by value. More than 32
    dimensions are standardised and projected by a fixed random matrix of ±1 to 32.
    Observations are compared as float32, as a policy sees them, and values that differ in
    the last digits only count as equal.

    Rows of one episode are alike, so the noise is found by shuffling whole episodes:
    `episodes_a` and `episodes_b` hold an integer per row. Without them every row counts as
    an episode of its own, which makes the noise too small for rows in sequence.
    """
    a, b = _observations(a), _observations(b)
    if a.shape[1] != b.shape[1]:
        raise EnvwrightError(
            f"observations of {a.shape[1]} and {b.shape[1]} dimensions cannot be compared"
        )
    if bins < 2 or shuffles < 1:
        raise EnvwrightError("visits need two or more bins and one or more shuffles")
    ids_a, count_a = _numbered(episodes_a, len(a))
    ids_b, count_b = _numbered(episodes_b, len(b))
    episode = np.concatenate([ids_a, count_a + ids_b])
    in_a = _splits(count_a, count_b, shuffles, seed)
    pooled = np.concatenate([a, b])
    columns = (pooled if pooled.shape[1] <= MOST_DIMS else _projected(pooled, seed)).T
    bits = np.stack([_divergences(_binned(c, bins), episode, in_a) for c in columns])
    largest = bits.max(axis=0)
    mean = np.minimum(bits.mean(axis=0), largest)  # a rounded sum may lift it by one ulp
    p = min(_rank(mean), _rank(largest))
    return Visitation(
        jsd_mean=float(mean[0]),
        jsd_max=float(largest[0]),
        noise=float(mean[1:].mean()),
        noise_max=float(largest[1:].mean()),
        p=min(1.0, 2 * p),
        dims=a.shape[1],
        compared=len(columns),
        rows=(len(a), len(b)),
    )


def _observations(rows: np.ndarray) -> np.ndarray:
    rows = np.asarray(rows)
    if rows.size == 0:
        raise EnvwrightError("no observations were visited; nothing can be compared")
    with np.errstate(over="ignore"):
        flat = rows.reshape(len(rows), -1).astype(np.float32)
    if not np.isfinite(flat).all():
        raise EnvwrightError("visited observations hold NaN or infinity (as float32)")
    return flat


def _numbered(episodes: np.ndarray | None, rows: int) -> tuple[np.ndarray, int]:
    """Return episode ids as 0, 1, … and their number."""
    if episodes is None:
        return np.arange(rows), rows
    if np.shape(episodes) != (rows,):
        raise EnvwrightError("episode ids need one integer per row")
    values, ids = np.unique(episodes, return_inverse=True)
    return ids, len(values)


def _splits(count_a: int, count_b: int, shuffles: int, seed: int) -> np.ndarray:
    """Return the first side's episodes, bool[1 + shuffles, episodes]; row 0 is the truth."""
    truth = np.arange(count_a + count_b) < count_a
    rng = np.random.default_rng(seed)
    return np.stack([truth, *(rng.permutation(truth) for _ in range(shuffles))])


def _projected(rows: np.ndarray, seed: int) -> np.ndarray:
    """Return 32 random sums of the standardised columns; constant ones have no weight."""
    sd = rows.std(axis=0, dtype=np.float64)
    varies = sd > LAST_DIGITS * np.abs(rows).max(axis=0)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(rows.shape[1], MOST_DIMS))
    weights = np.divide(signs, sd[:, None], where=varies[:, None], out=np.zeros_like(signs))
    return ((rows - rows.mean(axis=0, dtype=np.float64)) @ weights).astype(np.float32)


def _binned(column: np.ndarray, bins: int) -> np.ndarray:
    """Return the bin of each value: the value itself if there are few, else pooled quantiles."""
    values, which = np.unique(column, return_inverse=True)
    values = _merged(values)
    if len(np.unique(values)) <= bins:
        return np.unique(values, return_inverse=True)[1][which]
    column = values[which]
    edges = np.quantile(column, np.arange(1, bins) / bins, method="inverted_cdf")
    often = edges[1:][np.diff(edges) == 0]  # a value that fills bins gets one of its own
    edges = np.unique(np.concatenate([edges, np.nextafter(often, np.float32(np.inf))]))
    return np.searchsorted(edges, column, side="right")


def _merged(values: np.ndarray) -> np.ndarray:
    """Replace clusters that are as narrow as rounding by their first value, in sorted values."""
    tolerance = LAST_DIGITS * np.abs(values).max()
    starts = np.flatnonzero(np.diff(values, prepend=-np.inf) > tolerance)
    sizes = np.diff(starts, append=len(values))
    first, last = values[starts], values[starts + sizes - 1]
    narrow = np.repeat(last - first <= tolerance, sizes)
    return np.where(narrow, np.repeat(first, sizes), values)


def _divergences(code: np.ndarray, episode: np.ndarray, in_a: np.ndarray) -> np.ndarray:
    """Return the Jensen-Shannon divergence in bits of each split of the episodes."""
    shape = (in_a.shape[1], int(code.max()) + 1)
    visits = scipy.sparse.csr_array((np.ones(len(code)), (episode, code)), shape=shape)
    p = (visits.T @ in_a.T.astype(np.float64)).T  # [split, bin]
    q = visits.sum(axis=0) - p
    p, q = (side / side.sum(axis=1, keepdims=True) for side in (p, q))
    middle = (p + q) / 2
    nats = scipy.special.rel_entr(p, middle) + scipy.special.rel_entr(q, middle)
    return np.clip(nats.sum(axis=1) / 2 / np.log(2), 0.0, 1.0)


def _rank(statistic: np.ndarray) -> float:
    """Return the share of splits at least as far apart as the true one, which is included."""
    return float(np.mean(statistic >= statistic[0] * (1 - 1e-9)))
