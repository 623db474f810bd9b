"""Measures of all pools, by the formulas of the analytic tier, at several loads of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.analytic.predict import predict
from pmtwin.scenarios.nvm_middleware.model.model import Model, build_model
from pmtwin.scenarios.nvm_middleware.system import P99_US, THROUGHPUT_OPS
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.load import NO_CHANGE, LoadChanges
from pmtwin.sim.load.changes import changed
from pmtwin.sim.load.workload import Workload
from pmtwin.sim.parameters.values import resolve

WINDOWS = 200
"""Windows of the load, from which those of the formulas are taken."""


def predicted_measures(
    profile: Profile,
    workload: Workload,
    values: Mapping[str, float],
    pools: Sequence[tuple[int, int]],
    loads: int,
    seed: int,
    pace: float,
    window: int,
) -> dict[str, np.ndarray]:
    """Measure -> values, shape (loads, pools); one load where it does not change.

    Args:
        values: parameters of the model that are not as by default.
        loads: windows of the changing load at equal shares of its total rate.
        seed: of that load. pace: factor on all rates. window: requests of a window.
    """
    factors = [NO_CHANGE]
    if workload.parts:
        changes = LoadChanges(workload.parts, np.random.SeedSequence(seed))
        drawn = sorted((next(changes) for _ in range(WINDOWS)), key=lambda each: sum(each.rate))
        factors = [drawn[int((k + 0.5) / loads * WINDOWS)] for k in range(loads)]
    resolved, rows = resolve(values), []
    models: dict[tuple, Model] = {}
    for each in factors:
        offered = changed(workload, each)
        model = models.get(each[1:])
        if model is None:
            model = models[each[1:]] = build_model(profile, offered, resolved, direct=False)
        rates = [
            math.nan if load.rate_ops is None else load.rate_ops * factor * pace
            for load, factor in zip(offered.classes, each.rate, strict=True)
        ]
        predicted = predict(model, np.asarray(pools), rates, percentiles=(99.0,), window=window)
        rows.append(
            (predicted.percentile_us[:, 0, 0], predicted.ops.sum(axis=1), predicted.ops[:, 0], predicted.ops[:, 1])
        )
    columns = np.nan_to_num(np.array(rows).transpose(1, 0, 2), nan=0.0, posinf=1e12)
    return dict(zip((P99_US, THROUGHPUT_OPS, "interactive_ops", "batch_ops"), columns, strict=True))
