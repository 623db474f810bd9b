"""Intervals for three questions: a repetition in the same campaign, another campaign, another device of the same kind.

A profile states the intervals of the first. For another campaign, the variation between sessions and machines (if the
profile's files name them) and between campaigns (of which only one other is known) is added; for another device, the
differences between the shipped profiles of its kind of memory. A width from fewer than `FEWEST_GROUPS` groups is
reported as assumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.sim.device.intervals import COVERAGE
from pmtwin.sim.device.law import PATTERNS
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile, profile_names
from pmtwin.sim.device.ranges import extrapolated

REPEAT, CAMPAIGN, DEVICE = INTERVALS = ("repeat", "campaign", "device")
FEWEST_GROUPS = 5

CAMPAIGN_LOG_HALF_WIDTHS = {"load": 0.14, "ntstore": 0.14, "store_clwb": 0.27, "store": 0.27}
"""Half-widths between campaigns on machines of the same kind, from FAST'20, figure 4, and the sweep of its authors
(`studies.interval_kinds`). In the figure, a thread flushes stores a fourth faster, on one module and on six. Cached
stores, which the figure lacks, have the half-width of flushed ones."""

DEVICE_LOG_HALF_WIDTH = 0.5
"""Half-width between devices of a kind of memory with only one shipped profile."""

SIZES, THREADS = (64.0, 256.0, 1024.0, 4096.0, 65536.0), (1.0, 2.0, 4.0, 8.0, 16.0, 24.0)
"""Points at which two profiles are compared, if both were measured there."""


@dataclass(frozen=True)
class Widening:
    """An addition to the profile's interval, in squares.

    Args:
        log_half_width: half-width of log bandwidth.
        groups: number of sessions, campaigns or devices from which it was estimated.
        groups_noun: noun for the groups.
    """

    log_half_width: float
    groups: int
    groups_noun: str

    @property
    def assumed(self) -> bool:
        """Whether the width was estimated from fewer than `FEWEST_GROUPS` groups."""
        return self.groups < FEWEST_GROUPS


def widenings(profile: Profile, interval: str, operation: str, pattern: str) -> list[Widening]:
    """Additions to the profile's own interval of one operation and pattern."""
    if interval == REPEAT:
        return []
    terms = [Widening(CAMPAIGN_LOG_HALF_WIDTHS[operation], 1, "other campaigns")]
    sessions = (profile.intervals or {}).get("sessions", {}).get(operation)
    if sessions:
        terms.append(Widening(sessions["log_half_width"], sessions["groups"], "sessions"))
    if interval == DEVICE:
        differences = (_difference(profile, other, operation, pattern) for other in _relatives(profile))
        widths = [difference for difference in differences if difference is not None]
        width = float(np.median(widths)) if widths else DEVICE_LOG_HALF_WIDTH
        terms.append(Widening(width, len(widths), "other devices"))
    return terms


def with_interval(profile: Profile, interval: str) -> Profile:
    """The profile with the intervals of one question (of `INTERVALS`); unchanged if it has no intervals."""
    if interval == REPEAT or profile.intervals is None:
        return profile
    added = {
        operation: {pattern: _together(widenings(profile, interval, operation, pattern)) for pattern in PATTERNS}
        for operation in profile.parameters
    }
    operations = {name: {**entry, "added": added[name]} for name, entry in profile.intervals["operations"].items()}
    latency = {
        operation: {pattern: float(np.hypot(half, added[operation][pattern])) for pattern, half in patterns.items()}
        for operation, patterns in profile.intervals.get("latency", {}).items()
    }
    return replace(profile, intervals={**profile.intervals, "operations": operations, "latency": latency})


def assumptions(profile: Profile, interval: str, predictions: Iterable[tuple[str, str]]) -> list[str]:
    """Assumptions in the intervals of (operation, pattern) pairs: a phrase each, with the number of known groups."""
    fewest: dict[str, int] = {}
    for operation, pattern in set(predictions):
        for term in widenings(profile, interval, operation, pattern):
            if term.assumed:
                fewest[term.groups_noun] = min(term.groups, fewest.get(term.groups_noun, term.groups))
    return [f"{source} ({groups} known)" for source, groups in sorted(fewest.items())]


def _together(parts: list[Widening]) -> float:
    return float(np.sqrt(sum(part.log_half_width**2 for part in parts)))


def _relatives(profile: Profile) -> list[Profile]:
    """The other shipped profiles of the same kind of memory."""
    shipped = (load_profile(name) for name in profile_names() if name != profile.name)
    return [other for other in shipped if other.record.get("media") == profile.record.get("media")]


def _difference(profile: Profile, other: Profile, operation: str, pattern: str) -> float | None:
    """90th percentile of the difference of two profiles in log bandwidth; None if no point was measured on both."""
    size, threads = (axis.ravel() for axis in np.meshgrid(SIZES, THREADS))
    pair = profile, other
    if any(operation not in member.fitted_range for member in pair):
        return None
    both = ~np.any([extrapolated(member, operation, pattern, size, threads) for member in pair], axis=0)
    if not np.any(both):
        return None
    columns = {"access_size_bytes": size[both], "threads": threads[both]}
    columns |= {"operation": np.full(both.sum(), operation), "pattern": np.full(both.sum(), pattern)}
    columns |= {"dimms": np.full(both.sum(), 6.0), "power_w": np.full(both.sum(), 15.0)}
    bandwidth = [np.log(predict(member, columns)["bandwidth_mib_s"]) for member in pair]
    return float(np.quantile(np.abs(bandwidth[0] - bandwidth[1]), COVERAGE))
