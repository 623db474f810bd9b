"""Fences: the probe's cases, with a fence after each access, and the fit of `pmtwin.sim.device.effects.fences`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import MIN_ROWS, CaseLimits, Fitting, Measured, entry_of, powers_of_two
from pmtwin.calibrate.probing.cases import BANDWIDTH, Case
from pmtwin.sim.device import law
from pmtwin.sim.device.effects.fences import Fences, fenced_issue_mib_s
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES
from pmtwin.sim.device.issue import issue_bound_mib_s
from pmtwin.sim.device.profile import Profile

LONGEST_INTERVAL_BYTES = 1 << 12

STARTS = {
    "random_ns": 200.0,
    "sequential_ns": 200.0,
    "overlap_norm": 4.0,
    "line_saving": 0.2,
    "saving_bytes": 2048.0,
}


class FencesFitting(Fitting):
    """The probe fences writes only: with a fence after each load, it would measure the latency of loads."""

    effect = Fences()

    def cases(self, operation: str, limits: CaseLimits) -> list[tuple[Case, ...]]:
        if operation == "load":
            return []
        octaves = 1 if limits.dense or len(limits.threads) == 1 else 2
        intervals = powers_of_two(CACHE_LINE_BYTES, LONGEST_INTERVAL_BYTES, octaves)
        return [
            (Case(BANDWIDTH, operation, pattern, interval, count, varied=((self.effect.column.name, interval),)),)
            for pattern, interval, count in itertools.product(law.PATTERNS, intervals, limits.threads)
        ]

    def fault(self, value: float, operation: str, pattern: str, pure: bool) -> str:
        is_covered = pure and operation != "load"
        return "" if is_covered else "fences in between: not the bandwidth of the accesses alone"

    def fit(self, operation: str, profile: Profile, measured: Measured) -> dict | None:
        operation_law, rows = profile.parameters[operation], measured.rows.select(self.effect.name, operation)
        if len(rows) < MIN_ROWS:
            return None
        random = rows.pattern == "random"
        issue = issue_bound_mib_s(operation_law, random, *rows.law_columns()[:2])
        media = law.media_bound_mib_s(operation_law, random, *rows.law_columns())

        def log_bandwidth(fence: Mapping[str, float], index: np.ndarray) -> np.ndarray:
            fenced = fenced_issue_mib_s(fence, random[index], rows.value[index], rows.threads[index], issue[index])
            return np.log(law.join_bounds(operation_law, fenced, media[index]))

        fit = fit_effect(STARTS, log_bandwidth, rows.bandwidth_mib_s)
        return entry_of(self.effect, operation_law, fit, rows, [fit.errors])
