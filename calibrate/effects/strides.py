"""Strides: the probe's cases, at powers of two from a media line on; the fit of `pmtwin.sim.device.effects.strides`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import MIN_ROWS, CaseLimits, Fitting, Measured, entry_of, powers_of_two
from pmtwin.calibrate.probing.cases import BANDWIDTH, Case
from pmtwin.sim.device import law
from pmtwin.sim.device.effects import Column
from pmtwin.sim.device.effects.strides import LONG_STRIDE_BYTES, Strides, strided_bounds_mib_s
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES
from pmtwin.sim.device.profile import Profile

SIZES = (CACHE_LINE_BYTES, MEDIA_LINE_BYTES)
MORE_SIZES = (1024,)
LONGEST_BYTES = 1 << 14

STARTS = {
    "loss_one_dimm": 0.3,
    "loss_full_set": 2.0,
    "critical_stride_bytes": 2000.0,
    "onset_exponent": 4.0,
    "size_exponent_one_dimm": 0.5,
    "size_exponent_full_set": 0.5,
    "thread_exponent_one_dimm": 0.5,
    "thread_exponent_full_set": 0.5,
}


class StridesFitting(Fitting):
    """Fitting to strided accesses; strides below `LONG_STRIDE_BYTES` and from it on have errors of their own."""

    effect = Strides()
    closes = "strides above the access size"

    def cases(self, operation: str, limits: CaseLimits) -> list[tuple[Case, ...]]:
        strides = powers_of_two(MEDIA_LINE_BYTES, LONGEST_BYTES)
        sizes = SIZES + MORE_SIZES * limits.dense
        return [
            (Case(BANDWIDTH, operation, "sequential", size, count, varied=((self.effect.column.name, stride),)),)
            for size, stride, count in itertools.product(sizes, strides, limits.threads)
            if stride > size
        ]

    def value_of(self, column: Column, measured: float | str, access_size_bytes: float) -> float:
        stride = float(measured)
        return stride if stride > access_size_bytes else 0.0

    def fault(self, value: float, operation: str, pattern: str, pure: bool) -> str:
        known = pure and pattern == "sequential" and value >= MEDIA_LINE_BYTES
        return "" if known else "stride above the access size: not covered by this law"

    def fit(self, operation: str, profile: Profile, measured: Measured) -> dict | None:
        operation_law, rows = profile.parameters[operation], measured.rows.select(self.effect.name, operation)
        if len(rows) < MIN_ROWS:
            return None

        def log_bandwidth(strided: Mapping[str, float], index: np.ndarray) -> np.ndarray:
            size, threads, dimms, power = (column[index] for column in rows.law_columns())
            bounds = strided_bounds_mib_s(operation_law, strided, size, rows.value[index], threads, dimms, power)
            return np.log(law.join_bounds(operation_law, *bounds))

        starts = {"first_line_ns": operation_law["first_line_sequential_ns"], **STARTS}
        fit = fit_effect(starts, log_bandwidth, rows.bandwidth_mib_s)
        long = rows.value >= LONG_STRIDE_BYTES
        return entry_of(self.effect, operation_law, fit, rows, [fit.errors[~long], fit.errors[long]])
