"""What generic code has to know of the two-tiered storage: how many service threads a process has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from pmtwin.scenarios.scenario import OWN, Contexts, Scenario, Training
from pmtwin.scenarios.system import System
from pmtwin.scenarios.two_tier.formulas import equilibrium
from pmtwin.scenarios.two_tier.model import HITS, MISSES, THREADS, network
from pmtwin.scenarios.two_tier.options import ANALYTIC, TwoTierOptions
from pmtwin.scenarios.two_tier.simulated import shown
from pmtwin.sim.control import LOG, LOWER, Column, Goal, Measure, Settings
from pmtwin.sim.engines import start_network

RATES = {"calm": 40.0, "section-v": 100.0, "busy": 150.0}
"""Requests per second of a process under the named loads; that of the paper's example stands in the middle."""

MOST_THREADS, MOST_WAITING = 64, 1e6
SETTINGS = Settings("threads", ("service_threads",), (1,), (MOST_THREADS,), "threads", moves=((-1,), (0,), (1,)))
RESPONSE = Measure("mean_response_ms", "ms", "mean time from a request to its answer", LOWER, LOG)
MEASURES = (
    RESPONSE,
    Measure("rho1", "", "utilisation of the service threads", compared=False),
    Measure("l1", "", "requests that wait for a service thread", compared=False),
    Measure("rho2", "", "utilisation of the I/O thread; 0 without one", compared=False),
    Measure("l2", "", "misses that wait for the I/O thread", compared=False),
    Measure("w2_ms", "ms", "mean time that a miss waits for the I/O thread", compared=False),
)


class TwoTierSystem(System):
    """One process, simulated or by the formulas, at a rate of requests."""

    def __init__(self, options: TwoTierOptions, rate: float, seed: int):
        self._options, self._rate, self._seed = options, rate, seed
        self._run = self._window = self._shown = None

    def start(self, setting):
        (self._threads,) = SETTINGS.check(SETTINGS.noun, setting)
        if self._options.engine != ANALYTIC:
            model = network(self._options, self._rate, self._threads)
            self._classes = model.classes
            self._run = start_network(model, self._options.engine, self._seed)

    def apply(self, action):
        setting = action if isinstance(action, tuple) else SETTINGS.moved(self.setting(), int(action))
        (self._threads,) = SETTINGS.check(SETTINGS.noun, setting)
        if self._run is not None:
            self._run.set(THREADS, "servers", self._threads)

    def run_window(self):
        if self._run is None:
            self._shown = equilibrium(self._options, self._rate, self._threads)
            return
        self._window = self._run.run_window(self._options.requests_per_window)
        self._shown = shown(self._options, self._threads, self._window, self._classes)

    def setting(self):
        return (self._threads,)

    def observation(self):
        waiting = (0.0, 0.0) if self._shown is None else (self._shown.l1, self._shown.l2 or 0.0)
        return np.array([self._threads, *np.minimum(waiting, MOST_WAITING)], dtype=float)

    def measures(self):
        return {measure.name: getattr(self._shown, measure.name) or 0.0 for measure in MEASURES}

    def set_context(self, conditions):
        self._rate = rate_of(conditions)
        if self._run is not None:
            shares = {HITS: 1.0 - self._options.miss_rate, MISSES: self._options.miss_rate}
            for name in self._classes:
                self._run.set(name, "rate_ops", shares[name] * self._rate)


def rate_of(conditions: str | float) -> float:
    """Requests per second of a named load, or a rate itself."""
    return RATES.get(conditions, conditions)


class TwoTier(Scenario):
    """How many service threads a process has."""

    name = "two-tier"
    description = "Page cache in fast memory over shared hard disks: replacement, queues, service threads"
    Options = TwoTierOptions
    columns = (
        Column("service_threads", 1, MOST_THREADS, "threads"),
        Column("waiting_tier1", 0, MOST_WAITING, "requests", LOG),
        Column("waiting_misses", 0, MOST_WAITING, "requests", LOG),
    )
    measures = MEASURES
    settings = SETTINGS
    initial_setting = (16,)
    contexts = Contexts("load", tuple(RATES))
    baselines = ("fixed:1", "fixed:16", "random")
    training = Training(dict.fromkeys(RATES, 60), dataset_episodes=10, episode_steps=60)
    commands = MappingProxyType({
        "simulate": "pmtwin.scenarios.two_tier.commands.simulate",
        "evaluate": "pmtwin.scenarios.two_tier.commands.evaluate",
    })  # fmt: skip

    @property
    def goals(self):
        return (Goal("response", RESPONSE, self.options.response_goal_ms),)

    def reward(self, measures: Mapping[str, float]) -> float:
        """As much as the response is late; a response in time is worth the more, the sooner it comes."""
        return 1.0 - measures[RESPONSE.name] / self.options.response_goal_ms

    def system(self, conditions, seed, device=0, mode=None):
        return TwoTierSystem(self.options, rate_of(conditions), seed)

    @property
    def own_conditions(self):
        return self.options.rate

    @property
    def engine(self):
        return self.options.engine

    def rests_on_profile(self):
        return False

    def context_name(self, context):
        return f"rate {self.options.rate:g}" if context == OWN else super().context_name(context)

    def context_record(self, context):
        return {} if context == OWN else super().context_record(context)
