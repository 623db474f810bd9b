"""Percentiles over the requests of several runs, with the interval that the runs, not their requests, speak for.

Requests of one run share its schedule, its seed and its device: as if they were independent, an interval would be a
hundred times too narrow. Hence the delete-one jackknife over runs (Efron and Tibshirani, "An introduction to the
bootstrap", 1993, chapter 11), of the logarithm, since latencies are positive and skewed. Of a mean it would be the t
interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pmtwin.sim.numerics.latency_tail import TAILS, LatencyTail
from pmtwin.sim.numerics.statistics import FEWEST, jackknife_half, span


def tail_over_runs(runs: Sequence[LatencyTail]) -> dict[str, Any]:
    """`LatencyTail.summary` of all requests together, each run counting as often as it has requests.

    Args:
        runs: the latencies of each independent run (or device); one without requests counts as no run.

    Returns:
        As `LatencyTail.summary`, but `low` and `high` are the 95 % jackknife interval over runs, None for too few of
        them (`pmtwin.sim.numerics.statistics.FEWEST`); and `range`: the least and the greatest percentile of a run.
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
    """Of each tail with requests, from however few of them."""
    values = (tail.percentile_us(beyond, least_beyond=0.0) for tail in tails)
    return [value for value in values if value is not None]
