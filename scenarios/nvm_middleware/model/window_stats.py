"""Measures of a window, as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines.base import WindowResult
from pmtwin.sim.numerics.percentiles import class_summary

SHORTEST_NS = 1e-9
"""Shortest length of a window, which prevents a division by zero."""


Number = TypeVar("Number", float, np.ndarray)
"""A number for one window, or an array over many windows."""


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
    """The measures of a window; `extrapolated`: whether its model is extrapolated."""
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
    """The measures of a window from a summary of its latencies; or of many windows, as arrays.

    Args:
        number, mean_ns, p99_ns: for each class, as `pmtwin.sim.numerics.percentiles.class_summary` gives them.
    """
    seconds = duration_ns * 1e-9
    p99, batch_p99 = (1e-3 * value for value in p99_ns)
    mean, batch_mean = (1e-3 * value for value in mean_ns)
    rate, batch_rate = (count / seconds for count in number)
    throughput = completed / seconds
    return WindowStats(p99, batch_p99, mean, batch_mean, throughput, rate, batch_rate, seconds, completed, extrapolated)
