"""Parameters of the law, and parts of the device, that the data do not identify."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.context import Context
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import MechanismFit
from pmtwin.calibrate.multistart import PRIOR_SD
from pmtwin.sim.device.law import OPERATIONS, PATTERNS
from pmtwin.sim.numerics.statistics import NORMAL_90

STEP = 1e-4
LEAST_SCATTER = 0.01
"""Smallest scatter of log bandwidth that is assumed of measurements."""

WIDEST = 4.0
"""A parameter whose 90 % interval spans more than this factor is not identified."""


def weak_parameters(fit: MechanismFit, configurations: Configurations) -> list[str]:
    """Fitted parameters whose 90 % interval spans more than a factor of `WIDEST`.

    The interval follows from the curvature at the fit: the covariance of the logarithms is (J'J / s^2 + I / p^2)^-1,
    with the scatter s of the fit and a prior standard deviation p.
    """
    if not fit.free:
        return []
    base = fit.log_bandwidth(configurations)
    jacobian = _jacobian(fit, configurations)
    scatter = max(float(np.sqrt(np.mean((base - np.log(configurations.bandwidth_mib_s)) ** 2))), LEAST_SCATTER)
    information = jacobian.T @ jacobian / scatter**2 + np.eye(len(fit.free)) / PRIOR_SD**2
    spread = np.sqrt(np.diag(np.linalg.inv(information)))
    return [name for name, sd in zip(fit.free, spread, strict=True) if 2.0 * NORMAL_90 * sd > np.log(WIDEST)]


def _jacobian(fit: MechanismFit, configurations: Configurations) -> np.ndarray:
    """Change of log bandwidth with the logarithm of each fitted parameter, shape (configurations, parameters)."""
    base = fit.log_bandwidth(configurations)
    columns = np.empty((len(configurations), len(fit.free)))
    for index, name in enumerate(fit.free):
        shifted = fit.parameters | {name: float(np.exp(fit.logs[index] + STEP))}
        columns[:, index] = (replace(fit, parameters=shifted).log_bandwidth(configurations) - base) / STEP
    return columns


def not_identified(
    configurations: Configurations,
    fitted: list[str],
    context: Context,
    sources: Mapping[str, Mapping[str, str]],
    filled: str = "",
) -> list[str]:
    """Parts of the device without data, one phrase each.

    Args:
        filled: other source of operations, patterns, access sizes and numbers of threads, in words; empty: none.
    """
    remark = f" ({filled})" if filled else ""
    missing = [f"operation {name}{remark}" for name in OPERATIONS if name not in fitted]
    cells: dict[str, list[str]] = {}
    for operation in fitted:
        measured = configurations.take(configurations.operation == operation)
        missing += [f"{operation} {p}{remark}" for p in PATTERNS if p not in measured.pattern]
        cells |= {
            f"{operation} {p}": _unvaried(measured.take(measured.pattern == p), remark, context.dimms_assumed)
            for p in np.unique(measured.pattern)
        }
    common = set.intersection(*map(set, cells.values())) if cells else set()
    missing += sorted(common)
    missing += [f"{cell}: {phrase}" for cell, phrases in cells.items() for phrase in phrases if phrase not in common]
    missing += [f"{key} (not measured)" for key, entry in sources.items() if entry["origin"] == "not identified"]
    if not context.mixes:
        missing.append("mixes of reads and writes (predicted by one queue at the media)")
    return [*missing, "remote NUMA node", "strides above the access size"]


def _unvaried(measured: Configurations, remark: str, dimms_assumed: bool) -> list[str]:
    """Columns with a single measured value, as phrases."""
    values = {
        "access size": (measured.access_size_bytes, f" B{remark}"),
        "number of threads": (measured.threads, remark),
        "number of DIMMs": (measured.dimms, ", which is assumed" if dimms_assumed else ""),
        "power budget": (measured.power_w, " W"),
    }
    return [
        f"{name} other than {column[0]:g}{unit}"
        for name, (column, unit) in values.items()
        if np.unique(column).size == 1
    ]
