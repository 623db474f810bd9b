"""A recorded sweep as the device that answers: the same measurements, asked for in another order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calibrate.estimators import BandwidthRegressor, features_of
from calibrate.measurements import Configurations, Measurements, group
from calibrate.probing.design import Design
from calibrate.validation import configuration_folds

DESIGN, RANDOM = "design", "random"
ORDERS = (DESIGN, RANDOM)


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


@dataclass(frozen=True)
class Point:
    """The model after a number of measurements.

    Args:
        measured: which configurations have one by then.
        log_error: log(predicted / truth) of every configuration, from measurements of others alone.
    """

    measured: np.ndarray
    log_error: np.ndarray


def replay(recording: Recording, order: str, marks: Sequence[int], seed: int, media: str) -> Iterator[Point]:
    """Measure configurations of a recording until the last mark, each once; at each mark the errors of the model.

    Args:
        order: `DESIGN`, or `RANDOM` for any configuration that was not measured yet.
        marks: numbers of measurements.
    """
    truth = recording.configurations
    draw_seed, order_seed = np.random.SeedSequence(seed).spawn(2)
    rng = np.random.default_rng(draw_seed)
    design = Design(truth, media, seed)
    by_chance = iter(np.random.default_rng(order_seed).permutation(len(truth)).tolist())
    bandwidth = np.full(len(truth), np.nan)
    for count in range(1, min(max(marks), len(truth)) + 1):
        chosen = design.next() if order == DESIGN else next(by_chance)
        bandwidth[chosen] = recording.answer(chosen, rng)
        if order == DESIGN:
            design.tell(chosen, bandwidth[chosen])
        if count in marks:
            yield Point(np.isfinite(bandwidth), kept_aside_errors(truth, bandwidth, media, seed))


def kept_aside_errors(truth: Configurations, bandwidth_mib_s: np.ndarray, media: str, seed: int) -> np.ndarray:
    """log(predicted / truth) of every configuration, by `calibrate`'s regressor from measurements of others alone.

    Those that were not measured are predicted from all that were; those that were, from all but their fold, of twelve
    by chance in each operation, as `pmtwin calibrate` does.

    Args:
        bandwidth_mib_s: measured, NaN where nothing was, shape (configurations,).
    """
    errors = np.full(len(truth), np.nan)
    rng = np.random.default_rng(seed)
    for operation in np.unique(truth.operation):
        of = truth.operation == operation
        measured, others = (
            np.flatnonzero(of & np.isfinite(bandwidth_mib_s)),
            np.flatnonzero(of & np.isnan(bandwidth_mib_s)),
        )
        asides = [(measured, others)] if others.size else []
        for fold in configuration_folds(measured.size, rng):
            asides.append((np.delete(measured, fold), measured[fold]))
        for seen, asked in asides:
            regressor = BandwidthRegressor(str(operation), media)
            regressor.fit(features_of(truth.take(seen)), bandwidth_mib_s[seen])
            wanted = truth.take(asked)
            errors[asked] = regressor.predict_log(features_of(wanted))[0] - np.log(wanted.bandwidth_mib_s)
    return errors
