"""Duration of a window of the real middleware, forecast by the formulas of the analytic tier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.middleware.emulated import least_dilation
from pmtwin.middleware.settings import EMULATED, NativeSettings
from pmtwin.scenarios.comparison.rollout import Context
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.system import THROUGHPUT_OPS
from pmtwin.scenarios.system import Setting
from pmtwin.sim.parameters.values import resolve

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware

TABLES_S, FIT_S = 3.0, 5.0
"""About: to make the tables of an emulated device for a context, and to fit a measured host."""


def window_seconds(
    twin: NvmMiddleware, native: NativeSettings, context: Context, pools: Sequence[Setting]
) -> np.ndarray:
    """Seconds of a window at each of the pools, shape (pools,); on an emulated device longer by its dilation.

    Raises:
        MissingDependencyError: the emulated device is not built.
    """
    throughput = twin.predicted(context, pools, 1, 0)[THROUGHPUT_OPS][0]
    return _dilation(twin, native, context) * twin.options.twin.requests_per_window / throughput


def _dilation(twin: NvmMiddleware, native: NativeSettings, context: Context) -> float:
    if native.store != EMULATED:
        return 1.0
    if native.dilation is not None:
        return native.dilation
    workload, values = twin.offer(twin.conditions_in(context))
    return least_dilation(build_model(twin.options.twin.device, workload, resolve(values), direct=False))
