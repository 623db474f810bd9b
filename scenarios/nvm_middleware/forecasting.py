"""Forecasts of the coming window at all pools: the load is estimated from what was answered, the rest are the formulas.

Profile, host, clients and burstiness are those of the scenario's options and its first context: a belief, not the truth
of the context in force. Sizes and mixes are those observed (Table 3.2). The formulas: docs/analytic.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.scenarios.forecast import Forecast, Forecaster
from pmtwin.scenarios.nvm_middleware.system import COLUMNS, P99_US, THROUGHPUT_OPS
from pmtwin.sim.workload import Workload

RATES = ("interactive_ops", "batch_ops")
_AT = {column.name: place for place, column in enumerate(COLUMNS)}
QUEUES = [_AT["interactive_queue_size"], _AT["batch_queue_size"]]
LOADS = slice(_AT["interactive_block_size"], _AT["batch_write_ratio"] + 1)

FORGETTING = 0.5
"""Share of the newest window in an estimated rate."""

CHANGE = 0.3
"""Relative change of a rate at which its estimate begins anew: another context."""

GROWTH = 1.15
"""Factor on the answered rate of a class whose clients wait: more was offered than was answered."""

SPREAD = (-0.15, 0.15, 0.0)
"""Relative differences of the coming window's rates from the estimate; the estimate itself last."""

BACKLOG = 0.5
"""Share of a class's clients in wait from which on it is behind."""


class LoadForecaster(Forecaster):
    """See `Forecaster`.

    Args:
        twin: `TwinSettings`, whose profile and host are believed.
        workload: whose clients and burstiness are believed.
    """

    def __init__(self, twin, workload: Workload):
        self._twin, self._workload = twin, workload
        self._rates = self._content = self._predictor = None

    def forecast(self, observation, info, settings) -> Forecast:
        answered = np.maximum([info[name] for name in RATES], 1.0)
        clients = np.array([load.clients for load in self._workload.classes], dtype=float)
        waiting = observation[QUEUES] > BACKLOG * clients
        self._estimate(answered, waiting)
        self._describe(observation[LOADS])
        rows = [self._at(1.0 + step, settings) for step in SPREAD]
        p99_us, throughput_ops = (np.stack(column) for column in zip(*rows, strict=True))
        return Forecast({P99_US: p99_us, THROUGHPUT_OPS: throughput_ops}, not waiting.any())

    def _estimate(self, answered: np.ndarray, waiting: np.ndarray) -> None:
        """Rates of both classes; of a class whose clients wait, what it is answered is a lower bound."""
        if self._rates is None:
            self._rates = answered.copy()
        seen = np.where(waiting, np.maximum(self._rates, GROWTH * answered), answered)
        anew = np.abs(seen / self._rates - 1.0) > CHANGE
        self._rates = np.where(anew, seen, self._rates + FORGETTING * (seen - self._rates))

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

    def _at(self, factor: float, settings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(p99 in us, operations/s) of all settings at so many times the estimated rates."""
        rates = np.broadcast_to(1e-9 * self._rates * factor, settings.shape)
        out = self._predictor(settings, np.ascontiguousarray(rates))
        p99_us = np.nan_to_num(1e-3 * out[:, 0, 2], nan=1e12, posinf=1e12)
        return p99_us, np.nan_to_num(1e9 * out[:, :, 0].sum(axis=1))
