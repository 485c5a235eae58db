"""Runs that are stopped, and what is left of them."""

import json

import numpy as np

from envwright.train import Keeping, train
from envwright.train.log import read_log
from envwright.train.run import CHECKPOINTS, policy_files

CLOCK = ("seconds", "steps_per_second")


class Stop(Exception):
    pass


def stopped(spec, keeping, at, **options):
    """Train until an update and leave the run there."""

    def watch(line, updates):
        if line["update"] >= at:
            raise Stop

    try:
        train(spec, keeping, watch=watch, **options)
    except Stop:
        return
    raise AssertionError("the run came to its end")


def resumed(spec, folder, **options):
    return train(spec, Keeping(folder, resume=True, every_seconds=0), **options)


def timeless(lines):
    return [{k: v for k, v in line.items() if k not in CLOCK} for line in lines]


def arrays_of(folder):
    """All policies of a run and all arrays of its last checkpoint, by name."""
    found = {}
    for path in policy_files(folder):
        with np.load(path) as file:
            found |= {f"{path.name} {name}": file[name] for name in file.files}
    last = max(path for path in (folder / CHECKPOINTS).iterdir() if path.name.isdecimal())
    found["update"] = np.array(int(last.name))
    return found | checkpoint_arrays(last)


def checkpoint_arrays(checkpoint):
    """Read onto one device, whatever devices it was written from."""
    import jax
    import orbax.checkpoint as ocp

    here = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    path = (checkpoint / "arrays").resolve()
    with ocp.StandardCheckpointer() as reader:
        told = reader.metadata(path).item_metadata.tree
        shapes = {k: jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=here) for k, v in told.items()}
        restored = reader.restore(path, shapes)
    return {f"checkpoint {name}": np.asarray(leaf) for name, leaf in restored.items()}


def assert_same_end(folder, expected):
    """Bit for bit: every parameter, the optimiser, lanes, keys, counters; and the log."""
    ours, theirs = arrays_of(folder), arrays_of(expected)
    assert ours.keys() == theirs.keys() and len(ours) > 20
    different = [name for name in theirs if not np.array_equal(ours[name], theirs[name])]
    assert not different, different
    assert timeless(read_log(folder)) == timeless(read_log(expected))


def manifest_of(folder):
    return json.loads((folder / "run.json").read_text())
