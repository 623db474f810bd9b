"""The system of the scenario: a process of the two-tiered storage, simulated or by the formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import System
from pmtwin.scenarios.two_tier.formulas import equilibrium
from pmtwin.scenarios.two_tier.loads import rate_of
from pmtwin.scenarios.two_tier.model import HITS, MISSES, THREADS, network
from pmtwin.scenarios.two_tier.options import ANALYTIC
from pmtwin.scenarios.two_tier.simulated import window_means
from pmtwin.sim.engines import start_network


class TwoTierSystem(System):
    """A process at a request rate, simulated or by the formulas.

    Args:
        scenario: the scenario.
        rate: requests per second.
        seed: seed of the simulation.
    """

    def __init__(self, scenario: Scenario, rate: float, seed: int):
        self._scenario, self._options, self._rate, self._seed = scenario, scenario.options, rate, seed
        self._run = self._means = None

    def start(self, setting):
        (self._threads,) = setting
        if self._options.engine != ANALYTIC:
            model = network(self._options, self._rate, self._threads)
            self._classes = model.classes
            self._run = start_network(model, self._options.engine, self._seed)

    def apply(self, action: Any):
        (self._threads,) = self._scenario.settings.after(self.setting(), action)
        if self._run is not None:
            self._run.set(THREADS, "servers", self._threads)

    def run_window(self):
        if self._run is None:
            self._means = equilibrium(self._options, self._rate, self._threads)
            return
        window = self._run.run_window(self._options.requests_per_window)
        self._means = window_means(self._options, window, self._classes)

    def setting(self):
        return (self._threads,)

    def observation(self):
        waiting = (0.0, 0.0) if self._means is None else (self._means.l1, self._means.l2 or 0.0)
        return np.array([self._threads, *np.minimum(waiting, self._scenario.columns[-1].high)], dtype=float)

    def measures(self):
        return {measure.name: getattr(self._means, measure.name) or 0.0 for measure in self._scenario.measures}

    def set_context(self, conditions: str):
        self._rate = rate_of(conditions)
        if self._run is not None:
            shares = {HITS: 1.0 - self._options.miss_rate, MISSES: self._options.miss_rate}
            for name in self._classes:
                self._run.set(name, "rate_ops", shares[name] * self._rate)
