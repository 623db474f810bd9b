"""The order in which configurations are measured: each is the one farthest from all before it.

However early a probe ends, its measurements are spread over all configurations (`studies/replay.py`).

Kennard and Stone, "Computer Aided Design of Experiments", Technometrics 11 (1969).
"""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.residual import coordinates_of


def spread_order(candidates: Configurations, seed: int) -> np.ndarray:
    """Indices of all candidates in the order of measurement, shape (candidates,); the operations take turns.

    Args:
        candidates: configurations that can be measured; their bandwidths are ignored.
        seed: of the first configuration of each operation, and of the choice between equally distant ones.
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
        # on a grid many candidates are at the same distance: choose one of them at random
        chosen.append(int(rng.choice(np.flatnonzero(distance >= distance.max() - 1e-12))))
    return members[chosen]
