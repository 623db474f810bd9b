"""Percentiles over the requests of several runs, with intervals over runs.

Requests of one run share its schedule, its seed and its device: treating them as independent would make an interval a
hundred times too narrow. The interval is therefore a delete-one jackknife over runs (Efron and Tibshirani, "An
introduction to the bootstrap", 1993, chapter 11) of the logarithm, since latencies are positive and skewed. For a mean,
the same jackknife gives the t interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pmtwin.sim.numerics.latency_tail import TAILS, LatencyTail
from pmtwin.sim.numerics.statistics import FEWEST, jackknife_half, span


def tail_over_runs(runs: Sequence[LatencyTail]) -> dict[str, Any]:
    """`LatencyTail.summary` of the requests of all runs; a run is weighted by its number of requests.

    Args:
        runs: the latencies of each independent run (or device); runs without requests are ignored.

    Returns:
        As `LatencyTail.summary`, but `low` and `high` are the 95 % jackknife interval over runs (None below
        `pmtwin.sim.numerics.statistics.FEWEST` runs), and `range` has the smallest and the largest percentile of a run.
    """
    runs = [run for run in runs if run.requests]
    tail = LatencyTail()
    for run in runs:
        tail.merge(run)
    rests = [tail.without(run) for run in runs] if len(runs) >= FEWEST else []
    summary = tail.close().summary()
    for name, beyond in TAILS.items():
        entry = summary[name]
        if entry["us"] is None:
            continue
        half = jackknife_half([math.log(value) for value in _percentiles_us(rests, beyond)])
        ends = (None, None) if half is None else (entry["us"] * math.exp(-half), entry["us"] * math.exp(half))
        by_run = _percentiles_us(runs, beyond)
        summary[name] = entry | dict(zip(("low", "high"), ends, strict=True)) | {"range": span(by_run)}
    return summary


def _percentiles_us(tails: Sequence[LatencyTail], beyond: float) -> list[float]:
    """Percentile, in us, of each tail that has requests, even if these are few."""
    values = (tail.percentile_us(beyond, least_beyond=0.0) for tail in tails)
    return [value for value in values if value is not None]
