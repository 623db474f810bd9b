"""A storage of some capacity under a policy, simulated: latencies with intervals, and bytes written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import HybridSystem
from pmtwin.sim.numerics.statistics import FEWEST, Interval, over_runs, t_half

PARTS = 20
"""Windows of the measured part of a run."""

GOALS: Mapping[str, Callable[[np.ndarray], float]] = {
    "mean_us": lambda latency_us: float(latency_us.mean()),
    "p99_us": lambda latency_us: float(np.percentile(latency_us, 99.0)),
    "p9999_us": lambda latency_us: float(np.percentile(latency_us, 99.99)),
}
"""Measure that may have a goal -> its value for the latencies of requests."""


class Simulated(NamedTuple):
    """Results of a capacity.

    Fields:
        values: measure -> its value with the interval over the seeds, or for a single run over its parts.
        bytes_s: written to each device.
    """

    values: dict[str, Interval]
    bytes_s: list[float]


class _Run(NamedTuple):
    parts: list[np.ndarray]
    bytes_s: np.ndarray


def with_capacity(scenario: HybridStorage, percent: float, requests: int) -> HybridStorage:
    """The scenario with this capacity of the first device, in percent, and `PARTS` windows.

    Args:
        requests: of the workload or trace.
    """
    options = scenario.options
    window = max(int(options.measured * requests) // PARTS, 10)
    return type(scenario)(replace(options, storage=replace(options.storage, fast=percent), requests_per_window=window))


def simulated(
    scenario: HybridStorage, spec: str, context: int | str | None, seeds: Sequence[int], measures: Sequence[str]
) -> Simulated:
    """Run a policy once for each seed, over the measured part.

    Args:
        scenario: from `with_capacity`. context: name of a workload; None: the trace.
    """
    runs = [_run(scenario, spec, context, seed) for seed in seeds]
    return Simulated(
        {name: _value(GOALS[name], runs) for name in measures},
        np.mean([run.bytes_s for run in runs], axis=0).tolist(),
    )


def _run(scenario: HybridStorage, spec: str, context: int | str | None, seed: int) -> _Run:
    env = ControlEnv(scenario, context, episode_steps=None)
    parts, readings = [], []

    def note() -> None:
        system = env.running()
        assert isinstance(system, HybridSystem)
        parts.append(system.latency_us())
        readings.append(system.reading())

    policy = make_policy(spec, scenario)
    started = PolicyContext.of(scenario, seed=np.random.SeedSequence(seed))
    run_policy(policy, started, env, [Block(OWN if context is None else context, PARTS)], seed, on_step=note)
    first, last = readings[0], readings[-1]
    devices = len(scenario.options.storage.block_devices)
    written = np.zeros(devices)  # where the first device holds all pages, it is the only one
    written[: len(last.written)] = last.written - first.written
    return _Run(parts, written / (1e-9 * (last.now_ns - first.now_ns)))


def _value(measure: Callable[[np.ndarray], float], runs: Sequence[_Run]) -> Interval:
    of_runs = [measure(np.concatenate(run.parts)) for run in runs]
    if len(runs) >= FEWEST:
        interval = over_runs(of_runs)
        return {"mean": interval["mean"], "low": interval["low"], "high": interval["high"]}
    whole = float(np.mean(of_runs))
    half = float(t_half(np.array([measure(part) for run in runs for part in run.parts])))
    return {"mean": whole, "low": whole - half, "high": whole + half}
