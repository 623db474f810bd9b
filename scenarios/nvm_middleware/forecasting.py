"""Forecasts of the coming window at all pools: load and host are estimated, the rest are the formulas.

Profile, clients, burstiness and what is not estimated of the host are those of the scenario's options and its first
context: a belief, not the truth of the context in force. Sizes and mixes are those observed (Table 3.2). The formulas:
docs/analytic.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.nvm_middleware.host_estimate import HostEstimate
from pmtwin.scenarios.nvm_middleware.load_estimate import LoadEstimate
from pmtwin.scenarios.nvm_middleware.model.pools import POOLS
from pmtwin.scenarios.nvm_middleware.system import COLUMNS, P99_US, THROUGHPUT_OPS
from pmtwin.sim.control.forecast import Forecast, Forecaster
from pmtwin.sim.load.workload import Workload
from pmtwin.sim.parameters.values import resolve

if TYPE_CHECKING:  # they compile
    from pmtwin.scenarios.nvm_middleware.model.analytic.handoff import Handoff
    from pmtwin.scenarios.nvm_middleware.model.analytic.predict import Predictor
    from pmtwin.scenarios.nvm_middleware.twin import TwinSettings

RATES = ("interactive_ops", "batch_ops")
_AT = {column.name: place for place, column in enumerate(COLUMNS)}
THREADS = [_AT[name] for name in POOLS.names]
QUEUES = [_AT["interactive_queue_size"], _AT["batch_queue_size"]]
LOADS = slice(_AT["interactive_block_size"], _AT["batch_write_ratio"] + 1)

ERRORS = {P99_US: 0.1, THROUGHPUT_OPS: 0.025}
"""Relative errors of what a window shows beside the formulas, as scales of a logistic distribution: what they leave out
of its p99, and chance in its number of requests."""

RATE_SD, P99_SD = 0.03, 0.2
"""The same as standard deviations of logarithms, of a class's rate and of the p99, where the host is estimated."""

MORE = 4.0
"""Factor on what a class is answered that is behind: so much is more than it could be answered."""

_ANGLES = np.arange(6) * np.pi / 3.0
POINTS = np.vstack([np.zeros((1, 2)), 2.0 * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])])
WEIGHTS = np.array([1.0 / 2.0] + [1.0 / 12.0] * 6)
"""Of a normal distribution in two dimensions: exact for polynomials of degree 5 (Stroud 1971, formula E2 5-1)."""


class LoadForecaster(Forecaster):
    """See `Forecaster`.

    Args:
        twin: `TwinSettings`, whose profile and representative host are believed.
        workload: whose clients and burstiness are believed.
        host_estimate: whether the host is estimated; its file says how uncertain it is, what was set by hand is not.
    """

    _predictor: Predictor
    _handoff: Handoff
    """Of the sizes and mixes that were observed last (`_describe`)."""

    def __init__(self, twin: TwinSettings, workload: Workload, host_estimate: bool = True):
        self._device, self._workload, self._values = twin.device, workload, resolve(twin.values)
        self._requests = float(twin.requests_per_window)
        draws = twin.host_file.draws if host_estimate and twin.host_file else ()
        tied = [draw.get("classes_tied", self._values["classes_tied"]) for draw in draws]
        if "classes_tied" in twin.parameters or not tied:
            tied = [self._values["classes_tied"]]
        self._load = LoadEstimate(workload, self._values, self._requests, float(np.mean(tied)))
        self._host = HostEstimate(self._values, draws, twin.parameters)
        self._content: np.ndarray | None = None

    def forecast(self, observation: np.ndarray, info: Mapping[str, float], settings: np.ndarray) -> Forecast:
        answered = np.maximum([info[name] for name in RATES], 1.0)
        anew = self._describe(observation[LOADS])
        self._load.update(answered, observation[QUEUES], anew)
        if self._host.names:
            self._learn(np.rint(observation[THREADS]).astype(np.int64), answered, max(info[P99_US], 1.0))
        mean, covariance = self._load.coming_rates()
        loads = np.exp(mean + POINTS @ np.linalg.cholesky(covariance).T)
        p99_us, throughput_ops, left = (
            np.stack(rows) for rows in zip(*(self._at(rates, settings) for rates in loads), strict=True)
        )
        return Forecast({P99_US: p99_us, THROUGHPUT_OPS: throughput_ops}, left, WEIGHTS, ERRORS)

    def _describe(self, content: np.ndarray) -> bool:
        """A model of the sizes and mixes that were observed, built again when they change by 5 %: whether they did."""
        from pmtwin.scenarios.nvm_middleware.model.analytic.handoff import Handoff
        from pmtwin.scenarios.nvm_middleware.model.analytic.predict import Predictor
        from pmtwin.scenarios.nvm_middleware.model.model import build_model

        known = self._content
        if known is not None and np.allclose(content, known, rtol=0.05, atol=0.02):
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
        model = build_model(self._device, workload, self._host.values, direct=False)
        self._predictor, self._handoff = Predictor(model, (99.0,)), Handoff(model)
        return known is not None

    def _learn(self, pools: np.ndarray, answered: np.ndarray, p99_us: float) -> None:
        """The host, from a window at these pools; a p99 counts where no queue was left from the window before."""
        load = self._load
        offered = np.where(load.held_up, load.rates(), np.where(load.behind, MORE, 1.0) * answered)
        counted = np.array([*~load.held_up, load.calm[0]])

        def expected(values: Mapping[str, float], away: np.ndarray):
            self._handoff.set(values)
            out = self._predictor(pools[None], 1e-9 * (offered * np.exp(away))[None])[0]
            shown = np.array([1e9 * out[0, 0], 1e9 * out[1, 0], 1e-3 * out[0, 2]])
            return np.log(np.nan_to_num(shown, nan=1e12, posinf=1e12))[counted]

        shown = np.log([*answered, p99_us])[counted]
        variances = np.array([RATE_SD, RATE_SD, P99_SD])[counted] ** 2
        self._host.update(shown, expected, variances, np.sqrt(np.where(load.behind, 0.0, load.noise)))
        self._handoff.set(self._host.values)

    def _at(self, rates: np.ndarray, settings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(p99 in us, operations/s, share of interactive work left) of all settings; the queues are answered too."""
        offered = rates + self._load.waiting * rates.sum() / self._requests
        out = self._predictor(settings, np.tile(1e-9 * offered, (len(settings), 1)))
        p99_us = np.nan_to_num(1e-3 * out[:, 0, 2], nan=1e12, posinf=1e12)
        answered = np.nan_to_num(1e9 * out[:, :, 0])
        together = (answered / offered).min(axis=1) * offered.sum() if self._load.tied else answered.sum(axis=1)
        return p99_us, together, np.maximum(1.0 - answered[:, 0] / offered[0], 0.0)
