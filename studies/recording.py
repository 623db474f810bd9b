"""A recorded sweep as the device that answers: the same measurements, asked for in another order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pmtwin.calibrate.estimators import BandwidthRegressor, features_of
from pmtwin.calibrate.measurements import Configurations, Measurements, group
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.probing.model_error import ModelError
from pmtwin.calibrate.probing.order import spread_order

SPREAD, RANDOM = "spread", "random"
ORDERS = (SPREAD, RANDOM)

JUDGES = 0.2
"""Share of the configurations that are never measured: all models are judged by them."""


class Recording:
    """Measurements that are handed out one at a time.

    Args:
        measurements: of a sweep.

    Attributes:
        configurations: all of them, with the medians of all their measurements: what counts as the truth.
    """

    def __init__(self, measurements: Measurements):
        self.configurations, self._index = group(measurements)
        self._bandwidth = measurements.bandwidth_mib_s

    def answer(self, configuration: int, rng: np.random.Generator) -> float:
        """One of the measurements of a configuration in MiB/s, drawn by chance."""
        return float(rng.choice(self._bandwidth[self._index == configuration]))

    def parted(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Index of the configurations that may be measured, and of those that judge."""
        count = len(self.configurations)
        order = np.random.default_rng(seed).permutation(count)
        judges = max(1, int(JUDGES * count))
        return np.sort(order[judges:]), np.sort(order[:judges])


def replay(
    recording: Recording, order: str, marks: Sequence[int], seed: int, media: str
) -> Iterator[tuple[list[float], list[float] | None]]:
    """Measure configurations of a recording until the last mark, each once.

    Args:
        order: `SPREAD` for the probe's own, or `RANDOM`.
        marks: numbers of measurements.

    Yields:
        At each mark the error of the model ([median, mean, 90th percentile] in % of the judges), and what a probe would
        tell of it (None while an operation has too few configurations).
    """
    allowed, judges = recording.parted(seed)
    truth = recording.configurations.take(allowed)
    draw_seed, order_seed = np.random.SeedSequence(seed).spawn(2)
    rng = np.random.default_rng(draw_seed)
    by_chance = np.random.default_rng(order_seed).permutation(len(truth))
    chosen = spread_order(truth, seed) if order == SPREAD else by_chance
    told, bandwidth = ModelError(truth, media), np.full(len(truth), np.nan)
    for count, candidate in enumerate(chosen[: max(marks)].tolist(), start=1):
        bandwidth[candidate] = recording.answer(int(allowed[candidate]), rng)
        told.tell(candidate, bandwidth[candidate])
        if count in marks:
            progress = told.progress(anew=True)
            errors = errors_of(truth, bandwidth, recording.configurations.take(judges), media)
            yield ape(errors), progress and progress.error_percent


def dense_errors(recording: Recording, seed: int, media: str) -> np.ndarray:
    """As `errors_of`, of a model of all measurements of all configurations but the judges."""
    allowed, judges = recording.parted(seed)
    truth = recording.configurations.take(allowed)
    return errors_of(truth, truth.bandwidth_mib_s, recording.configurations.take(judges), media)


def errors_of(truth: Configurations, bandwidth_mib_s: np.ndarray, judges: Configurations, media: str) -> np.ndarray:
    """log(predicted / truth) of the judges by `calibrate`'s regressor, shape (judges,).

    An operation of fewer than two measurements counts as predicted at twice the truth.

    Args:
        bandwidth_mib_s: what was measured of `truth`, NaN where nothing was, shape (configurations,).
    """
    from threadpoolctl import threadpool_limits

    errors = np.full(len(judges), np.log(2.0))
    with threadpool_limits(1):
        for operation in np.unique(judges.operation):
            seen = (truth.operation == operation) & np.isfinite(bandwidth_mib_s)
            if np.sum(seen) < 2:
                continue
            asked = judges.operation == operation
            regressor = BandwidthRegressor(str(operation), media)
            regressor.fit(features_of(truth.take(seen)), bandwidth_mib_s[seen])
            wanted = judges.take(asked)
            errors[asked] = regressor.predict_log(features_of(wanted))[0] - np.log(wanted.bandwidth_mib_s)
    return errors
