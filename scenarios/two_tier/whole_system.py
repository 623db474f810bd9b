"""The system of the scenario: the whole two-tiered storage, on either engine."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.system import System
from pmtwin.scenarios.two_tier.options import ANALYTIC
from pmtwin.scenarios.two_tier.storage.costs import read_costs
from pmtwin.scenarios.two_tier.storage.operation import Operation, Requests
from pmtwin.scenarios.two_tier.storage.system import System as StorageSystem
from pmtwin.scenarios.two_tier.whole_loads import POINT, requests_of
from pmtwin.sim.errors import InputError, unknown_name

if TYPE_CHECKING:
    from pmtwin.scenarios.two_tier.scenario import WholeTwoTier


class WholeSystem(System):
    """Processes with their caches, clients and disks.

    Args:
        scenario: the scenario.
        requests: rate of a client in requests/s, skew and drift.
        seed: seed of the simulation.

    Raises:
        InputError: for engine `analytic`, whose formulas have no windows.
    """

    def __init__(self, scenario: WholeTwoTier, requests: tuple[float, float, int], seed: int):
        self._scenario, self._options, self._requests, self._seed = scenario, scenario.options, requests, seed
        self._policy = self._cache_seed = self._operation = None
        self._measures: dict[str, float] = {}
        if self._options.engine == ANALYTIC:
            raise InputError("engine", ANALYTIC, "compiled or simpy: formulas of the whole system have no windows")

    def decide(self, point, policy, seed):
        if point != POINT.name:
            raise unknown_name("decision point", point, [POINT.name])
        policy.check_engine(self._options.engine)
        if policy.clairvoyant or policy.replays_alone:
            allowed = "a policy that can decide during a simulation, without knowledge of coming requests"
            raise InputError("policy", policy.spec, allowed)
        self._policy, self._cache_seed = policy, seed

    def deciding(self, point: str):
        return self._operation.caches if point == POINT.name and self._operation else ()

    def start(self, setting):
        (threads,) = setting
        options = self._options
        storage, make = options.storage(*self._requests), self._policy and self._policy.cache
        system = StorageSystem(storage, read_costs()[0], options.processes, threads, 0)
        with self._calls():
            self._operation = Operation(
                system, self._seed, options.engine, options.requests_per_window, make, self._cache_seed
            )

    def apply(self, action):
        (threads,) = self._scenario.settings.after(self.setting(), action)
        self._operation.set_threads(threads)

    def run_window(self):
        with self._calls():
            self._operation.run_window()
        self._measures = self._operation.measures()

    def _calls(self):
        """Context manager that reports errors of a user's policy as such."""
        return self._policy.calls() if self._policy else nullcontext()

    def setting(self):
        return (self._operation.threads,)

    def observation(self):
        shown = [self._measures.get(name, 0.0) for name in ("idle_threads", "miss_ratio")]
        numbers = [self._operation.threads, *self._operation.waiting(), *shown]
        return np.minimum(numbers, [column.high for column in self._scenario.columns]).astype(float)

    def measures(self):
        return self._measures

    def requests(self):
        latency_us = 1e3 * self._operation.latency_ms()
        return np.zeros(len(latency_us), np.uint8), latency_us

    def set_context(self, conditions):
        self._requests = requests_of(conditions)
        self._operation.set_requests(Requests(*self._requests))

    def close(self):
        self._operation = None
