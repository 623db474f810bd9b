"""Visits to each case so far: its repetitions, whether it is finished, and the expected time of another visit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pmtwin.calibrate.probing.cases import CHASE, Case
from pmtwin.calibrate.probing.plan import Preset
from pmtwin.calibrate.probing.repetitions import is_narrow, usable_values

LINKING_S_PER_BYTE = 5.0 / (1 << 30)
"""Approximate time to link the lines of the region for a chase."""


class Visits:
    """The record of a probe by case.

    Args:
        preset: states the repetitions of a visit and of a case.
        region_bytes: size of the memory that a chase has to link first.
        dimms: number of modules of the device, which limits the plausible bandwidth.

    Attributes:
        values: usable repetitions of each case that has any, in the unit of its kind.
    """

    def __init__(self, preset: Preset, region_bytes: int, dimms: float):
        self._preset, self._region_bytes, self._dimms = preset, region_bytes, dimms
        self.values: dict[Case, list[float]] = {}
        self._count: dict[Case, int] = {}
        self._refused: set[Case] = set()
        self._seconds: dict[object, list[float]] = {}
        self._spent_s: dict[Case, float] = {}

    def __contains__(self, case: Case) -> bool:
        return case in self._count

    def __len__(self) -> int:
        return len(self._count)

    def add(self, case: Case, entry: dict) -> None:
        """Add a visit from an entry of the journal: `seconds`, and `benchmarks` or the `error` of a refusal."""
        self._count[case] = self._count.get(case, 0) + 1
        if "error" in entry:
            self._refused.add(case)
        elif values := usable_values(entry["benchmarks"], self._dimms):
            self.values.setdefault(case, []).extend(values)
        self._spent_s[case] = self._spent_s.get(case, 0.0) + entry["seconds"]
        for kind in (case.kind, (case.kind, case.operation, case.pattern)):
            self._seconds.setdefault(kind, []).append(entry["seconds"])

    def least_visited(self, wanted: Callable[[Case], bool] = lambda case: True) -> list[Case]:
        """Unfinished wanted cases with the fewest visits; empty if all are finished."""
        unfinished = [case for case in self._count if wanted(case) and not self._is_finished(case)]
        fewest = min((self._count[case] for case in unfinished), default=0)
        return [case for case in unfinished if self._count[case] == fewest]

    def spent_s(self, wanted: Callable[[Case], bool]) -> float:
        """Time in s of all visits to wanted cases."""
        return sum(seconds for case, seconds in self._spent_s.items() if wanted(case))

    def expected_s(self, case: Case) -> float:
        """Expected time in s of a visit.

        The median of earlier visits to the same kind, operation and pattern, else to the same kind, else an estimate.
        """
        known = self._seconds.get((case.kind, case.operation, case.pattern)) or self._seconds.get(case.kind)
        if known:
            return max(float(np.median(known)), 1e-6)
        linking_s = LINKING_S_PER_BYTE * self._region_bytes if case.kind == CHASE else 0.0
        return 1.2 * self._preset.least_repetitions * self._preset.min_time_s + linking_s

    def _is_finished(self, case: Case) -> bool:
        """Whether a case was refused, has enough repetitions or visits, or a narrow interval after several visits."""
        preset, values = self._preset, self.values.get(case, ())
        if case in self._refused:
            return True
        if len(values) >= preset.most_repetitions:
            return True
        if self._count[case] * preset.least_repetitions >= 2 * preset.most_repetitions:
            return True  # few repetitions were usable: other processes had the processors most of the time
        # the repetitions of a chase follow the same links in the same pages: within a visit they agree too well
        return case.kind != CHASE and self._count[case] > 1 and is_narrow(values)
