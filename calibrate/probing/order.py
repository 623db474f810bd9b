"""The order in which configurations are measured: each is the farthest from all before it.

However early a probe ends, its measurements are spread over all possible ones (`studies/replay.py`).

Kennard and Stone, "Computer Aided Design of Experiments", Technometrics 11 (1969).
"""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.residual import coordinates_of


def spread_order(candidates: Configurations, seed: int) -> np.ndarray:
    """Index of all candidates, the operations in turn, shape (candidates,).

    Args:
        candidates: what may be measured; bandwidths are not looked at.
        seed: of the first of each operation, and of what comes first where several are as far.
    """
    rng = np.random.default_rng(seed)
    names = dict.fromkeys(candidates.operation.tolist())
    groups = [_spread(candidates, np.flatnonzero(candidates.operation == name), rng) for name in names]
    places = np.concatenate([np.arange(group.size) for group in groups])
    return np.concatenate(groups)[np.argsort(places, kind="stable")]


def _spread(candidates: Configurations, members: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    points = coordinates_of(candidates.take(members))
    width = np.ptp(points, axis=0)
    points = points[:, width > 0] / width[width > 0]
    chosen = [int(rng.integers(members.size))]
    distance = np.full(members.size, np.inf)
    while len(chosen) < members.size:
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
        distance[chosen[-1]] = -1.0
        # of those at the same distance, as on a grid there are many, any by chance
        chosen.append(int(rng.choice(np.flatnonzero(distance >= distance.max() - 1e-12))))
    return members[chosen]
