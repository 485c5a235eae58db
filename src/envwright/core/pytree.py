"""Frozen dataclasses that JAX can carry through jit, vmap and scan."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, dataclass_transform

import jax
import jax.numpy as jnp
import numpy as np

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def pytree_dataclass(cls: type[T]) -> type[T]:
    """Make `cls` a frozen dataclass whose every field is a pytree child."""
    frozen = dataclasses.dataclass(frozen=True)(cls)
    names = [f.name for f in dataclasses.fields(frozen)]  # type: ignore[arg-type]
    jax.tree_util.register_dataclass(frozen, data_fields=names, meta_fields=[])
    return frozen


def updated(state: T, /, **fields: Any) -> T:
    """Copy with other fields, each in the dtype of the one that it replaces."""
    cast = {name: jnp.asarray(value, getattr(state, name).dtype) for name, value in fields.items()}
    return dataclasses.replace(state, **cast)  # type: ignore[type-var]


def named_leaves(tree: Any) -> dict[str, np.ndarray]:
    """Return the leaves of a pytree as NumPy arrays by dotted path, in declaration order."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {_dotted(path): _to_numpy(leaf) for path, leaf in leaves}


def leaf_names(tree: Any) -> list[str]:
    """Return the dotted path of every leaf, in declaration order."""
    return [_dotted(path) for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]


def with_leaves(tree: Any, leaves: dict[str, np.ndarray]) -> Any:
    """Copy `tree` with the leaves named by dotted path replaced.

    Each new leaf takes the dtype of the one it replaces, so that a float64 value
    loaded into a float32 state is rounded once, here.
    """

    def pick(path: Any, leaf: Any) -> Any:
        name = _dotted(path)
        if name not in leaves:
            return leaf
        new = np.asarray(leaves[name]).astype(_to_numpy(leaf).dtype)
        if not _is_key(leaf):
            return new
        return jax.random.wrap_key_data(jnp.asarray(new), impl=jax.random.key_impl(leaf))

    return jax.tree_util.tree_map_with_path(pick, tree)


def _is_key(leaf: Any) -> bool:
    dtype = getattr(leaf, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key)


def _to_numpy(leaf: Any) -> np.ndarray:
    """Return a leaf as numbers; a typed key as its words."""
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)


def _dotted(path: Any) -> str:
    return ".".join(str(getattr(p, "name", getattr(p, "key", getattr(p, "idx", p)))) for p in path)
