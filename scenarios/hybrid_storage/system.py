"""The storage below the scenario, in operation: windows of requests, beside the same requests on the first device."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.policies.sharing import with_shared
from pmtwin.scenarios.hybrid_storage.workloads.named import workload
from pmtwin.scenarios.hybrid_storage.workloads.shape import Shape
from pmtwin.scenarios.hybrid_storage.workloads.traces import recorded
from pmtwin.scenarios.system import System
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.hybrid.options import capacities
from pmtwin.sim.hybrid.point import MIGRATE_POINT, PLACE_POINT
from pmtwin.sim.hybrid.running import Deciders, Reading, Run, start_run
from pmtwin.sim.hybrid.stream import Paged, paged

if TYPE_CHECKING:
    from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
    from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage

US = 1e-3


@lru_cache(maxsize=4)
def drawn_requests(name: str, shape: Shape, seed: int) -> Paged:
    """The requests of a workload in pages."""
    return paged(workload(name, shape, seed))


@lru_cache(maxsize=2)
def trace_requests(path: Path, volumes: str) -> Paged:
    """The requests of a trace in pages; arguments and errors as for `recorded`."""
    return paged(recorded(path, volumes).stream)


def requests_of(options: HybridStorageOptions, conditions: int | str | Path, seed: int) -> Paged:
    """The requests of the options' trace, or those that a workload, named by the conditions, draws from a seed."""
    if options.trace is not None:
        return trace_requests(options.trace, options.volumes)
    return drawn_requests(str(conditions), options.shape, seed)


def unmeasured_requests(options: HybridStorageOptions, count: int) -> int:
    """Requests of a workload before its measured part."""
    return min(round((1.0 - options.measured) * count), count - 1)


