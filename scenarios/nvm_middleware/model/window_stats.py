"""Measures of a window, as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines.base import WindowResult
from pmtwin.sim.numerics.percentiles import class_summary

SHORTEST_NS = 1e-9
"""Least length of a window: a divisor."""


Number = TypeVar("Number", float, np.ndarray)
"""Of one window a number, of many at once an array over them."""


class WindowStats(NamedTuple, Generic[Number]):
    """Measures of one window; latencies from submission to completion in us, rates in operations per second."""

    p99_us: Number
    p99_batch_us: Number
    mean_us: Number
    mean_batch_us: Number
    throughput_ops: Number
    interactive_ops: Number
    batch_ops: Number
    duration_s: Number
    completed: Number
    extrapolated: bool | np.ndarray


def window_stats(result: WindowResult, extrapolated: bool) -> WindowStats[float]:
    """The numbers of a window; `extrapolated`: whether its model is."""
    number, mean_ns, p99_ns = (each.tolist() for each in class_summary(result.classes, result.latency_ns))
    duration_ns = max(result.end_ns - result.start_ns, SHORTEST_NS)
    return stats_of(number, mean_ns, p99_ns, duration_ns, result.latency_ns.size, extrapolated)


def stats_of(
    number: Iterable[Number],
    mean_ns: Iterable[Number],
    p99_ns: Iterable[Number],
    duration_ns: Number,
    completed: Number,
    extrapolated: bool | np.ndarray,
) -> WindowStats[Number]:
    """The numbers of a window from what its latencies come to; or of many at once, each an array over windows.

    Args:
        number, mean_ns, p99_ns: of each class, as `pmtwin.sim.numerics.percentiles.class_summary` gives them.
    """
    seconds = duration_ns * 1e-9
    p99, batch_p99 = (1e-3 * value for value in p99_ns)
    mean, batch_mean = (1e-3 * value for value in mean_ns)
    rate, batch_rate = (count / seconds for count in number)
    throughput = completed / seconds
    return WindowStats(p99, batch_p99, mean, batch_mean, throughput, rate, batch_rate, seconds, completed, extrapolated)
