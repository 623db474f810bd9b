"""A recorded sweep as the device that answers: the same measurements, asked for in another order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pmtwin.calibrate.estimators import BandwidthRegressor, features_of
from pmtwin.calibrate.measurements import Configurations, Measurements, group
from pmtwin.calibrate.probing.design import Design

DESIGN, RANDOM = "design", "random"
ORDERS = (DESIGN, RANDOM)

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


def replay(recording: Recording, order: str, marks: Sequence[int], seed: int, media: str) -> Iterator[np.ndarray]:
    """Measure configurations of a recording until the last mark, each once; at each mark the errors of the model.

    Args:
        order: `DESIGN`, or `RANDOM` for any configuration that was not measured yet.
        marks: numbers of measurements.

    Yields:
        As `errors_of`.
    """
    allowed, judges = recording.parted(seed)
    truth = recording.configurations.take(allowed)
    draw_seed, order_seed = np.random.SeedSequence(seed).spawn(2)
    rng = np.random.default_rng(draw_seed)
    design = Design(truth, media, seed)
    by_chance = iter(np.random.default_rng(order_seed).permutation(len(truth)).tolist())
    bandwidth = np.full(len(truth), np.nan)
    for count in range(1, min(max(marks), len(truth)) + 1):
        chosen = design.next() if order == DESIGN else next(by_chance)
        bandwidth[chosen] = recording.answer(int(allowed[chosen]), rng)
        if order == DESIGN:
            design.tell(chosen, bandwidth[chosen])
        if count in marks:
            yield errors_of(truth, bandwidth, recording.configurations.take(judges), media)


def dense_errors(recording: Recording, seed: int, media: str) -> np.ndarray:
    """The same of a model of all measurements of all configurations but the judges."""
    allowed, judges = recording.parted(seed)
    truth = recording.configurations.take(allowed)
    return errors_of(truth, truth.bandwidth_mib_s, recording.configurations.take(judges), media)


def errors_of(truth: Configurations, bandwidth_mib_s: np.ndarray, judges: Configurations, media: str) -> np.ndarray:
    """log(predicted / truth) of the judges by `calibrate`'s regressor, shape (judges,).

    Args:
        bandwidth_mib_s: what was measured of `truth`, NaN where nothing was, shape (configurations,).
    """
    from threadpoolctl import threadpool_limits

    errors = np.full(len(judges), np.nan)
    with threadpool_limits(1):
        for operation in np.unique(judges.operation):
            seen = (truth.operation == operation) & np.isfinite(bandwidth_mib_s)
            asked = judges.operation == operation
            regressor = BandwidthRegressor(str(operation), media)
            regressor.fit(features_of(truth.take(seen)), bandwidth_mib_s[seen])
            wanted = judges.take(asked)
            errors[asked] = regressor.predict_log(features_of(wanted))[0] - np.log(wanted.bandwidth_mib_s)
    return errors
