"""The array type of rules that run on NumPy and on JAX.

Such rules take the array library as an argument (`xp`), and the same lines compute a reference
run in NumPy and a compiled one in JAX. Code that only ever sees JAX says `jax.Array`.
"""

from __future__ import annotations

from typing import TypeAlias

import jax
import numpy as np

Array: TypeAlias = jax.Array | np.ndarray
