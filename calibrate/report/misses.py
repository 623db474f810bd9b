"""The kept-aside configurations with the largest errors of prediction."""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.build import Calibration

SHOWN = 20


def largest_misses(calibration: Calibration) -> list[dict]:
    """The `SHOWN` largest errors on kept-aside configurations of all operations, largest first."""
    misses: list[dict] = []
    for operation, each in calibration.operations.items():
        unseen = each.unseen_configurations
        if unseen is None:
            continue
        worst = np.argsort(-np.abs(unseen.full))[:SHOWN]
        c = each.configurations.take(unseen.index[worst])
        misses += [
            {
                "operation": operation,
                "pattern": str(c.pattern[k]),
                "threads": int(c.threads[k]),
                "access_size_bytes": int(c.access_size_bytes[k]),
                "dimms": int(c.dimms[k]),
                "power_w": float(c.power_w[k]),
                "measured_mib_s": round(float(c.bandwidth_mib_s[k]), 1),
                "error_percent": round(100.0 * float(np.expm1(unseen.full[worst[k]])), 1),
                "replicates": int(c.replicates[k]),
            }
            for k in range(worst.size)
        ]
    return sorted(misses, key=lambda miss: -abs(miss["error_percent"]))[:SHOWN]
