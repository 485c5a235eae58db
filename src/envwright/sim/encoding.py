"""Values as JSON, for a simulator in another process. Reading them can run nothing.

An array is a list of numbers, or, if the other side takes that, its bytes: much faster, and
exact for every dtype: `{"bytes": BASE64, "dtype": "<f4", "shape": [2, 3]}`.
"""

from __future__ import annotations

import base64
from typing import Any

import gymnasium
import numpy as np

from envwright.core.array_file import is_numpys
from envwright.core.spaces import MultiBinary

KINDS = "biuf"  # booleans and numbers; nothing that is a reference to something else


def encode(value: Any, packed: bool) -> Any:
    """Encode a value as plain data; arrays as bytes if the other side takes them."""
    if isinstance(value, dict):
        return {name: encode(inside, packed) for name, inside in value.items()}
    if isinstance(value, list | tuple):
        return [encode(inside, packed) for inside in value]
    if not isinstance(value, np.ndarray | np.generic):
        return value
    if not packed or value.dtype.kind not in KINDS or not is_numpys(value.dtype):
        return value.tolist()
    return {
        "bytes": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode(),
        "dtype": value.dtype.newbyteorder("<").str,
        "shape": list(value.shape),
    }


def decode(value: Any) -> Any:
    """Decode the data of `encode`: bytes become arrays, other data stays as it is."""
    if isinstance(value, list):
        return [decode(inside) for inside in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {"bytes", "dtype", "shape"}:
        return {name: decode(inside) for name, inside in value.items()}
    dtype = np.dtype(value["dtype"])
    if dtype.kind not in KINDS:
        raise ValueError(f"an array of {dtype} is not data")
    array = np.frombuffer(base64.b64decode(value["bytes"]), dtype)
    return array.reshape(value["shape"]).copy()


def describe_space(space: gymnasium.Space[Any]) -> dict[str, Any]:
    """Describe a space as data."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return {"n": int(space.n), "start": int(space.start)}
    if isinstance(space, gymnasium.spaces.Box):
        return {"low": space.low.tolist(), "high": space.high.tolist(), "dtype": space.dtype.str}
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        return {"nvec": space.nvec.tolist(), "start": space.start.tolist()}
    if isinstance(space, gymnasium.spaces.MultiBinary):
        return {"binary": list(space.shape)}
    if isinstance(space, gymnasium.spaces.Dict):
        return {"parts": {k: describe_space(v) for k, v in space.spaces.items()}}
    if isinstance(space, gymnasium.spaces.Tuple):
        return {"parts": [describe_space(v) for v in space.spaces]}
    raise ValueError(f"{space} cannot be described to another process")


def space_from(described: dict[str, Any]) -> gymnasium.Space[Any]:
    """Make the space that was described; a bare `{"low", "high"}` is of float32."""
    spaces = gymnasium.spaces
    if "n" in described:
        return spaces.Discrete(int(described["n"]), start=int(described.get("start", 0)))
    if "nvec" in described:
        return spaces.MultiDiscrete(described["nvec"], start=described.get("start"))
    if "binary" in described:
        return MultiBinary(tuple(described["binary"])).to_gymnasium()
    if "parts" in described:
        parts = described["parts"]
        if isinstance(parts, dict):
            return spaces.Dict({k: space_from(v) for k, v in parts.items()})
        return spaces.Tuple([space_from(v) for v in parts])
    dtype = np.dtype(described.get("dtype", "<f4"))
    low, high = (np.asarray(described[k], dtype) for k in ("low", "high"))
    return spaces.Box(low, high, dtype=dtype.type)
