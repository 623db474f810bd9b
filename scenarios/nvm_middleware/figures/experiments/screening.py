"""Screening of the inferred and assumed parameters: every one varied together with all others.

The design is that of `pmtwin.sim.numerics.morris`. An inferred parameter, of the host, the load or the store, goes
through its posterior, between its 5 % and 95 % points; an assumed one goes through its plausible range. Held fixed:
the trained policy and the best fixed pools of each phase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.figures.experiments.parallel import Tick, environment_seed, run_tasks
from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.figures.experiments.concurrency import run_pools
from pmtwin.scenarios.nvm_middleware.figures.experiments.sensitivity import policy_results
from pmtwin.sim.host.file import DEFAULT_HOST, HostFile, shipped_host
from pmtwin.sim.numerics.morris import trajectories
from pmtwin.sim.parameters.values import PARAMETERS

SEED_KEY = 17
LOGARITHMIC_FROM = 20.0
"""A range whose ends differ by this factor or more is crossed in equal ratios."""

SECTION_4_2_POOLS = ((1, 16), (4, 4), (8, 8), (16, 1), (16, 4), (16, 16), (32, 8), (32, 32))
"""A part of the 42 combinations that has the best of them."""

P99_GAIN, BATCH_GAIN = "section 4.2: p99 gained (%)", "section 4.2: batch throughput gained (%)"


@dataclass(frozen=True)
class Range:
    """Range of a parameter in the screening.

    Args:
        name: of the parameter.
        values: rising; a place in [0, 1] is a place among them.
        inferred: they are of a posterior.
    """

    name: str
    values: tuple[float, ...]
    inferred: bool

    def at(self, place: float) -> float:
        """The value at a place in [0, 1]."""
        value = float(np.interp(place, np.linspace(0.0, 1.0, len(self.values)), self.values))
        return float(round(value)) if PARAMETERS[self.name].whole else value


def ranges(samples: Mapping[str, Sequence[float] | np.ndarray]) -> list[Range]:
    """Ranges of the inferred or assumed parameters that have an effect in a store with a number of records.

    Args:
        samples: name -> joint draws of a posterior, `records` among them where the store has any.
    """
    places, chosen = np.linspace(0.0, 1.0, 21), []
    records = samples.get("records", [PARAMETERS["records"].default])
    for name, parameter in PARAMETERS.items():
        uncertain = name in samples or parameter.origin == "assumed"
        if not (uncertain and any(parameter.counts_among(number) for number in records)):
            continue
        if name in samples:
            quantiles = np.quantile(samples[name], 0.05 + 0.9 * places)
            chosen.append(Range(name, tuple(quantiles.tolist()), True))
        else:
            low, high = parameter.low, parameter.high
            equal_ratios = low > 0.0 and high / low >= LOGARITHMIC_FROM
            values = np.geomspace(low, high, places.size) if equal_ratios else np.linspace(low, high, places.size)
            chosen.append(Range(name, tuple(values.tolist()), False))
    return chosen


def run(
    campaign: Campaign,
    seed: int,
    policies: Sequence[str],
    best_pools: Mapping[int, tuple[int, int]],
    jobs: int = 1,
    on_done: Tick | None = None,
    samples: Mapping[str, Sequence[float] | np.ndarray] | None = None,
) -> dict:
    """Run every policy, and section 4.2, at every point of the trajectories, on the same seeds.

    Args:
        policies, best_pools: as in `sensitivity.run`.
        samples: name -> joint draws of the host's posterior; None: those of the shipped host.

    Returns:
        `parameters`: name, ends and whether it is inferred; `points`: shape (r, k + 1, k), in [0, 1]; `policies`;
        `outputs`: name -> shape (r, k + 1): attainment in % and mean reward of each policy, gains of section 4.2 in %.
    """
    chosen = ranges(samples_of(shipped_host(DEFAULT_HOST)) if samples is None else samples)
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(SEED_KEY,)))
    points = trajectories(len(chosen), campaign.screening_trajectories, generator)
    values = [
        {each.name: each.at(place) for each, place in zip(chosen, point, strict=True)}
        for point in points.reshape(-1, len(chosen))
    ]
    work = [(campaign, seed, tuple(policies), dict(best_pools), parameters) for parameters in values]
    rows = run_tasks(_point, work, jobs, on_done)
    return {
        "parameters": [
            {"name": each.name, "low": each.values[0], "high": each.values[-1], "inferred": each.inferred}
            for each in chosen
        ],
        "points": points.tolist(),
        "policies": list(policies),
        "outputs": {name: np.reshape([row[name] for row in rows], points.shape[:2]).tolist() for name in rows[0]},
    }


def samples_of(host: HostFile) -> dict[str, np.ndarray]:
    """Name -> joint draws of an inferred host."""
    return {name: np.array([draw[name] for draw in host.draws]) for name in host.draws[0]}


def tasks(campaign: Campaign) -> int:
    """Number of calls of `on_done` in a run."""
    return campaign.screening_trajectories * (len(ranges(samples_of(shipped_host(DEFAULT_HOST)))) + 1)


def windows(campaign: Campaign, policies: int = 5) -> int:
    """Windows that a run simulates."""
    per_phase = campaign.sensitivity_windows + campaign.sensitivity_settling
    section = (1 + len(SECTION_4_2_POOLS)) * (campaign.concurrency_windows + campaign.concurrency_warmup)
    return tasks(campaign) * (policies * 4 * per_phase + section)


def _point(campaign: Campaign, seed: int, policies: tuple[str, ...], best_pools: dict, parameters: dict) -> dict:
    outputs = {}
    for spec in policies:
        results = policy_results(campaign, seed, spec, best_pools, {"parameters": parameters}, seeds=1)
        outputs[f"attainment: {spec}"] = 100.0 * results["attainment"][0]
        outputs[f"reward: {spec}"] = results["reward"][0]
    return outputs | _section_4_2(campaign, seed, parameters)


def _section_4_2(campaign: Campaign, seed: int, parameters: dict) -> dict:
    number = environment_seed(seed, SEED_KEY, 0)
    settings = (None, *SECTION_4_2_POOLS)
    none, *pools = (run_pools(campaign, number, setting, parameters)[:2] for setting in settings)
    return {
        P99_GAIN: 100.0 * (1.0 - min(p99 for p99, _ in pools) / none[0]),
        BATCH_GAIN: 100.0 * (max(batch for _, batch in pools) / none[1] - 1.0),
    }
