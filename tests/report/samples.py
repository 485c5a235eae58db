"""Small results of every kind, as the other commands write them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

Json = dict[str, Any]

MACHINE = {
    "cpu": "A processor for tests",
    "cores": 2,
    "memory_gb": 23.5,
    "os": "Debian GNU/Linux 12 (bookworm), Linux 6.18 x86_64",
    "python": "3.11.7",
    "jax": "0.10.2",
    "gymnasium": "1.3.0",
    "device": "cpu",
    "date": "2026-11-15T23:22:07+00:00",
}
REFERENCE, OURS, PORT = (
    "gymnasium:CartPole-v1",
    "envwright:cartpole",
    "gymnasium:phys2d/CartPole-v1",
)


APART = {
    "numbers": 82_604,
    "absolute": {"median": 1.1e-8, "p99": 4.5e-7, "p99.9": 1.1e-6, "largest": 1.9e-6},
    "relative": {"median": 2.2e-8, "p99": 7.1e-8, "p99.9": 3.2e-5, "largest": 0.5},
}


def level(number: int, verdict: str = "equal", **more: Any) -> Json:
    """One entry of `levels`."""
    return {
        "level": number,
        "passed": verdict == "equal",
        "verdict": verdict,
        "cases": 20_651 if number < 3 else 0,
        "episodes": 1000 if number == 3 else 0,
        "steps": 405_254,
        "bound": 0.003 if verdict == "equal" else None,
        "near_boundary": 0,
        "largest_gaps": {"obs": 1.9e-6, "reward": 0.0},
        "differences": {"float32": {"obs": APART}},
        "inconclusive": "",
        "notes": ["float64: 4582 visited, 2000 fuzzed, 200 boundary states"],
        "divergences": [],
        **more,
    }


def verification(**more: Any) -> Json:
    """Our CartPole against Gymnasium's, levels 1 to 3."""
    return {
        "kind": "verify",
        "env": "cartpole",
        "backend": "jax",
        "reference": REFERENCE,
        "twin": OURS,
        "seed": 0,
        "notes": ["float64: states matched by python:envwright.zoo.cartpole.bridge:BRIDGE"],
        "levels": [level(1), level(2, largest_gaps={}, notes=[]), level(3)],
        **more,
    }


def divergence(number: int = 1, **more: Any) -> Json:
    """The wrong physics of Gymnasium's phys2d port, as verify finds it."""
    return {
        "level": number,
        "reference": REFERENCE,
        "twin": PORT,
        "field": "obs[1]",
        "reference_value": 0.19512194395065308,
        "twin_value": 0.3414633870124817,
        "tolerance": "1e-05 absolute (asked for on the command line)",
        "step": 0,
        "seed": 0,
        "origin": "random policy, seed 0, step 0",
        "raised": "",
        "hint": "",
        "bridge": "",
        "tolerances": {"default": {"atol": 1e-5, "ulp": 0, "why": "asked for"}, "fields": {}},
        "include_terminal": False,
        "resync": False,
        "lane": None,
        "kind": "steps",
        "path": "divergence.npz",
        "start": {"state": [0.0, 0.0, 0.0, 0.0], "time": 0},
        "actions": [1],
        **more,
    }


def port_verification(divergences: list[Json] | None = None) -> Json:
    """The port differs on all levels, everywhere in the same way."""
    found = [divergence(n) for n in (1, 2, 3)] if divergences is None else divergences
    levels = [
        level(n, "different", divergences=[d for d in found if d["level"] == n]) for n in (1, 2, 3)
    ]
    return verification(env="", backend="", twin=PORT, notes=[], levels=levels)


def strangers() -> Json:
    """Two simulators that the zoo does not know: pendulums of different weight."""
    light, heavy = "gymnasium:Pendulum-v1?g=5", "gymnasium:Pendulum-v1"
    found = divergence(
        reference=heavy,
        twin=light,
        field="obs[2]",
        reference_value=0.37,
        twin_value=0.19,
        start={"state": [0.5, 0.0], "time": 0},
        actions=[[0.1]],
        bridge="",
    )
    levels = [level(1, "different", divergences=[found]), level(2, "inconclusive")]
    return verification(env="", backend="", reference=heavy, twin=light, notes=[], levels=levels)