def measured_windows(options: HybridStorageOptions) -> int:
    """Whole windows of the measured part of a workload or trace, at least one."""
    count = options.shape.length if options.trace is None else len(trace_requests(options.trace, options.volumes).first)
    return max(round(options.measured * count) // options.requests_per_window, 1)


def deciders_of(
    scenario: HybridStorage, policies: Mapping[str, Any], requests: Paged, keys: Mapping[str, Any]
) -> Deciders:
    """What policies make for a run.

    Args:
        policies: decision point -> its policy. keys: decision point -> key of its random numbers, uint64.
    """
    states = {
        point.name: policies[point.name].state(point.of(scenario.options.storage, requests), keys[point.name])
        for point in scenario.points
    }
    states, migrating = with_shared(policies, states), policies[MIGRATE_POINT]
    moves, every = migrating.name != "stay", getattr(migrating, "every", 0)
    return Deciders(states[PLACE_POINT], states[MIGRATE_POINT], moves=moves, every=every)


class HybridSystem(System):
    """A storage from its empty state on; another workload begins with an empty one.

    Args:
        conditions: name of a workload, or path of a trace. seed: of the requests and of the policies' draws.
    """

    def __init__(self, scenario: HybridStorage, conditions: str | Path, seed: int):
        self._scenario, self._options, self._conditions, self._seed = scenario, scenario.options, conditions, seed
        self._policies: dict[str, tuple[Any, int]] = {}
        self._deciders: Deciders | None = None
        self._measures: dict[str, float] = {}
        self._setting = scenario.initial_setting
        self._run: Any = None
        self._beside: Any = None

    def decide(self, point, policy, seed):
        known = [each.name for each in self._scenario.points]
        if point not in known:
            raise unknown_name("decision point", point, known)
        policy.check_engine(self._options.engine)
        self._policies[point] = policy, seed

    def deciding(self, point):
        if self._deciders is None:
            return ()
        return (self._deciders.place if point == PLACE_POINT else self._deciders.migrate,)

    def start(self, setting):
        self._setting = setting
        self._begin(self._scenario.warmup_windows)

    def apply(self, action):
        self._setting = self._scenario.settings.after(self._setting, action)
        self._run.set_knobs(self._setting)

    def run_window(self):
        before = self._run.reading(), self._beside.reading()
        self._advance(self._options.requests_per_window)
        self._measures = self._measured(*before)

    def setting(self):
        return self._setting

    def observation(self):
        shown = ("slowdown", "mean_us", "read_share", "free", "evictions")
        numbers = [*self._setting, *(self._measures.get(name, 0.0) for name in shown)]
        return np.minimum(numbers, [column.high for column in self._scenario.columns]).astype(float)

    def measures(self):
        return {measure.name: self._measures[measure.name] for measure in self._scenario.measures}

    def requests(self):
        latency_us = self.latency_us()
        return np.zeros(len(latency_us), np.uint8), latency_us

    def latency_us(self) -> np.ndarray:
        """Latencies of the window's requests, in the order of their answers."""
        return self._run.last()[0] * US

    def reading(self) -> Reading:
        """The counters since the storage was empty."""
        return self._run.reading()

    def set_context(self, conditions):
        self._conditions = conditions
        self._begin(0)

    def close(self):
        self._run = None

    def _begin(self, warmup_windows: int) -> None:
        """An empty storage, and the part of the workload that is not measured, whose last windows may be yet to run."""
        options = self._options
        self._requests = self._new_requests()
        key = int(np.random.SeedSequence(self._seed).generate_state(1, np.uint64)[0])
        window = options.requests_per_window
        with self._calls():
            self._deciders = self._new_deciders()
            self._beside = start_run(options.storage, self._requests, None, options.engine, window, key)
            self._run = self._new_run(self._deciders, key)
        self._run.set_knobs(self._setting)
        unmeasured = unmeasured_requests(options, len(self._requests.first))
        self._advance(max(unmeasured - warmup_windows * window, 0))

    def _new_requests(self) -> Paged:
        """The requests of the conditions."""
        return requests_of(self._options, self._conditions, self._seed)

    def _new_run(self, deciders: Deciders | None, key: int) -> Run:
        """The storage before its first request; without deciders the one that runs beside each."""
        if deciders is None:
            return self._beside
        options = self._options
        return start_run(options.storage, self._requests, deciders, options.engine, options.requests_per_window, key)

    def _new_deciders(self) -> Deciders | None:
        """What the policies make for a run; None where the first device holds all pages."""
        return None if getattr(self._policies[PLACE_POINT][0], "holds_all", False) else self._states()

    def _states(self) -> Deciders:
        """What the policies make for a run."""
        keys = {
            name: np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
            for name, (_, seed) in self._policies.items()
        }
        policies = {name: policy for name, (policy, _) in self._policies.items()}
        return deciders_of(self._scenario, policies, self._requests, keys)

    def _advance(self, requests: int) -> None:
        with self._calls():
            for run in {id(run): run for run in (self._run, self._beside)}.values():
                run.advance(run.reading().answered + requests)

    def _calls(self) -> ExitStack:
        """Context manager: an error of a user's policy is told as one."""
        stack = ExitStack()
        for policy, _ in self._policies.values():
            stack.enter_context(policy.calls())
        return stack

    def _measured(self, before: Reading, beside_before: Reading) -> dict[str, float]:
        now, beside = self._run.reading(), self._beside.reading()
        (latency_ns, rows), (fast_ns, _) = self._run.last(), self._beside.last()
        counts = {name: float(count - before.counts[name]) for name, count in now.counts.items()}
        written = float((now.written - before.written).sum())
        asked = counts["asked_bytes"]
        latency_us = latency_ns * US
        elapsed, fast_elapsed = now.now_ns - before.now_ns, beside.now_ns - beside_before.now_ns
        return counts | {
            "slowdown": float(latency_ns.mean() / fast_ns.mean()),
            "mean_us": float(latency_us.mean()),
            "p99_us": float(np.percentile(latency_us, 99)),
            "p9999_us": float(np.percentile(latency_us, 99.99)),
            "throughput": float(fast_elapsed / elapsed),
            "write_amplification": written / asked if asked else math.nan,
            "read_share": 1.0 - float(self._requests.stream.write[rows].mean()),
            "free": self._free_share(now),
        }

    def _free_share(self, now: Reading) -> float:
        """Free share of the first device."""
        capacity = capacities(self._options.storage, len(self._requests.home))[0]
        return max(1.0 - float(now.used[0]) / capacity, 0.0)
