"""Error of a probe's model so far: the newest third of its configurations, predicted from those before them.

The prediction is a fit as `pmtwin calibrate` makes it, to the first two thirds of each operation. The model that it
judges is fitted to all configurations, so the reported error tends to be larger than that of the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.calibrate.estimators import BandwidthRegressor, features_of
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.specification import MIN_CONFIGURATIONS

JUDGED_SHARE = 1.0 / 3.0
"""Share of the configurations that is predicted."""

JUDGED_FROM = round(MIN_CONFIGURATIONS / (1.0 - JUDGED_SHARE))
"""Least number of usable configurations of each operation for an error: two thirds of fewer are too few for a fit."""

GROWTH = 0.15
"""Relative growth of the number of configurations after which the error is computed again; a fit takes as long as a
measurement."""


@dataclass(frozen=True)
class Progress:
    """Error of the model so far.

    Args:
        error_percent: [median, mean, 90th percentile] of the newest configurations predicted from those before.
        configurations: number of configurations measured so far.
    """

    error_percent: list[float]
    configurations: int


class ModelError:
    """The error of the model, updated while the candidates are measured.

    Args:
        candidates: configurations that can be measured; their bandwidths are ignored.
        media: kind of memory.
    """

    def __init__(self, candidates: Configurations, media: str):
        self._candidates, self._media = candidates, media
        self._names = [str(name) for name in dict.fromkeys(candidates.operation.tolist())]
        self._bandwidth_mib_s: dict[int, float] = {}
        self._told_of = 0
        self._progress: Progress | None = None

    def tell(self, candidate: int, bandwidth_mib_s: float) -> None:
        """Record a candidate's bandwidth in place of an earlier one.

        Args:
            candidate: index of the candidate.
            bandwidth_mib_s: median over all its repetitions so far.
        """
        self._bandwidth_mib_s[candidate] = bandwidth_mib_s
        self._progress = None

    def configurations(self) -> dict[str, int]:
        """Operation -> number of configurations that have a usable measurement."""
        measured = self._candidates.operation[list(self._bandwidth_mib_s)]
        return {name: int((measured == name).sum()) for name in self._names}

    def progress(self, anew: bool = False) -> Progress | None:
        """The error, if the number of configurations has grown by `GROWTH` since the last one.

        Args:
            anew: return the error however little the number has grown.

        Returns:
            None if it is not computed now, or while there are fewer than `JUDGED_FROM` configurations of any operation.
        """
        count = len(self._bandwidth_mib_s)
        if min(self.configurations().values()) < JUDGED_FROM or not (anew or count >= (1 + GROWTH) * self._told_of):
            return None
        if self._progress is None:
            self._progress, self._told_of = Progress(ape(self._errors()), count), count
        return self._progress

    def _errors(self) -> np.ndarray:
        order = np.array(list(self._bandwidth_mib_s))
        bandwidth = np.array(list(self._bandwidth_mib_s.values()))
        measured = self._candidates.take(order)
        errors = []
        with threadpool_limits(1):  # the matrices are small: threads of the linear algebra only wait for each other
            for name in self._names:
                members = np.flatnonzero(measured.operation == name)
                earlier, newest = np.split(members, [round(members.size * (1.0 - JUDGED_SHARE))])
                regressor = BandwidthRegressor(name, self._media)
                regressor.fit(features_of(measured.take(earlier)), bandwidth[earlier])
                predicted, _ = regressor.predict_log(features_of(measured.take(newest)))
                errors.append(predicted - np.log(bandwidth[newest]))
        return np.concatenate(errors)