def transfer_verification(verdict: str = "equivalent") -> Json:
    """Level 4: policies of three stages and both origins, played on both sides."""
    numbers = np.random.default_rng(0)
    policies = [
        {
            "trained_in": trained_in,
            "seed": seed,
            "stage": stage,
            "steps": steps,
            "return_reference": float(np.clip(mean + 15 * numbers.normal(), 9, 500)),
            "return_twin": float(np.clip(mean + 15 * numbers.normal(), 9, 500)),
        }
        for trained_in in (REFERENCE, OURS)
        for seed in range(10)
        for stage, (steps, mean) in enumerate(((0, 25), (50_000, 210), (200_000, 480)))
    ]
    directions = [
        {
            "trained_in": trained_in,
            "n": 10,
            "policies": 30,
            "sd": 4.4,
            "margin": 10.0,
            "alpha": 0.05,
            "mean_reference": 241.2,
            "mean_twin": 241.2 + gap,
            "difference": gap,
            "low": gap - 3.1,
            "high": gap + 3.3,
            "p": 0.0004,
            "p_difference": 0.41,
            "power": 0.97,
            "verdict": verdict,
            "case": "ordinary",
            "reason": "the return changes by less than the margin",
        }
        for trained_in, gap in ((REFERENCE, 1.4), (OURS, -0.8))
    ]
    transfer = {
        "margin": 10.0,
        "margin_why": "2 % of the largest return",
        "alpha": 0.05,
        "horizon": 500,
        "episodes": 100,
        "stages": [0.0, 0.25, 1.0],
        "config": {},
        "directions": directions,
        "correlation": {"pearson": 0.997, "spearman": 0.981, "policies": 60},
        "visitation": {
            "jsd_mean": 0.0021,
            "jsd_max": 0.0044,
            "noise": 0.0038,
            "noise_max": 0.0061,
            "dims": 4,
            "compared": 4,
            "rows": [9, 9],
            "p": 0.6,
        },
        "proposed_margin": None,
        "policies": policies,
    }
    four = level(4, verdict, transfer=transfer, largest_gaps={}, notes=["margin fixed beforehand"])
    return verification(levels=[four])


def mutation(**more: Any) -> Json:
    """Seeded bugs, one survivor, one proved equivalent."""
    return {
        "kind": "mutation",
        "env": "cartpole",
        "mutants": 152,
        "mutants_in_all": 152,
        "killed": {"l1": 147, "l2": 128, "l3": 129},
        "killed_by_any": 150,
        "crashed": 22,
        "kill_rate": 0.9934,
        "equivalent": [{"mutant": "env.py:70:constant:0->1", "proof": "observe never reads it"}],
        "survived": [{"mutant": "env.py:24:constant:0.05->-0.05", "diff": "24: 0.05  ->  -0.05"}],
        **more,
    }


def coverage() -> Json:
    """Decisions, one of which level 2 saw one way only."""
    decisions = ["env.py:66 `action == 1`", "rules.py:77 `m.x < -p.x_limit`"]
    return {
        "kind": "coverage",
        "env": "cartpole",
        "backend": "jax",
        "levels": [
            {"level": n, "decisions": 2, "both_outcomes": both, "share": both / 2}
            for n, both in ((1, 2), (2, 1), (3, 2))
        ],
        "share": 1.0,
        "episodes": 60,
        "bound": 0.0487,
        "decisions": [
            {"decision": text, "outcomes": {"false": 6884, "true": 270}} for text in decisions
        ],
        "unseen": [],
        "unvisited": [],
        "files": {
            "rules.py": {
                "lines": 43,
                "lines_run": 43,
                "branches": 0,
                "branches_run": 0,
                "missing": [],
            }
        },
        "rust": {"skipped": "this backend has no Rust"},
    }


SPEEDS = {
    ("envwright-jax", "ours"): (9.5e6, 42e6, 56e6),
    ("gymnax", "peer"): (4.1e6, 7.3e6, 11e6),
    ("gymnasium-vector", "peer"): (1.4e6, 12e6, 21e6),
}


def bench(kind: str = "random", slower: float = 1.0) -> Json:
    """Ours, the reference and two peers at three batches."""
    numbers = np.random.default_rng(1)

    def row(name: str, role: str, batch: int, speed: float) -> Json:
        samples = [speed / slower * float(f) for f in 1 + 0.04 * numbers.normal(size=5)]
        ratio = speed / 164_745
        return {
            "implementation": name,
            "role": role,
            "kind": kind,
            "batch": batch,
            "threads": 1 if role == "reference" else 2,
            "cores_used": 1.0 if role == "reference" else 1.97,
            "sps_mean": float(np.mean(samples)),
            "sps_std": float(np.std(samples)),
            "ratio": ratio,
            "ratio_low": ratio * 0.95,
            "ratio_high": ratio * 1.05,
            "compile_seconds": 0.0 if "gymnasium" in name else 0.71,
            "samples": samples,
            **({"bytes_per_env": 36.0, "peak_memory_mb": 412.5} if role == "ours" else {}),
        }

    rows = [row("gymnasium", "reference", 1, 164_745)]
    for (name, role), speeds in SPEEDS.items():
        rows += [row(name, role, b, v) for b, v in zip((64, 1024, 8192), speeds, strict=True)]
    return {
        "kind": "bench",
        "schema": 1,
        "machine": MACHINE,
        "env": "cartpole-v1",
        "settings": {"kind": kind, "repeats": 5},
        "rows": rows,
        "comparisons": [],
        "skipped": [{"implementation": "brax", "reason": "No module named 'brax'"}],
    }


