"""What is known of one device: its measurements, and the family as the device's benchmark would have measured it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.measurements import Configurations, Measurements, group
from pmtwin.calibrate.prior.family import Family, Points
from pmtwin.calibrate.prior.habits import View, views
from pmtwin.calibrate.prior.observed import known_of
from pmtwin.calibrate.prior.process import SCALES, DevicePosterior
from pmtwin.sim.device.geometry import FULL_SET_DIMMS


@dataclass(frozen=True)
class Knowledge:
    """Measurements, views of the family and posterior of one device.

    Args:
        configurations: the measured configurations.
        index: the configuration of each measurement, an index into `configurations`.
        sets: numbers of modules of the configurations, ascending; at least one.
        views: views of the family, under the names that the posterior uses.
        posterior: posterior distribution of the device's log bandwidth.
    """

    configurations: Configurations
    index: np.ndarray
    sets: tuple[float, ...]
    views: dict[str, View]
    posterior: DevicePosterior

    def points(self, c: Configurations) -> dict[str, Points]:
        """The configurations as points of each view, the input of the posterior."""
        return {name: view.family.points(c, view.kind) for name, view in self.views.items()}


def knowledge_of(measurements: Measurements, family: Family, dimms: int | None) -> Knowledge:
    """Knowledge of a device.

    Args:
        dimms: number of modules where no configuration was measured; None: a full set.
    """
    c, index = group(measurements)
    context = measurements.context
    sets = tuple(sorted(set(c.dimms.tolist()))) or (float(dimms or FULL_SET_DIMMS),)
    kinds = [context.media] if context.media in family.kinds else list(family.kinds)
    seen = views(family, context, kinds)
    known = {name: known_of(view.family, view.kind, c, context, sets[-1]) for name, view in seen.items()}
    scales = {**SCALES, "noise": max(SCALES["noise"], scatter_of(measurements, c, index))}
    posterior = DevicePosterior(known, scales, weights={name: view.weight for name, view in seen.items()})
    return Knowledge(c, index, sets, seen, posterior)


def scatter_of(measurements: Measurements, c: Configurations, index: np.ndarray) -> float:
    """Standard deviation of log bandwidth between repeated measurements of a configuration; 0 without repetitions."""
    freedom = len(measurements) - len(c)
    if freedom == 0:
        return 0.0
    logs = np.log(measurements.bandwidth_mib_s)
    means = np.bincount(index, logs, len(c)) / np.bincount(index, minlength=len(c))
    return float(np.sqrt(np.sum((logs - means[index]) ** 2) / freedom))
