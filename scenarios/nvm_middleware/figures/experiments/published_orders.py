"""Orders of the median rewards of fixed pools (Tables D.4 to D.7), by the joint draws of the inferred host."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.nvm_middleware.inference.quantities import name_of
from pmtwin.scenarios.nvm_middleware.published import FIXED_POOL_REWARDS
from pmtwin.sim.host.file import DEFAULT_HOST, shipped_host

DRAWS_A_TASK = 10


def tasks(draws: int) -> list[range]:
    """Parts of the draws, each computed by one call of `median_rewards`."""
    return [range(low, min(low + DRAWS_A_TASK, draws)) for low in range(0, draws, DRAWS_A_TASK)]


def median_rewards(seed: int, part: range) -> list[dict[str, float]]:
    """For each draw of the default host: name of a quantity -> median reward of the windows of one setting.

    `max_latency` (Algorithm 1) is the scenario's default: the tables do not identify it.
    """
    from pmtwin.scenarios.nvm_middleware.inference.simulator import ThesisSimulator

    draws, simulator = shipped_host(DEFAULT_HOST).draws, ThesisSimulator()
    return [
        {
            name_of(f"phase-{phase}", pools, "reward"): float(
                np.median(simulator.run(phase, pools, draws[number % len(draws)], seed).reward)
            )
            for phase, (_, table) in FIXED_POOL_REWARDS.items()
            for pools in table
        }
        for number in part
    ]


def orders(rewards: list[dict[str, float]]) -> dict[str, dict]:
    """By phase: `whole`, the share of draws with the whole published order, `pairs`, the mean share of draws that have
    a pair right, and `wrong`, the pairs that most draws have the other way: (better, worse as published, share)."""
    from pmtwin.scenarios.nvm_middleware.inference.evidence import order_of

    columns = {name: np.array([draw[name] for draw in rewards]) for name in rewards[0]}
    shown = {}
    for phase in FIXED_POOL_REWARDS:
        order = order_of(phase)
        pairs = {names: float(right.mean()) for names, right in order.pairs(columns).items()}
        shown[str(phase)] = {
            "order": order.text,
            "draws": len(rewards),
            "whole": float(order.met(columns).mean()),
            "pairs": float(np.mean(list(pairs.values()))),
            "wrong": [[*map(_pools, names), share] for names, share in pairs.items() if share < 0.5],
        }
    return shown


def _pools(quantity: str) -> str:
    return quantity.split("/")[1]
