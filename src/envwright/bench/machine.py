"""The machine a number was measured on; without it the number means nothing."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from envwright.core.native import available_cores

PACKAGES = ("jax", "jaxlib", "numpy", "gymnasium", "gymnax")


def describe_machine() -> dict[str, Any]:
    """Describe processor, system, versions and flags, which a reader needs to judge a number."""
    return {
        "cpu": _cpu_model(),
        "cores": available_cores(),
        "memory_gb": _memory_gb(),
        "load_average": _load_average(),
        "os": _system(),
        "python": platform.python_version(),
        **{package: installed_version(package) for package in PACKAGES},
        "device": _device(),
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", ""),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def installed_version(package: str) -> str | None:
    """Return the version of a package, or None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _memory_gb() -> float | None:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return None
    return round(size / 2**30, 1)


def _load_average() -> float | None:
    """Return the load of the last minute; above zero, others were at work before the start."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None


def _system() -> str:
    kernel = ".".join(platform.release().split(".")[:2])
    try:
        distribution = platform.freedesktop_os_release()["PRETTY_NAME"] + ", "
    except (OSError, KeyError):
        distribution = ""
    return f"{distribution}{platform.system()} {kernel} {platform.machine()}"


def _device() -> str:
    import jax

    return jax.devices()[0].device_kind
