"""Accesses other than the plain ones of the sweep: at a stride, with fences, from the far node, on separate DIMMs.

Each changes the plain prediction by its own mechanism (`sim.device.strides`, `sim.device.fences`). Where the profile
does not identify an effect, there is no number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.effects import FENCES, REMOTE, STRIDES, outside
from pmtwin.sim.device.fences import fenced_issue_mib_s
from pmtwin.sim.device.issue import issue_bound_mib_s
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.strides import strided_bounds_mib_s

UNMEASURED_LOG_HALF_WIDTH = 0.35
"""Added to an interval outside what an effect was measured on. Of FAST'20's far node, the largest ratio of latencies
is exp(0.35) from the one fitted here."""

LONG_STRIDE_BYTES = 4096.0
"""From one interleaving chunk on, strides are the hardest to predict: their intervals are stated apart."""


@dataclass
class Accesses:
    """Points of one operation and pattern, arrays of shape (m,); see `pmtwin predict` for the meaning of each."""

    access_size_bytes: np.ndarray
    threads: np.ndarray
    dimms: np.ndarray
    power_w: np.ndarray
    stride_bytes: np.ndarray
    fence_interval_bytes: np.ndarray
    remote: np.ndarray
    interleaved: np.ndarray
    offered_mib_s: np.ndarray

    def take(self, index: np.ndarray) -> Accesses:
        """The points at an index array."""
        return Accesses(**{name: values[index] for name, values in vars(self).items()})

    @property
    def limited(self) -> np.ndarray:
        """Points whose threads offer no more than a given bandwidth."""
        return np.isfinite(self.offered_mib_s)

    @property
    def plain(self) -> bool:
        """No point differs from the plain access."""
        apart = ~self.interleaved & (self.dimms > 1)
        return not (np.any(self.stride_bytes) or np.any(self.fence_interval_bytes) or np.any(self.remote | apart))

    def columns(self) -> tuple[np.ndarray, ...]:
        """Access size, threads, DIMMs, power: what the law takes."""
        return self.access_size_bytes, self.threads, self.dimms, self.power_w


@dataclass
class Outcome:
    """Predictions for `Accesses`, shape (m,) each; `missing` names the effect that a point lacks, or is empty."""

    issue_mib_s: np.ndarray
    media_mib_s: np.ndarray
    correction: np.ndarray
    log_half_width: np.ndarray
    extrapolated: np.ndarray
    time_factor: np.ndarray
    missing: np.ndarray


def on_separate_dimms(points: Accesses) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(DIMMs in use, threads and DIMMs of each set): D DIMMs that are not interleaved are D sets of one.

    Threads spread evenly; fewer threads than DIMMs leave some idle.
    """
    apart = ~points.interleaved & (points.dimms > 1)
    sets = np.where(apart, np.minimum(points.dimms, np.maximum(points.threads, 1.0)), 1.0)
    return sets, points.threads / sets, np.where(apart, 1.0, points.dimms)


def vary(profile: Profile, operation: str, pattern: str, points: Accesses, plain: Outcome) -> Outcome:
    """Change the plain outcome of `points` (of one set of DIMMs each) by all that is not plain about them."""
    effects = profile.effects or {}
    steps = ((STRIDES, points.stride_bytes > 0, _strided), (FENCES, points.fence_interval_bytes > 0, _fenced))
    for name, mask, change in (*steps, (REMOTE, points.remote, _remote)):
        here = np.flatnonzero(mask)
        if not here.size:
            continue
        entry = effects.get(name, {}).get(operation)
        if entry is None:
            plain.missing[here] = f"{name} of {operation}"
            continue
        change(profile.parameters[operation], entry, pattern, points, plain, here)
    # Each effect was measured by itself.
    together = np.flatnonzero(
        (points.stride_bytes > 0).astype(int) + (points.fence_interval_bytes > 0) + points.remote > 1
    )
    plain.log_half_width[together] += UNMEASURED_LOG_HALF_WIDTH
    plain.extrapolated[together] = True
    return plain


def _strided(
    parameters: Mapping, entry: Mapping, pattern: str, points: Accesses, outcome: Outcome, here: np.ndarray
) -> None:
    size, threads, dimms, power = (column[here] for column in points.columns())
    stride = points.stride_bytes[here]
    issue, media = strided_bounds_mib_s(parameters, entry["parameters"], size, stride, threads, dimms, power)
    outcome.issue_mib_s[here], outcome.media_mib_s[here], outcome.correction[here] = issue, media, 1.0
    axes = {"access_size_bytes": size, "threads": threads, "dimms": dimms, "stride_bytes": stride, "power_w": power}
    beyond = outside(entry, pattern, axes)
    short, long = entry["log_half_width"]
    half = np.where(stride < LONG_STRIDE_BYTES, short, long)
    outcome.log_half_width[here] = half + np.where(beyond, UNMEASURED_LOG_HALF_WIDTH, 0.0)
    outcome.extrapolated[here] = beyond


def _fenced(
    parameters: Mapping, entry: Mapping, pattern: str, points: Accesses, outcome: Outcome, here: np.ndarray
) -> None:
    random = np.asarray(pattern == "random")
    interval, threads = points.fence_interval_bytes[here], points.threads[here]
    fenced = fenced_issue_mib_s(entry["parameters"], random, interval, threads, outcome.issue_mib_s[here])
    outcome.issue_mib_s[here], outcome.correction[here] = fenced, 1.0
    axes = {name: getattr(points, name)[here] for name in ("fence_interval_bytes", "threads", "dimms", "power_w")}
    _widen(entry, pattern, outcome, here, axes)


def _remote(
    parameters: Mapping, entry: Mapping, pattern: str, points: Accesses, outcome: Outcome, here: np.ndarray
) -> None:
    outcome.time_factor[here] = entry["parameters"]["time_factor"]
    axes = {name: getattr(points, name)[here] for name in ("access_size_bytes", "threads", "dimms", "power_w")}
    _widen(entry, pattern, outcome, here, axes)


def _widen(entry: Mapping, pattern: str, outcome: Outcome, here: np.ndarray, axes: Mapping[str, np.ndarray]) -> None:
    """Add an effect's own uncertainty to that of the plain access."""
    beyond = outside(entry, pattern, axes)
    own = entry["log_half_width"][0] + np.where(beyond, UNMEASURED_LOG_HALF_WIDTH, 0.0)
    outcome.log_half_width[here] = np.hypot(outcome.log_half_width[here], own)
    outcome.extrapolated[here] |= beyond


def plain_bounds(parameters: Mapping, pattern: str, at: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """(issue bound, media bound) in MiB/s of plain accesses."""
    random = np.asarray(pattern == "random")
    issue = issue_bound_mib_s(parameters, random, *at[:2])
    return issue, law.media_bound_mib_s(parameters, random, *at)
