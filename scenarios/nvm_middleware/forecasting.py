"""Forecasts of the coming window at all pools: rates are estimated from what was answered, the rest are the formulas.

Profile, host, clients and burstiness are those of the scenario's options and its first context: a belief, not the truth
of the context in force. Sizes and mixes are those observed (Table 3.2). The formulas: docs/analytic.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.scenarios.nvm_middleware.rate_estimate import RateEstimate
from pmtwin.scenarios.nvm_middleware.system import COLUMNS, P99_US, THROUGHPUT_OPS
from pmtwin.sim.forecast import Forecast, Forecaster
from pmtwin.sim.load import RateVariation
from pmtwin.sim.parameters import resolve
from pmtwin.sim.workload import CLASSES, Workload

RATES = ("interactive_ops", "batch_ops")
_AT = {column.name: place for place, column in enumerate(COLUMNS)}
QUEUES = [_AT["interactive_queue_size"], _AT["batch_queue_size"]]
LOADS = slice(_AT["interactive_block_size"], _AT["batch_write_ratio"] + 1)

BEHIND = 0.5
"""Share of a class's clients in wait from which on it is behind."""

QUEUE_LEFT = 0.3
"""Share of the mean queue of a window, of a class that is not behind, that its end leaves."""

ERRORS = {P99_US: 0.1, THROUGHPUT_OPS: 0.025}
"""Relative errors of what a window shows beside the formulas, as scales of a logistic distribution: what they leave out
of its p99, and chance in its number of requests."""

LEAST_SIGMA = 0.03
"""Of the variation of a rate that is believed in."""

_ANGLES = np.arange(6) * np.pi / 3.0
POINTS = np.vstack([np.zeros((1, 2)), 2.0 * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])])
WEIGHTS = np.array([1.0 / 2.0] + [1.0 / 12.0] * 6)
"""Of a normal distribution in two dimensions: exact for polynomials of degree 5 (Stroud 1971, formula E2 5-1)."""


class LoadForecaster(Forecaster):
    """See `Forecaster`.

    Args:
        twin: `TwinSettings`, whose profile and representative host are believed.
        workload: whose clients and burstiness are believed.
    """

    def __init__(self, twin, workload: Workload):
        self._device, self._workload, self._values = twin.device, workload, resolve(twin.values)
        self._requests = float(twin.requests_per_window)
        self._clients = np.array([max(load.clients, 1) for load in workload.classes], dtype=float)
        self._burstiness = np.array([load.interarrival_cov**2 for load in workload.classes])
        sigma = tuple(max(self._values[f"{name}_rate_sigma"], LEAST_SIGMA) for name in CLASSES)
        beside, kept = self._values["rate_correlation"], self._values["rate_persistence"]
        self._tied = bool(self._values["classes_tied"])
        self._rates = RateEstimate(RateVariation(sigma, beside, kept), self._tied)
        self._waiting = np.zeros(2)
        self._content = self._predictor = None

    def forecast(self, observation, info, settings) -> Forecast:
        self._estimate(np.array([info[name] for name in RATES]), observation[QUEUES], observation[LOADS])
        mean, covariance = self._rates.coming_rates()
        loads = np.exp(mean + POINTS @ np.linalg.cholesky(covariance).T)
        p99_us, throughput_ops, left = (
            np.stack(rows) for rows in zip(*(self._at(rates, settings) for rates in loads), strict=True)
        )
        return Forecast({P99_US: p99_us, THROUGHPUT_OPS: throughput_ops}, left, WEIGHTS, ERRORS)

    def _estimate(self, answered: np.ndarray, queues: np.ndarray, content: np.ndarray) -> None:
        """Rates of both classes, from a window's answers and the queues after it."""
        answered = np.maximum(answered, 1.0)
        seconds = self._requests / answered.sum()
        count = np.maximum(answered * seconds, 1.0)
        behind = queues > BEHIND * self._clients
        came = np.maximum(count - self._waiting, QUEUE_LEFT * count) / seconds
        noise = self._burstiness / count + (QUEUE_LEFT * self._waiting / count) ** 2
        self._rates.update(np.log(came), noise, np.log(answered), behind, self._describe(content))
        self._waiting = np.minimum(queues, self._clients) * np.where(behind, 1.0, QUEUE_LEFT)

    def _describe(self, content: np.ndarray) -> bool:
        """A model of the sizes and mixes that were observed, built again when they change by 5 %: whether they did."""
        from pmtwin.sim.analytic.predict import Predictor
        from pmtwin.sim.model import build_model

        first = self._content is None
        if not first and np.allclose(content, self._content, rtol=0.05, atol=0.02):
            return False
        self._content = content.copy()
        sizes, writes = content[:2], content[2:]
        loads = []
        for load, size, share in zip(self._workload.classes, sizes, writes, strict=True):
            load = replace(load, write_ratio=float(np.clip(share, 0.0, 1.0)))
            factor = max(size, 1.0) / load.mean_size_bytes()
            scaled = [np.maximum(load.sizes(is_write) * factor, 1.0) for is_write in (False, True)]
            loads.append(replace(load, read_sizes_bytes=scaled[0], write_sizes_bytes=scaled[1]))
        # what tied classes answer follows from what each could: windows of such cost forty times the time
        workload = replace(self._workload, interactive=loads[0], batch=loads[1], parts=(), tied=False)
        self._predictor = Predictor(build_model(self._device, workload, self._values, direct=False), (99.0,))
        return not first

    def _at(self, rates: np.ndarray, settings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(p99 in us, operations/s, share of interactive work left) of all settings; the queues are answered too."""
        offered = rates + self._waiting * rates.sum() / self._requests
        out = self._predictor(settings, np.tile(1e-9 * offered, (len(settings), 1)))
        p99_us = np.nan_to_num(1e-3 * out[:, 0, 2], nan=1e12, posinf=1e12)
        answered = np.nan_to_num(1e9 * out[:, :, 0])
        together = (answered / offered).min(axis=1) * offered.sum() if self._tied else answered.sum(axis=1)
        return p99_us, together, np.maximum(1.0 - answered[:, 0] / offered[0], 0.0)
