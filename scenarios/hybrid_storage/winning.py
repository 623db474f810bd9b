"""Where which policy wins: the slowdown of policies by skew, drift, capacity and think time, on one kind of traffic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple, cast

import numpy as np

from pmtwin.policies import make_policy
from pmtwin.scenarios.hybrid_storage.published import Traffic
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import deciders_of
from pmtwin.scenarios.hybrid_storage.workloads.drawing import draw_requests
from pmtwin.scenarios.hybrid_storage.workloads.shape import Shape
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.running import Deciders, start_run
from pmtwin.sim.hybrid.stream import Paged, paged

READ_PERCENT, SIZE_KB = 50.0, 16.0
"""Traffic of the map: between the kinds of Table 4, in requests of four pages."""

DEVICES = "perf"


class Case(NamedTuple):
    """A point of the map.

    Fields:
        skew: exponent of the popularity. drift: requests in which a place falls by one rank; 0: never.
        fast: capacity of the first device, % of the pages. gap_us: mean think time of the one thread.
    """

    skew: float
    drift: int
    fast: float
    gap_us: float


def cases(
    skews: Iterable[float], drifts: Iterable[int], fasts: Iterable[float], gaps_us: Iterable[float]
) -> list[Case]:
    """All combinations."""
    return [Case(*each) for each in product(skews, drifts, fasts, gaps_us)]


def slowdowns_at(case: Case, specs: Sequence[str], seeds: Sequence[int], length: int) -> dict[str, np.ndarray]:
    """Policy -> mean latency of the second half of the requests over Fast-Only, for each seed: shape (seeds,)."""
    scenario = cast("HybridStorage", HybridStorage.of(devices=DEVICES, fast=case.fast))
    traffic, shape = Traffic("", READ_PERCENT, SIZE_KB, case.gap_us), Shape(skew=case.skew, drift=case.drift)
    rows: dict[str, list[float]] = {spec: [] for spec in specs}
    for seed in seeds:
        requests = paged(draw_requests(traffic, shape, length, seed))
        alone = _mean_ns(scenario.options.storage, requests, None, seed)
        for spec in specs:
            deciders = _deciders(scenario, spec, requests, seed)
            rows[spec].append(_mean_ns(scenario.options.storage, requests, deciders, seed) / alone)
    return {spec: np.array(values) for spec, values in rows.items()}


def winner(shown: dict[str, np.ndarray], near: float = 0.01) -> str:
    """The policy with the least mean slowdown; of those within `near` of it, as a share, the first one in order."""
    means = {spec: float(values.mean()) for spec, values in shown.items()}
    least = min(means.values())
    return next(spec for spec, mean in means.items() if mean <= (1.0 + near) * least)


def _deciders(scenario: HybridStorage, spec: str, requests: Paged, seed: int) -> Deciders:
    policies = make_policy(spec, scenario).inline
    return deciders_of(scenario, policies, requests, dict.fromkeys(policies, np.uint64(seed)))


def _mean_ns(storage: HybridOptions, requests: Paged, deciders: Deciders | None, seed: int) -> float:
    count = len(requests.first)
    run = start_run(storage, requests, deciders, window=count - count // 2, key=seed)
    run.advance(count)
    return float(run.last()[0].mean())
