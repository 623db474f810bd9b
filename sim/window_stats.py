"""Measures of a window, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.sim.engines.base import WindowResult
from pmtwin.sim.percentiles import class_summary

SHORTEST_NS = 1e-9
"""Least length of a window: a divisor."""


class WindowStats(NamedTuple):
    """Measures of one window; latencies from submission to completion in us, rates in operations per second."""

    p99_us: float
    p99_batch_us: float
    mean_us: float
    mean_batch_us: float
    throughput_ops: float
    interactive_ops: float
    batch_ops: float
    duration_s: float
    completed: int
    extrapolated: bool


def window_stats(result: WindowResult, extrapolated: bool) -> WindowStats:
    """The numbers of a window; `extrapolated`: whether its model is."""
    number, mean_ns, p99_ns = (each.tolist() for each in class_summary(result.classes, result.latency_ns))
    duration_ns = max(result.end_ns - result.start_ns, SHORTEST_NS)
    return stats_of(number, mean_ns, p99_ns, duration_ns, result.latency_ns.size, extrapolated)


def stats_of(
    number: Sequence, mean_ns: Sequence, p99_ns: Sequence, duration_ns: float | np.ndarray, completed, extrapolated
) -> WindowStats:
    """The numbers of a window from what its latencies come to; or of many at once, each an array over windows.

    Args:
        number, mean_ns, p99_ns: of each class, as `pmtwin.sim.percentiles.class_summary` gives them.
    """
    seconds = duration_ns * 1e-9
    p99, mean = [1e-3 * value for value in p99_ns], [1e-3 * value for value in mean_ns]
    rate = [count / seconds for count in number]
    return WindowStats(*p99, *mean, completed / seconds, *rate, seconds, completed, extrapolated)