def training(backend: str = "jax") -> Json:
    """A curve that climbs to 500; the reference climbs as high, but on a slower clock."""
    numbers = np.random.default_rng(len(backend))
    ours = backend != "reference"
    steps = [10_240 * (i + 1) for i in range(40)]

    def curve(late: float) -> list[float | None]:
        at = np.arange(len(steps))
        climb = 22 + 480 / (1 + np.exp(-(at - 14 - late) / 3.5))
        return [None, *np.clip(climb + 18 * numbers.normal(size=len(steps)), 9, 500).tolist()[1:]]

    returns = [curve(late) for late in 1.5 * numbers.normal(size=10)]
    return {
        "kind": "training",
        "env": "cartpole",
        "backend": backend,
        "simulator": OURS if ours else REFERENCE,
        "machine": MACHINE,
        "config": {"lanes": 64, "learning_rate": 2.5e-4},
        "parameters": 9155,
        "seeds": list(range(10)),
        "steps": steps,
        "seconds": [s / (1.1e6 if ours else 6e4) for s in steps],
        "returns": returns,
        "lengths": returns,
        "final_return": {"mean": 497.2, "per_seed": [497.2] * 10},
        "steps_per_second": 1.1e6 if ours else 6e4,
    }


def breakdown() -> Json:
    """The environment is most of the reference's time and little of ours."""
    rows = []
    sizes = (("64x64", 1), ("2M", 9), ("20M", 70), ("200M", 640))
    for size, net in sizes:
        for name, role, env, move in (
            ("envwright-jax", "ours", 0.02, 0.0),
            ("gymnasium", "reference", 9.5, 0.9),
        ):
            seconds = {
                "environment": env,
                "inference": 0.1 * net,
                "update": 0.35 * net,
                "transfer": move,
            }
            rows.append(
                {
                    "implementation": name,
                    "role": role,
                    "size": size,
                    "parameters": 9155 * net,
                    "batch": 64,
                    "rollout": 128,
                    "seconds": seconds,
                    "share": {k: v / sum(seconds.values()) for k, v in seconds.items()},
                    "iteration_seconds": sum(seconds.values()),
                    "samples": {k: [v] * 5 for k, v in seconds.items()},
                }
            )
    return {
        "kind": "breakdown",
        "env": "cartpole-v1",
        "machine": MACHINE,
        "settings": {},
        "rows": rows,
        "skipped": [],
    }


def play(image: str = "cartpole-play.webp") -> Json:
    """A trained policy's animation."""
    return {
        "kind": "play",
        "env": "cartpole",
        "simulator": OURS,
        "image": image,
        "episodes": 1,
        "return": 500.0,
        "steps": 500,
        "caption": f"cartpole, trained in {OURS}: return 500 in 500 steps",
    }


def animation(path: Path, frames: int = 8) -> None:
    """A pole that sways."""
    pictures = []
    for i in range(frames):
        picture = Image.new("RGB", (300, 200), "#fbfaf7")
        draw = ImageDraw.Draw(picture)
        x = 150 + 40 * math.sin(2 * math.pi * i / frames)
        draw.line([(0, 150), (300, 150)], fill="#30343f")
        draw.rectangle([x - 15, 142, x + 15, 158], fill="#30343f")
        draw.line([(x, 148), (x + 12 * math.cos(i), 90)], fill="#c58f5c", width=6)
        pictures.append(picture)
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=80, loop=0)


def everything(folder: Path) -> Path:
    """A folder with a result of every kind, an unknown one and a broken one."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "cartpole-verify": verification(),
        "cartpole-transfer": transfer_verification(),
        "phys2d": port_verification(),
        "strangers": strangers(),
        "cartpole-mutants": mutation(),
        "cartpole-coverage": coverage(),
        "cartpole": bench(),
        "cartpole-rollout": bench("rollout", 6.0),
        "cartpole-ppo": bench("ppo", 40.0),
        "cartpole-training-jax": training("jax"),
        "cartpole-training-reference": training("reference"),
        "cartpole-breakdown": breakdown(),
        "deeper/cartpole-play": play(),
        "tea": {"kind": "tea"},
    }
    for name, data in files.items():
        put(folder / f"{name}.json", data)
    animation(folder / "deeper" / "cartpole-play.webp")
    (folder / "broken.json").write_text('{"kind": "bench", ')
    return folder


def put(path: Path, data: Json) -> Path:
    """Write a result."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    return path
