"""Runs of a validation made up for tests, of the thread-pool scenario."""

import numpy as np

from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.validation import MEASURED, PREDICTED, Tolerances, ValidationPlan, Windows, compare, grid_cases

DEFAULT = NvmMiddleware()
MEASURES = ("throughput_ops", "p99_us", "batch_ops")

POOLS = ((2, 2), (6, 6), (12, 12), (30, 30))
"""A small grid."""


def plan_of(cases, **values):
    """A plan whose sides are alike, both twins by default."""
    return ValidationPlan(tuple(cases), **{"predicted": DEFAULT, "measured": DEFAULT} | values)


def tolerances(medium="emulated", **changes):
    """Those of a medium with changes."""
    return Tolerances(NvmMiddleware, medium, changes)


def windows(count=10, phase=1, pools=(4, 4), validity_warning="", note="", **values):
    """A run in which every window is the same, or as given."""
    means = {"reward": 1.0, "p99_us": 100.0, "throughput_ops": 1e5, "met": True, "batch_ops": 5e4}
    means |= {"stamped": 50.0, "counted": 50.0}
    columns = {name: np.broadcast_to(np.asarray(values.get(name, of)), (count,)) for name, of in means.items()}
    return Windows(
        context=np.full(count, phase),
        short=np.zeros(count, dtype=bool),
        setting=np.tile(pools, (count, 1)),
        validity_warning=np.array([validity_warning] * count),
        note=np.broadcast_to(np.asarray(note), (count,)),
        extrapolated=np.zeros(count, dtype=bool),
        measures={name: columns.pop(name) for name in MEASURES},
        slack=np.full(count, float(sum(pools))),
        **columns,
    )


def compared(factor=1.0, **changes):
    """A grid in phase 1 whose throughput is predicted too high by `factor`; measured windows with `changes`."""
    cases = grid_cases(POOLS, 10, (1,))
    rate = {pools: 1e5 + 1e3 * sum(pools) for pools in POOLS}
    measured = [[windows(pools=pools, throughput_ops=rate[pools], **changes)] * 3 for pools in POOLS]
    predicted = [[windows(pools=pools, throughput_ops=factor * rate[pools])] * 3 for pools in POOLS]
    return compare(plan_of(cases), {PREDICTED: predicted, MEASURED: measured})
