"""Several devices and several hosts: environments are divided, agents are everywhere."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from envwright.errors import EnvwrightError

LANES = "lanes"


def make_mesh(devices: int | None = None) -> Mesh:
    """Make a row of the first `count` devices, or of all."""
    found = jax.devices()
    wanted = len(found) if devices is None else devices
    if not 1 <= wanted <= len(found):
        raise EnvwrightError(f"{wanted} devices were asked for; there are {len(found)}")
    return Mesh(np.array(found[:wanted]), (LANES,))


def everywhere(mesh: Mesh) -> NamedSharding:
    """Return the sharding of a copy on every device."""
    return NamedSharding(mesh, PartitionSpec())


def divided(mesh: Mesh, axis: int) -> NamedSharding:
    """Return the sharding of environments (axis 0, or 1 after seeds) over the devices."""
    return NamedSharding(mesh, PartitionSpec(*(None,) * axis, LANES))


def check_divides(num_envs: int, mesh: Mesh) -> None:
    """Check that every device gets the same number of environments."""
    if num_envs % mesh.size:
        raise EnvwrightError(
            f"{num_envs} environments do not divide among {mesh.size} devices; "
            f"choose num_envs as a multiple of {mesh.size}"
        )


def join_hosts(
    coordinator: str | None = None, processes: int | None = None, process: int | None = None
) -> None:
    """Start `jax.distributed`; call before anything else touches JAX.

    On a cluster that JAX knows (Slurm, Open MPI, Kubernetes, cloud TPUs) no arguments are needed.
    Elsewhere, pass in every process the coordinator `HOST:PORT` (that of process 0), how many
    processes there are, and which one it is.
    """
    given: dict[str, Any] = {
        "coordinator_address": coordinator,
        "num_processes": processes,
        "process_id": process,
    }
    told = [name for name, value in given.items() if value is not None]
    if told and len(told) < len(given):
        raise EnvwrightError(
            "--coordinator, --processes and --process belong together; give all three, or none "
            "on a cluster that JAX knows"
        )
    try:
        jax.distributed.initialize(**{name: given[name] for name in told})
    except (ValueError, RuntimeError) as error:
        raise EnvwrightError(f"the hosts did not find each other: {error}") from error


def is_first() -> bool:
    """Return whether this process is the one that writes shared files."""
    return jax.process_index() == 0


def meet(where: str) -> None:
    """Wait for all processes."""
    if jax.process_count() > 1:
        multihost_utils.sync_global_devices(where)


def agreed(opinion: bool) -> bool:
    """Return the first process's answer in all of them, since their clocks differ."""
    if jax.process_count() == 1:
        return opinion
    return bool(multihost_utils.broadcast_one_to_all(opinion))
