"""Changes hand-off costs and host noise in an existing model, for fits of host parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.analytic.demands import DEVICE, HAND, HAND_2, HAND_DEVICE, HAND_SOFT, SOFT
from pmtwin.scenarios.nvm_middleware.model.model import values_handed_over
from pmtwin.scenarios.nvm_middleware.model.pools import POOL_MAX
from pmtwin.sim.host.station import handoff_work_ns
from pmtwin.sim.load.workload import CLASSES

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.model import Model

THREADS = np.arange(2 * POOL_MAX + 1, dtype=float)
"""Possible numbers of threads that share the queues: the workers of both pools together."""


class Handoff:
    """Recomputes the demands that depend on hand-off and noise; the device's tables stay unchanged.

    Args:
        model: a model with a middleware. Its record and its demands are changed in place: pass a copy that nobody else
            uses.
    """

    def __init__(self, model: Model):
        self._record, self._demands = model.records[0], model.demands[0]
        self._clients = int(sum(model.plain.clients))
        demand, loads = self._record["demand_ns"], model.workload.classes
        soft, device = demand[:, :, 0], demand[:, :, 1] + demand[:, :, 3]
        sizes = np.stack([values_handed_over(loads[kind.class_index], kind.operation) for kind in model.kinds])
        share = self._demands["share"]
        self._of_class = share * (self._demands["class_of"] == np.arange(len(CLASSES))[:, None])
        means = {"size": sizes, "square": sizes**2, "soft": sizes * soft, "device": sizes * device}
        self._size, self._square, self._soft, self._device = (by_size.mean(axis=1) for by_size in means.values())

    def set(self, values: Mapping[str, float]) -> None:
        """Set hand-off and noise from the model parameters `values` (name -> value)."""
        record, demands = self._record, self._demands
        record["handoff_ns"][: THREADS.size] = handoff_work_ns(THREADS, values, self._clients)
        demands["noise_square"] = np.exp(values["cpu_noise_sigma"] ** 2)
        slope = 1.0 / values["handoff_bytes"] if values["handoff_bytes"] else 0.0
        moments = demands["moments"]
        moments[:, HAND] = 1.0 + slope * self._size
        moments[:, HAND_2] = 1.0 + 2.0 * slope * self._size + slope**2 * self._square
        moments[:, HAND_SOFT] = moments[:, SOFT] + slope * self._soft
        moments[:, HAND_DEVICE] = moments[:, DEVICE] + slope * self._device
        demands["means"] = self._of_class @ moments
        relative = self._of_class * moments[:, HAND_DEVICE] / moments[:, DEVICE]
        demands["products"][..., 2] = np.tensordot(relative, demands["device_ns"], axes=1)
