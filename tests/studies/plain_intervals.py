"""Plain Mondrian split-conformal intervals, the rival of `pmtwin.calibrate.conformal`.

One half-width of log bandwidth for each operation and kind of kept-aside data, the ceil((n + 1) 0.9)-th smallest of
the errors there (Vovk et al., "Algorithmic Learning in a Random World", section 4.5): no scale, no rivals, no forest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.calibration import OperationCalibration, _interval_cells
from pmtwin.calibrate.conformal import BETWEEN, NEW_SIZE
from pmtwin.calibrate.residual_few import residual_process
from pmtwin.calibrate.validation import Unseen
from pmtwin.sim.device import Profile
from pmtwin.sim.device.intervals import COVERAGE


class PlainInterval:
    """Half-widths as `LocalInterval` states them, of one operation.

    Args:
        calibration: of the operation, with its errors on kept-aside data.
    """

    def __init__(self, calibration: OperationCalibration):
        measured = calibration.unseen_configurations
        measured = measured.take(measured.outside == 0)
        of_kinds = measured, calibration.unseen_threads, calibration.unseen_curves
        self._measured, self._between, self._new_size = (_quantile(errors or measured) for errors in of_kinds)

    def half_widths(self, points: np.ndarray, _deviation, kind: np.ndarray, _spread) -> np.ndarray:
        """Shape (points,), by the kind of each point alone."""
        half = np.full(len(points), self._measured)
        half[kind == BETWEEN] = self._between
        half[kind == NEW_SIZE] = self._new_size
        return half


def with_plain_intervals(built: Calibration) -> Profile:
    """The profile of a calibration with plain intervals inside the data."""
    operations = {}
    for name, entry in built.profile.intervals["operations"].items():
        calibration = built.operations[name]
        process = residual_process(calibration.fit, calibration.configurations)
        cells = _interval_cells(calibration.configurations, calibration.fit, process, PlainInterval(calibration))
        operations[name] = entry | {"cells": cells}
    return replace(built.profile, intervals=built.profile.intervals | {"operations": operations})


def _quantile(errors: Unseen) -> float:
    scores = np.sort(np.abs(errors.full))
    return float(scores[min(int(np.ceil((scores.size + 1) * COVERAGE)), scores.size) - 1])
