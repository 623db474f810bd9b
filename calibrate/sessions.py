"""Variation between the sessions of a campaign: days, runs and machines with the same configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.calibrate.measurements import Measurements
from pmtwin.sim.device.intervals import COVERAGE

FEWEST_CONFIGURATIONS = 5
"""Smallest number of configurations that a session must share with others."""


def session_widths(measurements: Measurements, index: np.ndarray, operations: Sequence[str]) -> dict[str, dict]:
    """Half-widths for another session, for operations with two or more sessions that share configurations.

    A session's deviations are those of its median at a configuration from the median of the other sessions'. All
    sessions have the same weight, whatever their number of configurations.

    Args:
        index: index of each measurement's configuration.

    Returns:
        operation -> {"log_half_width": 90th percentile of log bandwidth, "groups": sessions}.
    """
    widths = {}
    for operation in operations:
        chosen = (measurements.operation == operation) & (measurements.session != "")
        deviations = _deviations(
            measurements.session[chosen], index[chosen], np.log(measurements.bandwidth_mib_s[chosen])
        )
        if len(deviations) > 1:
            half = _quantile(deviations, COVERAGE)
            widths[operation] = {"log_half_width": round(half, 4), "groups": len(deviations)}
    return widths


def _deviations(session: np.ndarray, index: np.ndarray, log_bandwidth: np.ndarray) -> list[np.ndarray]:
    """Absolute deviations of log bandwidth, for each session that shares enough configurations with others."""
    by_session: dict[str, list[float]] = {}
    for configuration in np.unique(index):
        members = index == configuration
        names = np.unique(session[members])
        medians = np.array([np.median(log_bandwidth[members & (session == name)]) for name in names])
        for position, name in enumerate(names):
            if names.size > 1:
                other_sessions = np.delete(medians, position)
                by_session.setdefault(str(name), []).append(abs(medians[position] - np.median(other_sessions)))
    return [np.array(values) for values in by_session.values() if len(values) >= FEWEST_CONFIGURATIONS]


def _quantile(groups: Sequence[np.ndarray], share: float) -> float:
    """Quantile of the values of all groups, where each group has the same total weight."""
    values = np.concatenate(groups)
    weights = np.concatenate([np.full(group.size, 1.0 / group.size) for group in groups])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][np.searchsorted(reached, share).clip(max=values.size - 1)])
