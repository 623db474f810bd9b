"""Plain Mondrian split-conformal intervals, the rival of `pmtwin.calibrate.conformal`.

One half-width of log bandwidth for each operation and kind of kept-aside data, the ceil((n + 1) 0.9)-th smallest of
the errors there (Vovk et al., "Algorithmic Learning in a Random World", section 4.5): no scale, no forest, and either
no rival explanations or the same share of their distance between thread counts.

The command judges both on the errors of a calibration's own kept-aside data, out of fold; `studies.trial --plain`
on rows that are withheld from everything.

    python -m studies.plain_intervals lattester_bandwidth.csv
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.calibrate.build import Calibration, calibrate
from pmtwin.calibrate.calibration import OperationCalibration, _interval_cells
from pmtwin.calibrate.conformal import BETWEEN, KINDS, NEW_SIZE, RIVAL_SHARE
from pmtwin.calibrate.error_tables import KNEES
from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.document import ReadOptions
from pmtwin.calibrate.residual_few import residual_process
from pmtwin.calibrate.validation import Unseen, curve_numbers
from pmtwin.sim.device.intervals import COVERAGE
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import PmtwinError
from studies.interval_kinds import interval_score

PLAIN = {"plain": 0.0, "plain with rivals": RIVAL_SHARE}
"""Share of the distance to the furthest rival explanation, between thread counts."""


class PlainInterval:
    """Half-widths as `LocalInterval` states them, of one operation.

    Args:
        calibration: of the operation, with its errors on kept-aside data.
        share: of the distance to the furthest rival explanation.
    """

    def __init__(self, calibration: OperationCalibration, share: float):
        kinds = _kept_aside(calibration)
        measured = kinds[KINDS[0]]
        self._widths = [quantile(np.abs((kinds[name] or measured).full)) for name in KINDS]
        self._share = share

    def half_widths(self, points: np.ndarray, _deviation, kind: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """Shape (points,), by the kind of each point and by the rivals' distance."""
        measured, between, new_size = self._widths
        half = np.select([kind == BETWEEN, kind == NEW_SIZE], [between, new_size], np.full(len(points), measured))
        return np.hypot(half, self._share * spread)


def with_plain_intervals(built: Calibration, share: float) -> Profile:
    """The profile of a calibration with plain intervals inside the data."""
    operations = {}
    for name, entry in built.profile.intervals["operations"].items():
        calibration = built.operations[name]
        process = residual_process(calibration.fit, calibration.configurations)
        interval = PlainInterval(calibration, share)
        cells = _interval_cells(calibration.configurations, calibration.fit, process, interval)
        operations[name] = entry | {"cells": cells}
    return replace(built.profile, intervals=built.profile.intervals | {"operations": operations})


def quantile(scores: np.ndarray) -> float:
    """The ceil((n + 1) 0.9)-th smallest."""
    return float(np.sort(scores)[min(int(np.ceil((scores.size + 1) * COVERAGE)), scores.size) - 1])


@dataclass(frozen=True)
class OutOfFold:
    """Half-widths of one operation and kind, each by errors of other configurations, thread counts or curves.

    Args:
        errors: absolute, of log bandwidth.
        shipped: half-widths of `pmtwin.calibrate.conformal`.
        plain: name (of `PLAIN`) -> half-widths.
        spread: of rival explanations.
        number: of the curve, or of the thread count, whose errors have much in common.
    """

    errors: np.ndarray
    shipped: np.ndarray
    plain: dict[str, np.ndarray]
    spread: np.ndarray
    number: np.ndarray

    def excess(self, name: str) -> tuple[float, float]:
        """Interval score larger than the shipped one's by, and its standard error (by clusters)."""
        excess = _scores(self.errors, self.plain[name]) - _scores(self.errors, self.shipped)
        from_mean = [np.sum((excess - excess.mean())[self.number == each]) for each in np.unique(self.number)]
        return float(excess.mean()), float(np.sqrt(np.sum(np.square(from_mean))) / excess.size)

    def at_knees(self, half: np.ndarray) -> float:
        """Share inside of the quarter where rival explanations lie furthest apart."""
        at = self.spread >= np.quantile(self.spread, KNEES)
        return float(np.mean(self.errors[at] <= half[at]))


def out_of_fold(calibration: OperationCalibration) -> Iterator[tuple[str, OutOfFold]]:
    """(kind, errors and half-widths) of one operation."""
    c = calibration.configurations
    curve = curve_numbers(c)
    numbers = dict(zip(KINDS, (np.arange(len(c)), c.threads, curve), strict=True))
    for name, unseen in _kept_aside(calibration).items():
        if not unseen:
            continue
        shipped = calibration.half_widths[name]
        if name == KINDS[0] and shipped.size > len(unseen):
            shipped = shipped[calibration.unseen_configurations.outside == 0]
        errors, number = np.abs(unseen.full), numbers[name][unseen.index]
        of_others = np.array([quantile(errors[number != each]) for each in number])
        plain = {each: np.hypot(of_others, share * unseen.spread) for each, share in PLAIN.items()}
        cluster = number if name == KINDS[BETWEEN] else curve[unseen.index]
        yield name, OutOfFold(errors, shipped, plain, unseen.spread, cluster)


def _kept_aside(calibration: OperationCalibration) -> dict[str, Unseen | None]:
    """Kind -> errors inside the data."""
    measured = calibration.unseen_configurations
    inside = measured.take(measured.outside == 0)
    errors = inside if len(inside) else measured, calibration.unseen_threads, calibration.unseen_curves
    return dict(zip(KINDS, errors, strict=True))


def _scores(errors: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The interval score of each error."""
    return np.array([interval_score(error, -width, width) for error, width in zip(errors, half, strict=True)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate the table of the command line and print how both kinds of intervals do on its kept-aside data."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("table", metavar="TABLE", help="measurements")
    parser.add_argument("--machine", metavar="NAME", help="machine of the table, where it has several")
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes, -1 for one per core")
    args = parser.parse_args(arguments)
    try:
        measurements, _ = read_sources([args.table], ReadOptions(machine=args.machine))
        built = calibrate(measurements, "plain", "plain", bootstrap=2, jobs=args.jobs)
    except PmtwinError as error:
        print(f"studies.plain_intervals: {error}", file=sys.stderr)
        return error.exit_code
    for operation, calibration in built.operations.items():
        for kind, judged in out_of_fold(calibration):
            print(f"{operation}, {kind}: {_told(kind, judged, judged.shipped)}")
            for name in PLAIN:
                excess, error = judged.excess(name)
                print(f"    {name}: {_told(kind, judged, judged.plain[name])}; score {excess:+.4f} +- {error:.4f}")
    return 0


def _told(kind: str, judged: OutOfFold, half: np.ndarray) -> str:
    told = f"inside {np.mean(judged.errors <= half):.1%}, half-width {100 * np.median(half):.2f} %"
    return told + (f", at knees {judged.at_knees(half):.1%}" if kind == KINDS[BETWEEN] else "")


if __name__ == "__main__":
    sys.exit(main())
