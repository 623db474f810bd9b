"""What the twin's choice of fixed pools costs on the middleware."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from pmtwin.scenarios.validation.errors import interval
from pmtwin.scenarios.validation.runs import MEASURED, PREDICTED


def best_choices(offered: Sequence[tuple[Hashable, dict]]) -> list[dict]:
    """For each workload with several fixed settings: the best of each side, and what the twin's choice costs.

    Args:
        offered: (schedule, entry); a phase by itself and the same one among others are two things.

    Returns:
        one entry per workload, schedule and measure (throughput, p99, reward): `predicted` and `measured` pools, and
        `loss_percent`: how far the measured value at the twin's choice lies behind that of the best one measured;
        `loss_interval`: [low, high] of the loss between these two settings, over seeds, or None.
    """
    rivals: dict[tuple, list[dict]] = {}
    for schedule, entry in offered:
        if entry["pools"] is not None:
            rivals.setdefault((entry["workload"], schedule), []).append(entry)
    return [_best(name, sign, here) for here in rivals.values() if len(here) > 1 for name, sign in _BETTER.items()]


_BETTER = {"throughput_ops": 1.0, "p99_us": -1.0, "reward": 1.0}


def _best(name: str, sign: float, entries: Sequence[dict]) -> dict:
    best = {side: max(entries, key=lambda entry: sign * entry[name][side]["mean"]) for side in (PREDICTED, MEASURED)}
    chosen, reached = (best[side][name][MEASURED]["mean"] for side in (PREDICTED, MEASURED))
    values = [np.array(best[side][name]["by_seed"][MEASURED]) for side in (PREDICTED, MEASURED)]
    left_out = [np.array([np.delete(of, seed).mean() for seed in range(len(of))]) for of in values if len(of) > 1]
    loss = _loss(sign, chosen, reached)
    return {
        "workload": entries[0]["workload"],
        "changing": entries[0]["changing"],
        "measure": name,
        PREDICTED: best[PREDICTED]["pools"],
        MEASURED: best[MEASURED]["pools"],
        "loss_percent": loss,
        "loss_interval": interval(loss, [_loss(sign, *pair) for pair in zip(*left_out, strict=True)]),
    }


def _loss(sign: float, chosen: float, reached: float) -> float:
    return float(100.0 * sign * (reached - chosen) / abs(reached)) if reached else 0.0
