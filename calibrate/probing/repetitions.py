"""Repetitions of one case: which are usable, when there are enough, and how well they agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.readers.cleaning import bandwidth_fault, latency_fault
from pmtwin.calibrate.readers.probe import BANDWIDTH, LEAST_CPU_SHARE, MEAN, SIZE, TYPICAL, own_share
from pmtwin.sim.numerics.statistics import t_half

NARROW = 0.01
"""Half-width of the 95 % interval of the mean log bandwidth (or latency) at which a case needs no more repetitions."""

LEAST = 3
LARGEST_NOISE_PERCENT = 3.0
"""Median deviation in % above which a machine counts as noisy; errors below twice the deviation can be chance."""


def usable_values(benchmarks: Iterable[Mapping], dimms: float) -> list[float]:
    """Bandwidth in MiB/s, or typical latency in ns, of each repetition that `pmtwin calibrate` will use.

    A repetition is used if its threads had their processors, and its value is possible on this number of modules.
    """
    values = []
    for entry in benchmarks:
        name = next((name for name in (BANDWIDTH, *TYPICAL) if name in entry), None)
        if name is None or entry.get("cpu_share", 1.0) < LEAST_CPU_SHARE:
            continue
        value = float(entry[name])
        if name == BANDWIDTH:
            value /= own_share(entry)
        elif name == MEAN:
            value *= own_share(entry)
        if not (bandwidth_fault(value, entry[SIZE], dimms) if name == BANDWIDTH else latency_fault(value)):
            values.append(value)
    return values


def is_narrow(values: Sequence[float]) -> bool:
    """Whether the repetitions agree well enough to stop, by Student's t: few repetitions have to agree more closely."""
    if len(values) < LEAST:
        return False
    return bool(t_half(np.log(values), 0.95) <= NARROW)


def floor_percent(values: Mapping[object, Sequence[float]]) -> list[float] | None:
    """[median, mean, 90th percentile] of the deviation in % of single repetitions from the median of their case.

    No model can have a smaller error (`pmtwin.calibrate.measurements.noise_percent`). None without a repeated case.
    """
    repeated = [np.log(np.asarray(repeats) / np.median(repeats)) for repeats in values.values() if len(repeats) > 1]
    return ape(np.concatenate(repeated)) if repeated else None
