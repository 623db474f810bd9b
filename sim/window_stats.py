"""What a window showed, as numbers."""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.sim.engines.base import WindowResult
from pmtwin.sim.percentiles import percentile_99, split_by_class


class WindowStats(NamedTuple):
    """What one window showed; latencies from submission to completion in us, rates in operations per second."""

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
    seconds = max(result.end_ns - result.start_ns, 1e-9) * 1e-9
    latency, means = split_by_class(result.classes, result.latency_ns)
    p99 = [1e-3 * percentile_99(values) for values in latency]
    mean = [1e-3 * value for value in means]
    rate = [values.size / seconds for values in latency]
    completed = result.latency_ns.size
    return WindowStats(*p99, *mean, completed / seconds, *rate, seconds, completed, extrapolated)
