"""Three questions, three intervals: the same campaign again, another campaign, another device of the family.

A profile's own intervals are of the first. Another session or machine adds what sessions and machines of one campaign
differ by, which the profile knows where its files name them, and what campaigns differ by, which one other campaign
tells: an assumption. Another device adds what the shipped profiles of its kind of memory differ by from this one. What
fewer than `FEWEST_GROUPS` groups inform is called assumed.
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
"""Between campaigns on machines of one kind: FAST'20, figure 4, beside the sweep of its authors
(`tests.studies.interval_kinds`). A thread flushes stores there at a pace a fourth faster, on one module and on six;
cached stores, which the figure does not have, count as flushed ones."""

DEVICE_LOG_HALF_WIDTH = 0.5
"""Between devices of a kind of memory of which no other profile is shipped."""

SIZES, THREADS = (64.0, 256.0, 1024.0, 4096.0, 65536.0), (1.0, 2.0, 4.0, 8.0, 16.0, 24.0)
"""Where profiles are compared, as far as both were measured there."""


@dataclass(frozen=True)
class Widening:
    """What an interval has beside the profile's own, in squares.

    Args:
        log_half_width: of log bandwidth.
        groups: sessions, campaigns or devices that tell of it.
        groups_noun: what these are.
    """

    log_half_width: float
    groups: int
    groups_noun: str

    @property
    def assumed(self) -> bool:
        """Whether too few groups inform the width."""
        return self.groups < FEWEST_GROUPS


def widenings(profile: Profile, interval: str, operation: str, pattern: str) -> list[Widening]:
    """What an interval of one operation and pattern adds to the profile's own."""
    if interval == REPEAT:
        return []
    terms = [Widening(CAMPAIGN_LOG_HALF_WIDTHS[operation], 1, "other campaigns")]
    sessions = (profile.intervals or {}).get("sessions", {}).get(operation)
    if sessions:
        terms.append(Widening(sessions["log_half_width"], sessions["groups"], "sessions"))
    if interval == DEVICE:
        apart = [_difference(profile, other, operation, pattern) for other in _relatives(profile)]
        apart = [each for each in apart if each is not None]
        width = float(np.median(apart)) if apart else DEVICE_LOG_HALF_WIDTH
        terms.append(Widening(width, len(apart), "other devices"))
    return terms


def with_interval(profile: Profile, interval: str) -> Profile:
    """The profile with the intervals of one question (of `INTERVALS`); as it is if it has none."""
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


def assumptions(profile: Profile, interval: str, asked: Iterable[tuple[str, str]]) -> list[str]:
    """What is assumed in intervals of operations and patterns, a phrase each with the groups that tell of it."""
    fewest: dict[str, int] = {}
    for operation, pattern in set(asked):
        for each in widenings(profile, interval, operation, pattern):
            if each.assumed:
                fewest[each.groups_noun] = min(each.groups, fewest.get(each.groups_noun, each.groups))
    return [f"{source} ({groups} known)" for source, groups in sorted(fewest.items())]


def _together(parts: list[Widening]) -> float:
    return float(np.sqrt(sum(part.log_half_width**2 for part in parts)))


def _relatives(profile: Profile) -> list[Profile]:
    """The other shipped profiles of the same kind of memory."""
    shipped = (load_profile(name) for name in profile_names() if name != profile.name)
    return [other for other in shipped if other.record.get("media") == profile.record.get("media")]


def _difference(profile: Profile, other: Profile, operation: str, pattern: str) -> float | None:
    """90th percentile of the distance of two profiles in log bandwidth, where both were measured; None if nowhere."""
    size, threads = (axis.ravel() for axis in np.meshgrid(SIZES, THREADS))
    if any(operation not in each.fitted_range for each in (profile, other)):
        return None
    both = ~np.any([extrapolated(each, operation, pattern, size, threads) for each in (profile, other)], axis=0)
    if not np.any(both):
        return None
    columns = {"access_size_bytes": size[both], "threads": threads[both]}
    columns |= {"operation": np.full(both.sum(), operation), "pattern": np.full(both.sum(), pattern)}
    columns |= {"dimms": np.full(both.sum(), 6.0), "power_w": np.full(both.sum(), 15.0)}
    bandwidth = [np.log(predict(each, columns)["bandwidth_mib_s"]) for each in (profile, other)]
    return float(np.quantile(np.abs(bandwidth[0] - bandwidth[1]), COVERAGE))
