"""A model-predictive controller: in each window it estimates the load and jumps to the best pools of the formulas.

Certainty-equivalent control with a horizon of one window (Bertsekas, "Dynamic Programming and Optimal Control", 6.1):
estimate, search all settings on the analytic tier (docs/analytic.md), apply, repeat. It is not trained. It sees the
observation and the measures of the last window. Profile, host, clients and burstiness it takes from the scenario's
defaults and phase 1: they are its belief, not the truth of the context.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.scenarios.nvm_middleware.system import COLUMNS, P99_US, POOLS, THROUGHPUT_OPS
from pmtwin.sim.options import Options, option

RATES = ("interactive_ops", "batch_ops")
_AT = {column.name: place for place, column in enumerate(COLUMNS)}
QUEUES = [_AT["interactive_queue_size"], _AT["batch_queue_size"]]
LOADS = slice(_AT["interactive_block_size"], _AT["batch_write_ratio"] + 1)


@dataclass(frozen=True)
class PredictiveOptions(Options):
    """The numbers of the controller."""

    forgetting: float = option(0.5, "share of the newest window in the estimates", low=0.01, high=1.0)
    change: float = option(0.3, "relative change of a rate at which its estimate begins anew", low=0.0, high=10.0)
    growth: float = option(1.15, "factor on the answered rate of a class whose clients wait", low=1.0, high=3.0)
    spread: float = option(0.15, "relative spread of the rate of the coming window", low=0.0, high=1.0)
    softness: float = option(0.1, "relative error of the formulas near a goal", low=0.001, high=1.0)
    hysteresis: float = option(0.03, "share of windows by which another setting must be better", low=0.0, high=1.0)


class Predictive(Policy):
    """Searches all pools on the formulas for the load that it estimates, and jumps to the best."""

    Takes = PredictiveOptions

    def start(self, context: PolicyContext):
        """Takes the goals from the context; begins with the scenario's own pools.

        Raises:
            InputError: in a scenario without these pools and goals.
        """
        from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware  # the policy's belief, by default

        if context.settings != POOLS or tuple(context.columns) != COLUMNS:
            raise self.unserved(context, "the pools and observations of nvm-middleware")
        self._goals = context.goal(P99_US).limit, context.goal(THROUGHPUT_OPS).limit
        self._keep, self._settings = context.stay(), np.array(list(np.ndindex(32, 32)), dtype=np.int64) + 1
        belief = NvmMiddleware()
        self._twin, self._workload = belief.options.twin, belief.workload(1)
        self._rates = self._content = self._predictor = None
        self._late = 0.0

    def act(self, observation, info=None):
        """The pools to jump to; keeps those in force while nothing has been measured."""
        if not info or P99_US not in info:
            return self._keep
        observation = np.asarray(observation, dtype=float)
        present = (int(observation[0]), int(observation[1]))
        answered = np.maximum([info[name] for name in RATES], 1.0)
        clients = np.array([load.clients for load in self._workload.classes], dtype=float)
        waiting = observation[QUEUES] > 0.5 * clients
        self._estimate(answered, waiting)
        self._describe(observation[LOADS])
        at = (present[0] - 1) * 32 + present[1] - 1
        worth, p99_us = self._worth()
        if not waiting.any() and info[P99_US] > 0.0 and p99_us[at] > 0.0:
            error = float(np.clip(np.log(info[P99_US] / p99_us[at]), -0.5, 0.5))
            self._late += self.options.forgetting * 0.2 * (error - self._late)
        best = int(worth.argmax())
        if best == at or worth[best] < worth[at] + self.options.hysteresis:
            return self._keep
        return tuple(int(threads) for threads in self._settings[best])

    def _estimate(self, answered: np.ndarray, waiting: np.ndarray) -> None:
        """Rates of both classes; of a class whose clients wait, what it is answered is a lower bound."""
        if self._rates is None:
            self._rates = answered.copy()
        chosen = self.options
        seen = np.where(waiting, np.maximum(self._rates, chosen.growth * answered), answered)
        anew = np.abs(seen / self._rates - 1.0) > chosen.change
        self._rates = np.where(anew, seen, self._rates + chosen.forgetting * (seen - self._rates))

    def _describe(self, content: np.ndarray) -> None:
        """A model of the sizes and mixes that were observed, built again when they change by 5 %."""
        from pmtwin.sim.analytic.predict import Predictor
        from pmtwin.sim.model import build_model
        from pmtwin.sim.parameters import resolve

        if self._content is not None and np.allclose(content, self._content, rtol=0.05, atol=0.02):
            return
        self._content = content.copy()
        sizes, writes = content[:2], content[2:]
        loads = []
        for load, size, share in zip(self._workload.classes, sizes, writes, strict=True):
            load = replace(load, write_ratio=float(np.clip(share, 0.0, 1.0)))
            factor = max(size, 1.0) / load.mean_size_bytes()
            scaled = [np.maximum(load.sizes(is_write) * factor, 1.0) for is_write in (False, True)]
            loads.append(replace(load, read_sizes_bytes=scaled[0], write_sizes_bytes=scaled[1]))
        workload = replace(self._workload, interactive=loads[0], batch=loads[1], parts=())
        model = build_model(self._twin.device, workload, resolve(self._twin.values_of(0)), direct=False)
        self._predictor = Predictor(model, (99.0,))

    def _worth(self) -> tuple[np.ndarray, np.ndarray]:
        """(share of windows that keep both goals, p99 in us at the estimated rates) of all settings."""
        latency_us, throughput_ops = self._goals
        worth = np.zeros(len(self._settings))
        for step in (-1.0, 1.0, 0.0):  # the estimate itself last: its p99 is returned
            rates = np.broadcast_to(1e-9 * self._rates * (1.0 + step * self.options.spread), self._settings.shape)
            out = self._predictor(self._settings, np.ascontiguousarray(rates))
            p99_us = np.nan_to_num(1e-3 * out[:, 0, 2], nan=1e12, posinf=1e12)
            ops = np.nan_to_num(1e9 * out[:, :, 0].sum(axis=1))
            margins = np.log(latency_us / np.maximum(p99_us * np.exp(self._late), 1e-9))
            worth += self._kept(margins) * self._kept(np.log(np.maximum(ops, 1.0) / throughput_ops)) / 3.0
        return worth, p99_us

    def _kept(self, margin: np.ndarray) -> np.ndarray:
        """Probability that a goal is kept with this margin, a logarithm: logistic."""
        return 1.0 / (1.0 + np.exp(-np.clip(margin / self.options.softness, -50.0, 50.0)))
