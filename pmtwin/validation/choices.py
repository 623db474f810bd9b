"""The loss on the real system when the twin chooses the fixed setting."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np

from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import HIGHER
from pmtwin.sim.numerics.statistics import FEWEST, jackknife_half
from pmtwin.validation.errors import error_interval
from pmtwin.validation.measured import judged_measures
from pmtwin.validation.plan import MEASURED, PREDICTED, REWARD

MOST_OF_REWARD = 200.0
"""Largest loss of reward in percent of the larger magnitude: the two rewards may differ in sign."""


def best_choices(scenario: type[Scenario], offered: Sequence[tuple[Hashable, dict]]) -> list[dict]:
    """The best fixed setting of each side, and the loss by the twin's choice, for workloads with several settings.

    Args:
        offered: pairs (schedule, entry); a context by itself and the same context in a schedule count as two workloads.

    Returns:
        one entry per workload, schedule and measure (the judged measures and the reward): `predicted` and `measured`:
        the best setting of the twin and of the real system; `loss_percent`: how much worse the measured value is at the
        twin's setting than at the best measured setting, in percent of the best (rewards: of the larger magnitude of
        the two, so at most `MOST_OF_REWARD`);
        `loss_interval`: [low, high] of the loss between these two settings, over seeds; None for fewer than `FEWEST`.
    """
    noun = scenario.settings.noun
    better = {measure.name: 1.0 if measure.better == HIGHER else -1.0 for measure in judged_measures(scenario)}
    rivals: dict[tuple, list[dict]] = {}
    for schedule, entry in offered:
        if entry[noun] is not None:
            rivals.setdefault((entry["workload"], schedule), []).append(entry)
    signs = better | {REWARD: 1.0}
    return [
        _best(noun, name, sign, known)
        for some in rivals.values()
        for name, sign in signs.items()
        if len(known := [entry for entry in some if _is_known(entry[name])]) > 1
    ]


def _is_known(of_measure: dict) -> bool:
    """Whether all seeds of both sides have a value."""
    return all(None not in values for values in of_measure["by_seed"].values())


def _best(noun: str, name: str, sign: float, entries: Sequence[dict]) -> dict:
    best = {side: max(entries, key=lambda entry: sign * entry[name][side]["mean"]) for side in (PREDICTED, MEASURED)}
    chosen, reached = (best[side][name][MEASURED]["mean"] for side in (PREDICTED, MEASURED))
    values = [np.array(best[side][name]["by_seed"][MEASURED]) for side in (PREDICTED, MEASURED)]
    left_out = [
        np.array([np.delete(runs, seed).mean() for seed in range(len(runs))]) for runs in values if len(runs) >= FEWEST
    ]
    lost = _loss_of_reward if name == REWARD else partial(_loss, sign)
    loss, without = lost(chosen, reached), [lost(*pair) for pair in zip(*left_out, strict=True)]
    return {
        "workload": entries[0]["workload"],
        "changing": entries[0]["changing"],
        "measure": name,
        PREDICTED: best[PREDICTED][noun],
        MEASURED: best[MEASURED][noun],
        "loss_percent": loss,
        "loss_interval": _interval_of_reward(loss, without) if name == REWARD else _interval(sign, loss, without),
    }


def _loss(sign: float, chosen: float, reached: float) -> float:
    return float(100.0 * sign * (reached - chosen) / abs(reached)) if reached else 0.0


def _interval(sign: float, loss: float, left_out: Sequence[float]) -> list[float] | None:
    """Interval of a loss, from `error_interval`: where more is better (`sign` 1), a loss is a negative error."""
    ends = error_interval(-sign * loss, [-sign * value for value in left_out])
    return ends and sorted(-sign * end + 0.0 for end in ends)


def _interval_of_reward(loss: float, left_out: Sequence[float]) -> list[float] | None:
    half = jackknife_half(left_out)
    return None if half is None else [max(loss - half, -MOST_OF_REWARD), min(loss + half, MOST_OF_REWARD)]


def _loss_of_reward(chosen: float, reached: float) -> float:
    """Loss in percent of the larger magnitude: rewards have either sign, and the best reward may be near zero."""
    scale = max(abs(chosen), abs(reached))
    return float(100.0 * (reached - chosen) / scale) if scale else 0.0
