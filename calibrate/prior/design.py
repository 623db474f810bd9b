"""Which configurations to measure next: those that reduce the uncertainty of all predictions most.

The variance of a Gaussian process after a measurement does not depend on the measured value. Measurements can therefore
be chosen beforehand (Krause, Singh and Guestrin, "Near-Optimal Sensor Placements in Gaussian Processes", JMLR 9, 2008).
They are chosen greedily: each minimizes the sum of the variances of all configurations, given those before it. The
mixture of kinds and habits is treated as one Gaussian process with the covariance of the mixture.
"""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Configurations, Measurements
from pmtwin.calibrate.prior.family import Family, shipped_family
from pmtwin.calibrate.prior.knowledge import knowledge_of
from pmtwin.calibrate.prior.observed import grid
from pmtwin.calibrate.prior.process import SCALES
from pmtwin.calibrate.prior.tables import SIZES, THREADS
from pmtwin.sim.device.law import OPERATIONS, PATTERNS


def most_telling(covariance: np.ndarray, candidates: np.ndarray, count: int) -> list[int]:
    """Indices of at most `count` points to measure, the most informative first.

    Args:
        covariance: of log bandwidth at all points, shape (points, points).
        candidates: indices of the points that can be measured, without repetition.
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
    """Configurations to measure next, the most informative first; their bandwidths are placeholders.

    Args:
        measurements: the measurements of the device so far; may be empty.
        count: largest number of configurations to return.
        most_threads: largest number of threads of a configuration.
        dimms: modules of the configurations; None: the largest number that was measured, or a full set without any.
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
