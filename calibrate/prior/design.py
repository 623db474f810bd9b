"""Which configurations to measure next: those that leave the family's prior the least open.

The variance of a Gaussian process after a measurement does not depend on what is measured, so that measurements can be
chosen beforehand (Krause, Singh and Guestrin, "Near-Optimal Sensor Placements in Gaussian Processes", JMLR 9, 2008):
one after the other, each the one after which the variances of all configurations have the smallest sum. The mixture of
kinds and habits is taken as one process with its covariance.
"""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Configurations, Measurements
from pmtwin.calibrate.prior.family import Family, shipped_family
from pmtwin.calibrate.prior.knowledge import knowledge_of
from pmtwin.calibrate.prior.observed import grid
from pmtwin.calibrate.prior.process import SCALES
from pmtwin.calibrate.prior.tables import SIZES, THREADS
from pmtwin.sim.device import OPERATIONS, PATTERNS


def most_telling(covariance: np.ndarray, candidates: np.ndarray, count: int) -> list[int]:
    """Indices of `count` points to measure, the most telling first.

    Args:
        covariance: of log bandwidth at all points, shape (points, points).
        candidates: indices of points that can be measured, each once.
    """
    left, noise = covariance.copy(), SCALES["noise"] ** 2
    chosen: list[int] = []
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
        dimms: modules of the configurations; None: the most that were measured, or a full set.
        family: the devices of the prior; None for all shipped.
    """
    known = knowledge_of(measurements, family or shipped_family(), dimms)
    points = grid(OPERATIONS, PATTERNS, SIZES, THREADS, float(dimms or known.sets[-1]))
    measured = {_key(known.configurations, index) for index in range(len(known.configurations))}
    free = [_key(points, k) not in measured for k in range(len(points))]
    candidates = np.flatnonzero(free & (points.threads <= most_threads))
    covariance = known.posterior.covariance(known.points(points))
    return points.take(np.array(most_telling(covariance, candidates, count), dtype=int))


def _key(c: Configurations, index: int) -> tuple:
    return tuple(getattr(c, name)[index] for name in ("operation", "pattern", "dimms", "access_size_bytes", "threads"))
