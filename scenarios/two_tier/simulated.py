"""Simulation of the numbers that the formulas predict: queues in equilibrium, and a workload from start to end."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.two_tier.formulas import MISS_QUEUE, TIER1_QUEUE, Equilibrium, shares
from pmtwin.scenarios.two_tier.model import IO_THREAD, MISSES, THREADS, network
from pmtwin.scenarios.two_tier.options import SHARED, TwoTierOptions
from pmtwin.sim.engines import NetworkWindow, start_network
from pmtwin.sim.numerics.statistics import Interval, mean_interval

BATCHES = 20
"""Number of equal parts of a run, whose means give the interval of the mean."""

WARM_UP = 0.02
"""Number of requests before the measurement, as a share of the measured ones, to fill the empty queues."""


def window_means(options: TwoTierOptions, window: NetworkWindow, names: tuple[str, ...]) -> Equilibrium:
    """Means of one window, by the formulas' names.

    Services and waits that began before the window, or end after it, count with their part within the window.

    Args:
        options: options of the process.
        window: the window.
        names: names of its classes of requests.
    """
    seconds, count = (window.end_ns - window.start_ns) * 1e-9, len(window.classes)
    waited = {name: time_ns * 1e-9 for name, time_ns in window.waited_ns.items()}
    response = float(window.latency_ns.mean()) * 1e-6
    at_tier1 = window.utilisation(THREADS), waited[TIER1_QUEUE] / seconds, 1e3 * waited[TIER1_QUEUE] / count
    if options.servers == SHARED:
        return Equilibrium(*at_tier1, None, None, None, response)
    if MISSES not in names:
        return Equilibrium(*at_tier1, 0.0, 0.0, 0.0, response)
    misses = int((window.classes == names.index(MISSES)).sum())
    at_misses = waited[MISS_QUEUE] / seconds, 1e3 * waited[MISS_QUEUE] / max(misses, 1)
    return Equilibrium(*at_tier1, window.utilisation(IO_THREAD), *at_misses, response)


def run_equilibrium(
    options: TwoTierOptions,
    rate: float,
    threads: int,
    requests: int,
    seed: int,
    on_batch: Callable[[], object] = lambda: None,
) -> dict[str, Interval]:
    """Run a process for a number of requests after a warm-up.

    Returns:
        Field of `Equilibrium` -> `mean`, `low` and `high`, a 95 % interval over batches; fields without a value are
        left out.
    """
    model = network(options, rate, threads)
    run = start_network(model, options.engine, seed)
    run.run_window(max(int(WARM_UP * requests), 1))
    batches = []
    for _ in range(BATCHES):
        batches.append(window_means(options, run.run_window(max(requests // BATCHES, 1)), model.classes))
        on_batch()
    columns = zip(Equilibrium._fields, zip(*batches, strict=True), strict=True)
    return {name: mean_interval(values) for name, values in columns if values[0] is not None}


class Workload(NamedTuple):
    """Results of a whole workload, from empty queues on.

    Fields:
        completion_s: time until the last answer of the last process.
        means: means over all requests, in equilibrium or not.
    """

    completion_s: float
    means: dict[str, float]


def run_workload(
    options: TwoTierOptions, rate: float, threads: int, seed: int, on_process: Callable[[], object] = lambda: None
) -> Workload:
    """Run `options.requests` requests on all processes; each process has its own arrivals and misses."""
    ends, by_process, weights = [], [], []
    counts = [share for share in shares(options) if share[0]]
    for (count, _), child in zip(counts, np.random.SeedSequence(seed).spawn(len(counts)), strict=True):
        model = network(options, rate, threads, count)
        window = start_network(model, options.engine, child).run_window(count)
        ends.append(window.end_ns * 1e-9)
        by_process.append(window_means(options, window, model.classes))
        weights.append(count)
        on_process()
    columns = zip(Equilibrium._fields, zip(*by_process, strict=True), strict=True)
    means = {name: float(np.average(values, weights=weights)) for name, values in columns if values[0] is not None}
    return Workload(max(ends), means)
