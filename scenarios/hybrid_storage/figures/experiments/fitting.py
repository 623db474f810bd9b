"""One value each of skew and fast capacity, fitted to two published numbers alone: Sibyl's shares of Oracle."""

from __future__ import annotations

import numpy as np

from pmtwin.pipeline.step import Work
from pmtwin.scenarios.hybrid_storage.figures.averages import LATENCY, Runs, by_seed
from pmtwin.scenarios.hybrid_storage.figures.campaign import HybridCampaign
from pmtwin.scenarios.hybrid_storage.figures.experiments.runs import Case, computed, runs_of
from pmtwin.scenarios.hybrid_storage.figures.experiments.storages import COST, PERF, TRACES
from pmtwin.scenarios.hybrid_storage.figures.policies import ORACLE, SIBYL, present
from pmtwin.scenarios.hybrid_storage.published import CLAIMS

SKEWS, FASTS = (0.5, 0.7, 0.9, 1.1, 1.3, 1.5), (1.0, 3.0, 10.0, 30.0, 60.0)
GRID_SEEDS = 1
KINDS = {"LUN0": 5, "ssd-00": 2, "ssd-02": 3, "YCSB-B": 5, "ResNet50": 2}
"""Traces of the grid -> traces of Table 4 that are like it, by suite and mean size: its weight in the mean over all."""


def fitted_to() -> dict[str, float]:
    """Storage -> Sibyl's performance in percent of Oracle's, as published."""
    (claim,) = (each for each in CLAIMS if each.name == "sibyl")
    assert claim.cost is not None  # stated for both
    return {PERF: claim.perf, COST: claim.cost}


def grid(work: Work) -> dict:
    """`cells`: a row for each skew and capacity, with Sibyl's share of Oracle by storage, %, and `distance`: the root
    of the sum of squared differences from the published ones, in points. `best`: the cell with the least."""
    seeds = by_seed(computed(work, _grid_cases(), work.setting.campaign.grid_length, GRID_SEEDS)["runs"])
    cells = [_cell(seeds, skew, fast) for skew in SKEWS for fast in FASTS]
    return {"cells": cells, "best": min(cells, key=lambda cell: cell["distance"])}


def grid_requests(campaign: HybridCampaign) -> int:
    """Requests of all runs of `grid`."""
    return GRID_SEEDS * campaign.grid_length * runs_of(_grid_cases())


def _grid_cases() -> list[Case]:
    return [
        Case(f"{config} {skew:g} {fast:g}", name, (SIBYL, ORACLE), {"devices": config, "fast": fast}, {"skew": skew})
        for skew in SKEWS
        for fast in FASTS
        for config in fitted_to()
        for name in KINDS
    ]


def _cell(seeds: dict[str, list[Runs]], skew: float, fast: float) -> dict:
    shares = {}
    for config in fitted_to():
        (runs,) = seeds[f"{config} {skew:g} {fast:g}"]
        shares[config] = 100.0 * _mean(runs, ORACLE) / _mean(runs, SIBYL)
    distance = sum((shares[config] - published) ** 2 for config, published in fitted_to().items()) ** 0.5
    return {"skew": skew, "fast": fast, **shares, "distance": distance}


def _mean(runs: Runs, policy: str) -> float:
    """Mean latency over Fast-Only, each trace as often as there are traces like it."""
    latencies = [runs.mean(policy, LATENCY, (name,)) for name in KINDS]
    return float(np.average(latencies, weights=list(KINDS.values())))


def predictions(work: Work) -> dict:
    """`runs` of all policies at the fitted skew and capacity, as long as those that were fitted."""
    best = work.results["fit"]["best"]
    return computed(
        work, _fitted_cases(best["skew"], best["fast"]), work.setting.campaign.grid_length, work.setting.campaign.seeds
    )


def fitted_requests(campaign: HybridCampaign) -> int:
    """Requests of all runs of `predictions`."""
    return campaign.seeds * campaign.grid_length * runs_of(_fitted_cases(SKEWS[0], FASTS[0]))


def _fitted_cases(skew: float, fast: float) -> list[Case]:
    return [
        Case(config, name, (*present(), ORACLE), {"devices": config, "fast": fast}, {"skew": skew})
        for config in fitted_to()
        for name in TRACES
    ]
