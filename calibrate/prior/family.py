"""The shipped devices as a family: the log bandwidth that each of them predicts for a configuration.

A new device is modelled as the mean of the devices of its kind plus three deviations: along the differences between
the shipped devices, in proportion to the shares of issue and media in the bandwidth, and one that no shipped device
shows (`pmtwin.calibrate.prior.process`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.sim.device import law
from pmtwin.sim.device.access_points import AccessPoints
from pmtwin.sim.device.law import OPERATIONS, PATTERNS
from pmtwin.sim.device.profile import Profile, load_profile, profile_names
from pmtwin.sim.device.single_operation import outcome_of, predict_pure

STEP = 1.01
"""Factor on the media's bound for the finite difference that gives the bound's share in the bandwidth."""


@dataclass(frozen=True)
class Points:
    """Configurations as the family sees them, arrays of shape (n,) unless stated.

    Args:
        operation, pattern: index in `OPERATIONS`, `PATTERNS`.
        size, threads, dimms: log2.
        mean: log bandwidth in MiB/s, mean of the devices of the kind.
        members: deviations of all devices, each from the mean of its kind, shape (devices, n); 0 where a device has no
            data.
        others: deviations of the means of the other kinds from the mean of this kind, shape (other kinds, n).
        media: share of the media's bound in the bandwidth, 0 (issue alone) to 1; 0.5 where no device has data.
        single: 1.0 where fewer than two devices of the kind cover the configuration.
    """

    operation: np.ndarray
    pattern: np.ndarray
    size: np.ndarray
    threads: np.ndarray
    dimms: np.ndarray
    mean: np.ndarray
    members: np.ndarray
    others: np.ndarray
    media: np.ndarray
    single: np.ndarray

    def take(self, index: np.ndarray) -> Points:
        """The points at an index array or mask."""
        return Points(**{name: values[..., index] for name, values in vars(self).items()})


def joined(parts: Sequence[Points]) -> Points:
    """All points of the parts, in their order."""
    return Points(**{name: np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in vars(parts[0])})


@dataclass(frozen=True)
class Family:
    """Profiles by the kind of memory.

    Args:
        kinds: kind -> its profiles.
    """

    kinds: dict[str, list[Profile]]

    def points(self, c: Configurations, kind: str) -> Points:
        """Configurations seen from one kind; `_filled` gives the mean where no device of the kind has data."""
        surfaces = {name: [surface(profile, c) for profile in profiles] for name, profiles in self.kinds.items()}
        means = {name: _mean([entry[0] for entry in members]) for name, members in surfaces.items()}
        is_known = {name: np.isfinite(mean) for name, mean in means.items()}
        if not all(map(np.all, is_known.values())):
            means = self._filled(means, c)
        levels = np.array([entry[0] for entry in surfaces[kind]])
        deviations = [entry[0] - means[name] for name, members in surfaces.items() for entry in members]
        mean = means[kind]
        shares = _mean([entry[1] for members in surfaces.values() for entry in members])
        others = [np.nan_to_num(other - mean) for name, other in means.items() if name != kind]
        return Points(
            operation=np.array([OPERATIONS.index(name) for name in c.operation.tolist()]),
            pattern=np.array([PATTERNS.index(name) for name in c.pattern.tolist()]),
            size=np.log2(c.access_size_bytes),
            threads=np.log2(c.threads),
            dimms=np.log2(c.dimms),
            mean=mean,
            members=np.nan_to_num(np.array(deviations)),
            others=np.array(others).reshape(len(others), len(c)),
            media=np.clip(np.nan_to_num(shares, nan=0.5), 0.0, 1.0),
            single=(~is_known[kind] | (np.sum(np.isfinite(levels), axis=0) < 2)).astype(float),
        )

    def _filled(self, means: dict[str, np.ndarray], c: Configurations) -> dict[str, np.ndarray]:
        """Means of the kinds, with a value where a kind has no data.

        The value is the kind's mean for the other pattern, shifted by the mean difference between the patterns in the
        kinds that have both; unshifted where no kind has both; and the mean of the other kinds where the kind has
        neither pattern.
        """
        turned = replace(c, pattern=np.where(c.random, "sequential", "random"))
        swapped = {name: _mean([surface(each, turned)[0] for each in members]) for name, members in self.kinds.items()}
        between = _mean([means[name] - swapped[name] for name in means])
        filled = {}
        for name, mean in means.items():
            others = _mean([means[other] for other in means if other != name] or [np.full(len(c), np.nan)])
            for guess in (swapped[name] + between, swapped[name], others):
                mean = np.where(np.isnan(mean), guess, mean)
            filled[name] = mean
        return filled


def shipped_family(without: Sequence[str] = ()) -> Family:
    """All shipped profiles except those named in `without`, for example to evaluate the prior on them."""
    kinds: dict[str, list[Profile]] = {}
    for name in profile_names():
        if name not in without:
            profile = load_profile(name)
            kinds.setdefault(kind_of(profile), []).append(profile)
    return Family(kinds)


def kind_of(profile: Profile) -> str:
    """The kind of memory that a profile was calibrated on; `pmem` where the profile does not record one."""
    return profile.record.get("media") or "pmem"


def surface(profile: Profile, c: Configurations) -> tuple[np.ndarray, np.ndarray]:
    """(log bandwidth in MiB/s, share of the media's bound in it) at configurations.

    Both are NaN for an operation and pattern that the profile has no measurements of.
    """
    log_bandwidth, share = np.full(len(c), np.nan), np.full(len(c), np.nan)
    for operation, boxes in profile.fitted_range.items():
        for pattern in sorted({box["pattern"] for box in boxes}):
            chosen = np.flatnonzero((c.operation == operation) & (c.pattern == pattern))
            if not chosen.size:
                continue
            part, channels = _as_measured(c.take(chosen), [box for box in boxes if box["pattern"] == pattern])
            accesses = _accesses(part)
            predicted = predict_pure(profile, operation, pattern, accesses).bandwidth_mib_s
            log_bandwidth[chosen] = np.log(channels * predicted)
            bounds = outcome_of(profile, operation, pattern, accesses)
            parameters = profile.parameters[operation]
            joined = [law.join_bounds(parameters, bounds.issue_mib_s, bounds.media_mib_s * by) for by in (STEP, 1.0)]
            share[chosen] = np.log(joined[0] / joined[1]) / np.log(STEP)
    return log_bandwidth, share


def _as_measured(c: Configurations, boxes: Sequence[dict]) -> tuple[Configurations, np.ndarray]:
    """Configurations with the nearest measured number of DIMMs, and the factor on their bandwidth, shape (n,).

    Outside the measured numbers of DIMMs, each DIMM is assumed to serve its share of the threads as it does at the
    nearest measured number. The share is limited to one thread at least and the largest measured number at most.
    """
    least, most = (pick(box["dimms"] for box in boxes) for pick in (min, max))
    dimms = np.clip(c.dimms, least, most)
    channels = c.dimms / dimms
    shared = np.clip(c.threads / channels, 1.0, max(box["threads"][1] for box in boxes))
    return replace(c, dimms=dimms, threads=np.where(channels == 1.0, c.threads, shared)), channels


def _accesses(c: Configurations) -> AccessPoints:
    together, unlimited = np.ones(len(c), dtype=bool), np.full(len(c), np.inf)
    size, threads, dimms, power_w = (
        np.asarray(column, dtype=float) for column in (c.access_size_bytes, c.threads, c.dimms, c.power_w)
    )
    return AccessPoints(size, threads, dimms, power_w, together, unlimited, sets=np.ones(len(c)), varied={})


def _mean(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Mean of the known values, NaN where none is known."""
    values = np.array(columns)
    known = np.isfinite(values)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
