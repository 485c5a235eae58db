"""Tables of `translation.toml` that say how much is done: levels, training, caps."""

from __future__ import annotations

from dataclasses import replace

from envwright.core.toml_table import Table
from envwright.train.config import PPOConfig, configure
from envwright.translate.spec.model import ITERATIONS, Budget
from envwright.translate.spec.words import count
from envwright.verify.l3_rollouts import POLICIES
from envwright.verify.policies import POLICIES as KNOWN_POLICIES
from envwright.verify.run import Effort
from envwright.verify.transfer.plan import TransferPlan, plan_from


def budget_from(table: Table) -> Budget:
    """[budget]."""
    caps = {
        "dollars": table.get("dollars", float, None),  # type: ignore[arg-type]
        "tokens": table.get("tokens", int, None),  # type: ignore[arg-type]
        "iterations": table.get("iterations", int, None),  # type: ignore[arg-type]
        "minutes": table.get("minutes", float, None),  # type: ignore[arg-type]
        "per_level": table.get("per_level", int, ITERATIONS),
    }
    table.end()
    for name, value in caps.items():
        if value is not None and not value > 0:
            raise table.wrong(name, f"{name!r} must be above 0")
    return Budget(**caps)


_SIZES = ("visited", "fuzzed", "boundary", "starts")


def effort_from(top: Table) -> Effort:
    """[l1] [l2] [l3]: how much is sampled."""
    l1, l2, l3 = top.table("l1"), top.table("l2"), top.table("l3")
    effort = Effort()
    sizes = {k: count(l1, k, getattr(effort, k)) for k in _SIZES}
    effort = replace(
        effort,
        **sizes,
        examples=count(l2, "examples", effort.examples),
        policies=_policies(l3),
    )
    l2.texts("interactions")
    episodes = l3.get("episodes", int, 100)
    for table in (l1, l2, l3):
        table.end()
    return l3.build(lambda: replace(effort, episodes=episodes))


def _policies(table: Table) -> tuple[str, ...]:
    for name in table.texts("policies"):
        if name not in KNOWN_POLICIES and not name.startswith(("python:", "trained:")):
            known = ", ".join(KNOWN_POLICIES)
            raise table.wrong(
                "policies", f"there is no policy {name!r}; use {known} or python:module:attribute"
            )
    return table.texts("policies") or POLICIES


def transfer_from(top: Table) -> TransferPlan | None:
    """[l4] [train]: the plan of level 4, if there is one."""
    plan, train = top.raw("l4"), top.raw("train")
    top.table("train").build(lambda: configure(PPOConfig(), train))  # told with its own line
    return top.table("l4").build(lambda: plan_from(plan, train)) if plan else None
