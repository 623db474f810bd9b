"""Which configurations to measure next: those that leave the family's prior the least open.

The variance of a Gaussian process after a measurement does not depend on what is measured, so that measurements can be
chosen beforehand (Krause, Singh and Guestrin, "Near-Optimal Sensor Placements in Gaussian Processes", JMLR 9, 2008):
one after the other, each the one after which the variances of all configurations have the smallest sum.
"""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Configurations, Measurements, group
from pmtwin.calibrate.prior.family import Family, shipped_family
from pmtwin.calibrate.prior.habits import views
from pmtwin.calibrate.prior.observed import grid, known_of
from pmtwin.calibrate.prior.process import SCALES, DevicePosterior
from pmtwin.calibrate.prior.tables import SIZES, THREADS
from pmtwin.sim.device import OPERATIONS, PATTERNS
from pmtwin.sim.device.geometry import FULL_SET_DIMMS


def most_telling(covariance: np.ndarray, candidates: np.ndarray, count: int) -> list[int]:
    """Indices of `count` points to measure, the most telling first.

    Args:
        covariance: of log bandwidth at all points, shape (points, points).
        candidates: indices of points that can be measured, each once.
    """
    left, noise, chosen = covariance.copy(), SCALES["noise"] ** 2, []
    free = np.asarray(candidates)
    while free.size and len(chosen) < count:
        removed = np.sum(left[:, free] ** 2, axis=0) / (left[free, free] + noise)
        best = int(free[np.argmax(removed)])
        left -= np.outer(left[:, best], left[best]) / (left[best, best] + noise)
        free = free[free != best]
        chosen.append(best)
    return chosen


def suggested_configurations(
    measurements: Measurements,
    count: int,
    most_threads: int,
    dimms: int | None = None,
    family: Family | None = None,
) -> Configurations:
    """Configurations to measure next, the most telling first; their bandwidths are placeholders.

    Args:
        measurements: what is known of the device; none is a beginning too.
        most_threads: of a configuration.
        dimms: modules of the device, where the measurements state none.
        family: the devices of the prior; None for all shipped.
    """
    family = family or shipped_family()
    c, _ = group(measurements)
    context = measurements.context
    modules = float(max(c.dimms.tolist(), default=dimms or FULL_SET_DIMMS))
    kinds = [context.media] if context.media in family.kinds else list(family.kinds)
    views_by_name = views(family, context, kinds)
    known = {name: known_of(view.family, view.kind, c, context, modules) for name, view in views_by_name.items()}
    posterior = DevicePosterior(known, weights={name: view.weight for name, view in views_by_name.items()})
    points = grid(OPERATIONS, PATTERNS, SIZES, THREADS, modules)
    covariance = posterior.covariance({n: view.family.points(points, view.kind) for n, view in views_by_name.items()})
    measured = {_key(c, index) for index in range(len(c))}
    candidates = [
        k for k in range(len(points)) if points.threads[k] <= most_threads and _key(points, k) not in measured
    ]
    return points.take(np.array(most_telling(covariance, np.array(candidates), count), dtype=int))


def _key(c: Configurations, index: int) -> tuple:
    return tuple(getattr(c, name)[index] for name in ("operation", "pattern", "dimms", "access_size_bytes", "threads"))
